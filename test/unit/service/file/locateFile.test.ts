import fc from 'fast-check';

import { samples } from '../../../../dev/sandbox/samples';
import {
	locateFile,
	removeContent,
	type Wanted,
} from '../../../../nodes/Workchat/service/file/locateFile';
import { surelyTypeOfBytes, typeOfBytes } from '../../../../nodes/Workchat/service/file/mimeType';
import { Secrets } from '../../../../nodes/Workchat/service/failure/secrets';
import { realFiles } from '../../../support/realFiles';
import { wording } from '../../../support/wording';

const { document, video } = samples;
const base64Of = (sample: { content: Buffer }) => sample.content.toString('base64');

const known = { ...wording, secrets: new Secrets(() => ['fake-secret-key']) };
const locate = async (data: unknown, wanted: Partial<Wanted> = {}) =>
	await locateFile(data, { fileLocation: '', fileSize: 5, sent: {}, ...wanted }, known);
/** The content that is found, or the link. */
const found = async (data: unknown, wanted?: Partial<Wanted>) => {
	const location = await locate(data, wanted);
	return location.source === 'link' ? location.link : location.content;
};
const decoded = async (text: string) => await found({ file: text }, { fileLocation: 'file' });

/** Also longer than what is decoded in one go. */
const bytes = fc
	.tuple(fc.uint8Array({ minLength: 1, maxLength: 64 }), fc.constantFrom(1, 1, 1, 1, 8000))
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
			expect(content.equals((await decoded(header + broken)) as Buffer)).toBe(true);
		},
	);
	await fc.assert(property, { numRuns: 100 });
});

test.each([
	[['https://example.com/%C4%E3.jpg', 'https://example.com/%BA%C3.jpg'], /several things/],
	[['https://example.com/a?s=%8F%C3', 'https://example.com/a?s=%9E%C5'], /several things/],
	[['https://example.com/a%2fb c+d#e'], /without anything/],
	[['https://EXAMPLE.com/a/b+c%20d'], /without anything/],
])('links %j are told apart by their bytes', async (links, message) => {
	const sent = { fileUrl: 'https://example.com/a/b%20c d' };
	await expect(locate({ links }, { sent })).rejects.toThrow(message);
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
	['that is a link to a file', 'file:///etc/passwd'],
	['with another character', 'AA!A'],
	['with another character at the end', `${'AAAA'.repeat(1e5)}!AAA`],
	['without anything', ''],
	['of a data URI without content', 'data:image/png;base64,'],
	['of a data URI in plain text', 'data:text/plain,AAAA'],
])('a text %s is no base64', async (_, text) => {
	await expect(decoded(text)).rejects.toThrow(/neither a link nor base64/);
});

test.each([
	['padding broken over lines', 'AA=\n=\n', { content: Buffer.alloc(1) }],
	[
		'a data URI with a long header',
		`data:image/png;name=${'a'.repeat(1000)};base64,AAAA`,
		{ source: 'dataUri', mimeType: 'image/png' },
	],
])('%s is read', async (_, file, expected) => {
	expect(await locate({ file }, { fileLocation: 'file' })).toMatchObject(expected);
});

test('what stands twice is one file', async () => {
	const content = Buffer.alloc(900, 'file').toString('base64');
	expect(await locate([content, { content }])).toMatchObject({ path: ['0'] });
	const link = 'https://example.com/a';
	expect(await locate([` ${link}`, link, ` ${link}`])).toMatchObject({ source: 'link', link });
});

test('a text that is too long for a link is none', async () => {
	const data = { a: `https://example.com/${'a'.repeat(70_000)}`, b: 'https://example.com/b' };
	expect(await locate(data)).toMatchObject({ path: ['b'] });
});

const named = (key: (index: number) => string, value: (index: number) => unknown = () => 1) =>
	Object.fromEntries(Array.from({ length: 30 }, (_, index) => [key(index), value(index)]));
