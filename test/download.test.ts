import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

import axios from 'axios';

import { Engine } from '../dev/engine/engine';
import { samples } from '../dev/sandbox/samples';
import { startSandbox, type DownloadResponse } from '../dev/sandbox/server';
import { eventually } from './eventually';
import {
	downloadSamples,
	type DownloadOptions,
	DOWNLOAD,
	INSTANCE,
	KEY,
	resultOf,
	stored,
	testOfNewer,
	useBench,
	workflowOf,
} from './setup';

const bench = useBench();

const ALL = Object.values(samples);
const { document, largeImage, video } = samples;

const download = async (wanted = [document], options: DownloadOptions = {}) =>
	await downloadSamples(bench, wanted, options);

test.each([
	['fields', { specifyFile: 'fields', ...eachField('={{ $json.', ' }}') }],
	['JSON', { file: '={{ $json }}' }],
	[
		'JSON in another case',
		{
			file: '={{ { fileAesKey: $json.fileAeskey, FILEAUTHKEY: $json.fileAuthkey, filesize: String($json.fileSize), fileType: $json.fileType, fileurl: $json.fileUrl, more: 1 } }}',
		},
	],
])('%s mode sends exactly the six documented fields with their types', async (_, parameters) => {
	const { error } = await download([document], { parameters });
	expect(error).toBeUndefined();
	const [request, link] = bench.sandbox.requests;
	expect(request).toMatchObject({ method: 'POST', url: '/workchat/files/wx-download' });
	expect(request?.headers).toMatchObject({
		'content-type': 'application/json',
		'x-service-key': KEY,
	});
	expect(JSON.parse(request?.rawBody ?? '')).toEqual({
		instance_guid: INSTANCE,
		...bench.sandbox.fieldsOf(document),
	});
	expect(link).toMatchObject({ method: 'GET', isAccepted: true });
	expect(link?.headers).not.toHaveProperty('x-service-key');
	expect(JSON.stringify(link?.headers)).not.toContain(KEY);
});

function eachField(before: string, after: string) {
	const names = ['fileAeskey', 'fileAuthkey', 'fileSize', 'fileType', 'fileUrl'];
	return Object.fromEntries(names.map((name) => [name, before + name + after]));
}

describe.each(['link', 'base64', 'dataUri', 'nested', 'body'] as const)('a file as %s', (as) => {
	const source = as === 'nested' ? 'link' : as;

	test('comes out byte for byte, with name, type and size', async () => {
		const { files, items, error } = await download(ALL, { answer: { as } });
		expect(error).toBeUndefined();
		expect(items).toHaveLength(ALL.length);
		for (const [item, sample] of ALL.entries()) {
			const { json, binary, pairedItem } = items[item] ?? {};
			expect(files[item]?.equals(sample.content)).toBe(true);
			expect(pairedItem).toEqual({ item });
			expect(binary?.data?.mimeType).toBe(sample.mimeType);
			expect(json?.file).toEqual({
				fileName: binary?.data?.fileName,
				mimeType: sample.mimeType,
				bytes: sample.content.length,
				source,
			});
			if (source === 'link' || source === 'body') expect(binary?.data?.fileName).toBe(sample.name);
		}
	});

	test('leaves the envelope, less the content, in the json', async () => {
		const { items } = await download([document], { answer: { as } });
		const { file, ...envelope } = items[0]?.json ?? {};
		expect(file).toBeDefined();
		if (as === 'body') return expect(envelope).toEqual({});
		expect(envelope).toMatchObject({
			ok: true,
			code: 0,
			request_id: expect.stringMatching(/^svc_/) as string,
		});
		expect(JSON.stringify(envelope)).not.toContain(
			document.content.toString('base64').slice(0, 40),
		);
	});
});

test('base64 files are named after their kind', async () => {
	const { items } = await download(ALL, { answer: { as: 'base64' } });
	expect(items.map(({ binary }) => binary?.data?.fileName)).toEqual([
		'image.jpg',
		'image.jpg',
		'thumbnail.png',
		'video.mp4',
		'file.pdf',
		'file.amr',
	]);
});

