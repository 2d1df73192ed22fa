import { Engine } from '../dev/engine/engine';
import type { Misbehaviour } from '../dev/sandbox/misbehaviour';
import { samples } from '../dev/sandbox/samples';
import {
	DOWNLOAD,
	KEY,
	recipients,
	resultOf,
	SEND,
	useBench,
	VIDEO,
	workflowOf,
	type Bench,
} from './setup';

const bench = useBench();

const OPTIONS = { maxTries: 1 };
/** Little patience, but only where nothing comes: elsewhere a slow machine may need more. */
const patience = ({ kind }: Misbehaviour) =>
	kind === 'hang' || kind === 'stall' ? { ...OPTIONS, timeout: 300 } : OPTIONS;

interface Case {
	misbehaviour: Misbehaviour;
	outcome: 'rejected' | 'unknown';
	says: RegExp;
	advises: RegExp;
	details?: object;
}

const httpError = (status: number, hasEnvelope: boolean): Misbehaviour => ({
	kind: 'httpError',
	status,
	hasEnvelope,
});
const http = (
	status: number,
	outcome: Case['outcome'],
	says: RegExp,
	advises: RegExp,
): Array<[string, Case]> => [
	[
		`HTTP ${status} with an envelope`,
		{
			misbehaviour: httpError(status, true),
			outcome,
			says: new RegExp(`${says.source}: HTTP ${status} as told \\(code ${status * 100}, HTTP`),
			advises,
			details: {
				httpStatus: status,
				code: status * 100,
				request_id: expect.stringMatching(/^svc_/) as string,
			},
		},
	],
	[
		`HTTP ${status} without an envelope`,
		{
			misbehaviour: httpError(status, false),
			outcome,
			says: new RegExp(`${says.source} \\(HTTP ${status}\\)$`),
			advises,
			details: { httpStatus: status },
		},
	],
];

/** What both operations share. Advice for an unknown outcome depends on the operation. */
const CASES: Array<[string, Case]> = [
	...http(400, 'rejected', /does not accept the request/, /values of this item/),
	...http(401, 'rejected', /does not accept the API key/, /API key/),
	...http(403, 'rejected', /does not allow this with the API key/, /API key/),
	...http(404, 'rejected', /does not know this address/, /Base URL/),
	...http(429, 'rejected', /too many requests/, /Request Interval/),
	...http(500, 'unknown', /failed while it worked on this/, /again/),
	...http(502, 'unknown', /failed while it worked on this/, /again/),
	...http(503, 'rejected', /not available right now/, /later/).slice(0, 1),
	...http(503, 'unknown', /not available right now/, /again/).slice(1),
	...http(504, 'unknown', /failed while it worked on this/, /again/),
	[
		'code ≠ 0',
		{
			misbehaviour: { kind: 'refuse', code: 41001, message: 'the instance is offline' },
			outcome: 'rejected',
			says: /^The Workchat service refused: the instance is offline \(code 41001, request ID svc_\w+\)$/,
			advises: /request ID/,
			details: { code: 41001, request_id: expect.stringMatching(/^svc_/) as string },
		},
	],
	[
		'an HTML page',
		{
			misbehaviour: { kind: 'html' },
			outcome: 'unknown',
			says: /a web page instead/,
			advises: /Base URL/,
		},
	],
	[
		'an empty body',
		{
			misbehaviour: { kind: 'empty' },
			outcome: 'unknown',
			says: /with nothing instead/,
			advises: /Base URL/,
		},
	],
	[
		'invalid JSON',
		{
			misbehaviour: { kind: 'invalidJson' },
			outcome: 'unknown',
			says: /something else instead/,
			advises: /Base URL/,
		},
	],
	[
		'a redirect',
		{
			misbehaviour: {
				kind: 'redirect',
				location: 'https://other.example.com/path?token=secret-token',
			},
			outcome: 'unknown',
			says: /redirects to https:\/\/other\.example\.com\/path, which is not followed.*HTTP 307/,
			advises: /Base URL/,
		},
	],
	[
		'no answer',
		{
			misbehaviour: { kind: 'hang' },
			outcome: 'unknown',
			says: /did not answer in time/,
			advises: /Timeout/,
		},
	],
	[
		'a connection dropped before reading',
		{
			misbehaviour: { kind: 'dropBeforeReading' },
			outcome: 'unknown',
			says: /closed the connection before its answer/,
			advises: /again/,
		},
	],
	[
		'a connection dropped after accepting',
		{
			misbehaviour: { kind: 'dropAfterAccepting' },
			outcome: 'unknown',
			says: /closed the connection before its answer/,
			advises: /again/,
		},
	],
	[
		'a truncated answer',
		{
			misbehaviour: { kind: 'truncate' },
			outcome: 'unknown',
			says: /closed the connection before its answer|broke off in the middle/,
			advises: /again/,
		},
	],
	[
		'a stalled answer',
		{
			misbehaviour: { kind: 'stall' },
			outcome: 'unknown',
			says: /did not answer in time|no byte came for 0\.3 s/,
			advises: /again/,
		},
	],
];

const operations = {
	send: {
		parameters: SEND,
		item: () => recipients(1)[0] as object,
		warning: /may or may not have been sent: check with the recipient/,
	},
	download: {
		parameters: DOWNLOAD,
		item: () => bench.sandbox.fieldsOf(samples.document),
		warning: undefined,
	},
};