const linkOf = (index: number) => ({ a: `https://example.com/${index}` });
test.each<[string, unknown, string, RegExp]>([
	[
		'at most 20, shortened, and no secret among them',
		named((index) => `${index}-fake-secret-key-${'k'.repeat(1e5)}`),
		'',
		/without anything that looks like a file\. Its data has the keys: 0-\*\*\*-k{50,60}…, 1-\*\*\*-k.* and 10 more\.$/,
	],
	[
		'of several candidates likewise',
		named((index) => `fake-secret-key${index}`, linkOf),
		'',
		/may be the file: \*\*\*0\.a, \*\*\*1\.a.* and 10 more$/,
	],
	['and no values', { state: 'secret-state' }, '', /has the keys: state\.$/],
	['but those of a list', [{ a: 1 }, {}], '', /Its data is a list of 2\.$/],
	['but of nothing', null, '', /Its data is empty\.$/],
	['but of a text', 'x', '', /Its data is a string\.$/],
	[
		'without a secret, however it is written',
		{ [encodeURIComponent('"fake-secret-key"')]: 1 },
		'',
		/has the keys: %22\*\*\*%22\./,
	],
	[
		'and a File Location shortened',
		{ a: 1 },
		`fake-secret-key.${'a'.repeat(1e5)}`,
		/at the File Location "\*\*\*\.a+…"/,
	],
])('an error names keys, %s', async (_, data, fileLocation, message) => {
	const error = await locate(data, { fileLocation }).catch((reason: Error) => reason);
	expect((error as Error).message).toMatch(message);
	expect((error as Error).message.length).toBeLessThan(1700);
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

describe('the place of the file', () => {
	const content = base64Of(document);
	const sent = { fileUrl: 'https://example.com/sent', fileAeskey: 'f'.repeat(32) };
	const link = 'https://example.com/a.png';
	const places = { result: { thumb: content, full: base64Of(video) }, 'dotted.key': content };

	test.each<[string, unknown, Buffer | string, Partial<Wanted>?]>([
		['in a list', [{ a: 1 }, { b: [content] }], document.content],
		['in blanks', { file: `data:image/png;base64, ${content} \n` }, document.content],
		['under a key with a dot', { 'a.b': content }, document.content],
		['beside what repeats the request', { ...sent, content }, document.content, { sent }],
		['the one link', { a: { url: ` ${link}` } }, link],
		[
			'that begins like a known type',
			{ file: btoa('%PDF-1.4 tiny') },
			Buffer.from('%PDF-1.4 tiny'),
		],
		[
			'of 768 bytes',
			{ file: Buffer.alloc(768, 'abc').toString('base64') },
			Buffer.alloc(768, 'abc'),
		],
		...['result.thumb', 'data.result.thumb', 'result["thumb"]', "['dotted.key']"].map(
			(fileLocation): [string, unknown, Buffer, object] => [
				`named: ${fileLocation}`,
				places,
				document.content,
				{ fileLocation },
			],
		),
		[
			'named as data in data',
			{ data: { file: content, other: 1 } },
			document.content,
			{ fileLocation: 'data.file' },
		],
	])('is found: %s', async (_, data, expected, wanted = {}) => {
		expect(await found(data, wanted)).toEqual(expected);
	});

	test('has to be named where several would do', async () => {
		const data = { thumb: link, full: { url: `${link}?full` } };
		await expect(locate(data)).rejects.toMatchObject({
			happened: expect.stringMatching(/several things that may be the file: thumb, full\.url$/),
			advice: expect.stringContaining('File Location'),
		});
	});

	test.each([
		['nowhere', 'without a text at the File Location'],
		['state', 'neither a link nor base64 content at the File Location'],
		['constructor.name', 'without a text at the File Location'],
	])('named wrongly (%s) is an error', async (fileLocation, message) => {
		await expect(locate({ state: 'not a file!' }, { fileLocation })).rejects.toThrow(message);
	});
});

/** Of whatever an envelope holds, what is found is the file, whole; or nothing is. */

const RUNS = { numRuns: 100 };
const SENT = 'https://cdn.example.com/sent/a%2Fb?x=1';

/** What is found, or why there is nothing. */
const foundIn = async (data: unknown, fileSize: number) =>
	await found(data, { fileSize, sent: { fileUrl: SENT } }).catch(({ message }) => String(message));

const someBytes = (minLength: number, maxLength: number) =>
	fc.uint8Array({ minLength, maxLength }).map((array) => Buffer.from(array));
const signature = someBytes(8, 63).filter((content) => typeOfBytes(content) === undefined);
const long = someBytes(768, 2000).filter((content) => content.some((byte) => byte > 127));
const proven = fc.constantFrom(
	...realFiles.flatMap(({ content }) =>
		surelyTypeOfBytes(content) ? [content.subarray(0, 64)] : [],
	),
);
const content = fc.oneof(long, proven);

/** What stands in answers beside a file. */
const junk = fc.oneof(
	fc.stringMatching(/^[0-9]{1,40}$/),
	fc.stringMatching(/^[0-9a-f]{32}$/),
	fc.stringMatching(/^[0-9A-F]{64}$/),
	fc.stringMatching(/^0x[0-9a-f]{40,2000}$/),
	// A list of IDs or words, one in each line.
	fc
		.array(fc.stringMatching(/^[A-Za-z0-9]{1,39}$/), { minLength: 2, maxLength: 200 })
		.map((ids) => ids.join('\n'))
		.filter((list) => !surelyTypeOfBytes(Buffer.from(list, 'base64'))),
	fc.uuid(),
	fc.constantFrom('success', 'ok', 'image/png', 'file', '-'.repeat(1100), ''),
	fc.constantFrom(`ok${' '.repeat(1100)}`, '1'.repeat(1200), 'abcdef01'.repeat(300)),
	fc.constantFrom(
		SENT,
		' https://CDN.example.com/sent/a/b?x=1#t ',
		'https://cdn.example.com/sent/a%2fb?x=1',
	),
	fc.constantFrom(null, true, 0, 24, 1e9, 'data:text/plain,hello', 'a b c', '没有文件'),
	signature.map((some) => some.toString('base64')),
	signature.map((some) => some.toString('base64url')),
	// Base64 that was spoilt on its way: a plus became a blank, or its end is missing.
	long.map((some) => spoilt(some.toString('base64').replaceAll('+', ' '), some)),
	long.map((some) => spoilt(some.toString('base64').replace(/=*$/, '').slice(0, -2), some)),
	long.map((some) => `${some.toString('base64').replace(/=*$/, '')}===`),
);
const key = fc.stringMatching(/^[a-z]{1,8}$/);
/** Distinct keys without numbers, so that nothing looks like a part of anything. */
const beside = fc.dictionary(key, junk, { maxKeys: 5 });

/** Nothing, unless a text is really spoilt. */
function spoilt(text: string, original: Buffer): string {
	const isSame = Buffer.from(text, 'base64').equals(original);
	// At the end of a group, nobody could tell.
	const isCutBetween = /^[\w+/]*$/.test(text) && text.length % 4 === 0;
	return isSame || isCutBetween || !/[+/]/.test(text) ? '' : text;
}

const written = fc
	.tuple(
		content,
		fc.constantFrom('base64', 'base64url', 'lines', 'dataUri', 'link'),
		fc.nat(1e6),
		fc.constantFrom(60, 64, 76, 1000),
		fc.constantFrom('\n', '\r\n', '\n\t  '),
	)
	.map(([original, way, number, width, line]) => {
		const base64 = original.toString('base64');
		const link = `https://cdn.example.com/file/${number}`;
		const texts: Record<string, string> = {
			base64,
			base64url: original.toString('base64url'),
			lines: `${line}${base64.replace(new RegExp(`.{${width}}`, 'g'), `$&${line}`)}${line}`,
			dataUri: `data:application/octet-stream;base64,${base64}`,
			link,
		};
		return { text: texts[way]!, expected: way === 'link' ? link : original, original };
	});

/** A value somewhere among others. */
const placed = (value: unknown, others: object, depth: number): unknown =>
	Array.from({ length: depth }).reduce<unknown>((inner) => ({ ...others, inner }), value);

test('nothing is found where there is no file', async () => {
	const property = fc.asyncProperty(beside, fc.nat(3), fc.nat(63), async (others, depth, size) => {
		expect(await foundIn(placed(others, others, depth), size)).toMatch(/without anything/);
	});
	await fc.assert(property, RUNS);
});

test('the one file is found, whatever File Size is', async () => {
	const property = fc.asyncProperty(
		written,
		beside,
		fc.nat(3),
		fc.nat(2500),
		async ({ text, expected }, others, depth, size) => {
			expect(await foundIn(placed(text, others, depth), size)).toEqual(expected);
		},
	);
	await fc.assert(property, RUNS);
});

test('of two files, one is found only if it alone has File Size bytes, and never against a link', async () => {
	const property = fc.asyncProperty(written, written, beside, async (one, other, others) => {
		fc.pre(one.text !== other.text);
		const size = one.original.length;
		const isPlain = Buffer.isBuffer(one.expected) && Buffer.isBuffer(other.expected);
		const isTold = isPlain && other.original.length !== size;
		const result = await foundIn({ ...others, one: one.text, other: other.text }, size);
		if (isTold) expect(result).toEqual(one.expected);
		else expect(result).toMatch(/several things/);
	});
	await fc.assert(property, RUNS);
});

test('base64 of exactly File Size bytes is the file where nothing else could be', async () => {
	const property = fc.asyncProperty(someBytes(64, 700), beside, async (original, others) => {
		const text = original.toString('base64');
		fc.pre(/[g-z]/i.test(text) && !surelyTypeOfBytes(original));
		expect(await foundIn({ ...others, text }, original.length)).toEqual(original);
		expect(await foundIn({ ...others, text }, original.length + 1)).toMatch(/without anything/);
	});
	await fc.assert(property, RUNS);
});

test('a word beside a file is no part of it', async () => {
	const property = fc.asyncProperty(
		content,
		fc.constantFrom('jpeg', 'webp', 'file', 'success1', 'image/png', '1024', 'a'.repeat(32)),
		async (original, word) => {
			const base64 = original.toString('base64');
			expect(await foundIn([base64, word], 1)).toEqual(original);
			expect(await foundIn({ file1: base64, file2: word }, 1)).toEqual(original);
		},
	);
	await fc.assert(property, RUNS);
});

test('a file in parts is none of its parts', async () => {
	const property = fc.asyncProperty(
		fc.oneof(
			content,
			// As archives and videos end.
			content.map((some) => Buffer.concat([some, Buffer.alloc(some.length)])),
		),
		fc.integer({ min: 2, max: 6 }),
		fc.constantFrom('list', 'numbered', 'number within', 'nested', 'encoded apart'),
		fc.integer({ min: 0, max: 3 }),
		async (original, count, way, odd) => {
			const base64 = original.toString('base64');
			const width = Math.ceil(base64.length / count / 4) * 4 + odd;
			const cut = base64.match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
			const bytesEach = Math.ceil(original.length / count);
			const apart = Array.from({ length: count }, (_, index) =>
				original.subarray(index * bytesEach, (index + 1) * bytesEach).toString('base64'),
			);
			const parts = way === 'encoded apart' ? apart : cut;
			fc.pre(parts.length > 1 && parts.every((part) => part.length >= 16));
			const named = (nameOf: (index: number) => string) =>
				Object.fromEntries(parts.map((part, index) => [nameOf(index), part]));
			const data: Record<string, unknown> = {
				list: parts,
				'encoded apart': parts,
				'number within': named((index) => `chunk_${index}_data`),
				numbered: named((index) => `part${index}`),
				nested: { chunks: parts.map((part) => ({ data: part })) },
			};
			expect(await foundIn(data[way], original.length)).toMatch(/several|without anything/);
		},
	);
	await fc.assert(property, RUNS);
});
