import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

import { downloadEach, downloadNumbered } from './downloads';
import { useOwnServer } from './ownServer';
import { DOWNLOAD, INSTANCE, NODE, recipients, resultOf, SEND, workflowOf } from './setup';

/** However the bytes of a response are packed, measured and written. */

const own = useOwnServer();
const VIDEO = Buffer.concat([
	Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1'),
	Buffer.alloc(5000, 7),
]);

describe.each(['link', 'body'] as const)('as %s', (way) => {
	test.each([
		['gzip', gzipSync(VIDEO)],
		['x-gzip', gzipSync(VIDEO)],
		['deflate', deflateSync(VIDEO)],
		['br', brotliCompressSync(VIDEO)],
	])('what is packed as %s is unpacked', async (coding, content) => {
		const headers = { 'content-encoding': coding };
		const [result] = await downloadEach(own, way, [{ content, headers, fileType: 4 }]);
		expect(result?.error).toBeUndefined();
		expect(result?.stored?.equals(VIDEO)).toBe(true);
	});

	test.each([
		['gzip, gzip', gzipSync(gzipSync(VIDEO))],
		['br, gzip', gzipSync(brotliCompressSync(VIDEO))],
		// Node 22.15 unpacks it once.
		['zstd, zstd', VIDEO],
		['GZIP,identity', gzipSync(VIDEO)],
		['aws-chunked, zstd', VIDEO],
	])('what is still packed as %s is no file', async (coding, content) => {
		const headers = { 'content-encoding': coding };
		const [result] = await downloadEach(own, way, [{ content, headers, fileType: 4 }]);
		expect(result?.binary).toBeUndefined();
		expect(result?.error?.message).toMatch(/packed as (gzip|br|zstd), which n8n cannot unpack/i);
		expect(/Workchat answer/.test(String(result?.error?.message))).toBe(way === 'body');
	});

	test.each(['identity', 'aws-chunked', 'utf-8', 'none', 'binary', 'UTF-8, identity'])(
		'a coding %s is none',
		async (coding) => {
			const headers = { 'content-encoding': coding };
			const [result] = await downloadEach(own, way, [{ content: VIDEO, headers, fileType: 4 }]);
			expect(result?.stored?.equals(VIDEO)).toBe(true);
		},
	);

	test('a file without length is one, with a notice', async () => {
		const all = [
			{ content: VIDEO, fileType: 4, fileSize: VIDEO.length, hasNoLength: true },
			{ content: VIDEO, fileType: 4, fileSize: VIDEO.length },
			{ content: VIDEO, fileType: 4, fileSize: VIDEO.length, isSplit: true },
		];
		const results = await downloadEach(own, way, all);
		expect(results.map(({ stored }) => stored?.equals(VIDEO))).toEqual([true, true, true]);
		expect(results[0]?.hints).toEqual([
			expect.stringMatching(/came without its length, so nobody can tell whether.*\(item 0\)/),
		]);
	});
});

test('a send whose answer stays packed is in doubt, and told so', async () => {
	own.answer = (_, response) => {
		response.setHeader('content-encoding', 'zstd, zstd');
		response.end('packed');
	};
	const run = await own.engine.run(
		workflowOf(recipients(1), { ...SEND, options: { maxTries: 3 } }),
	);
	expect(resultOf(run).error?.message).toMatch(/something packed as zstd, which n8n cannot unpack/);
	expect(own.requests).toHaveLength(1);
});

describe('an envelope', () => {
	const LARGE = Buffer.alloc(20e6, Buffer.from('ff0e3f7bff', 'hex'));
	/** As PHP writes it: with escaped slashes, and its lines broken. */
	const asPhp = (content: Buffer) =>
		JSON.stringify({
			ok: true,
			code: 0,
			request_id: 'svc_1',
			data: { file: content.toString('base64').replace(/.{76}/g, '$&\r\n') },
		}).replaceAll('/', '\\/');

	test('may take more than base64 needs', async () => {
		own.answer = (_, response) => void response.end(asPhp(LARGE));
		const [result] = await downloadNumbered(own, [{}], { maxFileSize: 20.5 });
		expect(result?.error).toBeUndefined();
		expect(result?.stored?.equals(LARGE)).toBe(true);
	});

	test('that holds too much is told in true words', async () => {
		own.answer = (_, response) => void response.end(asPhp(LARGE));
		const [over, far] = [
			...(await downloadNumbered(own, [{}], { maxFileSize: 19 })),
			...(await downloadNumbered(own, [{}], { maxFileSize: 5 })),
		];
		expect(over?.error?.message).toMatch(/holds a file of more than 19 MB/);
		expect(far?.error?.message).toMatch(/more than 16 MB, which is no file of 5 MB or less/);
	});

	test('of slashes alone is no larger than its file', async () => {
		const white = Buffer.concat([Buffer.from('BM'), Buffer.alloc(1_990_000, 0xff)]);
		own.answer = (_, response) => void response.end(asPhp(white));
		const [result] = await downloadNumbered(own, [{}], { maxFileSize: 2 });
		expect(result?.error).toBeUndefined();
		expect(result?.stored?.equals(white)).toBe(true);
	});

	test('tells a long request ID to its last digit', async () => {
		own.answer = (_, response) =>
			void response.end('{"ok":false,"code":7,"request_id":9007199254740993123}');
		const item = { instanceGuid: INSTANCE, fileAeskey: 'k', fileAuthkey: 'k', fileSize: 1 };
		const all = [{ ...item, fileType: 5, fileUrl: 'https://example.com/x' }];
		const run = await own.engine.run(workflowOf(all, { ...DOWNLOAD, options: { maxTries: 1 } }));
		expect(resultOf(run).error?.message).toMatch(/request ID 9007199254740993123\)/);
		expect(run.data.resultData.runData[NODE]).toBeDefined();
	});
});
