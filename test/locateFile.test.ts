import fc from 'fast-check';

import { samples } from '../dev/sandbox/samples';
import type { DownloadResponse } from '../dev/sandbox/server';
import { locateFile, removeContent, type Wanted } from '../nodes/Workchat/service/file/locateFile';
import type { Wording } from '../nodes/Workchat/service/failure/wording';
import { Secrets } from '../nodes/Workchat/service/failure/secrets';
import { KEY, useBench, useDownload } from './setup';

const bench = useBench();
const download = useDownload(bench);
const { document, thumbnail, video } = samples;
const wordsOf = (data: unknown) => ({ as: 'base64', data }) as DownloadResponse;
const base64Of = (sample: { content: Buffer }) => sample.content.toString('base64');

const context: Wording = {
	receiver: 'The service',
	isRepeatable: true,
	secrets: new Secrets(() => ['fake-secret-key']),
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
	[['https://example.com/%C4%E3.jpg', 'https://example.com/%BA%C3.jpg'], /several things/],
	[['https://example.com/a?s=%8F%C3', 'https://example.com/a?s=%9E%C5'], /several things/],
	[['https://example.com/a%2fb c+d#e'], /without anything/],
	[['https://EXAMPLE.com/a/b+c%20d'], /without anything/],
])('links %j are told apart by their bytes', async (links, message) => {
	const sent = { fileUrl: 'https://example.com/a/b%20c d' };
	await expect(locate({ links }, { sent })).rejects.toThrow(message);
});

