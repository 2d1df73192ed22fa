import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import { LATEST, Inbox } from '../../dev/sandbox/inbox/inbox';
import { eventsOf } from '../../dev/sandbox/inbox/events';
import { refusals, type Refusal } from '../../dev/sandbox/inventions';
import { menu } from '../../dev/sandbox/menu';
import { KINDS } from '../../dev/sandbox/misbehaviour';
import { samples } from '../../dev/sandbox/samples';
import { startSandbox, type DownloadResponse } from '../../dev/sandbox/server';
import { DOWNLOAD, message, SEND, useSandbox } from '../support/clientsOf';
import { eventually } from '../support/turns';

const KEY = 'fake-sandbox-key';
const own = useSandbox(KEY);
const { download, fileBody } = own;
afterEach(() => {
	for (const listener of listeners.splice(0)) listener.stream.destroy();
});

const { toId, instance_guid: instanceGuid, encodeData, ...others } = message;
/** What the page shows of it. */
const shown = { instanceGuid, toId, fields: others };

const send = async (toId?: string): Promise<string> => (await own.send(toId)).data.request_id;
/** Whatever becomes of it. */
const seen = async (request: Promise<{ data?: { request_id?: string } }>) =>
	(await request.catch(() => ({ data: undefined }))).data?.request_id ?? '';

type Entry = Record<string, unknown> & { number: number };
type Section = 'messages' | 'files' | 'failures';
type State = { era: string; waiting: object[] } & Record<
	Section,
	{ total: number; entries: Entry[] }
>;

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

