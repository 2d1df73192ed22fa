import { samples } from '../dev/sandbox/samples';
import { DOWNLOAD, INSTANCE, resultOf, SEND, useBench, VIDEO, workflowOf } from './setup';

/** Feed videos and files from JSON and from the input item, found by the names of their fields. */

const bench = useBench();

type Json = Record<string, unknown>;

async function send(item: Json, parameters: Json) {
	const run = await bench.engine.run(
		workflowOf([{ toId: 'customer-1', ...item }], {
			...SEND,
			feedVideo: undefined,
			...parameters,
		}),
	);
	const { items, error } = resultOf(run);
	return { items, error, hints: run.data.resultData.runData.Workchat?.[0]?.hints };
}

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
	test.each<[string, Json]>([
		["the fields' names", VIDEO],
		['capitals', renamed((name) => name.toUpperCase())],
		['column titles', renamed((name) => words(name).replace(/^./, (first) => first.toUpperCase()))],
		['underscores', renamed((name) => words(name).replaceAll(' ', '_').toLowerCase())],
		['hyphens', renamed((name) => words(name).replaceAll(' ', '-'))],
		['more columns', { ...VIDEO, name: 'Example', instance_guid: 'another', fileUrl: 5 }],
		['a body', { body: { event: 1, message: { content: [VIDEO] } } }],
		['the same video twice', { body: VIDEO, copy: { ...VIDEO } }],
		['a shallower one first', { list: [{ ...VIDEO, feedId: 'another' }], video: VIDEO }],
		['the same column twice', { ...VIDEO, 'Feed ID': VIDEO.feedId }],
	])('takes %s', async (__, item) => {
		const { error, hints } = await send(item, parameters);
		expect(error).toBeUndefined();
		expect(bench.sandbox.messages).toEqual([
			{ instance_guid: INSTANCE, ...VIDEO, toId: 'customer-1' },
		]);
		expect(hints).toEqual([]);
	});

	test('never takes the recipient or the instance', async () => {
		const video = { ...VIDEO, toId: 'another', instance_guid: 'another', instanceGuid: 'another' };
		await send({ video }, parameters);
		expect(bench.sandbox.messages).toEqual([
			{ instance_guid: INSTANCE, ...VIDEO, toId: 'customer-1' },
		]);
	});

	test.each<[string, Json, RegExp]>([
		[
			'a misspelt name',
			{ ...without('headImgUrl'), headImageUrl: 'x' },
			new RegExp(`^headImgUrl is missing \\(${container} has: toId, .*, headImageUrl\\)$`),
		],
		[
			'parts at several places',
			{ a: { feedId: 'x' }, body: { video: without('feedNo', 'username') } },
			/^feedNo, username are missing \(body\.video has: channelName, /,
		],
		['nothing', { a: 1 }, new RegExp(`^Feed Video: none .* in ${container} \\(.* has: toId, a\\)`)],
		[
			'two videos',
			{ videos: [VIDEO, { ...VIDEO, feedId: 'another' }] },
			/^Feed Video stands in several places with different values: videos\[0\], videos\[1\]$/,
		],
		[
			'a column twice',
			{ ...VIDEO, 'Feed ID': 'another' },
			/"feedId", "Feed ID" of the (item|JSON) are the same field with different values/,
		],
		['an empty cell', { ...VIDEO, username: '' }, /^username is missing$/],
		[
			'a wrong value',
			{ ...VIDEO, coverUrl: 'none', feedNo: [] },
			/^coverUrl is not .*; feedNo is a/,
		],
	])('refuses %s', async (__, item, message) => {
		const { error } = await send(item, parameters);
		expect(error?.message).toMatch(message);
		expect(error?.message).not.toContain(VIDEO.encodeData);
		expect(bench.sandbox.requests).toEqual([]);
	});

	test('says that white space went along', async () => {
		const { hints } = await send(
			{ ...VIDEO, feedId: ' x', coverUrl: ' https://example.com ' },
			parameters,
		);
		expect(bench.sandbox.messages).toMatchObject([
			{ feedId: ' x', coverUrl: 'https://example.com' },
		]);
		expect(hints?.map(({ message }) => message)).toEqual([
			'White space around values was removed: coverUrl (item 0)',
			'White space around values was sent with them: feedId (item 0)',
		]);
	});
});

test('names every missing field of an empty item', async () => {
	const run = await bench.engine.run(
		workflowOf([{}], { ...SEND, toId: 'customer-1', specifyFeedVideo: 'input' }),
	);
	expect(resultOf(run).error?.message).toBe(
		'Feed Video: none of its fields was found in the item (the item is empty)',
	);
});

