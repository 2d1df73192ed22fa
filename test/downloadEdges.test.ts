import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';

import type { Misbehaviour } from '../dev/sandbox/misbehaviour';
import { samples } from '../dev/sandbox/samples';
import type { DownloadResponse } from '../dev/sandbox/server';
import { eventually } from './eventually';
import {
	downloadSamples,
	type DownloadOptions,
	KEY,
	recipients,
	SEND,
	useBench,
	workflowOf,
} from './setup';

const bench = useBench();
const { document, thumbnail, video } = samples;

const download = async (wanted = [document], options: DownloadOptions = {}) =>
	await downloadSamples(bench, wanted, options);

const content = document.content.toString('base64');
const wordsOf = (data: unknown) => ({ as: 'base64', data }) as DownloadResponse;
const base64Of = (sample: { content: Buffer }) => sample.content.toString('base64');
const page = (content: Buffer | number, type: string): DownloadResponse => ({
	as: 'link',
	linkName: 'x',
	content,
	headers: { 'content-type': type },
});

test('asks for no compression, of which Content-Length would tell another size', async () => {
	await download();
	await bench.engine.run(workflowOf(recipients(1), SEND));
	expect(bench.sandbox.requests).toHaveLength(3);
	for (const { headers } of bench.sandbox.requests) {
		expect(headers['accept-encoding']).toBe('identity');
	}
});

test.each<[string, Misbehaviour]>([
	['HTTP 500', { kind: 'httpError', status: 500, retryAfter: '0' }],
	['HTTP 502', { kind: 'httpError', status: 502, retryAfter: '0' }],
	['a web page', { kind: 'html' }],
	['no answer', { kind: 'hang' }],
	['a dropped connection', { kind: 'dropAfterAccepting' }],
])('is tried again after %s', async (_, misbehaviour) => {
	bench.sandbox.misbehave(misbehaviour);
	const { files, error } = await download([document], { options: { maxTries: 2, timeout: 1000 } });
	expect(error?.message).toBeUndefined();
	expect(files[0]?.equals(document.content)).toBe(true);
});

test.each<[string, Misbehaviour]>([
	['a redirect', { kind: 'redirect', location: 'https://example.com' }],
	['a refusal', { kind: 'refuse', code: 1, message: 'no' }],
	['HTTP 404', { kind: 'httpError', status: 404 }],
])('is not tried again after %s', async (_, misbehaviour) => {
	bench.sandbox.misbehave(misbehaviour);
	await download([document], { options: { maxTries: 3 } });
	expect(bench.sandbox.requests).toHaveLength(1);
});

test('a download that fails after others does not speak of sending', async () => {
	const wrong = { ...document, authKey: 'wrong' };
	const { error } = await download([document, wrong], { options: { maxConcurrency: 1 } });
	expect(error?.context?.itemIndex).toBe(1);
	expect(error?.description).not.toMatch(/were sent/);
});

test.each(['link', 'base64', 'body'] as const)(
	'a file of just Max File Size is no larger than that: %s',
	async (as) => {
		const answer: DownloadResponse = { as, content: Buffer.alloc(1e6, 'x') };
		const { files, error } = await download([document], { answer, options: { maxFileSize: 1 } });
		expect(error?.message).toBeUndefined();
		expect(files[0]).toHaveLength(1e6);
	},
);

test('a small file of unknown length is not stored where it is too large', async () => {
	const answer: DownloadResponse = { as: 'link', content: 1000 };
	const { error } = await download([document], { answer, options: { maxFileSize: 0.0005 } });
	expect(error?.message).toMatch(/more than 0\.0005 MB/);
});

test('a file that is too large is not fetched to its end', async () => {
	const part = Buffer.alloc(65_536, 'x');
	let given = 0;
	function* parts() {
		for (; given < 1e9; given += part.length) yield part;
	}
	let isOver = false;
	const server = createServer((_, response) => {
		response.on('close', () => (isOver = true));
		Readable.from(parts()).pipe(response);
	}).listen(0);
	const { port } = server.address() as AddressInfo;
	const answer: DownloadResponse = { as: 'link', data: { url: `http://localhost:${port}/a.bin` } };
	const { error } = await download([document], { answer, options: { maxFileSize: 2 } });
	expect(error?.message).toMatch(/more than 2 MB/);
	await eventually(() => isOver);
	server.close();
	expect(given).toBeLessThan(100e6); // what fits into the buffers on the way
});

