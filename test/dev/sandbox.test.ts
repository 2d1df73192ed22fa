import axios, { type AxiosInstance, type AxiosResponse } from 'axios';

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
operations.push(
	{ name: 'Message', path: OTHER, fields },
	{ name: 'Plain', path: PLAIN, fields: [] },
);

const KEY = 'fake-sandbox-key';
/** A sandbox, and clients without and with its API key, which take every answer as it is. */
const own = {} as { sandbox: Sandbox; anyone: AxiosInstance; client: AxiosInstance };
beforeAll(async () => {
	own.sandbox = await startSandbox({ key: KEY });
	const defaults = { baseURL: own.sandbox.url, validateStatus: () => true, maxRedirects: 0 };
	own.anyone = axios.create(defaults);
	own.client = axios.create({ ...defaults, headers: { 'X-Service-Key': KEY } });
});
beforeEach(() => own.sandbox.reset());
afterAll(async () => await own.sandbox.stop());

/** Of a response or an error, less what a failed comparison would take minutes to print. */
const heard = async (request: Promise<AxiosResponse>) => {
	const { status, headers, data, code } = await request.catch((error) => error);
	return { status, headers, data, code };
};
const post = async (path: string, body: unknown, config = {}) =>
	await heard(own.client.post(path, body, config));
const get = async (path: string, config = {}) => await heard(own.anyone.get(path, config));
const order = async (name: string, told: object) =>
	await heard(own.anyone.post(`/sandbox/${name}`, told));

const instance = { instance_guid: 'fake-instance' };
const message = { ...instance, ...VIDEO, toId: 'customer-1' };
const send = async (toId = message.toId, config = {}) =>
	await post(SEND, { ...message, toId }, config);
const fileBody = (sample: Sample) => ({ ...instance, ...own.sandbox.fieldsOf(sample) });

const requestId = expect.stringMatching(/^svc_./);
const success = (data: unknown) => ({
	status: 200,
	data: { ok: true, code: 0, message: 'success', request_id: requestId, data },
});
const failure = (status: number, code: number, words: string) => {
	const message = expect.stringContaining(words);
	return { status, data: { ok: false, code, message, request_id: requestId, data: null } };
};
const refused = ({ status, code, message }: Refusal) => failure(status, code, message);