test('a data URI may have blanks around its content', async () => {
	const text = `data:image/png;base64, ${base64Of(document)} \n`;
	expect(await locate({ file: text })).toMatchObject({ content: document.content });
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
	const content = Buffer.alloc(900, 'file').toString('base64');
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

describe('the place of the file', () => {
	const content = document.content.toString('base64');

	test.each([
		['a bare text', content],
		['in a list', [{ a: 1 }, { b: [content] }]],
		[
			'beside IDs that are valid base64',
			{ id: 'abcdefghijklmnop', sha: 'f'.repeat(64), file: content },
		],
		['under a key with a dot', { 'a.b': content }],
		['with line breaks', { file: content.replace(/.{76}/g, '$&\r\n') }],
		['in URL-safe base64', { file: document.content.toString('base64url') }],
	])('is found: %s', async (_, data) => {
		const { files } = await download([document], { answer: wordsOf(data) });
		expect(files[0]?.equals(document.content)).toBe(true);
	});

	test('is not a value that only repeats the request', async () => {
		const echo = { ...bench.sandbox.fieldsOf(document), content };
		const { files } = await download([document], { answer: wordsOf(echo) });
		expect(files[0]?.equals(document.content)).toBe(true);
	});

	test.each(['result.thumb', 'data.result.thumb', 'result["thumb"]', "['dotted.key']"])(
		'can be named: %s',
		async (fileLocation) => {
			const other = video.content.toString('base64');
			const data = { result: { thumb: content, full: other }, 'dotted.key': content };
			const named = await download([document], {
				answer: wordsOf(data),
				options: { fileLocation },
			});
			expect(named.error?.message).toBeUndefined();
			expect(named.files[0]?.equals(document.content)).toBe(true);
		},
	);

	test('has to be named where several would do', async () => {
		const data = { thumb: 'https://example.com/a.png', full: { url: 'https://example.com/b.png' } };
		const { error } = await download([document], { answer: wordsOf(data) });
		expect(error?.message).toMatch(
			/several things that may be the file: thumb, full\.url \(request ID svc_/,
		);
		expect(error?.description).toMatch(/File Location/);
		expect(bench.sandbox.requests).toHaveLength(1);
	});

	test('that nothing fills is a short error, however many keys there are', async () => {
		const keys = Array.from({ length: 500 }, (_, index) => [`key${index}`, 1]);
		const { error } = await download([document], { answer: wordsOf(Object.fromEntries(keys)) });
		expect(error?.message).toMatch(/key0, .* and 480 more\./);
		const list = await download([document], { answer: wordsOf(keys) });
		expect(list.error?.message).toMatch(/Its data is a list of 500\./);
	});

	test('that nothing fills is an error with the keys, not the values', async () => {
		const data = { state: 'secret-state', ticket: 'secret-ticket' };
		const { error } = await download([document], { answer: wordsOf(data) });
		expect(error?.message).toMatch(
			/anything that looks like a file\. Its data has the keys: state, ticket\./,
		);
		expect(JSON.stringify(error)).not.toContain('secret-');
	});

	test.each([
		['nowhere', 'without a text at the File Location'],
		['state', 'neither a link nor base64 content at the File Location'],
		['constructor.name', 'without a text at the File Location'],
	])('named wrongly (%s) is an error', async (fileLocation, message) => {
		const answer = wordsOf({ state: 'not a file!' });
		const { error } = await download([document], { answer, options: { fileLocation } });
		expect(error?.message).toContain(message);
	});

	test.each(['file:///etc/passwd', 'ftp://example.com/a', 'gopher://example.com'])(
		'is never a link to %s',
		async (link) => {
			const options = { fileLocation: 'url' };
			const { error } = await download([document], { answer: wordsOf({ url: link }), options });
			expect(error?.message).toMatch(/neither a link nor base64/);
		},
	);

	const unknown = (bytes: number) => ({ ...document, content: Buffer.alloc(bytes, 'abc') });

	test('is not a link that only repeats the request', async () => {
		const { fileUrl } = bench.sandbox.fieldsOf(document);
		const { files } = await download([document], {
			answer: wordsOf({ fileUrl, content: base64Of(video) }),
		});
		expect(files[0]?.equals(video.content)).toBe(true);
	});

	test('is found once where one link stands twice', async () => {
		const link = bench.sandbox.fieldsOf(thumbnail).fileUrl;
		const { items, error } = await download([document], { answer: wordsOf({ link, url: link }) });
		expect(error?.message).toBeUndefined();
		expect(items[0]?.json.file).toMatchObject({ source: 'link' });
	});

	test('is, of several, the one of exactly File Size bytes', async () => {
		const data = { thumb: base64Of(thumbnail), full: content };
		const { files } = await download([document], { answer: wordsOf(data) });
		expect(files[0]?.equals(document.content)).toBe(true);
	});

	test.each([
		['of File Size bytes', unknown(80), unknown(80)],
		['that begins like a known type', { content: Buffer.from('%PDF-1.4 tiny') }, document],
		['of 768 bytes', unknown(768), document],
	])('is base64 %s', async (_, held, wanted) => {
		const answer = wordsOf({ id: 'abcdefghijklmnop', file: base64Of(held) });
		const { files, error } = await download([wanted], { answer });
		expect(error?.message).toBeUndefined();
		expect(files[0]?.equals(held.content)).toBe(true);
	});

	test('may be named data itself', async () => {
		const answer = wordsOf({ data: { file: content, other: content } });
		const { error } = await download([document], {
			answer,
			options: { fileLocation: 'data.file' },
		});
		expect(error?.message).toBeUndefined();
	});

	test('in a list is left out of the json, and the list stays', async () => {
		const { items } = await download([document], { answer: wordsOf([{ a: 1 }, { b: [content] }]) });
		expect(items[0]?.json.data).toEqual([{ a: 1 }, { b: [null] }]);
	});

	test.each(['abcde', 'abc$', ''])('is not %j, which is no base64', async (file) => {
		const options = { fileLocation: 'file' };
		const { error } = await download([document], { answer: wordsOf({ file }), options });
		expect(error?.message).toMatch(/neither a link nor base64/);
	});
});

test('keys of data tell no secret, however long they are', async () => {
	const answer = wordsOf({
		[`key ${KEY}`]: 1,
		['k'.repeat(1e5)]: 1,
		[encodeURIComponent(`"${KEY}"`)]: 1,
	});
	const { error } = await download([document], { answer });
	expect(error?.message).toMatch(/has the keys: key \*\*\*, k{60}…, %22\*\*\*%22\./);
	expect(JSON.stringify(error)).not.toContain(KEY);
});
