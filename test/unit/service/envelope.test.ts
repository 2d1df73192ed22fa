import { Readable } from 'node:stream';

import {
	parseBody,
	isRefusal,
	outcomeOf,
	readBody,
	reasonOf,
	requestIdOf,
} from '../../../nodes/Workchat/service/envelope';
import { Reply } from '../../../nodes/Workchat/service/http/http';

const read = async (body: string | Buffer, type?: string) =>
	await parseBody(Buffer.from(body), type);

const NONE =
	' | null | [{"code":0}] | "x" | {"code":"a"} | {"code":1.5} | {"code":[0]} | {} | {"code":0'.split(
		' | ',
	);
test.each(NONE)('the node does not take %s for an envelope', async (text) => {
	expect((await read(text)).envelope).toBeUndefined();
});

test('an envelope is decoded with its charset, and otherwise unchanged, except for long numbers', async () => {
	const gbk = Buffer.from('{"code":0,"data":"\xc4\xe3\xba\xc3"}', 'latin1');
	expect((await read(gbk, 'text/x; charset="GBK"')).envelope).toEqual({ code: 0, data: '你好' });
	const long = await read('\ufeff\n{"code":0,"data":{"id":14432998765432109876,"n":12}}');
	const spelt = '{"ok":"true","code":"0","requestId":"svc_1"}';
	expect(JSON.stringify((await read(spelt)).envelope)).toBe(spelt);
	expect(long.envelope?.data).toEqual({ id: '14432998765432109876', n: 12 });
});

/** What a response proves, by its HTTP status, and by its body: success, refusal, both, or no envelope. */
const [SUCCESS, REFUSAL, BOTH] = ['{"code":0}', '{"code":7}', '{"ok":true,"code":7}'];
test.each([
	['200 204 299', 'succeeded', 'rejected', 'unknown', 'unknown'],
	['100 301 307 399', 'unknown', 'unknown', 'unknown', 'unknown'],
	['400 401 404 418 499', 'unknown', 'rejected', 'unknown', 'rejected'],
	['408 503', 'unknown', 'rejected', 'unknown', 'unknown'],
	['429', 'rejected', 'rejected', 'rejected', 'rejected'],
	['500 502 504 599', 'unknown', 'unknown', 'unknown', 'unknown'],
])(
	'with HTTP %s, a message is reported as %s after a success, %s after a refusal, %s after both, %s without an envelope',
	async (statuses, ...outcomes) => {
		const bodies = await Promise.all(
			[SUCCESS, REFUSAL, BOTH, '<html>'].map(async (body) => await read(body)),
		);
		for (const status of statuses.split(' ').map(Number)) {
			expect(bodies.map((body) => outcomeOf(status, body))).toEqual(outcomes);
		}
	},
);

/** Ways to report success and failure, with HTTP 200, 400 and 503. */
test.each<[body: string, ...outcomes: string[]]>([
	['{"ok":1,"code":"0"}', 'succeeded', 'unknown', 'unknown'],
	['{"ok":"True","code":0,"data":{"isSendSuccess":1,"errcode":0,"ret":1}}', 'succeeded'],
	['{"code":0,"data":{"success":null,"errCode":"","ret":0,"isSuccess":"yes"}}', 'succeeded'],
	['{"code":0,"data":[{"success":1},{"success":0}]}', 'succeeded'],
	['{"code":0,"data":{"isSendSuccess":0}}', 'unknown', 'unknown', 'unknown'],
	['{"code":0,"data":{"sendSuccess":"false"}}', 'unknown'],
	['{"code":0,"data":"{\\"isSendSuccess\\":0}"}', 'unknown'],
	['{"code":0,"data":[{"a":"[{\\"is_send_success\\":\\"true\\"}]"}]}', 'unknown'],
	['{"code":0,"success":false,"data":{"isSendSuccess":1}}', 'unknown'],
	['{"code":0,"data":{"a":{"b":{"isSendSuccess":true,"SendSuccess":"1"}}}}', 'succeeded'],
	['{"ok":true,"code":0,"data":[{"isSuccess":"0"}]}', 'unknown'],
	['{"code":0,"data":{"success":false}}', 'unknown'],
	['{"code":0,"data":"[[{\\"success\\":\\"false\\"}]]"}', 'unknown'],
	['{"code":0,"data":"\\"{\\\\\\"isSendSuccess\\\\\\":0}\\""}', 'unknown'],
	['{"code":0,"data":{"data":{"result":"{\\"errCode\\":\\"-3\\"}"}}}', 'unknown'],
	['{"code":0,"result":{"sendResult":[{"isSuccess":0}]}}', 'unknown'],
	['{"code":0,"data":"{\\"cover\\":{\\"success\\":false}}"}', 'succeeded'],
	['{"code":0,"data":{"tasks":[{"success":false}],"metadata":{"errcode":5}}}', 'succeeded'],
	['{"code":0,"data":{"errCode":40001}}', 'unknown'],
	['{"code":0,"data":{"ret":"-1"}}', 'unknown'],
	['{"ok":true,"code":0,"data":{"ok":false,"code":1001,"message":"no"}}', 'unknown'],
	['{"code":0,"data":[null,"ok",{"Success":false}]}', 'unknown'],
	['{"code":0,"data":{"BaseResponse":{"Ret":-1},"msgData":{"error_code":7}}}', 'unknown'],
	['{"code":0,"data":false}', 'unknown'],
	['{"code":0,"data":{"errcode":"ok","errCode":" 0 ","err_code":200}}', 'succeeded'],
	['{"code":0,"data":{"isSendSuccess":1,"tasks":[{"isSendSuccess":0}]}}', 'succeeded'],
	['{"code":0,"last":{"isSendSuccess":0},"data":{"isSendSuccess":1}}', 'succeeded'],
	['{"code":0,"data":{"isSendSuccess":1,"result":{"sendSuccess":0}}}', 'unknown'],
	['{"code":0,"data":{"tasks":[{"isSendSuccess":1},{"isSendSuccess":0}]}}', 'unknown'],
	['{"ok":null,"code":0}', 'unknown', 'unknown', 'unknown'],
	['{"ok":"true","code":7}', 'unknown', 'unknown', 'unknown'],
	['{"code":200,"msg":"操作成功"}', 'unknown', 'unknown', 'unknown'],
	['{"code":"1","message":"Success."}', 'unknown', 'unknown', 'unknown'],
	['{"code":7,"message":"no success"}', 'rejected', 'rejected', 'rejected'],
	['{"ok":"false","code":"7","message":"success"}', 'rejected', 'rejected', 'rejected'],
	['{"ok":false,"code":"NOT_A_FRIEND"}', 'rejected', 'rejected', 'unknown'],
	['{"ok":0}', 'rejected', 'rejected', 'unknown'],
	['{"ok":true}', 'unknown', 'rejected', 'unknown'],
])(
	'a message that is answered with HTTP 200 and %s is reported as %s',
	async (body, ...outcomes) => {
		const parsed = await read(body);
		const actual = [200, 400, 503].map((status) => outcomeOf(status, parsed));
		expect(actual.slice(0, outcomes.length)).toEqual(outcomes);
	},
);