test('a file that announces too much is given up at once', async () => {
	bench.sandbox.misbehave({ kind: 'stall' }, { on: 'file' });
	const answer: DownloadResponse = { as: 'link', content: Buffer.alloc(3e6) };
	const options = { maxFileSize: 2, timeout: 2000 };
	const { error } = await download([document], { answer, options });
	expect(error?.message).toMatch(/more than 2 MB/);
	await eventually(() => bench.sandbox.requests[1]?.endedAt !== undefined);
});

test('only the beginning of a page behind a link is read', async () => {
	bench.sandbox.misbehave({ kind: 'stall' }, { on: 'file' });
	const { error } = await download([document], { answer: page(1e6, 'text/html') });
	expect(error?.message).toMatch(/message instead of the file/);
});

describe('the place of the file', () => {
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
		['of File Size bytes', unknown(30), unknown(30)],
		['that begins like a known type', { content: Buffer.from('%PDF-1.4 tiny') }, document],
		['of more than 1,024 characters', unknown(900), document],
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

test.each([
	[
		'in another script',
		`attachment; filename*=UTF-8''${encodeURIComponent('报'.repeat(100))}.pdf`,
		`${'报'.repeat(65)}.pdf`,
	],
	['that cannot be decoded', `attachment; filename=a.pdf; filename*=UTF-8''%E6%zz.pdf`, 'a.pdf'],
	['without extension', 'attachment; filename=README', 'README'],
	['with dots and spaces around', 'attachment; filename=" .x.pdf. "', 'x.pdf'],
])('a name %s', async (_, disposition, fileName) => {
	const headers = { 'content-type': 'application/pdf', 'content-disposition': disposition };
	const { items } = await download([document], { answer: { as: 'body', headers } });
	expect(items[0]?.binary?.data?.fileName).toBe(fileName);
});

test('bytes of a container over a header that says text', async () => {
	const zip = Buffer.from('PK\x03\x04 and more');
	const { items } = await download([document], { answer: page(zip, 'text/plain') });
	expect(items[0]?.binary?.data?.mimeType).toBe('application/zip');
});

test('a web page that begins with a byte order mark is no file', async () => {
	const html = Buffer.from('\ufeff<!doctype html><title>Sorry</title>');
	const { error } = await download([document], { answer: page(html, 'application/octet-stream') });
	expect(error?.message).toMatch(/message instead of the file/);
});

test('HTML that is shown inline, but under a name, is a file', async () => {
	const html = Buffer.from('<!doctype html><title>Fine</title>');
	const headers = { 'content-type': 'text/html', 'content-disposition': 'inline; filename=a.html' };
	const { files } = await download([document], { answer: { as: 'body', content: html, headers } });
	expect(files[0]).toEqual(html);
});

describe.each([
	'attachment; filename="video.mp4"',
	'inline; filename="video.mp4"',
	"attachment; filename*=UTF-8''video%2Emp4",
])('with the header %s', (disposition) => {
	test.each([
		['a web page', 'text/html', '<!doctype html><title>Sorry</title>'],
		['a web page without a type', 'video/mp4', '<!doctype html><title>Sorry</title>'],
		['JSON', 'application/json', '{"error":"expired"}'],
	])('%s behind a link is no video', async (_, type, text) => {
		const answer = page(Buffer.from(text), type);
		answer.headers = { ...answer.headers, 'content-disposition': disposition };
		const { error, items } = await download([document], { answer });
		expect(error?.message).toMatch(/message instead of the file/);
		expect(items).toEqual([]);
	});

	test.each([
		['a web page', '<!doctype html><title>Sorry</title>', /a web page instead/],
		['a refusal', '{"ok":false,"code":7}', /refused \(code 7/],
	])('%s as the body is no video', async (_, text, message) => {
		const headers = { 'content-disposition': disposition };
		const answer: DownloadResponse = { as: 'body', content: Buffer.from(text), headers };
		const { error, items } = await download([document], { answer });
		expect(error?.message).toMatch(message);
		expect(items).toEqual([]);
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

test('options and the output field may differ from item to item', async () => {
	const { items } = await download([document, video], {
		parameters: { binaryPropertyName: '={{ "file" + $json.fileType }}' },
		options: { fileName: '={{ $json.fileType }}.bin' },
	});
	expect(items.map(({ binary }) => binary)).toEqual([
		{ file5: expect.objectContaining({ fileName: '5.bin' }) as object },
		{ file4: expect.objectContaining({ fileName: '4.bin' }) as object },
	]);
});

test('Output may differ from item to item', async () => {
	const output = '={{ $json.fileType === 4 ? "envelope" : "binary" }}';
	const { items } = await download([document, video], { parameters: { output } });
	expect(items.map(({ binary }) => !!binary)).toEqual([true, false]);
});
