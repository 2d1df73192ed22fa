import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

import type { AxiosInstance } from 'axios';

import { VIDEO } from '../dev/engine/workflows';
import { LATEST, Inbox } from '../dev/sandbox/inbox/inbox';
import { eventsOf } from '../dev/sandbox/inbox/events';
import { refusals, type Refusal } from '../dev/sandbox/inventions';
import { menu } from '../dev/sandbox/menu';
import type { Misbehaviour } from '../dev/sandbox/misbehaviour';
import { samples, type Sample } from '../dev/sandbox/samples';
import { startSandbox, type DownloadResponse, type Sandbox } from '../dev/sandbox/server';
import { clientsOf } from './clientsOf';
import { eventually } from './turns';

const KEY = 'fake-sandbox-key';
const SEND = '/workchat/messages/send-feed-video';
const DOWNLOAD = '/workchat/files/wx-download';

let sandbox: Sandbox;
/** Without the API key. */
let anyone: AxiosInstance;
/** With the API key. */
let client: AxiosInstance;

beforeAll(async () => {
	sandbox = await startSandbox({ key: KEY });
	({ anyone, client } = clientsOf(sandbox));
});
beforeEach(() => sandbox.reset());
afterEach(() => {
	for (const listener of listeners.splice(0)) listener.stream.destroy();
});
afterAll(async () => await sandbox.stop());

const message = { instance_guid: 'fake-instance', ...VIDEO, toId: 'customer-1' };
const { toId } = message;
const fields = Object.fromEntries(Object.entries(VIDEO).filter(([name]) => name !== 'encodeData'));
/** What the page shows of it. */
const shown = { instanceGuid: 'fake-instance', toId, fields };
const fileBody = (sample: Sample) => ({
	instance_guid: 'fake-instance',
	...sandbox.fieldsOf(sample),
});

const send = async (toId = 'customer-1'): Promise<string> =>
	(await client.post(SEND, { ...message, toId })).data.request_id;
const sendMany = async (count: number) => {
	for (let index = 0; index < count; index++) await send(`customer-${index + 1}`);
};
/** Whatever becomes of it. */
const seen = async (request: Promise<{ data?: { request_id?: string } }>) =>
	(await request.catch(() => ({ data: undefined }))).data?.request_id ?? '';

type Entry = Record<string, unknown> & { number: number };
type Section = 'messages' | 'files' | 'failures';
type State = { era: string } & Record<Section, { total: number; entries: Entry[] }>;

/** What a page gets over its event stream. */
interface Listener {
	stream: Readable;
	isEnded: boolean;
	text: string;
	ids: string[];
	states: State[];
	/** All that it was told of, in the order of telling. */
	entries(section: Section): Entry[];
	last(): State | undefined;
}

const listeners: Listener[] = [];

async function listen(lastId?: string, url = sandbox.url): Promise<Listener> {
	const headers = lastId === undefined ? {} : { 'Last-Event-ID': lastId };
	const config = { headers, responseType: 'stream' as const };
	return follow((await anyone.get(`${url}/sandbox/events`, config)).data);
}

function follow(stream: Readable): Listener {
	const listener: Listener = {
		stream,
		isEnded: false,
		text: '',
		ids: [],
		states: [],
		entries: (section) => listener.states.flatMap((state) => state[section].entries),
		last: () => listener.states.at(-1),
	};
	let rest = '';
	stream.setEncoding('utf8').on('data', (chunk: string) => {
		listener.text += chunk;
		const blocks = (rest + chunk).split('\n\n');
		rest = blocks.pop() ?? '';
		for (const block of blocks) {
			const [, id, data] = /^id: (.+)\ndata: (.+)$/.exec(block) ?? [];
			if (id) listener.ids.push(id);
			if (data) listener.states.push(JSON.parse(data));
		}
	});
	stream.on('error', () => {}).on('close', () => (listener.isEnded = true));
	listeners.push(listener);
	return listener;
}

/** The state as somebody sees it who looks now. */
async function look(): Promise<State> {
	const listener = await listen();
	await eventually(() => listener.states.length > 0);
	return listener.last()!;
}

const none = { total: 0, entries: [] };
const stamp = { number: expect.any(Number), at: expect.stringMatching(/^\d{4}-.+Z$/) };
const onlyOne = (entry: object) => ({ total: 1, entries: [{ ...stamp, ...entry }] });