async function listen(lastId?: string, url = own.sandbox.url): Promise<Listener> {
	const headers = lastId === undefined ? {} : { 'Last-Event-ID': lastId };
	const config = { headers, responseType: 'stream' as const };
	return follow((await own.anyone.get(`${url}/sandbox/events`, config)).data);
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
	const get = async (path: string) => await own.anyone.get(path);

	test('is there without a key, with all it needs beside it and strict headers', async () => {
		const { data } = await get('/');
		const named = [...data.matchAll(/ (?:href|src)="([^"#]+)"/g)].map(([, path]) => `/${path}`);
		const types = ['image/svg+xml', 'text/css; charset=utf-8', 'text/javascript; charset=utf-8'];
		expect(named).toHaveLength(types.length);
		expect(named.filter((path) => !path.startsWith('/sandbox/inbox/'))).toEqual([]);
		for (const [index, path] of ['/', ...named].entries()) {
			const { status, headers } = await get(path);
			expect(status).toBe(200);
			expect(headers).toMatchObject({
				'content-type': ['text/html; charset=utf-8', ...types][index],
				'cache-control': 'no-store',
				'referrer-policy': 'no-referrer',
				'x-content-type-options': 'nosniff',
			});
			const policy = String(headers['content-security-policy']).split('; ');
			expect(policy).toEqual(
				expect.arrayContaining([
					...["default-src 'none'", "script-src 'self'", "style-src 'self'"],
					'img-src http: https:',
				]),
			);
			expect(policy.join()).not.toMatch(/unsafe|data:|\*/);
		}
	});

	test('has nothing inline, which its headers would forbid, and makes text of everything', async () => {
		const { data } = await get('/');
		expect(data).toMatch(/^<!doctype html>/);
		expect(data).not.toMatch(/<style| style=| on[a-z]+=|<script(?![^>]* src=)/);
		expect((await get('/sandbox/inbox/page.js')).data).not.toMatch(
			/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/,
		);
	});

	test('can be looked at without a trace, and whatever is planned', async () => {
		own.sandbox.misbehave({ kind: 'dropBeforeReading' }, { on: 'file', times: 9 });
		for (const path of ['/', '/?from=bookmark', '/sandbox/inbox/page.css']) {
			expect((await get(path)).status).toBe(200);
		}
		expect((await get('/sandbox/misbehave')).status).toBe(200);
		await look();
		expect((await own.anyone.post('/sandbox/misbehave', { kind: 'html' })).status).toBe(200);
		expect(own.sandbox.requests.map(({ url }) => url)).toEqual(['/sandbox/misbehave']);
	});
});

describe('the inbox', () => {
	test('is empty at first', async () => {
		const empty = { messages: none, files: none, failures: none };
		expect(await look()).toEqual({ era: expect.any(String), ...empty, waiting: [] });
	});

	test('comes as server-sent events', async () => {
		const config = { responseType: 'stream' as const };
		const { headers, data } = await own.anyone.get('/sandbox/events', config);
		data.destroy();
		expect(headers).toMatchObject({
			'content-type': 'text/event-stream',
			'cache-control': 'no-store',
		});
	});

	test('shows a message', async () => {
		const requestId = await send();
		expect(await look()).toMatchObject({
			messages: onlyOne({ ...shown, requestId }),
			files: none,
			failures: none,
		});
	});

	test.each<[string, DownloadResponse]>([
		['link', { as: 'link' }],
		['nested', { as: 'nested' }],
		['base64', { as: 'base64' }],
		['dataUri', { as: 'dataUri' }],
		['data', { as: 'link', data: 'other' }],
		['body', { as: 'body' }],
	])('shows a file by %s', async (delivery, answer) => {
		own.sandbox.answerDownloads(answer);
		const { name } = samples.document;
		const { data } = await own.client.post(DOWNLOAD, {
			...fileBody(samples.document),
			fileType: 2,
		});
		// A file that is the answer itself has none.
		const requestId = data.request_id ?? '';
		expect(requestId).toMatch(delivery === 'body' ? /^$/ : /^svc_/);
		const entry = { fileType: 2, name, delivery, requestId };
		expect((await look()).files).toEqual(onlyOne(entry));
	});

	const { badKey, badFields, badJson, badFileKey, noSuchPath } = refusals;
	const post = async (path: string, body: object, who: 'client' | 'anyone' = 'client') =>
		await own[who].post(path, body, { headers: { 'Content-Type': 'application/json' } });
	const wrongKey = () => ({ ...fileBody(samples.voice), fileAeskey: 'x' });
	const [video, file] = ['Send Feed Video', 'Download File'];
	type Call = () => Promise<object>;
	test.each<[string, Call, Refusal, { call: string; toId?: string }]>([
		['a wrong key', () => post(SEND, message, 'anyone'), badKey, { call: video }],
		['missing fields', () => post(SEND, { toId }), badFields, { call: video, toId }],
		['broken JSON', () => post(DOWNLOAD, Buffer.from('{')), badJson, { call: file }],
		['a wrong file key', () => post(DOWNLOAD, wrongKey()), badFileKey, { call: file }],
		[
			'a wrong Base URL',
			() => post(`/v1${SEND}?a=1`, message),
			noSuchPath,
			{ call: `POST /v1${SEND}`, toId },
		],
		[
			'a forgotten link',
			() => own.anyone.get('/files/fake-token/voice.amr'),
			noSuchPath,
			{ call: 'Link to a file' },
		],
	])('shows the failure of %s', async (_name, request, refusal, about) => {
		const requestId = await seen(request());
		expect(requestId).toMatch(/^svc_/);
		const message = expect.stringContaining(refusal.message);
		const entry = { toId: '', ...about, requestId, ...refusal, message, told: '' };
		expect(await look()).toMatchObject({
			messages: none,
			files: none,
			failures: onlyOne(entry),
		});
	});

	test('takes a passed test of the credential for no failure, and a failed one for one', async () => {
		await post(DOWNLOAD, {});
		await post(DOWNLOAD, {}, 'anyone');
		const failure = { call: file, ...badKey };
		expect((await look()).failures).toMatchObject(onlyOne(failure));
	});

	const spoilt = menu
		.filter(({ on }) => !on)
		.map(({ told }) => told)
		.filter(({ kind }) => kind !== 'delay');
	test.each(spoilt)('shows what the caller hears of $kind', async (misbehaviour) => {
		own.sandbox.misbehave(misbehaviour);
		const response = await own.client.post(SEND, message, { timeout: 200 }).catch(() => undefined);
		const { request_id: requestId = '', code, message: words } = response?.data ?? {};

		const { kind } = misbehaviour;
		const { isAccepted } = own.sandbox.requests[0] ?? {};
		const hasEnvelope = requestId !== '';
		const { messages, failures } = await look();
		expect(failures).toEqual(
			onlyOne({
				call: 'Send Feed Video',
				// Nobody knows the recipient of what was not read.
				toId: kind === 'dropBeforeReading' ? '' : toId,
				requestId,
				message: hasEnvelope ? words : '',
				told: KINDS[kind].effect,
				...(response && { status: response.status }),
				...(hasEnvelope && { code }),
			}),
		);
		expect(messages).toEqual(isAccepted ? onlyOne({ ...shown, requestId }) : none);
	});

	test.each([
		['a late message as any other', 'delay', true, none],
		['an answer that was late and untrue', 'delay', false, onlyOne({ told: 'answered late' })],
		['the message behind an HTTP error, and the error', 'httpError', true, onlyOne({})],
	] as const)('shows %s', async (_, kind, isAccepted, failures) => {
		const told = { kind, milliseconds: 20, status: 500 };
		own.sandbox.misbehave(told, { isAccepted });
		const requestId = await send();
		const heard = failures.entries.map((entry) => ({ ...entry, requestId }));
		expect(await look()).toMatchObject({
			messages: isAccepted ? onlyOne({ requestId }) : none,
			failures: { ...failures, entries: heard },
		});
	});

	test('shows a link that is spoilt', async () => {
		const { data } = await download(samples.voice);
		own.sandbox.misbehave({ kind: 'truncate' }, { on: 'file' });
		await seen(own.anyone.get(data.data.url));
		await seen(own.anyone.get(data.data.url));
		const { files, failures } = await look();
		expect(files.total).toBe(1);
		expect(failures).toMatchObject(onlyOne({ call: 'Link to a file' }));
		// The address would give the file away.
		expect(JSON.stringify(failures)).not.toContain(new URL(data.data.url).pathname);
	});

	test('leaves out what is no call', async () => {
		for (const path of ['/favicon.ico', '/unknown', '/%zz', '/sandbox/unknown']) {
			await own.anyone.get(path);
		}
		await own.anyone.post('/sandbox/misbehave', {});
		await own.anyone.post('/sandbox/unknown', {});
		expect(await look()).toMatchObject({ messages: none, files: none, failures: none });
	});

	test('shortens long texts and leaves out long addresses', async () => {
		const long = 'x'.repeat(1_000_000);
		const body = { ...message, channelName: long, coverUrl: `https://example.com/${long}` };
		await own.client.post(SEND, body);
		expect((await look()).messages.entries).toMatchObject([
			{ toId, fields: { ...others, channelName: `${long.slice(0, 300)}…`, coverUrl: '' } },
		]);
		expect(own.sandbox.messages).toEqual([body]);
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
					if (misbehaviour) own.sandbox.misbehave(misbehaviour);
					await seen(own.client.post(path, body, { timeout: 100 }));
					calls++;
				}
			}
		}
		await eventually(() => {
			const { messages, files, failures } = listener.last() ?? {};
			const totals = [messages, files, failures].map((section) => section?.total ?? 0);
			return totals.reduce((sum, total) => sum + total) >= calls;
		});

		const { aesKey, authKey } = samples.voice;
		for (const secret of [KEY, encodeData, aesKey, authKey, 'fake-signature']) {
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
		await download(samples.voice);
		await eventually(() => listener.entries('files').length === 1);
		await own.anyone.post(SEND, message);
		await eventually(() => listener.entries('failures').length === 1);
		own.sandbox.misbehave({ kind: 'dropBeforeReading' });
		await seen(own.client.post(SEND, message));
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

	test('tell which misbehaviours are still to come', async () => {
		const listener = await listen();
		const order = async (told: object) => await own.anyone.post('/sandbox/misbehave', told);
		await order({ kind: 'httpError', status: 500, times: 2, toId });
		await order({ kind: 'httpError', status: 410, hasEnvelope: false, on: 'file' });
		await order({ kind: 'delay', milliseconds: 1 });
		const link = { name: 'Expired link, HTTP 410', on: 'file', left: 1 };
		const late = { name: KINDS.delay.effect, on: 'api', left: 1 };
		const all = [{ name: 'HTTP 500', on: 'api', toId, left: 2 }, link, late];
		const isTold = async (waiting: object[]) =>
			await eventually(() => isDeepStrictEqual(listener.last()?.waiting, waiting));
		await isTold(all);
		await send();
		await isTold([{ ...all[0], left: 1 }, link, late]);
		await send();
		await send();
		await isTold([link]);
		await own.anyone.post('/sandbox/reset', {});
		await isTold([]);
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

	test.each(['', 'nonsense', 'another-own.sandbox.1'])(
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
		for (let index = 1; index <= LATEST + 300; index++) await send(`customer-${index}`);
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
		['reset', () => own.sandbox.reset()],
		['an order over HTTP', async () => await own.anyone.post('/sandbox/reset', {})],
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
			const { status } = await own.anyone.post('/sandbox/reset', Buffer.from('{}'), { headers });
			expect(status).toBe(415);
		}
		expect((await own.anyone.post('/sandbox/reset')).status).toBeGreaterThanOrEqual(400);
		expect((await own.anyone.post('/sandbox/reset', { other: 1 })).status).toBe(400);
		expect(own.sandbox.messages).toHaveLength(1);
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