test.each<[string, string, string]>([
	['a list', JSON.stringify([VIDEO]), 'is a list, but has to be one JSON object'],
	['a list from an expression', `={{ [${JSON.stringify(VIDEO)}] }}`, 'is a list, but'],
	['a number', '5', 'is a number, but has to be one JSON object'],
	['a text in quotes', '"text"', 'is text, but has to be one JSON object'],
	['null', 'null', 'is an object, but'],
	['an expression that finds nothing', '={{ $json.no }}', 'comes out empty: check its expression'],
	['an expression of white space', '={{ " " }}', 'comes out empty: check its expression'],
	['nothing', '', 'is missing'],
	['words', 'not json', 'is text that is no JSON: something does not belong there'],
	['an open end', '{"feedId": "x"', 'ends too early (line 1, column 15)'],
	[
		'curly quotes',
		'{\n  “feedId”: "x"}',
		'straight quotes ("), not curly ones (“ ”) (line 2, column 3)',
	],
	['curly quotes within', '{"feedId": “x”}', 'straight quotes'],
	['a curly quote at the end', '{"feedId": "x”, "feedNo": "y"}', 'straight quotes'],
	['single quotes', "{'feedId': 'x'}", 'double quotes ("), not single ones (line 1, column 2)'],
	['a comma too many', '{"feedId": "x",}', 'does not belong there'],
	['a missing comma', '{"feedId": "x" "feedNo": "y"}', '(line 1, column 16)'],
	['a line break in a value', '{"feedId": "x\ny"}', 'a line break inside quotes'],
	['a name without quotes', '{"a": [1, 2], feedId: "x"}', '(line 1, column 15)'],
])('JSON that is %s is explained', async (_, feedVideo, explained) => {
	const { error } = await send({}, { feedVideo });
	expect(error?.message).toMatch(/^Feed Video /);
	expect(error?.message).toContain(explained);
	expect(bench.sandbox.requests).toEqual([]);
});

test.each([50_000, 99_000, 5_000_000])(
	'a mistake after a text of %d characters, of spaces, brackets, quotes, is explained',
	async (length) => {
		for (const text of [
			`{"feedId": "${'x'.repeat(length)}`,
			`{"feedId": "${'\\n'.repeat(length / 2)}" x}`,
			`{"feedId":${' '.repeat(length)}x}`,
			'['.repeat(length),
			`{"a": ${'1'.repeat(length)}x}`,
		]) {
			const { error } = await send({ text }, { feedVideo: '={{ $json.text }}' });
			expect(error?.message).toMatch(/^Feed Video is text that is no JSON: /);
		}
	},
);

test('very long values are checked like short ones', async () => {
	const long = ' '.repeat(5_000_000);
	const item = { ...VIDEO, toId: `${long}customer-1${long}`, encodeData: `"${long}"` };
	const run = await bench.engine.run(workflowOf([item], { ...SEND, specifyFeedVideo: 'input' }));
	expect(resultOf(run).error?.message).toBeUndefined();
	expect(bench.sandbox.messages[0]?.toId).toBe('customer-1');
	const file = { ...bench.sandbox.fieldsOf(samples.document), fileSize: `${long}1 1` };
	const { error } = resultOf(
		await bench.engine.run(workflowOf([file], { ...DOWNLOAD, specifyFile: 'input' })),
	);
	expect(error?.message).toBe('fileSize is not a whole number');
});

test('a JSON mistake repeats nothing of the text', async () => {
	const { error } = await send({}, { feedVideo: '{"encodeData": "secret-one", secret-two}' });
	expect(`${error?.message} ${error?.description}`).not.toContain('secret');
});

test('a JSON parameter begins with all names, and says that nothing is filled in', async () => {
	const run = await bench.engine.run(
		workflowOf([{}], { resource: 'message', toId: 'x', specifyFeedVideo: 'json' }),
	);
	expect(resultOf(run).error?.message).toBe(NAMES.map((name) => `${name} is missing`).join('; '));
});

test.each([
	['From Input Item', { specifyFile: 'input' }],
	['JSON', {}],
])('a file is found as %s', async (_, parameters) => {
	const { fileAeskey, fileAuthkey, fileSize, ...others } = bench.sandbox.fieldsOf(samples.document);
	const message = {
		...others,
		File_AES_Key: fileAeskey,
		'File Auth-Key': fileAuthkey,
		FILESIZE: String(fileSize),
		more: 1,
	};
	const items = [{ headers: {}, body: { event: 'x', message } }];
	const run = await bench.engine.run(workflowOf(items, { ...DOWNLOAD, ...parameters }));
	const { error, items: outputs } = resultOf(run);
	expect(error).toBeUndefined();
	const [output] = outputs;
	if (!output?.binary?.data) throw new Error('no file');
	expect(await bench.engine.bytesOf(output.binary.data)).toEqual(samples.document.content);
	expect(
		bench.sandbox.requests.map(({ rawBody }) => JSON.parse(rawBody ?? '{}') as Json),
	).toContainEqual({
		instance_guid: INSTANCE,
		...bench.sandbox.fieldsOf(samples.document),
	});
});
