import { samples } from '../dev/sandbox/samples';
import { DOWNLOAD, recipients, resultOf, SEND, useBench, workflowOf } from './setup';

const bench = useBench();
const LONGEST_TIMER = 2 ** 31 - 1;

/** The bounds of every number option, both included. */
const OPTIONS: Array<
	[operation: string, name: string, label: string, least: number, most: number]
> = [
	['send', 'maxConcurrency', 'Max Concurrency', 1, 10_000],
	['send', 'maxTries', 'Max Tries', 1, 10_000],
	['send', 'requestInterval', 'Request Interval (ms)', 0, LONGEST_TIMER],
	['send', 'timeout', 'Timeout (ms)', 1, LONGEST_TIMER],
	['download', 'maxConcurrency', 'Max Concurrency', 1, 10_000],
	['download', 'maxTries', 'Max Tries', 1, 10_000],
	['download', 'requestInterval', 'Request Interval (ms)', 0, LONGEST_TIMER],
	['download', 'timeout', 'Timeout (ms)', 1, LONGEST_TIMER],
	['download', 'maxFileSize', 'Max File Size (MB)', 0, 1e9],
];

async function runWith(operation: string, name: string, value: unknown) {
	const isSend = operation === 'send';
	const items = isSend ? recipients(1) : [{ ...bench.sandbox.fieldsOf(samples.document) }];
	// One item of which only Max Tries 1 makes no difference, so that other tests stay short.
	const parameters = { ...(isSend ? SEND : DOWNLOAD), options: { [name]: value } };
	return resultOf(await bench.engine.run(workflowOf(items, parameters)));
}

const escaped = (label: string) => label.replace(/[()]/g, '\\$&');

describe.each(OPTIONS)('%s: %s', (operation, name, label, least, most) => {
	const TOO_SMALL = [least - 1, -1, -0.5, -Infinity, -1e308, '={{ -1 }}', '={{ "-1" }}'];
	const NO_NUMBERS = [
		'={{ NaN }}',
		'={{ Infinity }}',
		'={{ -Infinity }}',
		'many',
		'={{ "1 000" }}',
		'={{ "0x" }}',
		'={{ [] }}',
		'={{ ({}) }}',
		'={{ true }}',
		'={{ "" }}',
		'={{ " " }}',
	];
	const TOO_LARGE = [most + 1, most * 2, 1e300, `={{ ${most + 1} }}`, `={{ "${most + 1}" }}`];

	test.each(TOO_SMALL)('%j is too small, and nothing is sent', async (value) => {
		const { error } = await runWith(operation, name, value);
		expect(error?.name).toBe('NodeOperationError');
		expect(error?.message).toBe(`The option ${label} is not a number of at least ${least}`);
		expect(bench.sandbox.requests).toHaveLength(0);
	});

	test.each(NO_NUMBERS)('%j is an error, and nothing is sent', async (value) => {
		const { error } = await runWith(operation, name, value);
		expect(error?.name).toBe('NodeOperationError');
		expect(error?.message).toMatch(
			new RegExp(
				`^The option ${escaped(label)} is not a number of at (least ${least}|most ${most})$`,
			),
		);
		expect(bench.sandbox.requests).toHaveLength(0);
	});

	test.each(TOO_LARGE)('%j is too large, and nothing is sent', async (value) => {
		const { error } = await runWith(operation, name, value);
		expect(error?.message).toMatch(
			new RegExp(`^The option ${escaped(label)} is not a number of at most ${most}$`),
		);
		expect(bench.sandbox.requests).toHaveLength(0);
	});

	const slow = name === 'timeout' ? [] : [least, `={{ ${least} }}`];
	test.each([...slow, most, `={{ "${most}" }}`, ` ${most} `, '={{ undefined }}', '={{ null }}'])(
		'%j is fine',
		async (value) => {
			// A timer that cannot wait so long would fire at once.
			bench.sandbox.misbehave({ kind: 'delay', milliseconds: 30 }, { times: 2 });
			const { error, items } = await runWith(operation, name, value);
			expect(error).toBeUndefined();
			expect(items).toHaveLength(1);
		},
	);
});

test('the panel keeps to the same bounds', async () => {
	const { Workchat } = (await import(
		'../nodes/Workchat/Workchat.node'
	)) as typeof import('../nodes/Workchat/Workchat.node');
	const { properties } = new Workchat().description;
	for (const [operation, name, , least, most] of OPTIONS) {
		const value = operation === 'send' ? 'sendFeedVideo' : 'download';
		const collection = properties.find(
			(property) =>
				property.name === 'options' && property.displayOptions?.show?.operation?.includes(value),
		);
		const option = collection?.options?.find((other) => other.name === name);
		expect(option).toMatchObject({ typeOptions: { minValue: least, maxValue: most } });
	}
});

test('an option that comes as text is a number all the same', async () => {
	bench.sandbox.misbehave({ kind: 'httpError', status: 503, retryAfter: '0' }, { times: 9 });
	const options = { maxTries: '={{ "2" }}' };
	await bench.engine.run(workflowOf(recipients(1), { ...SEND, options }));
	expect(bench.sandbox.requests).toHaveLength(2);
});
