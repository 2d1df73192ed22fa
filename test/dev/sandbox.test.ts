import axios, { type AxiosRequestConfig } from 'axios';

import { VIDEO } from '../../dev/engine/workflows';
import { callbacks, deliveries, refusals, type Refusal } from '../../dev/sandbox/inventions';
import { menu } from '../../dev/sandbox/menu';
import { KINDS } from '../../dev/sandbox/misbehaviour';
import { operations } from '../../dev/sandbox/operations';
import { samples, type Sample } from '../../dev/sandbox/samples';
import { startSandbox, type DownloadResponse, type Sandbox } from '../../dev/sandbox/server';
import type { Field } from '../../nodes/Workchat/operations/fields/field';

const SEND = '/workchat/messages/send-feed-video';
const DOWNLOAD = '/workchat/files/wx-download';
/** Operations that the node might be given one day. */
const [OTHER, PLAIN] = ['/workchat/example/message', '/workchat/example/plain'];
const fields: Field[] = [
	{ name: 'toId', label: 'Recipient ID', type: 'id' },
	{ name: 'count', label: 'Count', type: 'integer' },
	{ name: 'pin', label: 'PIN', type: 'text', isSecret: true },
];
operations.push({ name: 'Other', path: OTHER, fields }, { name: 'Plain', path: PLAIN, fields: [] });

const KEY = 'fake-sandbox-key';
let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ key: KEY });
});
beforeEach(() => sandbox.reset());
afterAll(async () => await sandbox.stop());

/** Takes every answer as it is, less what a failed comparison would take minutes to print. */
const call = async (method: string, url: string, more: AxiosRequestConfig) => {
	const asItIs = { baseURL: sandbox.url, validateStatus: () => true, maxRedirects: 0 };
	const config = { ...asItIs, method, url, ...more };
	const { status, headers, data, code } = await axios.request(config).catch((error) => error);
	return { status, headers, data, code };
};
const get = async (url: string, more = {}) => await call('GET', url, more);
const post = async (url: string, data: unknown, more = {}) =>
	await call('POST', url, { data, headers: { 'X-Service-Key': KEY }, ...more });
const order = async (name: string, data: object) =>
	await call('POST', `/sandbox/${name}`, { data });

const instance = { instance_guid: 'fake-instance' };
const message = { ...instance, ...VIDEO, toId: 'customer-1' };
const send = async (toId: string, more = {}) => await post(SEND, { ...message, toId }, more);
const fileBody = (sample: Sample) => ({ ...instance, ...sandbox.fieldsOf(sample) });

const NAMELESS = expect.stringMatching(/^http:.+\/\?signature=/);
const requestId = expect.stringMatching(/^svc_./);
const success = (data: unknown) => ({
	status: 200,
	data: { ok: true, code: 0, message: 'success', request_id: requestId, data },
});
const failure = (status: number, code: number, words: string) => {
	const message = expect.stringContaining(words);
	return { status, data: { ok: false, code, message, request_id: requestId, data: null } };
};
const badFields = (words: string) => failure(400, 40002, words);
const refused = ({ status, code, message }: Refusal) => failure(status, code, message);

describe.each<[string, () => Record<string, unknown>, object, isMessage: boolean]>([
	[SEND, () => message, { messageId: 'sandbox-message-1' }, true],
	[DOWNLOAD, () => ({ ...fileBody(samples.document) }), { cloudUrl: NAMELESS }, false],
	[OTHER, () => ({ ...instance, toId: 'c', count: 7, pin: '1' }), expect.anything(), true],
	[PLAIN, () => instance, {}, false],
])('%s', (path, body, data, isMessage) => {
	test('takes the documented body, and is among the messages if it has a recipient', async () => {
		expect(await post(path, body())).toMatchObject(success(data));
		expect(sandbox.requests).toMatchObject([{ isAccepted: true, body: body() }]);
		expect(sandbox.messages).toEqual(isMessage ? [body()] : []);
	});

	test('refuses what is missing, of the wrong type or too much, by name, and any other key', async () => {
		const nothing = await post(path, {});
		for (const field of Object.keys(body())) {
			expect(nothing).toMatchObject(badFields(field));
			for (const value of [undefined, true, null, {}, '']) {
				expect(await post(path, { ...body(), [field]: value })).toMatchObject(badFields(field));
			}
		}
		expect(await post(path, { ...body(), extra: '1' })).toMatchObject(refused(refusals.badFields));
		for (const key of ['', 'wrong-key', `${KEY}0`, KEY.toUpperCase()]) {
			const response = await post(path, body(), { headers: { 'X-Service-Key': key } });
			expect(response).toMatchObject(refused(refusals.badKey));
		}
		expect(sandbox.messages).toEqual([]);
		expect(sandbox.requests.filter(({ isAccepted }) => isAccepted)).toEqual([]);
	});
});