describe.each(['send', 'download'] as const)('%s', (name) => {
	const { parameters, item, warning } = operations[name];

	test.each(CASES)('%s stops the workflow with a clear error', async (_, expected) => {
		bench.sandbox.misbehave(expected.misbehaviour);
		const all = { ...parameters, options: patience(expected.misbehaviour) };
		const run = await bench.engine.run(workflowOf([{ ...item() }], all));
		const { error } = resultOf(run);

		expect(run.status).toBe('error');
		expect(error?.name).toBe('NodeApiError');
		expect(error?.message).toMatch(expected.says);
		expect(error?.message).toMatch(/^The Workchat service /);
		expect(error?.description).toMatch(expected.advises);
		if (expected.outcome === 'unknown' && warning && expected.misbehaviour.kind !== 'redirect') {
			expect(error?.description).toMatch(warning);
		}
		expect(error?.context?.itemIndex).toBe(0);
		expect(bench.sandbox.requests).toHaveLength(1);
		expectNoSecrets(run);
	});

	test.each(CASES)('%s is an error item where the node continues', async (_, expected) => {
		bench.sandbox.misbehave(expected.misbehaviour, { times: 2 });
		for (const onError of ['continueRegularOutput', 'continueErrorOutput'] as const) {
			const all = { ...parameters, options: patience(expected.misbehaviour) };
			const run = await bench.engine.run(workflowOf([{ ...item() }], all, { onError }));
			const { items, errorItems, error } = resultOf(run);
			const failed = onError === 'continueErrorOutput' ? errorItems : items;
			const others = onError === 'continueErrorOutput' ? items : errorItems;

			expect(error).toBeUndefined();
			expect(others).toHaveLength(0);
			expect(failed).toHaveLength(1);
			expect(failed[0]?.pairedItem).toMatchObject({ item: 0 });
			expect(failed[0]?.json.error).toMatchObject({
				message: expect.stringMatching(expected.says) as string,
				description: expect.stringMatching(expected.advises) as string,
				outcome: expected.outcome,
				...expected.details,
			});
			expectNoSecrets(
				run,
				failed.map(({ json }) => json.error),
			);
		}
	});
});

test('an envelope without request_id is a success all the same', async () => {
	bench.sandbox.misbehave({ kind: 'noRequestId' });
	const { items, error } = resultOf(await bench.engine.run(workflowOf(recipients(1), SEND)));
	expect(error).toBeUndefined();
	expect(items[0]?.json).toEqual({ ok: true, code: 0, message: 'success', data: null });
});

test('a slow answer is waited for', async () => {
	bench.sandbox.misbehave({ kind: 'delay', milliseconds: 200 });
	const { error } = resultOf(
		await bench.engine.run(workflowOf(recipients(1), { ...SEND, options: OPTIONS })),
	);
	expect(error).toBeUndefined();
});

test('a message that repeats secrets loses them', async () => {
	const message = `bad ${KEY} and ${VIDEO.encodeData} at https://example.com/a?token=secret-token`;
	bench.sandbox.misbehave({ kind: 'refuse', code: 1, message });
	const run = await bench.engine.run(workflowOf(recipients(1), { ...SEND, options: OPTIONS }));
	expect(resultOf(run).error?.message).toMatch(
		/refused: bad \*\*\* and \*\*\* at https:\/\/example.com\/a\?\*\*\* \(code 1/,
	);
	expectNoSecrets(run);
});

test.each(['the order was canceled', 'ENOENT: ETIMEDOUT'])(
	'"%s" is shown as the service said it, and the execution failed',
	async (message) => {
		bench.sandbox.misbehave({ kind: 'refuse', code: 1, message });
		const run = await bench.engine.run(workflowOf(recipients(1), { ...SEND, options: OPTIONS }));
		expect(run.status).toBe('error');
		expect(resultOf(run).error?.message).toContain(
			`refused: ${message.replace('led', 'lled')} (code 1`,
		);
	},
);

test('a key with a line break at its end is no secret less', async () => {
	const engine = await Engine.start({
		credential: { apiKey: `${KEY}\n`, baseUrl: bench.sandbox.url, defaultInstanceGuid: 'x' },
	});
	bench.sandbox.misbehave({ kind: 'refuse', code: 1, message: `bad key ${KEY}` });
	const run = await engine.run(workflowOf(recipients(1), { ...SEND, options: OPTIONS }));
	expect(resultOf(run).error?.message).toMatch(/refused: bad key \*\*\* \(code 1/);
	expectNoSecrets(run);
});

/** The items of a run hold what the user put in; all else of it may hold no secret. */
function expectNoSecrets(
	run: Awaited<ReturnType<Bench['engine']['run']>>,
	more: unknown = null,
): void {
	const { error, runData } = run.data.resultData;
	const errors = Object.values(runData).flatMap((runs) =>
		runs.map(({ error: e, hints }) => [e, hints]),
	);
	const contexts = run.data.executionData?.contextData;
	const { aesKey, authKey } = samples.document;
	const texts = JSON.stringify([error, errors, contexts, more]);
	for (const secret of [KEY, aesKey, authKey, VIDEO.encodeData, 'secret-token', 'fake-signature']) {
		expect(texts).not.toContain(secret);
	}
	expect(JSON.stringify(run)).not.toContain(KEY);
}

test('an error keeps the words and the HTTP status of the answer', async () => {
	bench.sandbox.misbehave({ kind: 'refuse', code: 404, message: 'upstream ETIMEDOUT' });
	const { error } = resultOf(
		await bench.engine.run(workflowOf(recipients(1), { ...SEND, options: { maxTries: 1 } })),
	);
	expect(error?.message).toMatch(/^The Workchat service refused: upstream ETIMEDOUT \(code 404, /);
	expect(error).toMatchObject({ httpCode: '200' });
});
