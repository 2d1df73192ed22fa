import fc from 'fast-check';

import { parseJson } from '../../../nodes/Workchat/common/json';
import { Breather } from '../../../nodes/Workchat/common/breather';

/** A value as it is written, and what comes of it: a whole number beyond 2^53 is text. */
function read(json: string) {
	const isLong = /^-?\d+$/.test(json) && !Number.isSafeInteger(Number(json));
	return { json, value: isLong ? json : (JSON.parse(json) as unknown) };
}

const text = fc
	.array(fc.oneof(fc.string(), fc.constantFrom('"', '\\', '12345678901234567890', ':', '{', '密')))
	.map((parts) => read(JSON.stringify(parts.join(''))));
const number = fc.oneof(
	fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map((whole) => read(String(whole))),
	fc.double({ noNaN: true, noDefaultInfinity: true }).map((any) => read(JSON.stringify(any))),
	fc.constantFrom('12345678901234567890.5', '1e22', '1E-22222222222222222222').map(read),
	fc.constantFrom('0.12345678901234567890', '9007199254740991', '9007199254740993').map(read),
);
const blank = fc.constantFrom('', ' ', '\n\t');
const list = fc.tuple(fc.array(fc.oneof(text, number)), blank).map(([values, space]) => ({
	json: `[${values.map(({ json }) => json + space).join(`,${space}`)}]`,
	value: values.map(({ value }) => value),
}));

test('JSON is read as it is, but for whole numbers that would lose their last digits', async () => {
	const property = fc.asyncProperty(list, async ({ json, value }) => {
		expect(await parseJson(json)).toEqual(value);
	});
	await fc.assert(property, { numRuns: 500 });
});

const NONE = ['', '{', '"', '"\\', '{"a":"b', '[12345678901234567890', '{"a":1}x', '\u00a01'];
test.each(NONE)('%j is no JSON', async (json) => {
	await expect(parseJson(json)).rejects.toThrow(SyntaxError);
});

test.each([
	['texts', `[${'"",'.repeat(500)}""]`],
	['escapes', `"${'\\"'.repeat(500)}"`],
])('others have their turn while %s are read', async (_, json) => {
	const breathe = jest.spyOn(Breather.prototype, 'breathe');
	jest.spyOn(Breather.prototype, 'isDue').mockReturnValue(true);
	await parseJson(json);
	expect(breathe.mock.calls.length).toBeGreaterThan(400);
	jest.restoreAllMocks();
});