test.each<[string, method: string, url: string, body: unknown, Refusal, type?: string]>([
	['an unknown path', 'POST', '/workchat/unknown', message, refusals.noSuchPath],
	['a path that cannot be decoded', 'GET', '/%zz', undefined, refusals.noSuchPath],
	['another method', 'PUT', SEND, message, refusals.noSuchPath],
	['a forgotten link', 'GET', '/files/fake-token/voice.amr', undefined, refusals.noSuchPath],
	['broken JSON', 'POST', SEND, Buffer.from('{"toId":'), refusals.badJson],
	['a body that is no object', 'POST', SEND, [], refusals.badFields],
	['another content type', 'POST', SEND, Buffer.from('{}'), refusals.notJson, 'text/plain'],
	['an unknown fileType', 'POST', DOWNLOAD, { fileType: 6 }, refusals.badFields],
	['the key of another file', 'POST', DOWNLOAD, { fileAeskey: 'x' }, refusals.badFileKey],
	['no right to the file', 'POST', DOWNLOAD, { fileAuthkey: 'x' }, refusals.badFileKey],
	['an unknown file', 'POST', DOWNLOAD, { fileUrl: 'https://example.com' }, refusals.noSuchFile],
])(
	'%s is refused in the envelope',
	async (_, method, url, body, refusal, type = 'application/json') => {
		const data = url === DOWNLOAD ? { ...fileBody(samples.document), ...(body as object) } : body;
		const headers = { 'X-Service-Key': KEY, 'Content-Type': type };
		expect(await call(method, url, { data, headers })).toMatchObject(refused(refusal));
		expect(sandbox.requests).toMatchObject([{ method, url, isAccepted: false }]);
	},
);

const ways = ['body', ...Object.keys(deliveries)] as Array<DownloadResponse['as']>;
test.each(ways)('a download as %s gives the file, or as many bytes as told', async (as) => {
	const fileOf = async (sample: Sample): Promise<Buffer> => {
		const config = { responseType: 'arraybuffer' };
		const data = Buffer.from((await post(DOWNLOAD, fileBody(sample), config)).data);
		if (as === 'body') return data;
		const [, link] = /"(http:[^"]+)"/.exec(`${data}`) ?? [];
		if (link) return Buffer.from((await get(link, config)).data);
		const [, base64 = ''] = /"(?:data:\w+\/\w+;base64,)?([\w+/=]{500,})"/.exec(`${data}`) ?? [];
		return Buffer.from(base64, 'base64');
	};
	await order('answer-downloads', { as });
	for (const sample of Object.values(samples)) expect(await fileOf(sample)).toEqual(sample.content);
	sandbox.answerDownloads({ as, content: 200_001 });
	expect(await fileOf(samples.video)).toHaveLength(200_001);
});

/** What a client of the menu's choices sees: a response, or the code of its error. */
const seen: Record<string, object> = {
	Refuse: failure(200, 12345, 'no'),
	'Code 0, but not sent': success({ isSendSuccess: 0 }),
	'Refuse in msg': { status: 200, data: { code: 500, msg: '对方不是好友', data: null } },
	'HTTP 400': failure(400, 40000, '400'),
	'HTTP 429, too fast': { ...failure(429, 42900, '429'), headers: { 'retry-after': '2' } },
	'HTTP 500': failure(500, 50000, '500'),
	'HTTP 502 of a gateway': { status: 502, data: '<!doctype html><title>502</title>' },
	'HTTP 503 with an envelope': failure(503, 50300, '503'),
	Redirect: { status: 307, headers: { location: 'https://example.com/' } },
	'HTML page': { status: 200, data: expect.stringMatching(/^<!doctype html>/) },
	'Empty body': { status: 200, data: '' },
	'Broken JSON': { status: 200, data: '{"ok":true,"code":0,' },
	'No request_id': { status: 200, data: { ok: true, code: 0, message: 'success', data: null } },
	'Late by 5 s': { code: 'ECONNABORTED' },
	'No response': { code: 'ECONNABORTED' },
	'Drop before reading': { code: 'ECONNRESET' },
	'Drop after accepting': { code: 'ECONNRESET' },
	'Half a response': { code: 'ERR_BAD_RESPONSE' },
	'Stall halfway': { code: 'ECONNABORTED' },
	'Expired link, HTTP 404': { status: 404, data: '<!doctype html><title>404</title>' },
	'Expired link, HTTP 410': { status: 410, data: '<!doctype html><title>410</title>' },
};
test.each(menu)('misbehaviour, once: $name', async ({ name, told, on = 'api', outcome }) => {
	await order('misbehave', { ...told, on });
	const link = on === 'file' && (await post(DOWNLOAD, fileBody(samples.voice))).data.data.cloudUrl;
	const timeout = /hang|stall|delay/.test(told.kind) ? 200 : 10_000;
	const again = async () => (link ? await get(link) : await send('customer-1', { timeout }));
	expect(await again()).toMatchObject(seen[name]!);
	expect(sandbox.messages).toHaveLength(/sent|arrives/.test(outcome ?? '') ? 1 : 0);
	const isRead = on === 'api' && told.kind !== 'dropBeforeReading';
	expect(sandbox.requests.at(-1)?.body).toEqual(isRead ? message : undefined);
	expect(await again()).toMatchObject({ status: 200 });
});