describe('Output', () => {
	test('Envelope puts out the envelope and fetches no link', async () => {
		const { items } = await download([document], { parameters: { output: 'envelope' } });
		expect(items[0]?.json).toMatchObject({
			ok: true,
			code: 0,
			data: { url: expect.any(String) as string },
		});
		expect(items[0]?.binary).toBeUndefined();
		expect(bench.sandbox.requests).toHaveLength(1);
	});

	test('Envelope with Simplify puts out only data', async () => {
		const parameters = { output: 'envelope', simplify: true };
		const { items } = await download([document], { parameters });
		expect(Object.keys(items[0]?.json ?? {})).toEqual(['url']);
	});

	test('Envelope of a raw body is an error that says what to do', async () => {
		const { error } = await download([document], {
			answer: { as: 'body' },
			parameters: { output: 'envelope' },
		});
		expect(error?.message).toMatch(/answered with the file itself/);
		expect(error?.description).toMatch(/Set Output to Binary File/);
	});

	test('Simplify leaves data and file beside a binary', async () => {
		const { items } = await download([document], { parameters: { simplify: true } });
		expect(Object.keys(items[0]?.json ?? {})).toEqual(['url', 'file']);
	});

	test('goes into the named field', async () => {
		const { items } = await download([document], { parameters: { binaryPropertyName: 'scan' } });
		expect(Object.keys(items[0]?.binary ?? {})).toEqual(['scan']);
	});
});

describe('the place of the file', () => {
	const content = document.content.toString('base64');
	const wordsOf = (data: unknown) => ({ as: 'base64', data }) as DownloadResponse;

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
});

describe('the file name', () => {
	const named = (disposition: string): DownloadResponse => ({
		as: 'body',
		headers: { 'content-type': 'application/pdf', 'content-disposition': disposition },
	});

	test.each([
		['filename* first', `attachment; filename="a.pdf"; filename*=UTF-8''%E6%8A%A5.pdf`, '报.pdf'],
		['plain', 'attachment; filename=plain.pdf', 'plain.pdf'],
		['quoted', 'attachment; filename="with \\"quotes\\" ; in.pdf"', 'with _quotes_ ; in.pdf'],
		[
			'UTF-8 bytes in the header',
			`attachment; filename="${Buffer.from('报告.pdf').toString('latin1')}"`,
			'报告.pdf',
		],
		['Latin-1', `attachment; filename*=iso-8859-1'en'%A3.pdf`, '£.pdf'],
		['a path', 'attachment; filename="../../etc/x.pdf"', 'x.pdf'],
		['a Windows path', 'attachment; filename="C:\\\\temp\\\\x.pdf"', 'x.pdf'],
		['an encoded path', `attachment; filename*=UTF-8''..%2F..%2Fx.pdf`, 'x.pdf'],
		['control characters', `attachment; filename*=UTF-8''a%00%0A%E2%80%AEb.pdf`, 'ab.pdf'],
		['only dots', 'attachment; filename=".."', 'file.pdf'],
		['500 characters', `attachment; filename="${'x'.repeat(500)}.pdf"`, `${'x'.repeat(196)}.pdf`],
		['none', 'attachment', 'file.pdf'],
	])('comes from Content-Disposition: %s', async (_, disposition, fileName) => {
		const { items } = await download([document], { answer: named(disposition) });
		expect(items[0]?.binary?.data?.fileName).toBe(fileName);
	});

	test.each([
		['scan%20one.pdf', 'scan one.pdf'],
		['no-extension', 'no-extension.pdf'],
		['..%2f..%2fetc%2fpasswd', 'passwd.pdf'],
		['100%25.pdf', '100%.pdf'],
	])('comes from the end of the link: %s', async (linkName, fileName) => {
		const answer: DownloadResponse = { as: 'link', linkName, headers: {} };
		const { items, error } = await download([document], { answer });
		expect(error?.message).toBeUndefined();
		expect(items[0]?.binary?.data?.fileName).toBe(fileName);
	});

	test('is the one that the user wants', async () => {
		const { items } = await download([document], { options: { fileName: '../my report.pdf' } });
		expect(items[0]?.binary?.data).toMatchObject({
			fileName: 'my report.pdf',
			fileExtension: 'pdf',
		});
	});
});

