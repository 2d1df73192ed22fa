import { gzipSync } from 'node:zlib';

import {
	answerIn,
	isRefusal,
	outcomeOf,
	requestIdOf,
	type Envelope,
} from '../../../nodes/Workchat/service/envelope';
import { useOwnServer } from '../../support/ownServer';
import { CONTINUE } from '../../support/messages';
import { recipients, resultOf, SEND, workflowOf } from '../../support/setup';

const read = async (body: string | Buffer, type?: string) =>
	await answerIn(Buffer.from(body), type);

/** What a response proves, by its status: with no envelope, a refusal, a success, and a contradiction. */
test.each<[number, string, string, string, string]>([
	[200, 'unknown', 'rejected', 'succeeded', 'unknown'],
	[299, 'unknown', 'rejected', 'succeeded', 'unknown'],
	[101, 'unknown', 'unknown', 'unknown', 'unknown'],
	[302, 'unknown', 'unknown', 'unknown', 'unknown'],
	[400, 'rejected', 'rejected', 'unknown', 'unknown'],
	[408, 'unknown', 'rejected', 'unknown', 'unknown'],
	[429, 'rejected', 'rejected', 'rejected', 'rejected'],
	[499, 'rejected', 'rejected', 'unknown', 'unknown'],
	[500, 'unknown', 'unknown', 'unknown', 'unknown'],
	[503, 'unknown', 'rejected', 'unknown', 'unknown'],
	[504, 'unknown', 'unknown', 'unknown', 'unknown'],
])('HTTP %d', (status, none, refusal, success, contradiction) => {
	const of = (json?: object) => outcomeOf(status, json as Envelope | undefined);
	expect(of()).toBe(none);
	for (const json of [{ code: 7 }, { ok: false, code: -1 }]) expect(of(json)).toBe(refusal);
	for (const json of [{ code: 0 }, { ok: true, code: 0 }]) expect(of(json)).toBe(success);
	for (const json of [
		{ ok: true, code: 7 },
		{ ok: false, code: 0 },
		{ ok: null, code: 0 },
	])
		expect(of(json)).toBe(contradiction);
});

test.each(['', 'null', '[{"code":0}]', '"x"', '{"code":"0"}', '{"code":1.5}', '{}', '{"code":0'])(
	'%s is no envelope',
	async (text) => expect((await read(text)).envelope).toBeUndefined(),
);

test('an envelope is read in its charset, with long numbers as text', async () => {
	const gbk = Buffer.concat([Buffer.from('{"code":0,"data":"'), Buffer.from('c4e3bac322', 'hex')]);
	const { envelope } = await read(Buffer.concat([gbk, Buffer.from('}')]), 'text/x; charset="GBK"');
	expect(envelope).toEqual({ code: 0, data: '你好' });
	const long = await read('\ufeff\n{"code":0,"data":{"id":14432998765432109876,"n":12}}');
	expect(long.envelope?.data).toEqual({ id: '14432998765432109876', n: 12 });
});

test.each([
	['{"ok":false}', true],
	['{"code":7,"message":"no"}', true],
	['{"code":7,"request_id":"svc_1"}', true],
	['{"code":0,"message":"yes"}', false],
	['{"code":7}', false],
	['{"message":"no"}', false],
])('that %s says no: %s', async (text, saysNo) => expect(isRefusal(await read(text))).toBe(saysNo));

test.each([
	['svc_1', 'svc_1'],
	...[12, '', null, true, ['svc_x'], { toString: 1 }].map((none) => [none, undefined]),
])('a request_id %j is told as %j', (request_id, told) => {
	expect(requestIdOf({ request_id } as never)).toBe(told);
});

const own = useOwnServer();
const MB = 1e6;
/** So many bytes in gzip. */
function gzipped(bytes: number, before = '', after = ''): Buffer {
	const part = gzipSync(Buffer.alloc(10 * MB, '0'));
	const parts = Array.from({ length: bytes / (10 * MB) }, () => part);
	return Buffer.concat([gzipSync(before), ...parts, gzipSync(after)]);
}

test.each([
	[10, undefined],
	[50, 'unknown'],
])('of an answer of %d MB, no more than 16 MB are read', async (size, outcome) => {
	own.answer = (_, response) => {
		response.writeHead(200, { 'content-encoding': 'gzip' });
		response.end(gzipped(size * MB, '{"ok":true,"code":0,"data":"', '"}'));
	};
	const { items } = resultOf(await own.engine.run(workflowOf(recipients(1), SEND, CONTINUE)));
	const { data, error } = items[0]!.json;
	if (outcome) expect(error).toMatchObject({ outcome });
	else expect(data).toHaveLength(size * MB);
	expect(own.requests).toHaveLength(1);
});

test('an answer without end is unknown, and soon', async () => {
	own.answer = (_, response) => {
		response.writeHead(200);
		const send = (): void => void (response.destroyed || response.write(Buffer.alloc(MB), send));
		send();
	};
	const run = await own.engine.run(workflowOf(recipients(1), SEND, CONTINUE));
	expect(resultOf(run).items[0]?.json).toMatchObject({ error: { outcome: 'unknown' } });
});
