import axios, { type AxiosRequestConfig } from 'axios';

import { refusals, type Refusal } from '../../dev/sandbox/inventions';
import { callbackKinds } from '../../dev/sandbox/callbackKinds';
import { menu } from '../../dev/sandbox/menu';
import { KINDS } from '../../dev/sandbox/misbehaviour';
import { samples, type Sample } from '../../dev/sandbox/samples';
import { startSandbox } from '../../dev/sandbox/server';
import { CONTINUE, endsOf, retrying } from '../support/messages';
import * as setup from '../support/setup';
import { stopClockWhileBusy } from '../support/turns';

const SEND = '/workchat/messages/send-feed-video';
const DOWNLOAD = '/workchat/files/wx-download';

const { KEY, VIDEO } = setup;
const bench = setup.useBench();
beforeAll(stopClockWhileBusy);

/** Returns every response, also a refusal, without the parts that Jest would take minutes to print. */
const call = async (method: string, url: string, more: AxiosRequestConfig) => {
	const config = { baseURL: bench.sandbox.url, validateStatus: () => true, method, url, ...more };
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
const send = async (toId: string) => await post(SEND, { ...message, toId });
const fileBody = (sample: Sample) => ({ ...instance, ...bench.sandbox.fieldsOf(sample) });
const linkTo = async (sample: Sample) =>
	(await post(DOWNLOAD, fileBody(sample))).data.data.cloudUrl;

const requestId = expect.stringMatching(/^svc_./);
const failure = (status: number, code: number, words: string) => {
	const message = expect.stringContaining(words);
	return { status, data: { ok: false, code, message, request_id: requestId, data: null } };
};
const badFields = (words: string) => failure(400, 40002, words);
const refused = ({ status, code, message }: Refusal) => failure(status, code, message);

test.each<[string, () => Record<string, unknown>]>([
	[SEND, () => message],
	[DOWNLOAD, () => fileBody(samples.document)],
])(
	'%s refuses a body with a missing, wrong or unknown field, and any other API key',
	async (...given) => {
		const [path, body] = given;
		for (const field of Object.keys(body()))
			for (const value of [undefined, true, null, {}, ''])
				expect(await post(path, { ...body(), [field]: value })).toMatchObject(badFields(field));
		expect(await post(path, { ...body(), extra: '1' })).toMatchObject(refused(refusals.badFields));
		const headers = { 'X-Service-Key': `${KEY}0` };
		expect(await post(path, body(), { headers })).toMatchObject(refused(refusals.badKey));
		expect(bench.sandbox.messages).toEqual([]);
		const envelope = { ok: true, code: 0, message: 'success', request_id: requestId };
		expect((await post(path, body())).data).toMatchObject(envelope);
		expect(bench.sandbox.messages).toEqual(path === SEND ? [message] : []);
	},
);

test.each<[string, url: string, body: unknown, Refusal, type?: string]>([
	['an unknown path', '/workchat/unknown', message, refusals.noSuchPath],
	['broken JSON', SEND, Buffer.from('{"toId":'), refusals.badJson],
	['another content type', SEND, Buffer.from('{}'), refusals.notJson, 'text/plain'],
	['an unknown fileType', DOWNLOAD, { fileType: 6 }, refusals.badFields],
	['the key of another file', DOWNLOAD, { fileAeskey: 'x' }, refusals.badFileKey],
	['an unknown file', DOWNLOAD, { fileUrl: 'https://example.com' }, refusals.noSuchFile],
])(
	'the sandbox refuses %s in the envelope',
	async (_, url, body, refusal, type = 'application/json') => {
		const data = url === DOWNLOAD ? { ...fileBody(samples.document), ...(body as object) } : body;
		const headers = { 'X-Service-Key': KEY, 'Content-Type': type };
		expect(await post(url, data, { headers })).toMatchObject(refused(refusal));
		expect(bench.sandbox.requests).toMatchObject([{ method: 'POST', url, isAccepted: false }]);
	},
);

/** Calls by the node, with two attempts and n8n's Retry On Fail. */
const CALLS = { sent: 1, rejected: 2, 'rejected, retried': 4, unknown: 1, 'unknown, arrives': 1 };
const FAST = { delay: { milliseconds: 1 }, httpError: { retryAfter: '0' } };
test.each(menu.filter(({ outcome }) => outcome))(
	'of "$name.en" the node reports what the page says: $outcome',
	async ({ misbehaviour, outcome }) => {
		const { kind } = misbehaviour;
		await order('misbehave', { ...misbehaviour, times: 4, ...FAST[kind as keyof typeof FAST] });
		const timeout = kind === 'hang' || kind === 'stall' ? 1000 : 60_000;
		const parameters = { ...setup.SEND, options: { maxTries: 2, timeout } };
		const workflow = setup.workflowOf(
			setup.recipients(1),
			parameters,
			retrying(2, CONTINUE.onError),
		);
		const { items } = setup.resultOf(await bench.engine.run(workflow));
		const { messages, requests } = bench.sandbox;
		const [end, ...more] = outcome!.split(', ');
		expect(endsOf(items.map(({ json }) => json))).toEqual([end]);
		const calls = requests.filter(({ name }) => name);
		expect(calls).toHaveLength(CALLS[outcome!]);
		expect(calls[0]?.body === undefined).toBe(kind === 'dropBeforeReading');
		expect(messages).toHaveLength(end === 'sent' || more.includes('arrives') ? 1 : 0);
	},
);

test('misbehaviours happen in order, as often as ordered, and only to the recipient that they name', async () => {
	expect((await get('/sandbox/misbehave')).data.data).toEqual(menu);
	expect(new Set(menu.map(({ misbehaviour }) => misbehaviour.kind))).toEqual(
		new Set(Object.keys(KINDS)),
	);
	const link = await linkTo(samples.voice);
	await order('misbehave', { kind: 'httpError', status: 503, times: 2, toId: 'b' });
	await order('misbehave', { kind: 'dropBeforeReading', toId: 'b' });
	await order('misbehave', { kind: 'httpError', status: 404, on: 'file' });
	const statuses = [];
	for (const toId of ['b', 'a', 'b', 'b', 'b']) {
		const { status, code } = await send(toId);
		statuses.push(status ?? code);
	}
	expect(statuses).toEqual([503, 200, 503, 'ECONNRESET', 200]);
	expect([(await get(link)).status, (await get(link)).status]).toEqual([404, 200]);
	await order('misbehave', { kind: 'httpError', status: 503 });
	expect((await post(SEND, {})).status).toBe(503); // whatever is wrong with the call
	const known = Object.keys(KINDS).join(', ');
	expect(await order('misbehave', { kind: 'x' })).toMatchObject(badFields(known));
	expect(await order('misbehave', { kind: 'httpError' })).toMatchObject(badFields('status'));
	const mistaken = { kind: 'html', time: 2 };
	expect(await order('misbehave', mistaken)).toMatchObject(badFields('properties'));
});

test('the sandbox answers downloads as ordered, until a reset deletes everything', async () => {
	await order('answer-downloads', { as: 'base64' });
	expect((await post(DOWNLOAD, fileBody(samples.voice))).data.data).toHaveProperty('content');
	await send('b');
	await order('misbehave', { kind: 'httpError', status: 500, toId: 'd' });
	await order('reset', {});
	expect([bench.sandbox.messages, bench.sandbox.requests]).toEqual([[], []]);
	expect((await send('d')).data.data).toEqual({ messageId: 'sandbox-message-1' });
	expect(await linkTo(samples.voice)).toMatch(/^http:/);
});

test('the sandbox posts and shows callbacks, and serves their files and covers itself', async () => {
	const { data: kinds } = (await get('/sandbox/callbacks')).data;
	expect(kinds).toEqual([...Object.keys(callbackKinds), 'again']);
	const buttons = [...(await get('/')).data.matchAll(/button value="(\w+)"/g)];
	expect(buttons.map(([, kind]) => kind)).toEqual(kinds);
	const posted = async (kind: string, url = `${bench.sandbox.url}/webhook`, more = {}) =>
		(await order('callbacks', { kind, url, ...more })).data;
	const notFound = { status: 404, text: expect.stringContaining('path') };
	for (const kind of kinds) expect((await posted(kind)).data).toEqual(notFound);
	expect((await posted('text', 'http://127.0.0.1:2')).data).toEqual({ text: 'ECONNREFUSED' });
	expect(await posted('text', 'file:///etc')).toMatchObject({ code: 40002 });
	await posted('text', undefined, { text: '退订', senderId: 'a' });
	const { counts, shown } = (await get('/sandbox/state')).data;
	expect(counts).toMatchObject({ called: kinds.length + 2 });
	const body = expect.stringContaining('退订');
	expect(shown[0]).toMatchObject({ place: 'posted', fields: { body } });
	const webhooks = [{ name: 'a', url: 'http://localhost/a', isTest: false }];
	bench.sandbox.offerWebhooks(async () => await Promise.resolve(webhooks));
	expect((await get('/sandbox/webhooks')).data.data).toEqual(webhooks);

	const received = bench.sandbox.requests.filter(({ url }) => url === '/webhook');
	for (const { headers } of received) expect(headers['x-sandbox-callback']).toBe('invented');
	const event = { senderId: 'a', receiverId: '1688850000111222', msgData: { content: '退订' } };
	expect(received.at(-1)?.body).toMatchObject({ data: [event] });
	expect(received.at(-2)?.body).toEqual(received.at(-3)?.body); // again
	const ofVideo = JSON.stringify(received[kinds.indexOf('video')]?.body);
	for (const path of ['/cdn/clip.mp4', '/sandbox/cover.svg'])
		expect(ofVideo).toContain(bench.sandbox.url + path);
});

test('each callback carries the time at which it is posted and IDs of its own; again repeats both', async () => {
	const url = `${bench.sandbox.url}/webhook`;
	const start = Math.floor(Date.now() / 1000);
	const events = [];
	for (const kind of ['ownFeedVideo', 'ownFeedVideo', 'again']) {
		await order('callbacks', { kind, url });
		const { body } = bench.sandbox.requests.findLast((request) => request.url === '/webhook')!;
		events.push(...(body?.data as Array<{ timestamp: number; msgData: { feedId: string } }>));
	}
	const [first, second, again] = events;
	expect(first!.timestamp).toBeGreaterThanOrEqual(start);
	expect(first!.timestamp).toBeLessThanOrEqual(Date.now() / 1000);
	expect(second!.timestamp).toBeGreaterThan(first!.timestamp);
	expect(second!.msgData.feedId).not.toBe(first!.msgData.feedId);
	expect(again).toEqual(second);
});

const SCHEMA = {
	type: 'object',
	properties: {
		toolParameters: { type: 'object', properties: { Recipient_ID: { type: 'string' } } },
		hitlParameters: { type: 'object' },
	},
};
const TOOL = { type: 'function', function: { name: 'Send_the_Video', parameters: SCHEMA } };
/** The simulated chat model's next message, as n8n's OpenAI Chat Model asks for it. */
async function chat(...messages: Array<{ role: string; content: unknown }>) {
	const system = { role: 'system', content: 'Send the video to system-1' };
	const data = { model: 'any', messages: [system, ...messages], tools: [TOOL] };
	const { choices } = (await call('POST', '/v1/chat/completions', { data })).data;
	const { content, tool_calls } = choices[0].message;
	const [{ function: called }] = tool_calls ?? [{}];
	return content ?? [called.name, JSON.parse(called.arguments).toolParameters.Recipient_ID];
}
const asks = (content: unknown) => ({ role: 'user', content });
const returns = (content: string) => ({ role: 'tool', content });

test.each([
	['Send the video to customer-1', 'customer-1'],
	['I would like to send the video to customer-1.', 'customer-1'],
	['把视频发给 7881300000333444', '7881300000333444'],
	[[{ type: 'text', text: 'Please send it to wm_A=' }], 'wm_A='],
])('asked %j, the chat model calls the tool for %s', async (content, recipient) => {
	expect(await chat(asks(content))).toEqual(['Send_the_Video', recipient]);
	expect(await chat(asks('Send it to x-1'), returns('{}'), asks(content))).toContain(recipient);
	expect(bench.sandbox.requests).toEqual([]);
});

test.each([
	['Hello', /Who gets the video/],
	['Send the video to customer-1 and customer-2', /one recipient in each message/],
	['把视频发给 customer-1、customer-2', /one recipient in each message/],
])('asked %j, the chat model calls nothing and answers %s', async (content, answer) => {
	expect(await chat(asks(content))).toMatch(answer);
});

test.each([
	[
		'[{"toId":"customer-1","status":"sent","request_id":"svc_1","reason":""}]',
		/customer-1: sent\.$/,
	],
	['[{"status":"leftOut","reason":"on the list"}]', /customer-1: leftOut, on the list\.$/],
	['User rejected the tool call to Send the Video (id: 1).', /^Nothing was sent, .*declined/],
	['No such tool', /^The tool returned: No such tool$/],
])('when the tool returns %j, the chat model reports %s', async (result, report) => {
	expect(await chat(asks('Send the video to customer-1'), returns(result))).toMatch(report);
});

test("n8n can test the chat model's credential, whatever the key", async () => {
	const { status, data } = await get('/v1/models');
	expect([status, data.data]).toEqual([200, [{ id: 'simulated' }]]);
});

test('another website can neither give the sandbox orders nor read from it under a host name of its own', async () => {
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
