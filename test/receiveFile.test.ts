import type { Misbehaviour } from '../dev/sandbox/misbehaviour';
import { samples } from '../dev/sandbox/samples';
import type { DownloadResponse } from '../dev/sandbox/server';
import { eventually } from './turns';
import { recipients, SEND, stored, testOfNewer, useBench, useDownload, workflowOf } from './setup';

const bench = useBench();
const download = useDownload(bench);
const { document, video } = samples;

describe('a download', () => {
	test.each<[string, Misbehaviour]>([
		['HTTP 500', { kind: 'httpError', status: 500, retryAfter: '0' }],
		['HTTP 502', { kind: 'httpError', status: 502, retryAfter: '0' }],
		['a web page', { kind: 'html' }],
		['no answer', { kind: 'hang' }],
		['a dropped connection', { kind: 'dropAfterAccepting' }],
	])('is tried again after %s', async (_, misbehaviour) => {
		bench.sandbox.misbehave(misbehaviour);
		const { files, error } = await download([document], {
			options: { maxTries: 2, timeout: 1000 },
		});
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
});

test('what is cut off is fetched again', async () => {
	bench.sandbox.misbehave({ kind: 'truncate' }, { on: 'file' });
	bench.sandbox.misbehave({ kind: 'stall' }, { on: 'file' });
	const { files, error } = await download([video], { options: { maxTries: 3, timeout: 1000 } });
	expect(error?.message).toBeUndefined();
	expect(files[0]?.equals(video.content)).toBe(true);
	expect(bench.sandbox.requests).toHaveLength(6);
});

test('asks for no compression, of which Content-Length would tell another size', async () => {
	await download();
	await bench.engine.run(workflowOf(recipients(1), SEND));
	expect(bench.sandbox.requests).toHaveLength(3);
	for (const { headers } of bench.sandbox.requests) {
		expect(headers['accept-encoding']).toBe('identity');
	}
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

test('a body that nobody wants is not waited for', async () => {
	const answer: DownloadResponse = { as: 'body', content: 2 ** 50 };
	await download([document], { answer, parameters: { output: 'envelope' } });
	await eventually(() => bench.sandbox.requests[0]?.endedAt !== undefined);
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
		if (answer.as !== 'body') expect(error?.message).toMatch(/\(.*request ID svc_\w+\)/);
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
