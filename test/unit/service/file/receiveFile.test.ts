import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

import type { Misbehaviour } from '../../../../dev/sandbox/misbehaviour';
import { samples } from '../../../../dev/sandbox/samples';
import type { DownloadResponse } from '../../../../dev/sandbox/server';
import { downloadEach } from '../../../support/downloads';
import { useOwnServer } from '../../../support/ownServer';
import { eventually } from '../../../support/turns';
import {
	recipients,
	SEND,
	stored,
	testOfNewer,
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
		{ kind: 'httpError', status: 502, retryAfter: '0' },
		{ kind: 'html' },
		{ kind: 'hang' },
		{ kind: 'dropAfterAccepting' },
	];
	for (const misbehaviour of all) bench.sandbox.misbehave(misbehaviour);
	const options = { maxTries: 2, timeout: 1000, maxConcurrency: all.length };
	const wanted = all.map(() => document);
	const { files, error } = await download(wanted, { options });
	expect(error?.message).toBeUndefined();
	expect(files.map((file) => file?.equals(document.content))).toEqual(all.map(() => true));
	expect(bench.sandbox.requests).toHaveLength(3 * all.length);
});

test('what the service says no to is not tried again', async () => {
	const all: Misbehaviour[] = [
		{ kind: 'redirect', location: 'https://example.com' },
		{ kind: 'refuse', code: 1, message: 'no' },
		{ kind: 'httpError', status: 404 },
	];
	for (const misbehaviour of all) bench.sandbox.misbehave(misbehaviour);
	const options = { maxTries: 3, maxConcurrency: all.length };
	const { error } = await download(
		all.map(() => document),
		{ options },
	);
	expect(error).toBeDefined();
	expect(bench.sandbox.requests).toHaveLength(all.length);
});

test('what is cut off is fetched again', async () => {
	bench.sandbox.misbehave({ kind: 'truncate' }, { on: 'file' });
	bench.sandbox.misbehave({ kind: 'stall' }, { on: 'file' });
	const options = { maxTries: 2, timeout: 1000, maxConcurrency: 2 };
	const { files, error } = await download([video, video], { options });
	expect(error?.message).toBeUndefined();
	expect(files.map((file) => file?.equals(video.content))).toEqual([true, true]);
	expect(bench.sandbox.requests).toHaveLength(8);
});

test('asks for no compression, of which Content-Length would tell another size', async () => {
	await download();
	await bench.engine.run(workflowOf(recipients(1), SEND));
	expect(bench.sandbox.requests).toHaveLength(3);
	for (const { headers } of bench.sandbox.requests) {
		expect(headers['accept-encoding']).toBe('identity');
	}
});

test('a body that nobody wants is not waited for', async () => {
	const answer: DownloadResponse = { as: 'body', content: 2 ** 50 };
	await download([document], { answer, parameters: { output: 'envelope' } });
	await eventually(() => bench.sandbox.requests[0]?.endedAt !== undefined);
});

test.each<[string, Misbehaviour, RegExp]>([
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
])('a %s link is an error with the request ID, and nothing is stored', async (_, how, message) => {
	const before = await stored(bench);
	bench.sandbox.misbehave(how, { on: 'file' });
	const { error } = await download([video], { options: { timeout: 400 } });
	expect(error?.message).toMatch(/^The file's server /);
	expect(error?.message).toMatch(message);
	expect(error?.message).toMatch(/request ID svc_\w+\)$/);
	expect(await stored(bench)).toEqual(before);
});

test('only the beginning of a page behind a link is read', async () => {
	bench.sandbox.misbehave({ kind: 'stall' }, { on: 'file' });
	const headers = { 'content-type': 'text/html' };
	const page = { linkName: 'x', content: Buffer.alloc(1e6, '<p>Sorry</p>'), headers };
	const { error } = await download([document], { answer: { as: 'link', ...page } });
	expect(error?.message).toMatch(/message instead of the file/);
});

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

const FILE = Buffer.concat([
	Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1'),
	Buffer.alloc(5000, 7),
]);
const coded = ([coding, content]: readonly [string, Buffer]) => ({
	content,
	headers: { 'content-encoding': coding },
	fileType: 4,
});

describe.each(['link', 'body'] as const)('as %s', (way) => {
	test('what is packed is unpacked, and a coding that is none does not matter', async () => {
		const all = [
			['gzip', gzipSync(FILE)],
			['x-gzip', gzipSync(FILE)],
			['deflate', deflateSync(FILE)],
			['br', brotliCompressSync(FILE)],
			...['identity', 'aws-chunked', 'utf-8', 'none', 'binary', 'UTF-8, identity'].map(
				(coding) => [coding, FILE] as const,
			),
		] as const;
		const results = await downloadEach(own, way, all.map(coded));
		expect(results.map(({ stored }, index) => [all[index]![0], stored?.equals(FILE)])).toEqual(
			all.map(([coding]) => [coding, true]),
		);
	});

	test('what is still packed is no file', async () => {
		const all = [
			['gzip, gzip', gzipSync(gzipSync(FILE))],
			['br, gzip', gzipSync(brotliCompressSync(FILE))],
			// Node 22.15 unpacks it once.
			['zstd, zstd', FILE],
			['GZIP,identity', gzipSync(FILE)],
			['aws-chunked, zstd', FILE],
		] as const;
		for (const { binary, error } of await downloadEach(own, way, all.map(coded))) {
			expect(binary).toBeUndefined();
			expect(error?.message).toMatch(/packed as (gzip|br|zstd), which n8n cannot unpack/i);
			expect(/Workchat answer/.test(String(error?.message))).toBe(way === 'body');
		}
	});

	test('a file without length is one, with a notice', async () => {
		const all = [
			{ content: FILE, fileType: 4, fileSize: FILE.length, hasNoLength: true },
			{ content: FILE, fileType: 4, fileSize: FILE.length },
			{ content: FILE, fileType: 4, fileSize: FILE.length, isSplit: true },
		];
		const results = await downloadEach(own, way, all);
		expect(results.map(({ stored }) => stored?.equals(FILE))).toEqual([true, true, true]);
		expect(results[0]?.hints).toEqual([
			expect.stringMatching(
				/came without its length, so nobody can tell whether.*\(item 0, counted from 0\)/,
			),
		]);
	});
});
