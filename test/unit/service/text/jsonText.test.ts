import { Breather } from '../../../../nodes/Workchat/service/breather';
import { parseBody } from '../../../../nodes/Workchat/service/response/envelope';
import { excessOf } from '../../../../nodes/Workchat/service/text/jsonText';
import { resultOf, SEND, useBench, workflowOf } from '../../../support/setup';

const bench = useBench();
const MANY = 500_000;
const listOf = (value: string) => `[${Array(MANY).fill(value).join()}]`;

afterEach(() => jest.restoreAllMocks());

test.each(['[]', '{}', '1', '"a"', '"\\""', '{"a":1}'])(
	'hundreds of thousands of %s are too many',
	async (value) => {
		expect(await excessOf(`{"ok":true,"code":0,"data":${listOf(value)}}`)).toBe('values');
	},
);

test('as many open brackets are no JSON', async () => {
	expect(await excessOf('['.repeat(MANY))).toBe('brackets');
});

test.each([
	['an empty text', ''],
	['commas and brackets in a text', JSON.stringify({ code: 0, data: '[{,'.repeat(MANY) })],
	['quotes in a text', JSON.stringify({ code: 0, data: '"'.repeat(MANY) + ',"'.repeat(MANY) })],
	['backslashes in a text', JSON.stringify({ code: 0, data: '\\,"'.repeat(MANY) + '\\' })],
	['a file of 20 MB', JSON.stringify({ code: 0, data: 'A'.repeat(20e6) })],
	['a hundred thousand', JSON.stringify(Array(100_000).fill(1))],
	['a text without an end', `"${','.repeat(MANY)}`],
	['a backslash at the end', `"${','.repeat(MANY)}\\`],
])('%s: not too many', async (_, text) => {
	expect(await excessOf(text)).toBeUndefined();
});

test.each([
	['texts', '"",'.repeat(250_000)],
	['escapes in a text', `"${'\\n'.repeat(MANY)}"`],
	['numbers', '1'.repeat(MANY)],
])('others have their turn while %s are counted', async (_, text) => {
	// By this clock, every look takes a second.
	let looks = 0;
	jest.spyOn(performance, 'now').mockImplementation(() => ++looks * 1000);
	const breathe = jest.spyOn(Breather.prototype, 'breathe');
	await excessOf(text);
	expect(breathe.mock.calls.length).toBeGreaterThan(40);
});

test('a response of too many values is none, and is not parsed', async () => {
	const parse = jest.spyOn(JSON, 'parse');
	const text = Buffer.from(`{"ok":true,"code":0,"data":${listOf('[]')}}`);
	expect(await parseBody(text)).toEqual({ content: text });
	expect(parse).not.toHaveBeenCalled();
});

test('fields as a text of too many values are refused before anything is sent', async () => {
	const feedVideo = `={{ '{"a":[' + '[],'.repeat(${MANY}) + '1]}' }}`;
	const run = await bench.engine.run(workflowOf([{ toId: 'customer' }], { ...SEND, feedVideo }));
	expect(resultOf(run).error?.message).toMatch(/has too many values/);
	expect(bench.sandbox.requests).toEqual([]);
});
