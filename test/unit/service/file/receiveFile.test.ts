import { brotliCompressSync, gzipSync } from 'node:zlib';

import type { Misbehaviour } from '../../../../dev/sandbox/misbehaviour';
import { samples } from '../../../../dev/sandbox/samples';
import type { DownloadResponse } from '../../../../dev/sandbox/server';
import { downloadEach, type Served } from '../../../support/downloads';
import { useOwnServer } from '../../../support/ownServer';
import { eventually } from '../../../support/turns';
import {
	recipients,
	SEND,
	stored,
	useBench,
	useDownload,
	workflowOf,
} from '../../../support/setup';

const bench = useBench();
const own = useOwnServer();
const download = useDownload(bench);
const { document, video } = samples;

test('a failure that may pass is tried again', async () => {
	const all: Misbehaviour[] = [
		{ kind: 'httpError', status: 500, retryAfter: '0' },
		{ kind: 'html' },
		{ kind: 'hang' },
		{ kind: 'dropAfterAccepting' },
	];
	for (const misbehaviour of all) bench.sandbox.misbehave(misbehaviour);
	bench.sandbox.misbehave({ kind: 'truncate' }, { on: 'file' });
	bench.sandbox.misbehave({ kind: 'stall' }, { on: 'file' });
	const wanted = Array.from({ length: 6 }, () => video);
	const options = { maxTries: 3, timeout: 1000, maxConcurrency: 6 };
	const { files, error } = await download(wanted, { options });
	expect(error?.message).toBeUndefined();
	expect(files.map((file) => file?.equals(video.content))).toEqual(wanted.map(() => true));
});

test('asks for no compression, and the link without the key', async () => {
	await download();
	await bench.engine.run(workflowOf(recipients(1), SEND));
	const all = bench.sandbox.requests.map(({ headers }) => headers);
	expect(all.map((headers) => headers['accept-encoding'])).toEqual(Array(3).fill('identity'));
	expect(all.map((headers) => 'x-service-key' in headers)).toEqual([true, false, true]);
});

test('a body that nobody wants is not waited for', async () => {
	const answer: DownloadResponse = { as: 'body', content: 2 ** 50 };
	await download([document], { answer, parameters: { output: 'envelope' } });
	await eventually(() => bench.sandbox.requests[0]?.endedAt !== undefined);
});

test.each<[string, Misbehaviour, RegExp]>([
	['truncated', { kind: 'truncate' }, /closed the connection before its answer was complete/],
	[
		'missing',
		{ kind: 'httpError', status: 404, hasEnvelope: false },
		/does not give the file, or not as a whole \(HTTP 404/,
	],
])('a %s link is an error with the request ID, and nothing is stored', async (_, how, message) => {
	const before = await stored(bench);
	bench.sandbox.misbehave(how, { on: 'file' });
	const { error } = await download([video]);
	const from = /^The file's server 127\.0\.0\.1:\d+, which is n8n's own computer, /;
	for (const part of [from, message, /request ID svc_\w+\)$/]) expect(error?.message).toMatch(part);
	expect(await stored(bench)).toEqual(before);
});

const FILE = Buffer.from(`\0\0\0\x18ftypmp42${'\0\x07'.repeat(2500)}`, 'latin1');
const CSV = 'name,amount\nZoë,12\n';
const PAGE = '<!doctype html><p>Sorry</p>';
const NO = '{"ok":false,"code":7,"message":"no"}';
const LARGE_NO = `{"ok":false,"a":"${'x'.repeat(1e6)}"}`;
const LIST = '[{"name":"x"}]';
const attached = (name: string) => `attachment; filename=${name}`;
const packed = (coding: string, content: Buffer) => {
	return { content, headers: { 'content-encoding': coding } };
};

/** What comes in place of a file, whole and by itself; a media is asked for with File Type 1 to 4. */
const FILES: Record<string, Served> = {
	media: { content: FILE, fileType: 4 },
	'media called text': { content: FILE, fileType: 4, type: 'text/html' },
	'media called JSON': { content: FILE, fileType: 1, type: 'application/json' },
	'media without a length': { content: FILE, fileType: 4, hasNoLength: true },
	'media in two pieces': { content: FILE, fileType: 4, isSplit: true },
	text: { content: CSV },
	'a page with a name': { content: PAGE, disposition: attached('page.html') },
	'JSON with a name': { content: LIST, disposition: attached('data.json') },
	'a large JSON with a name': { content: LARGE_NO, disposition: attached('data.json') },
	'what is unpacked': packed('gzip', gzipSync(FILE)),
	'what is not packed': packed('identity', FILE),
	'what is in chunks': packed('aws-chunked', FILE),
};
const NONE: Record<string, Served> = {
	nothing: { content: '' },
	'nothing to see': { content: ' \n' },
	'a page': { content: PAGE },
	'a page by its type': { content: 'Sorry', type: 'text/html; charset=utf-8' },
	JSON: { content: LIST },
	'JSON by its type': { content: 'Sorry', type: 'application/json' },
	'text as media': { content: CSV, fileType: 2 },
	'text that is called a video': { content: 'Sorry', disposition: attached('a.mp4') },
	'a refusal that has a name': { content: NO, disposition: attached('data.json') },
	'a part of it': { content: FILE, status: 206 },
	'a file of an error': { content: FILE, status: 404 },
	'what is packed twice': packed('gzip, gzip', gzipSync(gzipSync(FILE))),
	'what is packed in parts': packed('br, gzip', gzipSync(brotliCompressSync(FILE))),
	'what n8n cannot unpack': packed('zstd, zstd', FILE),
};

describe.each(['link', 'body'] as const)('in a %s', (way) => {
	test('a file is one, and whole', async () => {
		const results = await downloadEach(own, way, Object.values(FILES));
		const seen = Object.entries(FILES).map(([name, { content }], index) => {
			const { stored: bytes, error } = results[index]!;
			const original = name === 'what is unpacked' ? FILE : Buffer.from(content);
			return [name, bytes?.equals(original), error?.message];
		});
		expect(seen).toEqual(Object.keys(FILES).map((name) => [name, true, undefined]));
	});

	test('what is no file is an error, and nothing is stored', async () => {
		const results = await downloadEach(own, way, Object.values(NONE));
		const seen = Object.keys(NONE).map((name, index) => {
			const { binary, error } = results[index]!;
			return [name, binary, way === 'link' ? error?.outcome : error && 'rejected'];
		});
		expect(seen).toEqual(Object.keys(NONE).map((name) => [name, undefined, 'rejected']));
	});
});

test('a link that ends in .html or .json leads to one, unless it says no', async () => {
	const all: Served[] = [
		{ content: PAGE, name: 'a.html' },
		{ content: LIST, name: 'a.json' },
		{ content: NO, name: 'a.json' },
	];
	const results = await downloadEach(own, 'link', all);
	expect(results.map(({ stored: bytes }) => bytes?.toString())).toEqual([PAGE, LIST, undefined]);
	expect(results[2]?.error?.message).toMatch(/a message instead of the file: no \(code 7/);
});

test('base64 of a page needs no name; of a refusal, it is none', async () => {
	const results = await downloadEach(own, 'dataUri', [{ content: PAGE }, { content: NO }]);
	expect(results.map(({ stored: bytes }) => bytes?.toString())).toEqual([PAGE, undefined]);
});