test('misbehaviour happens in order, as often as told, and to one recipient alone', async () => {
	expect(new Set(menu.map(({ told }) => told.kind))).toEqual(new Set(Object.keys(KINDS)));
	await order('misbehave', { kind: 'httpError', status: 503, times: 2, toId: 'b' });
	await order('misbehave', { kind: 'dropBeforeReading', toId: 'b' });
	await order('misbehave', { kind: 'html', on: 'file' });
	const statuses = [];
	for (const toId of ['b', 'a', 'b', 'b', 'b']) {
		const { status, code } = await send(toId);
		statuses.push(status ?? code);
	}
	expect(statuses).toEqual([503, 200, 503, 'ECONNRESET', 200]);
	await order('misbehave', { kind: 'httpError', status: 503 });
	expect((await post(SEND, {})).status).toBe(503); // whatever is wrong with the call
	const known = Object.keys(KINDS).join(', ');
	expect(await order('misbehave', { kind: 'x' })).toMatchObject(badFields(known));
	expect(await order('misbehave', { kind: 'httpError' })).toMatchObject(badFields('status'));
	expect(await order('misbehave', { kind: 'html', time: 2 })).toMatchObject(
		badFields('properties'),
	);
});

/** Of callbacks. */
const kinds = [...Object.keys(callbacks), 'again'];

