import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

import axios from 'axios';

import { callbacks, type CallbackKind } from '../../dev/sandbox/inventions';
import { startSandbox, type Sandbox } from '../../dev/sandbox/server';
import { clientsOf } from '../support/clientsOf';
import { turnsOf } from '../support/turns';

/** A webhook that takes every callback. */
const received: Array<{ headers: IncomingHttpHeaders; body: string }> = [];
const webhook = createServer(async (request, response) => {
	received.push({ headers: request.headers, body: JSON.stringify(await json(request)) });
	response.writeHead(202).end('taken');
});
let url: string;
let sandbox: Sandbox;

beforeAll(async () => {
	await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve));
	url = `http://127.0.0.1:${(webhook.address() as AddressInfo).port}/callbacks?from=sandbox`;
	sandbox = await startSandbox();
});
beforeEach(() => {
	received.length = 0;
	sandbox.reset();
});
afterAll(async () => {
	await sandbox.stop();
	webhook.close();
});

/** The object in a callback that has the field. */
function holderOf(field: string, value: unknown): Record<string, string> | undefined {
	if (typeof value !== 'object' || value === null) return undefined;
	if (field in value) return value as Record<string, string>;
	return Object.values(value)
		.map((inner) => holderOf(field, inner))
		.find(Boolean);
}

const post = async (kind: string) => {
	const { anyone } = clientsOf(sandbox);
	return (await anyone.post('/sandbox/callbacks', { kind, url })).data;
};
const last = () => JSON.parse(received.at(-1)?.body ?? '{}');

test.each(Object.keys(callbacks))('a callback with %s says that it is made up', async (kind) => {
	expect(await post(kind)).toMatchObject({ code: 0, data: { status: 202, text: 'taken' } });
	expect(received[0]?.headers).toMatchObject({
		'content-type': 'application/json',
		'x-sandbox-callback': 'invented',
	});
	expect(last().invention).toContain('Made up');
});

test('the files of callbacks are those that Download File gets here', async () => {
	const { client } = clientsOf(sandbox);
	const types = new Set<number>();
	for (let callback = 0; callback < 6; callback++) {
		await post('file');
		const file = holderOf('fileUrl', last()) ?? {};
		types.add(Number(file.fileType));
		const body = { instance_guid: 'fake-instance', ...file };
		const { data } = await client.post('/workchat/files/wx-download', body);
		expect(data.code).toBe(0);
	}
	expect([...types].sort()).toEqual([1, 2, 3, 4, 5]);
});

test('several files come in one callback, each with what Download File needs', async () => {
	await post('files');
	const { files } = holderOf('files', last()) as unknown as { files: Array<{ fileUrl: string }> };
	expect(new Set(files.map(({ fileUrl }) => fileUrl)).size).toBe(3);
	const { client } = clientsOf(sandbox);
	for (const file of files) {
		const body = { instance_guid: 'fake-instance', ...file };
		expect((await client.post('/workchat/files/wx-download', body)).data.code).toBe(0);
	}
});

test('the last callback is posted again as it was', async () => {
	expect((await post('again')).data).toEqual({ text: 'no callback was posted yet' });
	await post('text');
	await post('feedVideo');
	await post('again');
	const [text, video, again] = received.map(({ body }) => body);
	expect(again).toBe(video);
	expect(text).not.toBe(video);
});

test('the feed video of a callback can be sent, and has a cover', async () => {
	await post('feedVideo');
	const video = holderOf('encodeData', last()) ?? {};
	const { client, anyone } = clientsOf(sandbox);
	const body = { instance_guid: 'fake-instance', toId: 'customer-1', ...video };
	const { data } = await client.post('/workchat/messages/send-feed-video', body);
	expect(data.code).toBe(0);
	const cover = await anyone.get(video.coverUrl ?? '');
	expect(cover.headers['content-type']).toContain('image/svg+xml');
	expect(cover.data).toContain('</svg>');
});

test('what cannot be reached is said', async () => {
	const free = `http://127.0.0.1:${(webhook.address() as AddressInfo).port}`.replace(/\d+$/, '1');
	expect(await sandbox.postCallback(free, 'text')).toEqual({
		text: expect.stringMatching(/ECONNREFUSED|bad port/),
	});
});

test.each<[string, object, string]>([
	['another kind', { kind: 'other', url: 'http://localhost' }, Object.keys(callbacks).join(', ')],
	['no kind', { url: 'http://localhost' }, Object.keys(callbacks).join(', ')],
	['an address that is none', { kind: 'text', url: 'file:///etc' }, 'body/url must match'],
])('%s is refused with what is allowed', async (_name, body, words) => {
	const { status, data } = await clientsOf(sandbox).anyone.post('/sandbox/callbacks', body);
	expect([status, data.message]).toEqual([400, expect.stringContaining(words)]);
	expect(received).toEqual([]);
});

test('no other website can have a callback posted', async () => {
	const headers = { 'Content-Type': 'text/plain' };
	const body = JSON.stringify({ kind: 'text' satisfies CallbackKind, url });
	const options = { headers, validateStatus: () => true };
	expect((await axios.post(`${sandbox.url}/sandbox/callbacks`, body, options)).status).toBe(415);
	expect(received).toEqual([]);
});

test('a stopping sandbox waits for no webhook', async () => {
	const silent = createServer(() => {});
	await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
	const other = await startSandbox();
	const { port } = silent.address() as AddressInfo;
	const asked = new Promise((resolve) => silent.once('request', resolve));
	const posting = other.postCallback(`http://127.0.0.1:${port}`, 'text');
	await asked;
	const [, turns] = await turnsOf(other.stop());
	const result = await posting;
	silent.closeAllConnections();
	silent.close();
	expect(result).toEqual({ text: expect.stringContaining('abort') });
	expect(turns).toBeLessThan(1000); // it would wait for 30 s, 3000 turns
});