describe.each<[string, () => Record<string, unknown>, object, isMessage: boolean]>([
	[SEND, () => message, { messageId: 'sandbox-message-1' }, true],
	[DOWNLOAD, () => ({ ...fileBody(samples.document) }), { cloudUrl: expect.any(String) }, false],
	[OTHER, () => ({ ...instance, toId: 'c', count: 7, pin: '1' }), expect.anything(), true],
	[PLAIN, () => instance, {}, false],
])('%s', (path, body, data, isMessage) => {
	test('takes the documented body, and is among the messages if it has a recipient', async () => {
		expect(await post(path, body())).toMatchObject(success(data));
		expect(own.sandbox.requests).toMatchObject([{ isAccepted: true, body: body() }]);
		expect(own.sandbox.messages).toEqual(isMessage ? [body()] : []);
	});

	test('refuses what is missing, of the wrong type or too much, by name, and any other key', async () => {
		const call = async (more: object, key = KEY) =>
			await post(path, { ...body(), ...more }, { headers: { 'X-Service-Key': key } });
		for (const field of Object.keys(body())) {
			for (const value of [undefined, true, null, {}, '']) {
				expect(await call({ [field]: value })).toMatchObject(failure(400, 40002, field));
			}
		}
		expect(await call({ extra: '1' })).toMatchObject(refused(refusals.badFields));
		for (const key of ['', 'wrong-key', `${KEY}0`, KEY.toUpperCase()]) {
			expect(await call({}, key)).toMatchObject(refused(refusals.badKey));
		}
		expect(own.sandbox.messages).toEqual([]);
		expect(own.sandbox.requests.filter(({ isAccepted }) => isAccepted)).toEqual([]);
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
])('%s is refused in the envelope', async (_, method, url, body, refusal, type) => {
	const data = url === DOWNLOAD ? { ...fileBody(samples.document), ...(body as object) } : body;
	const headers = { 'Content-Type': type ?? 'application/json' };
	const response = await heard(own.client.request({ method, url, data, headers }));
	expect(response).toMatchObject(refused(refusal));
	expect(own.sandbox.requests).toMatchObject([{ method, url, isAccepted: false }]);
});

const ways = ['body', ...Object.keys(deliveries)] as Array<DownloadResponse['as']>;
test.each(ways)('a download as %s gives the file, or as many bytes as told', async (as) => {
	const fileOf = async (sample: Sample): Promise<Buffer> => {
		const config = { responseType: 'arraybuffer' };
		const { data } = await post(DOWNLOAD, fileBody(sample), config);
		if (as === 'body') return data;
		const [, link] = /"(http:[^"]+)"/.exec(data) ?? [];
		if (link) return (await get(link, config)).data;
		const [, base64 = ''] = /"(?:data:\w+\/\w+;base64,)?([\w+/=]{500,})"/.exec(data) ?? [];
		return Buffer.from(base64, 'base64');
	};
	await order('answer-downloads', { as });
	for (const sample of Object.values(samples)) expect(await fileOf(sample)).toEqual(sample.content);
	own.sandbox.answerDownloads({ as, content: 200_001 });
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
	'Late by 5 s': success({ messageId: 'sandbox-message-1' }),
	'No response': { code: 'ECONNABORTED' },
	'Drop before reading': { code: 'ECONNRESET' },
	'Drop after accepting': { code: 'ECONNRESET' },
	'Half a response': { code: 'ERR_BAD_RESPONSE' },
	'Stall halfway': { code: 'ECONNABORTED' },
	'Expired link, HTTP 404': { status: 404, data: '<!doctype html><title>404</title>' },
	'Expired link, HTTP 410': { status: 410, data: '<!doctype html><title>410</title>' },
};
test.each(menu)('misbehaviour, once: $name', async ({ name, told, on = 'api', outcome }) => {
	const quick = { ...told, ...(told.kind === 'delay' && { milliseconds: 50 }) };
	await order('misbehave', { ...quick, on });
	const link = on === 'file' && (await post(DOWNLOAD, fileBody(samples.voice))).data.data.cloudUrl;
	const timeout = /hang|stall/.test(told.kind) ? 200 : 10_000;
	const call = async () => (link ? await get(link) : await send(message.toId, { timeout }));
	expect(await call()).toMatchObject(seen[name]!);
	expect(own.sandbox.messages).toHaveLength(/sent|arrives/.test(outcome ?? '') ? 1 : 0);
	const isRead = on === 'api' && told.kind !== 'dropBeforeReading';
	expect(own.sandbox.requests.at(-1)?.body).toEqual(isRead ? message : undefined);
	expect(await call()).toMatchObject({ status: 200 });
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
	const kinds = Object.keys(KINDS).join(', ');
	expect(await order('misbehave', { kind: 'x' })).toMatchObject(failure(400, 40002, kinds));
	const withoutStatus = await order('misbehave', { kind: 'httpError' });
	expect(withoutStatus).toMatchObject(failure(400, 40002, 'status'));
});

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
		expect((await get('/sandbox/callbacks')).data.data).toEqual([
			...Object.keys(callbacks),
			'again',
		]);
		expect(own.sandbox.requests).toEqual([]);
	});

	test('shows what arrived with its answer, the newest first, and no secret; reset forgets all', async () => {
		const { data } = await send();
		await post(DOWNLOAD, fileBody(samples.document));
		own.sandbox.misbehave({ kind: 'dropAfterAccepting' });
		await send('b');
		await heard(own.anyone.post(OTHER, { toId: 'c' }));
		await post(OTHER, { ...instance, toId: 'x'.repeat(9999), count: 1, pin: '4711' });
		await post(DOWNLOAD, {}); // as the test of a credential does
		await get('/favicon.ico');
		own.sandbox.misbehave({ kind: 'httpError', status: 500 }, { times: 2, toId: 'd' });

		const { encodeData, ...rest } = message;
		const { data: shown } = await get('/sandbox/state');
		expect(shown).toMatchObject({
			counts: { message: 3, file: 1, 'failed call': 2 },
			calls: [
				{ toId: `${'x'.repeat(1000)}…`, isMessage: true, fields: { count: '1' } },
				{ toId: '', isMessage: false, answer: { status: 401, code: 40101, isFailure: true } },
				{ toId: 'b', isMessage: true, answer: { told: 'Drop after accepting', isFailure: true } },
				{ name: 'Download File', answer: { gave: '报告 2026.pdf (cloudUrl)', isFailure: false } },
				{ name: 'Send Feed Video', answer: { requestId: data.request_id, code: 0 } },
			],
			waiting: [{ name: 'HTTP 500', on: 'api', toId: 'd', times: 2 }],
		});
		expect(shown.calls[4].fields).toEqual(rest);
		const { fileAeskey, fileAuthkey } = samples.document.fields;
		for (const secret of [KEY, encodeData, fileAeskey, fileAuthkey, '4711', 'fake-signature']) {
			expect(JSON.stringify(shown)).not.toContain(secret);
		}

		own.sandbox.answerDownloads({ as: 'base64' });
		await order('reset', {});
		const counts = { message: 0, file: 0, 'failed call': 0 };
		expect((await get('/sandbox/state')).data).toEqual({ counts, calls: [], waiting: [] });
		expect([own.sandbox.messages, own.sandbox.requests]).toEqual([[], []]);
		expect(await send('d')).toMatchObject(success({ messageId: 'sandbox-message-1' }));
		expect((await post(DOWNLOAD, fileBody(samples.voice))).data.data).toHaveProperty('cloudUrl');
	});
});

test('callbacks are posted as made up; their files can be downloaded, their video sent', async () => {
	const call = async (kind: string, url = `${own.sandbox.url}/webhook`) =>
		(await order('callbacks', { kind, url })).data;
	expect((await call('again')).data.text).toBe('no callback was posted yet');
	for (const kind of [...Object.keys(callbacks), 'again']) {
		expect((await call(kind)).data).toEqual({ status: 404, text: expect.stringContaining('path') });
	}
	expect((await call('text', 'http://127.0.0.1:2')).data).toEqual({ text: 'ECONNREFUSED' });
	expect(await call('text', 'file:///etc')).toMatchObject({ code: 40002 });

	const received = own.sandbox.requests.filter(({ url }) => url === '/webhook');
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