test.each<[body: string, reason: string]>([
	['{"message":"a","msg":"b"}', 'a'],
	['{"message":" ","msg":"b"}', 'b'],
	['{"error":"e"}', 'e'],
	['{"error":{"code":5,"message":"f"}}', 'f'],
	['{"status":400,"title":"h","detail":"g"}', 'g'],
	['{"errors":["i","j"]}', 'i'],
	['{"errors":{"toId":[{"message":"k"}]}}', 'k'],
	['{"msg":"failed","data":{"errmsg":"l"}}', 'failed: l'],
	['{"data":[{"message":"m"}]}', 'm'],
	['{"message":"n","data":{"message":"n"}}', 'n'],
	['{"other":"o","message":5,"data":"text"}', ''],
	['upstream is away\n', 'upstream is away'],
	['对方不是好友', '对方不是好友'],
	['<html>', ''],
	[`long ${'x'.repeat(500)}`, ''],
])('an error shows the reason in %s as %j', async (body, reason) => {
	expect(reasonOf(await read(body)).trim()).toBe(reason);
});

test('the node takes JSON for a refusal by `ok`, or by a code together with a message or a request ID', async () => {
	const words = ['{"code":7,"message":"no"}', '{"code":"7","msg":"no"}'];
	const no = ['{"ok":false}', '{"ok":"0"}', ...words, '{"code":7,"requestId":"svc_1"}'];
	const all = [...no, '{"code":0,"message":"yes"}', '{"code":7}', '{"message":"no"}'];
	const answers = await Promise.all(all.map(async (text) => await read(text)));
	expect(all.filter((_, index) => isRefusal(answers[index]!))).toEqual(no);
});

test('an error shows a request ID only if it is a text that is not empty', () => {
	const all = [{ request_id: 'a', requestId: 'b' }, { requestId: 'b' }, { request_id: '' }];
	const ids = [...all, { request_id: 12 }, { request_id: ['a'] }].map((each) => requestIdOf(each));
	expect(ids).toEqual(['a', 'b', undefined, undefined, undefined]);
});

test.each([
	[10, 10],
	[50, 16],
])(
	'of a response of %d MB, the node reads %d MB, and closes the connection',
	async (size, most) => {
		let taken = 0;
		async function* chunks() {
			yield Buffer.from('{"code":0,"data":"');
			for (let part = 0; part < size; part++) {
				taken++;
				yield Buffer.alloc(1e6, '0');
			}
			yield Buffer.from('"}');
		}
		const stream = Readable.from([]);
		const release = jest.fn();
		const { envelope } = await readBody(new Reply(200, {}, stream, chunks(), release));
		expect([taken, stream.destroyed, release.mock.calls.length]).toEqual([most, true, 1]);
		expect((envelope?.data as string | undefined)?.length).toBe(size > 16 ? undefined : size * 1e6);
	},
);
