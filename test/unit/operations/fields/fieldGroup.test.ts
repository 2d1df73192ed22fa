import { INSTANCE, resultOf, SEND, useBench, VIDEO, workflowOf } from '../../../support/setup';

/** Feed videos from JSON and from the input item; by which names they are found: findFields.test.ts. */

const bench = useBench();

type Json = Record<string, unknown>;
type Failed = Record<'message' | 'description', string>;

/** Sends the video of each item to `customer-` and its number. */
async function send(items: Json[], parameters: Json) {
	const addressed = items.map((item, index) => ({ toId: `customer-${index}`, ...item }));
	const all = { ...SEND, feedVideo: undefined, ...parameters };
	const run = await bench.engine.run(
		workflowOf(addressed, all, { onError: 'continueRegularOutput' }),
	);
	const failures = resultOf(run).items.map(({ json }) => json.error as Failed | undefined);
	return { failures };
}

const sentTo = (index: number) => ({
	instance_guid: INSTANCE,
	...VIDEO,
	toId: `customer-${index}`,
});

const NAMES = Object.keys(VIDEO);

/** The same item, by each way that searches. */
const WAYS: Array<[string, Json]> = [
	['From Input Item', { specifyFeedVideo: 'input' }],
	['JSON', { feedVideo: '={{ $json }}' }],
	['a JSON list', { feedVideo: '={{ [$json] }}' }],
	['JSON as text', { feedVideo: '={{ JSON.stringify($json) }}' }],
];

describe.each(WAYS)('%s', (_, parameters) => {
	test('finds a video', async () => {
		const found: Record<string, Json> = {
			"by the fields' names": VIDEO,
			'in a list': { list: [VIDEO] },
			'in a body': { body: { event: 1, message: { content: [VIDEO] } } },
			// Who gets it never comes from there.
			'beside a recipient': {
				video: { ...VIDEO, toId: 'another', instance_guid: 'another', instanceGuid: 'another' },
			},
		};
		const names = Object.keys(found);
		const { failures } = await send(Object.values(found), parameters);
		expect(names.filter((__, index) => failures[index])).toEqual([]);
		expect(bench.sandbox.messages).toEqual([0, 1, 2, 3].map(sentTo));
	});
});

test.each<[string, Json, string]>([
	[
		'an empty item',
		{ specifyFeedVideo: 'input' },
		`Feed Video: none of its fields (${NAMES.join(', ')}) was found: the item is empty`,
	],
	// It begins with all names.
	['the JSON of a new node', {}, NAMES.map((name) => `${name} is empty in the JSON`).join('; ')],
	['nothing', { feedVideo: '' }, 'Feed Video is missing'],
	[
		'an expression that finds nothing',
		{ feedVideo: '={{ $json.no }}' },
		'Feed Video comes out empty: check its expression, or the value in the item; the item is empty',
	],
	[
		'an expression of white space',
		{ feedVideo: '={{ " " }}' },
		'Feed Video comes out empty: check its expression, or the value in the item; the item is empty',
	],
])('%s is explained', async (_, parameters, message) => {
	const all = { ...SEND, toId: 'customer', feedVideo: undefined, ...parameters };
	expect(resultOf(await bench.engine.run(workflowOf([{}], all))).error?.message).toBe(message);
	expect(bench.sandbox.requests).toEqual([]);
});

test('text that is not one JSON object is explained, and not repeated', async () => {
	const explained: Array<[string, string]> = [
		['5', 'none of its fields'],
		['null', 'the JSON is empty'],
		['not json', 'is text that is no JSON: Unexpected token'],
		['{"feedId": secret}', 'Unexpected token'],
		['{"feedId": "secret"', "Expected ',' or '}' after property value"],
		['{"feedId": “secret”}', 'plain quotes, commas and colons (" , :), not “'],
		['{"feedId": "secret"，"a": 1}', 'not ，'],
		['{"feedId"：1}', 'not ：'],
		['```json\n{"feedId": "secret"}\n```', 'a code fence'],
		['{"feedId":\u200b"secret"}', 'U+200B, an invisible character'],
	];
	const { failures } = await send(
		explained.map(([text]) => ({ text })),
		{ feedVideo: '={{ $json.text }}' },
	);
	for (const [index, [, problem]] of explained.entries()) {
		const { message = '', description } = failures[index] ?? {};
		expect(message).toMatch(/^Feed Video[: ]/);
		expect(message).toContain(problem);
		expect(message + description).not.toContain('secret');
	}
	expect(bench.sandbox.requests).toEqual([]);
});
