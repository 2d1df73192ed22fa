import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import {
	BrotliDecompress,
	brotliCompressSync,
	constants,
	deflateSync,
	gzipSync,
	Unzip,
} from 'node:zlib';

import { useOwnServer } from './ownServer';
import { INSTANCE, KEY, recipients, resultOf, SEND, workflowOf, type NodeSettings } from './setup';

const own = useOwnServer();
const MB = 1e6;
const BOMB = 500 * MB;
const CONTINUE: NodeSettings = { onError: 'continueRegularOutput' };

/** So many bytes in gzip, made of parts, as one would take seconds. */
function gzipped(bytes: number, before = '', after = ''): Buffer {
	const part = gzipSync(Buffer.alloc(10 * MB, '0'));
	const parts = Array.from({ length: bytes / (10 * MB) }, () => part);
	return Buffer.concat([gzipSync(before), ...parts, gzipSync(after)]);
}
const bombs: Array<[string, string, () => Buffer]> = [
	['zeros in gzip', 'gzip', () => gzipped(BOMB)],
	['an envelope in gzip', 'gzip', () => gzipped(BOMB, '{"ok":true,"code":0,"data":"', '"}')],
	['zeros in deflate', 'deflate', () => deflateSync(Buffer.alloc(100 * MB))],
	[
		'zeros in Brotli',
		'br',
		() =>
			brotliCompressSync(Buffer.alloc(100 * MB), {
				params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
			}),
	],
];

/** Counts the bytes that Node unpacks from now on. */
function countUnpacked(): () => number {
	let bytes = 0;
	const { push } = Readable.prototype;
	jest.spyOn(Readable.prototype, 'push').mockImplementation(function (
		this: Readable,
		part,
		...rest
	) {
		if (this instanceof Unzip || this instanceof BrotliDecompress) bytes += part?.length ?? 0;
		return push.call(this, part, ...rest);
	});
	return () => bytes;
}
afterEach(() => jest.restoreAllMocks());

describe.each(bombs)('%s', (_, encoding, bomb) => {
	let body: Buffer;
	beforeAll(() => (body = bomb()));

	test.each([
		[200, 'unknown'],
		[500, 'unknown'],
		[503, 'unknown'],
		[400, 'rejected'],
	])('with HTTP %d is %s, and hardly unpacked', async (status, outcome) => {
		own.answer = (_request, response) => {
			response.writeHead(status, { 'content-encoding': encoding }).end(body);
		};
		const unpacked = countUnpacked();
		const parameters = { ...SEND, options: { maxTries: 3 } };
		const run = await own.engine.run(workflowOf(recipients(1), parameters, CONTINUE));
		expect(unpacked()).toBeGreaterThan(0);
		expect(unpacked()).toBeLessThan(40 * MB);
		expect(resultOf(run).items[0]?.json).toMatchObject({ error: { outcome } });
		expect(own.requests).toHaveLength(1);
	});
});

test('an answer without end is unknown, and soon', async () => {
	own.answer = (_, response) => {
		response.writeHead(200);
		const send = (): void => void (response.destroyed || response.write(Buffer.alloc(MB), send));
		send();
	};
	const run = await own.engine.run(workflowOf(recipients(1), SEND, CONTINUE));
	expect(resultOf(run).items[0]?.json).toMatchObject({ error: { outcome: 'unknown' } });
	expect(own.requests).toHaveLength(1);
});

test('an answer of 10 MB is still read', async () => {
	own.answer = (_, response) => {
		response.writeHead(200, { 'content-encoding': 'gzip' });
		response.end(gzipped(10 * MB, '{"ok":true,"code":0,"data":"', '"}'));
	};
	const { items } = resultOf(await own.engine.run(workflowOf(recipients(1), SEND)));
	expect(items[0]?.json.data).toHaveLength(10 * MB);
});

/** The engine has a process of its own, as peak memory is that of a process. */
test('500 MB after gunzip do not fill the memory, in ten answers side by side either', async () => {
	const body = gzipped(BOMB, '{"ok":true,"code":0,"data":"', '"}');
	const small = gzipSync('{"ok":true,"code":0}');
	const server = createServer((request, response) => {
		request.resume().once('end', () => {
			response.writeHead(200, { 'content-encoding': 'gzip' });
			response.end(request.url?.startsWith('/bomb') ? body : small);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, resolve));
	try {
		const url = `http://localhost:${(server.address() as AddressInfo).port}`;
		const credential = { apiKey: KEY, defaultInstanceGuid: INSTANCE };
		const parameters = { ...SEND, options: { maxConcurrency: 10 } };
		const workflow = workflowOf(recipients(10), parameters, CONTINUE);
		const runs = ['/small', '/bomb'].map((path) => ({
			workflow,
			credential: { ...credential, baseUrl: url + path },
		}));
		const script = join(__dirname, 'processes', 'engine.js');
		const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(runs)]);
		const [few, many] = JSON.parse(stdout) as Array<{ peakMemory: number; items: number }>;
		expect(many?.items).toBe(10);
		// Each may hold what is read of it, 16 MB, and what Node has not collected yet.
		expect((many?.peakMemory ?? NaN) - (few?.peakMemory ?? NaN)).toBeLessThan(600 * MB);
	} finally {
		server.closeAllConnections();
		server.close();
	}
}, 60_000);