describe('the MIME type', () => {
	const typed = (
		contentType: string | undefined,
		content: Buffer,
		linkName = 'x',
	): DownloadResponse => ({
		as: 'link',
		linkName,
		content,
		headers: contentType === undefined ? {} : { 'content-type': contentType },
	});
	const zip = Buffer.from('PK\x03\x04 and more');

	test.each([
		['bytes over a wrong header', typed('text/html', largeImage.content), 'image/jpeg'],
		['bytes over a missing header', typed(undefined, video.content), 'video/mp4'],
		[
			'bytes over octet-stream',
			typed('application/octet-stream', document.content),
			'application/pdf',
		],
		[
			'the header where bytes tell nothing',
			typed('text/csv; charset=utf-8', Buffer.from('a,b')),
			'text/csv',
		],
		[
			'the name where nothing else tells',
			typed('application/octet-stream', Buffer.from('a,b'), 'a.csv'),
			'text/csv',
		],
		[
			'the header of a container',
			typed('application/vnd.oasis.opendocument.text', zip),
			'application/vnd.oasis.opendocument.text',
		],
		[
			'the name of a container',
			typed(undefined, zip, 'a.docx'),
			'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
		],
		['the bytes of a nameless container', typed(undefined, zip), 'application/zip'],
		['unknown bytes', typed(undefined, Buffer.from([0, 1, 2])), 'application/octet-stream'],
	])('comes from %s', async (_, answer, mimeType) => {
		const { items, error } = await download([document], { answer });
		expect(error?.message).toBeUndefined();
		expect(items[0]?.binary?.data?.mimeType).toBe(mimeType);
		expect(items[0]?.json.file).toMatchObject({ mimeType });
	});

	test('is the one that the user wants', async () => {
		const { items } = await download([document], { options: { mimeType: 'application/x-mine' } });
		expect(items[0]?.binary?.data?.mimeType).toBe('application/x-mine');
	});
});

