import fc from 'fast-check';

import type { RequestContext } from '../nodes/Workchat/service/requestContext';
import { locateFile, removeContent, type Wanted } from '../nodes/Workchat/service/file/locateFile';

const context: RequestContext = {
	receiver: 'The service',
	isRepeatable: true,
	secrets: () => ['fake-secret-key'],
};
const locate = async (data: unknown, wanted: Partial<Wanted> = {}) =>
	await locateFile(data, { fileLocation: '', fileSize: 5, sent: {}, ...wanted }, context);
const found = async (text: string) => {
	const location = await locate({ file: text }, { fileLocation: 'file' });
	return 'content' in location ? location.content : undefined;
};

/** Also longer than what is decoded in one go. */
const bytes = fc
	.tuple(fc.uint8Array({ minLength: 1, maxLength: 64 }), fc.constantFrom(1, 1, 1, 5000, 40_000))
	.map(([some, times]) => Buffer.concat(Array.from({ length: times }, () => some)));
const lines = fc.constantFrom('', '\n', '\r\n', ' ', '\u2028');

test('base64 is decoded however it is written', async () => {
	const property = fc.asyncProperty(
		bytes,
		lines,
		fc.integer({ min: 1, max: 80 }),
		fc.constantFrom('base64', 'base64url'),
		fc.boolean(),
		fc.constantFrom('', 'data:image/png;base64,', 'DATA:;name=a;BASE64,'),
		async (content, line, width, alphabet, isPadded, header) => {
			let text = content.toString(alphabet as BufferEncoding).replace(/=+$/, '');
			if (isPadded) text = text.padEnd(Math.ceil(text.length / 4) * 4, '=');
			const broken = text.replace(new RegExp(`.{${width}}`, 'g'), `$&${line}`);
			expect((await found(header + broken))?.equals(content)).toBe(true);
		},
	);
	await fc.assert(property, { numRuns: 200 });
});

test.each([
	['of both alphabets', '+-AA'],
	['of both alphabets, far from each other', `+${'AAAA'.repeat(1e5)}AA-`],
	['with one character too many', 'AAAAA'],
	['with padding inside', 'AA==AAAA'],
	['with padding inside, far from each other', `AA==${'AAAA'.repeat(1e5)}`],
	['with padding inside, at any place', `${'A'.repeat(262_142)}==AAAA`],
	['with three signs of padding', 'AAA==='],
	['of padding alone', '=='],
	['of white space alone', ' \n'],
	['with another character', 'AA!A'],
	['with another character at the end', `${'AAAA'.repeat(1e5)}!AAA`],
	['without anything', ''],
	['of a data URI without content', 'data:image/png;base64,'],
	['of a data URI in plain text', 'data:text/plain,AAAA'],
])('a text %s is no base64', async (_, text) => {
	await expect(found(text)).rejects.toThrow(/neither a link nor base64/);
});

test('padding may be broken over lines', async () => {
	expect(await found('AA=\n=\n')).toEqual(Buffer.alloc(1));
});

test('a data URI says its type, a long header notwithstanding', async () => {
	const text = `data:image/png;name=${'a'.repeat(1000)};base64,AAAA`;
	expect(await locate({ a: text })).toMatchObject({ source: 'dataUri', mimeType: 'image/png' });
});

test('what stands twice is one file', async () => {
	const content = Buffer.alloc(900).toString('base64');
	expect(await locate([content, { content }])).toMatchObject({ path: ['0'] });
	const link = 'https://example.com/a';
	expect(await locate([` ${link}`, link, ` ${link}`])).toMatchObject({ source: 'link', link });
});

test('a text that is too long for a link is none', async () => {
	const data = { a: `https://example.com/${'a'.repeat(70_000)}`, b: 'https://example.com/b' };
	expect(await locate(data)).toMatchObject({ path: ['b'] });
});

describe('an error names keys', () => {
	test('shortened, at most 20 of them, and no secret among them', async () => {
		const keys = Array.from(
			{ length: 30 },
			(_, index) => `${index}-fake-secret-key-${'k'.repeat(1e5)}`,
		);
		const data = Object.fromEntries(keys.map((key) => [key, 1]));
		const error = await locate(data).catch((reason: Error) => reason);
		const { message } = error as Error;
		expect(message).toMatch(/keys: 0-\*\*\*-k{50,60}…, 1-\*\*\*-k/);
		expect(message).toMatch(/ and 10 more\.$/);
		expect(message.length).toBeLessThan(1500);
	});

	test('of several candidates likewise', async () => {
		const link = (index: number) => `https://example.com/${index}`;
		const data = Object.fromEntries(
			Array.from({ length: 30 }, (_, index) => [`fake-secret-key${index}`, { a: link(index) }]),
		);
		await expect(locate(data)).rejects.toThrow(
			/may be the file: \*\*\*0\.a, \*\*\*1\.a.* and 10 more$/,
		);
	});

	test('and a File Location shortened', async () => {
		const fileLocation = `fake-secret-key.${'a'.repeat(1e5)}`;
		await expect(locate({ a: 1 }, { fileLocation })).rejects.toThrow(
			/at the File Location "\*\*\*\.a+…"/,
		);
	});
});

test.each<[unknown, string[], unknown]>([
	['text', [], undefined],
	[{ a: 'x', b: 1 }, ['a'], { b: 1 }],
	[{ a: { b: 'x' } }, ['a', 'b'], { a: {} }],
	[['x', 1], ['0'], [null, 1]],
	[[{ a: ['x'] }], ['0', 'a', '0'], [{ a: [null] }]],
	[JSON.parse('{"__proto__":{"a":"x"}}'), ['__proto__', 'a'], JSON.parse('{"__proto__":{}}')],
])('%j without its content at %j is %j', (data, path, rest) => {
	expect(removeContent(data, path)).toEqual(rest);
});
