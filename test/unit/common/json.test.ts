import fc from 'fast-check';

import {
	ValueBudget,
	MAX_VALUES,
	parseJson,
	TooManyValues,
	walkJson,
} from '../../../nodes/Workchat/common/json';

/** A value as JSON, and the expected result: a whole number beyond 2^53 becomes text. */
function read(json: string) {
	const isLong = /^-?\d+$/.test(json) && !Number.isSafeInteger(Number(json));
	return { json, value: isLong ? json : (JSON.parse(json) as unknown) };
}

const texts = fc
	.array(fc.oneof(fc.string(), fc.constantFrom('"', '\\', '12345678901234567890', ':', '{', '密')))
	.map((parts) => read(JSON.stringify(parts.join(''))));
const number = fc.oneof(
	fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map((whole) => read(String(whole))),
	fc.double({ noNaN: true, noDefaultInfinity: true }).map((any) => read(JSON.stringify(any))),
	fc.constantFrom('12345678901234567890.5', '1e22', '1E-22222222222222222222').map(read),
	fc.constantFrom('0.12345678901234567890', '9007199254740991', '9007199254740993').map(read),
);
const blank = fc.constantFrom('', ' ', '\n\t');
const list = fc.tuple(fc.array(fc.oneof(texts, number)), blank).map(([values, space]) => ({
	json: `[${values.map(({ json }) => json + space).join(`,${space}`)}]`,
	value: values.map(({ value }) => value),
}));

test('a long whole number in JSON keeps all its digits, as text', () => {
	const property = fc.property(list, ({ json, value }) => {
		expect(parseJson(json)).toEqual(value);
	});
	fc.assert(property, { numRuns: 500 });
});

const NONE = ['', '{', '"', '"\\', '{"a":"b', '[12345678901234567890', '{"a":1}x', '\u00a01'];
test.each(NONE)('the node refuses %j as JSON', (json) => {
	expect(() => parseJson(json)).toThrow(SyntaxError);
});

const endOf = (read: () => unknown) => {
	try {
		read();
		return 'all visited';
	} catch (error) {
		return error instanceof TooManyValues ? 'too much' : String(error);
	}
};

test('the limit of values counts every value of JSON', () => {
	const values = (value: unknown): number =>
		typeof value === 'object' && value !== null
			? Object.values(value).reduce<number>((sum, inner) => sum + 1 + values(inner), 0)
			: 0;
	const property = fc.property(fc.json(), (json) => {
		const count = values(JSON.parse(json));
		expect(endOf(() => parseJson(json, new ValueBudget(count)))).toBe('all visited');
		if (count > 0)
			expect(endOf(() => parseJson(json, new ValueBudget(count - 1)))).toBe('too much');
	});
	fc.assert(property, { numRuns: 500 });
});

const ALMOST = MAX_VALUES - 10;
const many = (count: number) => Array.from({ length: count }, () => 1);
const text = (count: number) => JSON.stringify(many(count));
const few = many(30);
test.each<[what: string, end: string, value: () => unknown]>([
	['one list and one more', 'too much', () => many(MAX_VALUES + 1)],
	['lists in a list', 'too much', () => [many(ALMOST), many(20)]],
	['an object', 'too much', () => ({ ...many(MAX_VALUES + 1) })],
	['a text and one more', 'too much', () => text(MAX_VALUES + 1)],
	['lists in texts, each of them few', 'too much', () => few.map(() => text(10_000))],
	['nested lists in texts', 'too much', () => few.map(() => `[${text(10_000)}]`)],
	['a text in a text', 'too much', () => JSON.stringify([text(ALMOST), text(20)])],
	[
		'texts that look like JSON at both ends',
		'all visited',
		() => few.map(() => `${text(10_000)}x]`),
	],
	[
		'words in brackets and quotes',
		'all visited',
		() => [`[12:00] ${'x,'.repeat(3e5)}`, `"a","${'",'.repeat(3e5)}"`],
	],
	['many texts, none of which is JSON', 'too much', () => many(20_000).map(() => '[1x]')],
	['many words in brackets', 'all visited', () => many(20_000).map(() => '[Smile]')],
])('the search of %s ends with: %s', (_, end, value) => {
	expect(endOf(() => [...walkJson([value()])])).toBe(end);
});

test.each<[string, string]>([
	['lists', '[],'],
	['objects', '{"a":{}},'],
	['numbers', '12345678901234567890,'],
	['open lists', '['],
])('JSON with too many %s is not parsed', (_, each) => {
	const parse = jest.spyOn(JSON, 'parse');
	expect(endOf(() => parseJson(`[${each.repeat(MAX_VALUES + 1)}`))).toBe('too much');
	expect(parse).not.toHaveBeenCalled();
	parse.mockRestore();
});