describe('the page', () => {
	test('is served without a key or a trace, under headers that forbid what is not its own', async () => {
		const { data } = await get('/');
		const parts = [...data.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path]) => `/${path}`);
		expect(parts).toHaveLength(4);
		for (const path of ['/', ...parts]) expect((await get(path)).status).toBe(200);
		for (const path of ['/', '/sandbox/state']) {
			const { headers } = await get(path);
			expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
			expect(headers).toMatchObject({ 'cache-control': 'no-store' });
			expect(headers).not.toHaveProperty('access-control-allow-origin');
		}
		const script = (await get('/sandbox/page.js')).data;
		expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/);
		expect((await get('/sandbox/misbehave')).data.data).toEqual(menu);
		expect((await get('/sandbox/callbacks')).data.data).toEqual(kinds);
		expect(sandbox.requests).toEqual([]);
	});

	test('shows what arrived with its answer, the newest first, and no secret; reset forgets all', async () => {
		sandbox.misbehave({ kind: 'delay', milliseconds: 1 });
		const { data } = await send('customer-1');
		await get((await post(DOWNLOAD, fileBody(samples.document))).data.data.cloudUrl);
		sandbox.misbehave({ kind: 'dropAfterAccepting' });
		await send('b');
		await post(OTHER, { toId: 'c' }, { headers: {} });
		await post(OTHER, { ...instance, toId: 'x'.repeat(9999), count: 1, pin: '4711' });
		await post('/workchat/unknown?token=4712', {});
		await post(DOWNLOAD, { fileType: 5 });
		await post(DOWNLOAD, {}); // as the test of a credential does
		await get('/favicon.ico');
		await order('misbehave', {});
		sandbox.misbehave({ kind: 'httpError', status: 500 }, { times: 2, toId: 'd' });

		const { encodeData, ...rest } = message;
		const { data: shown } = await get('/sandbox/state');
		const late = { requestId: data.request_id, code: 0, told: 'delay', isFailure: false };
		expect(shown).toMatchObject({
			counts: { message: 3, file: 1, 'failed call': 4 },
			calls: [
				{ name: 'Download File', answer: { code: 40002 } },
				{ name: 'POST /workchat/unknown', answer: { status: 404 } },
				{ toId: `${'x'.repeat(1000)}…`, isMessage: true, fields: { count: '1' } },
				{ toId: '', isMessage: false, answer: { status: 401, code: 40101, isFailure: true } },
				{ toId: 'b', isMessage: true, answer: { isFailure: true } },
				{ name: 'Download File', answer: { gave: '报告 2026.pdf (cloudUrl)', isFailure: false } },
				{ name: 'Send Feed Video', answer: late },
			],
			waiting: [{ name: 'HTTP 500', on: 'api', toId: 'd', times: 2 }],
		});
		const [, , , refused, dropped, , sent] = shown.calls;
		expect([refused.fields, sent.fields]).toEqual([{}, rest]);
		// The page tells cards apart by it.
		expect(new Set(shown.calls.map(({ at }: { at: number }) => at)).size).toBe(7);
		expect(dropped.answer).toEqual({ told: 'Drop after accepting', message: '', isFailure: true });
		const { fileAeskey, fileAuthkey } = samples.document.fields;
		const secrets = [KEY, encodeData, fileAeskey, fileAuthkey, '4711', '4712', 'fake-signature'];
		for (const secret of secrets) expect(JSON.stringify(shown)).not.toContain(secret);

		sandbox.answerDownloads({ as: 'base64' });
		await order('reset', {});
		const counts = { message: 0, file: 0, 'failed call': 0 };
		expect((await get('/sandbox/state')).data).toEqual({ counts, calls: [], waiting: [] });
		expect([sandbox.messages, sandbox.requests]).toEqual([[], []]);
		expect(await send('d')).toMatchObject(success({ messageId: 'sandbox-message-1' }));
		expect((await post(DOWNLOAD, fileBody(samples.voice))).data.data).toHaveProperty('cloudUrl');
	});
});

test('callbacks are posted as made up; their files can be downloaded, their video sent', async () => {
	const posted = async (kind: string, url = `${sandbox.url}/webhook`) =>
		(await order('callbacks', { kind, url })).data;
	const notFound = { status: 404, text: expect.stringContaining('path') };
	for (const kind of kinds) expect((await posted(kind)).data).toEqual(notFound);
	expect((await posted('text', 'http://127.0.0.1:2')).data).toEqual({ text: 'ECONNREFUSED' });
	expect(await posted('text', 'file:///etc')).toMatchObject({ code: 40002 });

	const received = sandbox.requests.filter(({ url }) => url === '/webhook');
	for (const { headers } of received) expect(headers['x-sandbox-callback']).toBe('invented');
	expect(received.at(-1)?.body).toEqual(received.at(-2)?.body); // again
	const contents = received.map(({ body }) => (body?.callback as { content: object })?.content);
	const { text, file, files, video } = Object.assign({}, ...contents);
	expect([text, files.length]).toEqual(['Hello!', 3]);
	for (const each of [file, ...files]) {
		expect((await post(DOWNLOAD, { ...instance, ...each })).data.code).toBe(0);
	}
	expect((await post(SEND, { ...instance, toId: 'a', ...video })).data.code).toBe(0);
	expect((await get(video.coverUrl)).headers['content-type']).toContain('image/svg+xml');
	sandbox.reset();
	expect((await posted('again')).data.text).toBe('no callback was posted yet');
});

test('no other website can order anything, or read under a name of its own', async () => {
	for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
		const headers = { 'Content-Type': type, Origin: 'https://example.com' };
		for (const name of ['reset', 'callbacks', 'misbehave']) {
			expect((await post(`/sandbox/${name}`, '{}', { headers })).status).toBe(415);
		}
	}
	const other = await startSandbox({ names: ['Workchat-sandbox'] });
	const known = '127.0.0.1:1 [::1]:1 LOCALHOST host.docker.internal workchat-sandbox:1'.split(' ');
	const unknown = ['attacker.example.com', '127.0.0.1.example.com:1', 'localhost.example.com'];
	const statuses = [];
	for (const host of [...known, ...unknown]) {
		const { status } = await get(`${other.url}/sandbox/state`, { headers: { host } });
		statuses.push(status);
	}
	await other.stop();
	expect(statuses).toEqual([...known.map(() => 200), ...unknown.map(() => 421)]);
});
