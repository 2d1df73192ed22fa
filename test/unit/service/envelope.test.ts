import { gzipSync } from 'node:zlib';

import { answerIn, isRefusal, requestIdOf } from '../../../nodes/Workchat/service/envelope';
import { CONTINUE } from '../../support/messages';
import { useOwnServer } from '../../support/ownServer';
import { recipients, resultOf, SEND, workflowOf } from '../../support/setup';

/** What a response proves: outcomes.test.ts. */

const read = async (body: string | Buffer, type?: string) =>
	await answerIn(Buffer.from(body), type);

const NONE = ['', 'null', '[{"code":0}]', '"x"', '{"code":"0"}', '{"code":1.5}', '{}', '{"code":0'];
test.each(NONE)('%s is no envelope', async (text) => {
	expect((await read(text)).envelope).toBeUndefined();
});

test('an envelope is read in its charset, with long numbers as text', async () => {
	const gbk = Buffer.concat([
		Buffer.from('{"code":0,"data":"'),
		Buffer.from('c4e3bac3227d', 'hex'),
	]);
	expect((await read(gbk, 'text/x; charset="GBK"')).envelope).toEqual({ code: 0, data: '你好' });
	const long = await read('\ufeff\n{"code":0,"data":{"id":14432998765432109876,"n":12}}');
	expect(long.envelope?.data).toEqual({ id: '14432998765432109876', n: 12 });
});

test('JSON says no by ok, or by a code beside words or a request ID', async () => {
	const no = ['{"ok":false}', '{"code":7,"message":"no"}', '{"code":7,"request_id":"svc_1"}'];
	const all = [...no, '{"code":0,"message":"yes"}', '{"code":7}', '{"message":"no"}'];
	const answers = await Promise.all(all.map(async (text) => await read(text)));
	expect(all.filter((_, index) => isRefusal(answers[index]!))).toEqual(no);
});

test('only a text is told as a request ID', () => {
	expect(requestIdOf({ request_id: 'svc_1' })).toBe('svc_1');
	for (const request_id of [12, '', null, true, ['svc_x'], { toString: 1 }]) {
		expect(requestIdOf({ request_id } as never)).toBeUndefined();
	}
});

const own = useOwnServer();
const MB = 1e6;
/** So many bytes in gzip. */
function gzipped(bytes: number, before: string, after: string): Buffer {
	const part = gzipSync(Buffer.alloc(10 * MB, '0'));
	const parts = Array<Buffer>(bytes / (10 * MB)).fill(part);
	return Buffer.concat([gzipSync(before), ...parts, gzipSync(after)]);
}

test.each([10, 50])('of an answer of %d MB, no more than 16 MB are read', async (size) => {
	own.answer = (_, response) => {
		response.writeHead(200, { 'content-encoding': 'gzip' });
		response.end(gzipped(size * MB, '{"ok":true,"code":0,"data":"', '"}'));
	};
	const { items } = resultOf(await own.engine.run(workflowOf(recipients(1), SEND, CONTINUE)));
	const { data, error } = items[0]!.json;
	if (size > 16) expect(error).toMatchObject({ outcome: 'unknown' });
	else expect(data).toHaveLength(size * MB);
	expect(own.requests).toHaveLength(1);
});