describe('a file that is not to be trusted', () => {
	const html = Buffer.from('<!doctype html><title>Sorry</title>');
	const refused = Buffer.from(
		'{"ok":false,"code":4711,"message":"link expired","request_id":"svc_x"}',
	);
	const page = (content: Buffer, type: string): DownloadResponse => ({
		as: 'link',
		linkName: 'x',
		content,
		headers: { 'content-type': type },
	});

	test.each<[string, DownloadResponse, object, RegExp]>([
		['an HTML page behind the link', page(html, 'text/html'), {}, /message instead of the file/],
		[
			'an HTML page without a type',
			page(html, 'application/octet-stream'),
			{},
			/message instead of the file/,
		],
		[
			'an envelope behind the link',
			page(refused, 'application/json'),
			{},
			/refused: link expired \(code 4711/,
		],
		[
			'JSON behind the link',
			page(Buffer.from('{"error":"x"}'), 'text/plain'),
			{},
			/message instead of the file/,
		],
		['an empty file', page(Buffer.alloc(0), 'application/pdf'), {}, /gave an empty file/],
		[
			'an oversized file, by Content-Length',
			{ as: 'link' },
			{ maxFileSize: 0.0005 },
			/more than 0\.0005 MB/,
		],
		[
			'an oversized file, by its bytes',
			{ as: 'link', content: 3e6 },
			{ maxFileSize: 2 },
			/more than 2 MB/,
		],
		['an oversized raw body', { as: 'body', content: 3e6 }, { maxFileSize: 2 }, /more than 2 MB/],
		['an oversized base64 text', { as: 'base64' }, { maxFileSize: 0.0005 }, /more than 0\.0005 MB/],
		[
			'another size than required',
			{ as: 'link', content: 3e6 },
			{ requireExactSize: true },
			/gave 3000000 bytes, but File Size says 610/,
		],
		[
			'another size than required, as base64',
			{ as: 'base64', content: video.content },
			{ requireExactSize: true },
			/but File Size says 610/,
		],
	])('%s is an error, and nothing is stored', async (_, answer, options, message) => {
		const before = await stored(bench);
		const { error, items } = await download([document], { answer, options });
		expect(error?.message).toMatch(message);
		expect(error?.message).toMatch(
			/request ID svc_|raw/.test(String(error?.message)) ? /./ : /server|service/,
		);
		expect(items).toHaveLength(0);
		expect(await stored(bench)).toEqual(before);
	});

	test.each([
		['truncated', { kind: 'truncate' }, /broke off in the middle/],
		['stalled', { kind: 'stall' }, /no byte came for 0\.4 s/],
		['dropped', { kind: 'dropAfterAccepting' }, /closed the connection/],
		[
			'HTTP 404',
			{ kind: 'httpError', status: 404, hasEnvelope: false },
			/does not have the file .*HTTP 404/,
		],
		[
			'HTTP 403',
			{ kind: 'httpError', status: 403, hasEnvelope: false },
			/does not give the file out .*HTTP 403/,
		],
		['HTTP 500', { kind: 'httpError', status: 500, hasEnvelope: false }, /failed while it worked/],
	] as const)(
		'a %s link is an error with the request ID, and nothing is stored',
		async (_, how, message) => {
			const before = await stored(bench);
			bench.sandbox.misbehave(how, { on: 'file' });
			const { error } = await download([video], { options: { timeout: 400 } });
			expect(error?.message).toMatch(/^The file's server /);
			expect(error?.message).toMatch(message);
			expect(error?.message).toMatch(/request ID svc_\w+\)$/);
			expect(await stored(bench)).toEqual(before);
		},
	);

	testOfNewer(
		'n8n removes the beginning of a file that broke off',
		'keeps it until it deletes the execution',
		async () => {
			const before = await stored(bench);
			bench.sandbox.misbehave({ kind: 'truncate' }, { on: 'file' });
			const { error } = await download([video], { answer: { as: 'link', content: 3e6 } });
			expect(error?.message).toMatch(/broke off in the middle/);
			expect(await stored(bench)).toEqual(before);
		},
	);

	test.each([
		['an HTML page that is called so', page(html, 'text/html'), 'x.html'],
		['JSON that is called so', page(Buffer.from('{"a":1}'), 'application/json'), 'x.json'],
	])('%s is a file', async (_, answer, linkName) => {
		const { files, error } = await download([document], { answer: { ...answer, linkName } });
		expect(error?.message).toBeUndefined();
		expect(files[0]).toEqual(answer.content);
	});

	test('HTML as an attachment is a file, also as the body', async () => {
		const headers = {
			'content-type': 'text/html',
			'content-disposition': 'attachment; filename=page.html',
		};
		const { files } = await download([document], {
			answer: { as: 'body', content: html, headers },
		});
		expect(files[0]).toEqual(html);
	});
});

test('an envelope is not read beyond Max File Size', async () => {
	const options = { maxFileSize: 1 };
	const answer: DownloadResponse = { as: 'base64', content: 3e6 };
	const { error } = await download([document], { answer, options });
	expect(error?.message).toMatch(/more than/);
});

test('a file that is only a part of one is refused', async () => {
	const server = createServer((_, response) => {
		response.writeHead(206, { 'content-range': 'bytes 0-3/100' }).end('%PDF');
	}).listen(0);
	const { port } = server.address() as AddressInfo;
	const answer: DownloadResponse = { as: 'link', data: { url: `http://localhost:${port}/a.pdf` } };
	const { error } = await download([document], { answer });
	server.close();
	expect(error?.message).toMatch(/^The file's server does not give the whole file/);
});

test.each(['file:///etc/passwd', '/loop'])(
	'a link that redirects to %s leads nowhere',
	async (to) => {
		const server = createServer((_, response) => {
			response.writeHead(302, { location: to }).end();
		}).listen(0);
		const { port } = server.address() as AddressInfo;
		const answer: DownloadResponse = { as: 'link', data: { url: `http://localhost:${port}/loop` } };
		const { error } = await download([document], { answer, options: { maxTries: 2 } });
		server.close();
		expect(error?.message).toMatch(/redirects to where nothing can be fetched/);
		expect(bench.sandbox.requests).toHaveLength(1);
	},
);

test('what is cut off is fetched again', async () => {
	bench.sandbox.misbehave({ kind: 'truncate' }, { on: 'file' });
	bench.sandbox.misbehave({ kind: 'stall' }, { on: 'file' });
	const { files, error } = await download([video], { options: { maxTries: 3, timeout: 1000 } });
	expect(error?.message).toBeUndefined();
	expect(files[0]?.equals(video.content)).toBe(true);
	expect(bench.sandbox.requests).toHaveLength(6);
});

test('an envelope may begin with a byte order mark', async () => {
	const data = { file: document.content.toString('base64') };
	const text = `\ufeff${JSON.stringify({ ok: true, code: 0, message: '', request_id: 'svc_x', data })}`;
	const answer: DownloadResponse = {
		as: 'body',
		content: Buffer.from(text),
		headers: { 'content-type': 'application/json' },
	};
	const { files } = await download([document], { answer });
	expect(files[0]?.equals(document.content)).toBe(true);
});

test('a data URI says its MIME type', async () => {
	const answer: DownloadResponse = { as: 'dataUri', data: { file: 'data:text/csv;base64,YSxi' } };
	const { items } = await download([document], { answer });
	expect(items[0]?.binary?.data?.mimeType).toBe('text/csv');
});

test('a body that nobody wants is not waited for', async () => {
	const answer: DownloadResponse = { as: 'body', content: 2 ** 50 };
	await download([document], { answer, parameters: { output: 'envelope' } });
	await eventually(() => bench.sandbox.requests[0]?.endedAt !== undefined);
});

test('a redirect of the link is followed, without the key', async () => {
	const other = await startSandbox({ key: KEY });
	other.answerDownloads({ as: 'link' });
	const fields = { instance_guid: 'x', ...other.fieldsOf(document) };
	const headers = { 'x-service-key': KEY };
	const { data } = await axios.post<{ data: { url: string } }>(
		`${other.url}/workchat/files/wx-download`,
		fields,
		{ headers },
	);
	bench.sandbox.misbehave({ kind: 'redirect', location: data.data.url }, { on: 'file' });

	const { files } = await download();
	expect(files[0]?.equals(document.content)).toBe(true);
	expect(JSON.stringify(other.requests.at(-1)?.headers)).not.toContain(KEY);
	await other.stop();
});

test('another size than File Size is a hint', async () => {
	const answer: DownloadResponse = { as: 'link', content: video.content };
	const { run } = await download([document, document], { answer });
	expect(run.data.resultData.runData.Workchat?.[0]?.hints?.[0]?.message).toMatch(
		/size of the file differs from File Size.*\(items 0, 1\)/,
	);
});

test('all wrong fields are named in one error, and nothing is sent', async () => {
	const file = '={{ { fileSize: 1.5, fileType: 6, fileUrl: "cdn/x", fileAeskey: "" } }}';
	const { error } = await download([document], { parameters: { file } });
	expect(error?.message).toBe(
		'fileAuthkey is missing (the JSON has: fileSize, fileType, fileUrl, fileAeskey); ' +
			'fileAeskey is missing; fileSize is not a whole number; fileType is none of 1 (Large Image), ' +
			'2 (Small Image), 3 (Video or Image Thumbnail), 4 (Video), 5 (File or Voice File); ' +
			'fileUrl is not a URL that begins with http:// or https://',
	);
	expect(bench.sandbox.requests).toHaveLength(0);
});

test('a wrong AES key fails as in life', async () => {
	// Not `{ ...$json }`, which is nothing in the expressions of n8n 2.0.
	const file = `={{ Object.assign({}, $json, { fileAeskey: '${'0'.repeat(32)}' }) }}`;
	const { error } = await download([document], { parameters: { file } });
	expect(error?.message).toMatch(/refused: the file cannot be decrypted \(code 42002/);
});

test('in memory mode the file is in the item', async () => {
	const { url: baseUrl } = bench.sandbox;
	const credential = { apiKey: KEY, baseUrl, defaultInstanceGuid: INSTANCE };
	const engine = await Engine.start({ credential, binaryMode: 'default' });
	for (const as of ['link', 'body', 'base64'] as const) {
		bench.sandbox.answerDownloads({ as });
		const run = await engine.run(workflowOf([{ ...bench.sandbox.fieldsOf(video) }], DOWNLOAD));
		const { data } = resultOf(run).items[0]?.binary ?? {};
		expect(data?.id).toBeUndefined();
		expect(data?.data).toBe(video.content.toString('base64'));
	}
	await Engine.start({ credential });
});

test('a gzipped file is unpacked, though nobody asked for gzip', async () => {
	const answer: DownloadResponse = {
		as: 'link',
		content: gzipSync(document.content),
		headers: { 'content-encoding': 'gzip' },
	};
	const { files, error } = await download([document], { answer });
	expect(error?.message).toBeUndefined();
	expect(files[0]?.equals(document.content)).toBe(true);
});