describe('the page', () => {
	const get = async (path: string) => await anyone.get(path);

	test('is there without a key', async () => {
		const { status, headers, data } = await get('/');
		expect(status).toBe(200);
		expect(headers['content-type']).toBe('text/html; charset=utf-8');
		expect(data).toMatch(/^<!doctype html>/);
	});

	test('has all it needs beside it', async () => {
		const { data } = await get('/');
		const named = [...data.matchAll(/ (?:href|src)="([^"#]+)"/g)].map(([, path]) => path);
		expect(named).toHaveLength(3);
		const types = ['image/svg+xml', 'text/css; charset=utf-8', 'text/javascript; charset=utf-8'];
		for (const [index, path] of named.entries()) {
			expect(path).toMatch(/^sandbox\/inbox\//);
			const reply = await get(`/${path}`);
			expect([reply.status, reply.headers['content-type']]).toEqual([200, types[index]]);
		}
	});

	test.each(['/', '/sandbox/inbox/page.js', '/sandbox/inbox/icon.svg'])(
		'has strict headers at %s',
		async (path) => {
			const { headers } = await get(path);
			const policy = String(headers['content-security-policy']).split('; ');
			expect(policy).toContain("default-src 'none'");
			expect(policy).toContain("script-src 'self'");
			expect(policy).toContain("style-src 'self'");
			expect(policy).toContain('img-src http: https:');
			expect(policy.join()).not.toMatch(/unsafe|data:|\*/);
			expect(headers).toMatchObject({
				'cache-control': 'no-store',
				'referrer-policy': 'no-referrer',
				'x-content-type-options': 'nosniff',
			});
		},
	);

	test('has nothing inline, which its headers would forbid', async () => {
		const { data } = await get('/');
		expect(data).not.toMatch(/<style| style=| on[a-z]+=|<script(?![^>]* src=)/);
	});

	test('makes text of everything', async () => {
		const { data } = await get('/sandbox/inbox/page.js');
		expect(data).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/);
	});

	test('can be looked at without a trace, and whatever is planned', async () => {
		sandbox.misbehave({ kind: 'dropBeforeReading' }, { on: 'file', times: 9 });
		for (const path of ['/', '/?from=bookmark', '/sandbox/inbox/page.css']) {
			expect((await get(path)).status).toBe(200);
		}
		expect((await get('/sandbox/misbehave')).status).toBe(200);
		await look();
		expect((await anyone.post('/sandbox/misbehave', { kind: 'html' })).status).toBe(200);
		expect(sandbox.requests.map(({ url }) => url)).toEqual(['/sandbox/misbehave']);
	});
});

describe('the inbox', () => {
	test('is empty at first', async () => {
		expect(await look()).toEqual({
			era: expect.any(String),
			messages: none,
			files: none,
			failures: none,
		});
	});

	test('comes as server-sent events', async () => {
		const config = { responseType: 'stream' as const };
		const { headers, data } = await anyone.get('/sandbox/events', config);
		data.destroy();
		expect(headers).toMatchObject({
			'content-type': 'text/event-stream',
			'cache-control': 'no-store',
		});
	});

	test('shows a message', async () => {
		const requestId = await send();
		const { messages, failures } = await look();
		expect(messages).toEqual(onlyOne({ ...shown, requestId }));
		expect(failures).toEqual(none);
	});

	test.each<[string, DownloadResponse]>([
		['link', { as: 'link' }],
		['nested', { as: 'nested' }],
		['base64', { as: 'base64' }],
		['dataUri', { as: 'dataUri' }],
		['data', { as: 'link', data: 'other' }],
	])('shows a file by %s', async (delivery, answer) => {
		sandbox.answerDownloads(answer);
		const { data } = await client.post(DOWNLOAD, fileBody(samples.document));
		const { fileType, name } = samples.document;
		const entry = { fileType, name, delivery, requestId: data.request_id };
		expect((await look()).files).toEqual(onlyOne(entry));
	});

	test('shows a file that is the answer itself, which has no request_id', async () => {
		sandbox.answerDownloads({ as: 'body' });
		await client.post(DOWNLOAD, { ...fileBody(samples.document), fileType: 2 });
		const entry = { fileType: 2, name: samples.document.name, delivery: 'body', requestId: '' };
		expect((await look()).files).toEqual(onlyOne(entry));
	});

	const { badKey, badFields, badJson, badFileKey, noSuchPath } = refusals;
	type Call = () => Promise<object>;
	const post =
		(path: string, body: object, who = () => client): Call =>
		async () =>
			await who().post(path, body, { headers: { 'Content-Type': 'application/json' } });
	const refused: Array<[string, Call, Refusal, { call: string; toId?: string }]> = [
		['a wrong key', post(SEND, message, () => anyone), badKey, { call: 'Send Feed Video' }],
		['missing fields', post(SEND, { toId }), badFields, { call: 'Send Feed Video', toId }],
		['a test of the credential', post(DOWNLOAD, {}), badFields, { call: 'Download File' }],
		['broken JSON', post(DOWNLOAD, Buffer.from('{')), badJson, { call: 'Download File' }],
		[
			'a wrong file key',
			async () => await post(DOWNLOAD, { ...fileBody(samples.voice), fileAeskey: 'x' })(),
			badFileKey,
			{ call: 'Download File' },
		],
		[
			'a wrong Base URL',
			post(`/v1${SEND}?a=1`, message),
			noSuchPath,
			{ call: `POST /v1${SEND}`, toId },
		],
		[
			'a forgotten link',
			async () => await anyone.get('/files/fake-token/voice.amr'),
			noSuchPath,
			{ call: 'Link to a file' },
		],
	];
	test.each(refused)('shows the failure of %s', async (_name, request, refusal, about) => {
		const requestId = await seen(request());
		const message = expect.stringContaining(refusal.message);
		const entry = { toId: '', ...about, requestId, ...refusal, message, told: '' };
		const { messages, files, failures } = await look();
		expect([messages, files, failures]).toEqual([none, none, onlyOne(entry)]);
		expect(requestId).toMatch(/^svc_/);
	});

	/** What the page says of each misbehaviour. */
	const told: Record<Exclude<Misbehaviour['kind'], 'delay'>, string> = {
		httpError: 'answered with an HTTP error',
		refuse: 'refused',
		redirect: 'sent elsewhere',
		html: 'answered with an HTML page',
		empty: 'answered with an empty body',
		invalidJson: 'answered with broken JSON',
		noRequestId: 'answered without a request_id',
		hang: 'left without a response',
		dropBeforeReading: 'connection dropped before the request was read',
		dropAfterAccepting: 'connection dropped instead of a response',
		truncate: 'connection dropped in the middle of the response',
		stall: 'response stopped halfway',
	};
	const spoilt = menu.map((choice) => choice.told).filter(({ kind }) => kind in told);
	test.each(spoilt)('shows what the caller hears of $kind', async (misbehaviour) => {
		sandbox.misbehave(misbehaviour);
		const response = await client.post(SEND, message, { timeout: 200 }).catch(() => undefined);
		const { request_id: requestId = '', code, message: words } = response?.data ?? {};

		const { kind } = misbehaviour;
		const { isAccepted } = sandbox.requests[0] ?? {};
		const hasEnvelope = requestId !== '';
		const { messages, failures } = await look();
		expect(failures).toEqual(
			onlyOne({
				call: 'Send Feed Video',
				// Nobody knows the recipient of what was not read.
				toId: kind === 'dropBeforeReading' ? '' : toId,
				requestId,
				message: hasEnvelope ? words : '',
				told: told[kind as keyof typeof told],
				...(response && { status: response.status }),
				...(hasEnvelope && { code }),
			}),
		);
		expect(messages).toEqual(isAccepted ? onlyOne({ ...shown, requestId }) : none);
	});

	test('shows a late message as any other', async () => {
		sandbox.misbehave({ kind: 'delay', milliseconds: 20 });
		const requestId = await send();
		const { messages, failures } = await look();
		expect([messages, failures]).toEqual([expect.objectContaining({ total: 1 }), none]);
		expect(messages.entries).toMatchObject([{ requestId }]);
	});

	test('shows an answer that was late and untrue', async () => {
		sandbox.misbehave({ kind: 'delay', milliseconds: 20 }, { isAccepted: false });
		const requestId = await send();
		const told = 'answered late, with nothing done';
		const { messages, failures } = await look();
		expect([messages, failures]).toMatchObject([none, onlyOne({ requestId, told })]);
	});

	test('shows the message behind an HTTP error, with what the caller heard', async () => {
		sandbox.misbehave({ kind: 'httpError', status: 500 }, { isAccepted: true });
		const requestId = await send();
		const { messages, failures } = await look();
		expect([messages, failures]).toMatchObject([onlyOne({ requestId }), onlyOne({ requestId })]);
	});

	test('shows a link that is spoilt', async () => {
		const { data } = await client.post(DOWNLOAD, fileBody(samples.voice));
		sandbox.misbehave({ kind: 'truncate' }, { on: 'file' });
		await seen(anyone.get(data.data.url));
		await seen(anyone.get(data.data.url));
		const { files, failures } = await look();
		expect([files.total, failures.total]).toEqual([1, 1]);
		expect(failures.entries).toMatchObject([{ call: 'Link to a file' }]);
		// The address would give the file away.
		expect(JSON.stringify(failures)).not.toContain(new URL(data.data.url).pathname);
	});

	test('leaves out what is no call', async () => {
		for (const path of ['/favicon.ico', '/unknown', '/%zz', '/sandbox/unknown']) {
			await anyone.get(path);
		}
		await anyone.post('/sandbox/misbehave', {});
		await anyone.post('/sandbox/unknown', {});
		expect(await look()).toMatchObject({ messages: none, files: none, failures: none });
	});

	test('shortens long texts and leaves out long addresses', async () => {
		const long = 'x'.repeat(1_000_000);
		const body = { ...message, channelName: long, coverUrl: `https://example.com/${long}` };
		await client.post(SEND, body);
		expect((await look()).messages.entries).toMatchObject([
			{ toId, fields: { ...fields, channelName: `${long.slice(0, 300)}…`, coverUrl: '' } },
		]);
		expect(sandbox.messages).toEqual([body]);
	});

	test('has no secret in anything that it sends', async () => {
		const listener = await listen();
		const bodies = [
			message,
			{ ...message, toId: 1 },
			fileBody(samples.voice),
			{ ...fileBody(samples.voice), fileSize: 'wrong' },
			{ ...fileBody(samples.voice), fileUrl: 'wrong' },
		];
		let calls = 0;
		for (const path of [SEND, DOWNLOAD, '/unknown']) {
			for (const misbehaviour of [undefined, ...spoilt]) {
				for (const body of bodies) {
					if (misbehaviour) sandbox.misbehave(misbehaviour);
					await seen(client.post(path, body, { timeout: 100 }));
					calls++;
				}
			}
		}
		const arrived = () =>
			(['messages', 'files', 'failures'] as const).reduce(
				(sum, section) => sum + (listener.last()?.[section].total ?? 0),
				0,
			);
		await eventually(() => arrived() >= calls);

		const { aesKey, authKey } = samples.voice;
		for (const secret of [KEY, message.encodeData, aesKey, authKey, 'fake-signature']) {
			expect(listener.text).not.toContain(secret);
		}
	});
});

describe('the events', () => {
	test('tell of what was there, and then of what arrives', async () => {
		await send('earlier');
		const listener = await listen();
		await eventually(() => listener.states.length === 1);

		await send('later');
		await eventually(() => listener.states.length === 2);
		await client.post(DOWNLOAD, fileBody(samples.voice));
		await eventually(() => listener.entries('files').length === 1);
		await anyone.post(SEND, message);
		await eventually(() => listener.entries('failures').length === 1);
		sandbox.misbehave({ kind: 'dropBeforeReading' });
		await seen(client.post(SEND, message));
		await eventually(() => listener.entries('failures').length === 2);

		expect(listener.entries('messages')).toMatchObject([{ toId: 'earlier' }, { toId: 'later' }]);
		expect(listener.last()).toMatchObject({
			messages: { total: 2, entries: [] },
			files: { total: 1, entries: [] },
			failures: { total: 2 },
		});
		const all = (['messages', 'files', 'failures'] as const).flatMap(listener.entries);
		expect(all.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
	});

	test('tell every listener', async () => {
		const both = [await listen(), await listen()];
		await send();
		await eventually(() => both.every((listener) => listener.entries('messages').length === 1));
	});

	test('go on where a lost connection ended', async () => {
		const first = await listen();
		await send('a');
		await eventually(() => first.entries('messages').length === 1);
		first.stream.destroy();
		await send('b');

		const second = await listen(first.ids.at(-1));
		await eventually(() => second.states.length === 1);
		expect(second.last()?.messages).toMatchObject({ total: 2, entries: [{ toId: 'b' }] });

		// Nothing is new to this one, but it is connected.
		const third = await listen(second.ids.at(-1));
		await eventually(() => third.text.length > 0);
		expect(third.states).toEqual([]);
		await send('c');
		await eventually(() => third.entries('messages').length === 1);
		expect(third.entries('messages')).toMatchObject([{ toId: 'c' }]);
	});

	test.each(['', 'nonsense', 'another-sandbox.1'])(
		'begin anew after the unknown id %j',
		async (lastId) => {
			await send();
			const listener = await listen(lastId);
			await eventually(() => listener.entries('messages').length === 1);
		},
	);

	test('are few in a long run, and hold the latest of it', async () => {
		const listener = await listen();
		const startedAt = performance.now();
		await sendMany(LATEST + 300);
		await eventually(() => listener.last()?.messages.total === LATEST + 300);
		const seconds = (performance.now() - startedAt) / 1000;
		expect(listener.states.length).toBeLessThan(seconds * 10 + 5);

		const { total, entries } = (await look()).messages;
		expect(total).toBe(LATEST + 300);
		expect(entries.map(({ toId }) => toId)).toEqual(
			Array.from({ length: LATEST }, (_, index) => `customer-${301 + index}`),
		);
	});

	test.each<[string, () => unknown]>([
		['reset', () => sandbox.reset()],
		['an order over HTTP', async () => await anyone.post('/sandbox/reset', {})],
	])('tell of emptying by %s', async (_name, reset) => {
		const listener = await listen();
		await send('before');
		await eventually(() => listener.entries('messages').length === 1);
		await reset();
		await eventually(() => listener.last()?.messages.total === 0);
		await send('after');
		await eventually(() => listener.last()?.messages.total === 1);

		const eras = listener.states.map(({ era }) => era);
		expect(new Set(eras).size).toBe(2);
		expect(listener.last()?.messages.entries).toMatchObject([{ toId: 'after', number: 1 }]);
		expect((await look()).messages.entries).toMatchObject([{ toId: 'after' }]);

		const late = await listen(listener.ids[1]);
		await eventually(() => late.entries('messages').length === 1);
	});

	test('are not emptied by a form of another site', async () => {
		await send();
		for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
			const headers = { 'Content-Type': type };
			const { status } = await anyone.post('/sandbox/reset', Buffer.from('{}'), { headers });
			expect(status).toBe(415);
		}
		expect((await anyone.post('/sandbox/reset')).status).toBeGreaterThanOrEqual(400);
		expect(sandbox.messages).toHaveLength(1);
	});

	test('do not keep a stopping sandbox', async () => {
		const other = await startSandbox({ key: KEY });
		const open = [await listen('', other.url), await listen('', other.url)];
		await eventually(() => open.every(({ states }) => states.length === 1));
		await other.stop();
		await eventually(() => open.every(({ isEnded }) => isEnded));
	});

	test('wait for a slow listener without piling up', async () => {
		const inbox = new Inbox();
		const stream = eventsOf(inbox);
		stream.read(); // once, and then no more
		const entry = { fileType: 5, name: 'x'.repeat(200), delivery: 'link', requestId: 'svc_fake' };
		let largest = 0;
		for (let round = 0; round < 5; round++) {
			for (let index = 0; index < 2000; index++) inbox.add('files', entry);
			await wait(150);
			largest = Math.max(largest, stream.readableLength);
		}
		expect(largest).toBeLessThan(100_000);

		const listener = follow(stream);
		await eventually(() => listener.last()?.files.total === 10_000);
		const numbers = listener.entries('files').map(({ number }) => number);
		expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
		expect(numbers.slice(-LATEST)).toEqual(
			Array.from({ length: LATEST }, (_, index) => 10_001 - LATEST + index),
		);
	});

	test('are not made when nobody listens', async () => {
		const timer = jest.spyOn(globalThis, 'setTimeout');
		const inbox = new Inbox();
		const entry = { fileType: 5, name: 'x', delivery: 'link', requestId: 'svc_fake' };
		inbox.add('files', entry);
		expect(timer).not.toHaveBeenCalled();

		const gone = eventsOf(inbox);
		gone.destroy();
		inbox.add('files', entry);
		expect(timer).not.toHaveBeenCalled();

		const listener = follow(eventsOf(inbox));
		inbox.add('files', entry);
		inbox.add('files', entry);
		expect(timer).toHaveBeenCalledTimes(1);
		timer.mockRestore();
		await eventually(() => listener.entries('files').length === 4);
	});
});
