import { Readable } from 'node:stream';
import {
	BrotliDecompress,
	brotliCompressSync,
	constants,
	deflateSync,
	gzipSync,
	Unzip,
} from 'node:zlib';

import { parseBody } from '../../../../nodes/Workchat/service/response/envelope';
import { outcomeOf } from '../../../../nodes/Workchat/service/response/outcome';
import { responseFailure } from '../../../../nodes/Workchat/service/response/responseFailure';
import { downloadNumbered } from '../../../support/downloads';
import { useOwnServer } from '../../../support/ownServer';
import { recipients, resultOf, SEND, workflowOf, type NodeSettings } from '../../../support/setup';
import { wording } from '../../../support/wording';

const failureOf = async (text: string) =>
	responseFailure({ status: 200, headers: {} }, await parseBody(Buffer.from(text)), wording);

test('code 0, but not ok, is unknown and not repeated', async () => {
	expect(await failureOf('{"ok":false,"code":0}')).toMatchObject({
		message: expect.stringMatching(/not ok\) \(code 0\)$/) as string,
		outcome: 'unknown',
		transient: false,
	});
});

test('an envelope without ok is a success by its code', async () => {
	const { envelope } = await parseBody(Buffer.from('{"code":0}'));
	expect(outcomeOf(200, envelope)).toBe('succeeded');
});

test.each(['{"code":"0"}', '{"code":1.5}', '{"code":null}', '[0]', 'null', '"0"'])(
	'%s is no envelope',
	async (text) => {
		expect((await failureOf(text)).message).toMatch(/something else instead/);
	},
);

test.each(['', '<html>', 'text'])(
	'an answer %j instead of an envelope is transient',
	async (text) => {
		expect(await failureOf(text)).toMatchObject({
			outcome: 'unknown',
			transient: true,
		});
	},
);

const own = useOwnServer();
const MB = 1e6;
/** More than all its requests may unpack. */
const BOMB = 50 * MB;
const CONTINUE: NodeSettings = { onError: 'continueRegularOutput' };

/** So many bytes in gzip, made of parts, as one would take seconds. */
function gzipped(bytes: number, before = '', after = ''): Buffer {
	const part = gzipSync(Buffer.alloc(10 * MB, '0'));
	const parts = Array.from({ length: bytes / (10 * MB) }, () => part);
	return Buffer.concat([gzipSync(before), ...parts, gzipSync(after)]);
}
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const bombs: Array<[string, string, () => Buffer]> = [
	['zeros in gzip', 'gzip', () => gzipped(BOMB)],
	['an envelope in gzip', 'gzip', () => gzipped(BOMB, '{"ok":true,"code":0,"data":"', '"}')],
	['zeros in deflate', 'deflate', () => deflateSync(Buffer.alloc(BOMB))],
	['zeros in Brotli', 'br', () => brotliCompressSync(Buffer.alloc(BOMB), FAST)],
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

const OUTCOMES: Array<[status: number, outcome: string]> = [
	[200, 'unknown'],
	[500, 'unknown'],
	[503, 'unknown'],
	[400, 'rejected'],
];

test.each(bombs)('%s is hardly unpacked, and read by its status', async (_, encoding, bomb) => {
	const body = bomb();
	own.answer = (_request, response) => {
		const [status] = OUTCOMES[own.requests.length - 1]!;
		response.writeHead(status, { 'content-encoding': encoding }).end(body);
	};
	const unpacked = countUnpacked();
	const parameters = { ...SEND, options: { maxTries: 3 } };
	const run = await own.engine.run(workflowOf(recipients(4), parameters, CONTINUE));
	expect(unpacked()).toBeGreaterThan(0);
	expect(unpacked()).toBeLessThan(OUTCOMES.length * 40 * MB);
	expect(resultOf(run).items.map(({ json: { error } }) => error)).toMatchObject(
		OUTCOMES.map(([, outcome]) => ({ outcome })),
	);
	expect(own.requests).toHaveLength(OUTCOMES.length);
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
	const LARGE = Buffer.alloc(2e6, Buffer.from('ff0e3f7bff', 'hex'));
	/** As PHP writes it: with escaped slashes, and its lines broken. */
	const asPhp = (content: Buffer) =>
		JSON.stringify({
			ok: true,
			code: 0,
			request_id: 'svc_1',
			data: { file: content.toString('base64').replace(/.{76}/g, '$&\r\n') },
		}).replaceAll('/', '\\/');

	test('that holds too much is told in true words', async () => {
		own.answer = (_, response) => void response.end(asPhp(LARGE));
		const [over, far] = [
			...(await downloadNumbered(own, [{}], { maxFileSize: 1.9 })),
			...(await downloadNumbered(own, [{}], { maxFileSize: 0.5 })),
		];
		expect(over?.error?.message).toMatch(/holds a file of more than 1\.9 MB/);
		expect(far?.error?.message).toMatch(/more than 2 MB, which is no file of 0\.5 MB or less/);
	});

	test('of slashes alone, twice as long as in base64, is no larger than its file', async () => {
		const white = Buffer.concat([Buffer.from('BM'), Buffer.alloc(1_990_000, 0xff)]);
		own.answer = (_, response) => void response.end(asPhp(white));
		const [result] = await downloadNumbered(own, [{}], { maxFileSize: 2 });
		expect([result?.error, result?.stored?.equals(white)]).toEqual([undefined, true]);
	});

	test('tells a long request ID to its last digit', async () => {
		own.answer = (_, response) =>
			void response.end('{"ok":false,"code":7,"request_id":9007199254740993123}');
		const [result] = await downloadNumbered(own, [{}]);
		expect(result?.error?.message).toMatch(/request ID 9007199254740993123\)/);
	});
});
