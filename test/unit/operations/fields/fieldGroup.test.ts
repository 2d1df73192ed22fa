import {
	INSTANCE,
	NODE,
	resultOf,
	SEND,
	useBench,
	VIDEO,
	workflowOf,
} from '../../../support/setup';

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
	const hints = run.data.resultData.runData[NODE]?.[0]?.hints ?? [];
	return { failures, hints: hints.map(({ message }) => message) };
}

const sentTo = (index: number) => ({
	instance_guid: INSTANCE,
	...VIDEO,
	toId: `customer-${index}`,
});

const NAMES = Object.keys(VIDEO);
const renamed = (rename: (name: string) => string): Json =>
	Object.fromEntries(Object.entries(VIDEO).map(([name, value]) => [rename(name), value]));
const words = (name: string) => name.replace(/[A-Z]/g, (capital) => ` ${capital}`);
const without = (...names: string[]): Json =>
	Object.fromEntries(Object.entries(VIDEO).filter(([name]) => !names.includes(name)));

/** The same item, by each way that searches. */
const WAYS: Array<[string, string, Json]> = [
	['From Input Item', 'the item', { specifyFeedVideo: 'input' }],
	['JSON', 'the JSON', { feedVideo: '={{ $json }}' }],
	['JSON as text', 'the JSON', { feedVideo: '={{ JSON.stringify($json) }}' }],
];

describe.each(WAYS)('%s', (_, container, parameters) => {
	test('finds a video', async () => {
		const found: Record<string, Json> = {
			"by the fields' names": VIDEO,
			"by the panel's labels": {
				...without('headImgUrl'),
				'Head Image URL': VIDEO.headImgUrl,
			},
			'by column titles': renamed((name) =>
				words(name).replace(/^./, (first) => first.toUpperCase()),
			),
			'in a body': { body: { event: 1, message: { content: [VIDEO] } } },
			'that stands there twice': { body: VIDEO, copy: { ...VIDEO, 'Feed ID': VIDEO.feedId } },
			// Who gets it never comes from there.
			'beside a recipient': {
				video: { ...VIDEO, toId: 'another', instance_guid: 'another', instanceGuid: 'another' },
			},
			'with white space': { ...VIDEO, feedId: ' x', coverUrl: ' https://example.com ' },
		};
		const names = Object.keys(found);
		const { failures, hints } = await send(Object.values(found), parameters);
		expect(names.filter((__, index) => failures[index])).toEqual([]);
		const spaced = { ...sentTo(6), feedId: ' x', coverUrl: 'https://example.com' };
		expect(bench.sandbox.messages).toEqual([...[0, 1, 2, 3, 4, 5].map(sentTo), spaced]);
		expect(hints).toEqual([
			'White space around values was removed: coverUrl (item 6, counted from 0)',
			'White space around values was sent with them: feedId (item 6, counted from 0)',
		]);
	});

	test('refuses what is none, or not one', async () => {
		const refused: Array<[Json, RegExp]> = [
			[
				{ ...without('headImgUrl'), headPicture: 'x' },
				new RegExp(`^headImgUrl is missing; ${container} has: toId, .*, headPicture$`),
			],
			[
				{ a: { feedId: 'x' }, body: { video: without('feedNo', 'username') } },
				/^feedNo is missing; username is missing; body\.video has: channelName, /,
			],
			[
				{ a: 1 },
				new RegExp(
					`^Feed Video: none .*${NAMES.join(', ')}\\) was found: ${container} has: toId, a$`,
				),
			],
			[
				{ videos: [VIDEO, { ...VIDEO, feedId: 'another' }] },
				/^Feed Video stands in several places with different values: videos\[0\], videos\[1\]$/,
			],
			[
				{ ...VIDEO, 'Feed ID': 'another' },
				/^the (item|JSON) has feedId twice, with different values$/,
			],
			[{ ...VIDEO, username: '' }, new RegExp(`^username is empty in ${container}$`)],
			[{ ...VIDEO, coverUrl: 'nowhere', feedNo: [] }, /^coverUrl is not .*; feedNo is a/],
		];
		const { failures } = await send(
			refused.map(([item]) => item),
			parameters,
		);
		for (const [index, [, message]] of refused.entries()) {
			expect(failures[index]?.message).toMatch(message);
			expect(failures[index]?.message).not.toContain(VIDEO.encodeData);
		}
		expect(bench.sandbox.requests).toEqual([]);
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
	[
		'a list from an expression',
		{ feedVideo: `={{ [${JSON.stringify(VIDEO)}] }}` },
		'Feed Video is a list, but has to be one JSON object',
	],
])('%s is explained', async (_, parameters, message) => {
	const all = { ...SEND, toId: 'customer', feedVideo: undefined, ...parameters };
	expect(resultOf(await bench.engine.run(workflowOf([{}], all))).error?.message).toBe(message);
	expect(bench.sandbox.requests).toEqual([]);
});

test('text that is not one JSON object is explained, and not repeated', async () => {
	const explained: Array<[string, string]> = [
		[JSON.stringify([VIDEO]), 'is a list, but has to be one JSON object'],
		['5', 'is a number, but has to be one JSON object'],
		['"text"', 'is text, but has to be one JSON object'],
		['null', 'is an object, but'],
		['not json', 'is text that is no JSON: Unexpected token'],
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
		expect(message).toMatch(/^Feed Video /);
		expect(message).toContain(problem);
		expect(message + description).not.toContain('secret');
	}
	expect(bench.sandbox.requests).toEqual([]);
});
