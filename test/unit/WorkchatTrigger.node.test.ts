import '../../dev/engine/coreEnvironment';

import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parse } from 'node:querystring';
import { buffer } from 'node:stream/consumers';

import { WebhookContext } from 'n8n-core';
import {
	Workflow,
	type IDataObject,
	type INode,
	type INodeType,
	type IWebhookData,
	type IWebhookDescription,
	type IWebhookResponseData,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

import { NodeTypes } from '../../dev/engine/nodeTypes';
import { nodeOf } from '../../dev/engine/workflows';
import { projectRoot } from '../../dev/projectRoot';
import { kinCallbacks } from '../../dev/sandbox/kin';
import { VIDEO } from '../support/setup';

/** The trigger on n8n-core's context of a webhook, which a small server fills as n8n does with a request. */

const TYPE = 'n8n-nodes-workchat.workchatTrigger';

let nodeTypes: NodeTypes;
let trigger: INodeType;
let url: string;
let parameters: IDataObject;
/** What n8n's log says. */
let warned = '';
/** What the trigger made of the last request. */
let result: IWebhookResponseData;

const server = createServer((request, response) => {
	answer(request, response).catch(({ stack }: Error) => response.writeHead(500).end(stack));
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
	const description = trigger.description.webhooks?.find(
		({ httpMethod }) => httpMethod === request.method,
	) as IWebhookDescription;
	const node = nodeOf('Trigger', TYPE, { typeVersion: 2, parameters: parameters as never });
	const { searchParams } = new URL(request.url ?? '', url);
	const [contentType, charset = 'charset=utf-8'] =
		request.headers['content-type']?.split('; ') ?? [];
	const received = Object.assign(request, {
		contentType,
		...(contentType && { encoding: charset.slice('charset='.length) }),
		query: Object.fromEntries(searchParams),
		readRawBody: async () => void (received.rawBody ??= await buffer(request)),
	}) as IncomingMessage & { body?: unknown };
	await parseRequestBody(received);
	const context = new WebhookContext(
		new Workflow({ nodes: [node], connections: {}, active: true, nodeTypes }),
		node,
		{ httpRequest: received, httpResponse: response } as unknown as IWorkflowExecuteAdditionalData,
		'webhook',
		{ webhookDescription: description } as IWebhookData,
		[],
		null,
	);
	Object.defineProperty(context, 'logger', { value: { warn: (text: string) => (warned = text) } });
	result = (await trigger.webhook?.call(context)) ?? {};
	response.end(result.webhookResponse);
}

/** As n8n 2.41 does it for a node of version 2 (webhook-helpers.js, body-parser.js). */
async function parseRequestBody(request: IncomingMessage & { body?: unknown }): Promise<void> {
	const parsers: Record<string, (text: string) => unknown> = {
		'application/json': (text) => JSON.parse(text),
		'application/x-www-form-urlencoded': parse,
		'text/plain': String,
	};
	const parser = parsers[request.contentType ?? ''];
	if (parser) {
		await request.readRawBody();
		const text = request.rawBody.toString(request.encoding as BufferEncoding);
		request.body = text === '' ? {} : parser(text);
	}
}

beforeAll(async () => {
	nodeTypes = await NodeTypes.load();
	trigger = nodeTypes.getByNameAndVersion(TYPE);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/?from=test`;
});
beforeEach(() => {
	parameters = {};
});
afterAll(() => {
	server.close();
	server.closeAllConnections();
});

/** What is answered to bytes of a content type, or to none. */
async function post(bytes: string | Buffer, type?: string): Promise<Response> {
	const headers = type === undefined ? {} : { 'Content-Type': type };
	const response = await fetch(url, { method: 'POST', headers, body: Buffer.from(bytes) });
	if (response.status !== 200) throw new Error(await response.text());
	return response;
}

const JSON_TYPE = 'application/json';
/** The items that a callback makes. */
async function itemsOf(bytes: string | Buffer, type?: string, startOn = 'every') {
	parameters = { startOn };
	await post(bytes, type);
	return (result.workflowData?.[0] ?? []).map(({ json: item }) => item);
}
const itemsOfJson = async (body: unknown, startOn?: string) =>
	await itemsOf(JSON.stringify(body), JSON_TYPE, startOn);

const FILE = {
	fileAeskey: 'fake-key',
	fileAuthkey: 'fake-authkey',
	fileSize: 5,
	fileType: 5,
	fileUrl: 'https://example.com/file',
};

test('every callback is one item, with its body, headers and query', async () => {
	expect(await itemsOfJson({ any: ['thing'] })).toEqual([
		{
			body: { any: ['thing'] },
			headers: expect.objectContaining({ 'content-type': 'application/json' }),
			query: { from: 'test' },
		},
	]);
});

const EVENTS = [
	{ guid: 'a', n: 1 },
	{ guid: 'b', n: 2 },
];
const MIXED = { guid: 'a', msgData: [{ subMsgType: 2 }, { subMsgType: 101 }] };

test.each<[string, unknown, unknown[]]>([
	['the entries of an envelope', { code: 0, msg: '', data: EVENTS }, EVENTS],
	['those in its text', { code: 0, data: JSON.stringify(EVENTS) }, EVENTS],
	['those of a bare list', EVENTS, EVENTS],
	['one by itself', MIXED, [MIXED]],
	['the body with one for data', { data: MIXED }, [{ data: MIXED }]],
	['the body with words for data', { data: ['a', {}] }, [{ data: ['a', {}] }]],
	['the body with no entry', { data: [] }, [{ data: [] }]],
	['a text', '"words"', ['"words"']],
])('every event is an item: %s', async (_, body, events) => {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	const items = await itemsOf(text, typeof body === 'string' ? 'text/plain' : JSON_TYPE, 'event');
	expect(items.map(({ event }) => event)).toEqual(events);
	for (const item of items) expect(item).toMatchObject({ query: { from: 'test' } });
});

const FORM = 'application/x-www-form-urlencoded';
const JSON_TEXT = JSON.stringify({ a: ['x=1&y', 2] });
const PARSED = JSON.parse(JSON_TEXT) as object;

test.each<[string | undefined, string, unknown]>([
	['application/json; charset=utf-8', JSON_TEXT, PARSED],
	[undefined, JSON_TEXT, PARSED],
	['application/octet-stream', JSON_TEXT, PARSED],
	['application/vnd.api+json', `[${JSON_TEXT}]`, [PARSED]],
	['text/json', `\uFEFF${JSON_TEXT}`, PARSED],
	['text/plain', JSON_TEXT, PARSED],
	[FORM, JSON_TEXT, PARSED],
	[FORM, encodeURIComponent(JSON_TEXT), PARSED],
	[FORM, 'a=1&b=%7B%7D', { a: '1', b: '{}' }],
	[FORM, 'a', { a: '' }],
	['text/plain', 'words', 'words'],
	['application/octet-stream', '12345678901234567890', '12345678901234567890'],
	['application/json', '12345678901234567890', '12345678901234567890'],
	['application/octet-stream', '{ not JSON', '{ not JSON'],
	['application/octet-stream', '', {}],
	[undefined, '', {}],
])('of the content type %s, %j is read as %j', async (type, text, body) => {
	expect((await itemsOf(text, type)).map((item) => item.body)).toEqual([body]);
});

test.each([
	['gbk', '7b2261223a22d6d0cec4227d', '中文'],
	['unheard-of', '7b2261223a2262227d', 'b'],
])('of the charset %s, the bytes %s are read as %s', async (charset, bytes, a) => {
	const items = await itemsOf(Buffer.from(bytes, 'hex'), `text/json; charset=${charset}`);
	expect(items.map(({ body }) => body)).toEqual([{ a }]);
});

const THUMBNAIL = { ...FILE, fileType: 3 };
const EMPTY = { fileAeskey: '', fileAuthkey: null, fileSize: 0, fileType: '0', fileUrl: ' ' };

test.each<[string, unknown, object[]]>([
	['deep inside', { a: [{ b: { ...FILE, more: 1 } }] }, [FILE]],
	['in a list', [FILE, { ...FILE, fileSize: 6 }], [FILE, { ...FILE, fileSize: 6 }]],
	['twice, but the same', { a: FILE, b: [{ ...FILE, fileSize: '5', more: 1 }] }, [FILE]],
	['around another', { ...FILE, thumbnail: THUMBNAIL }, [FILE, THUMBNAIL]],
	['in an empty one', { ...EMPTY, reply: { quoted: FILE } }, [FILE]],
	['beside and below empty ones', [EMPTY, { ...FILE, fileUrl: '' }, { a: FILE }], [FILE]],
	['in no body', null, []],
	['in no empty one', { text: 'words', ...EMPTY, a: { ...FILE, fileAeskey: '\u200b' } }, []],
	['of another kind', VIDEO, []],
])('a file in a callback is found %s', async (_, body, files) => {
	const items = await itemsOfJson(body, 'file');
	expect(items.map(({ file }) => file)).toEqual(files);
	for (const item of items) expect(item).toMatchObject({ body, query: { from: 'test' } });
	expect('workflowData' in result).toBe(files.length > 0);
});

const files = [1, 4, 5].map((fileType) => {
	const own = { fileSize: 1000 + fileType, fileUrl: `https://example.com/${fileType}` };
	return { ...FILE, fileType, ...own };
});
const CONTENT = { number: 1, files, coverUrl: 'https://example.com/cover' };
/** Of each file: its type, and what its link and its event have; or of each feed video. */
test.each<[kind: keyof typeof kinCallbacks, startOn: string, found: object[]]>([
	['kinPicture', 'file', [{ fileType: 1, fileSize: 1001, fileUrl: 'https://example.com/1' }]],
	['kinFile', 'file', [{ fileType: 5, fileSize: 1005, fileUrl: 'https://example.com/5' }]],
	['kinVideo', 'file', [{ fileType: 4, fileSize: 1004, fileUrl: 'https://example.com/4' }]],
	['kinMixed', 'file', [{ fileType: 1 }, { fileType: 5 }]],
	['kinTwoInstances', 'file', [{ fileType: 1 }, { fileType: 5 }]],
	['kinText', 'file', []],
	['kinVerification', 'file', []],
	['kinFeedVideo', 'feedVideo', [{ feedNo: 'fake-feed-no-1' }]],
	['kinIncompleteFeedVideo', 'feedVideo', []],
])('of services of this kind, %s starts %s with %j', async (kind, startOn, found) => {
	const body = kinCallbacks[kind](CONTENT);
	for (const text of [body, { ...body, data: JSON.stringify((body as IDataObject).data) }]) {
		const items = await itemsOfJson(text, startOn);
		expect(items.map((item) => item[startOn])).toMatchObject(found);
		const events = 'data' in body ? body.data : [];
		// One event has several files, or there is one event for each.
		const expected = items.map((_, index) => (events.length > 1 ? events[index] : events[0]));
		expect(items.map(({ event }) => event)).toEqual(expected);
	}
});

test('a file outside of events, or in a body that is none, stands in the body', async () => {
	for (const body of [FILE, { data: [{ a: 1 }], file: FILE }, { data: { msgData: FILE } }]) {
		const items = await itemsOfJson(body, 'file');
		expect(items.map(({ event }) => event)).toEqual([body]);
	}
});

const values = (length: number) => Array.from({ length }, (_, index) => index);
test.each<[what: string, startOn: string, body: unknown]>([
	['a list', 'file', values(200_001)],
	['lists in lists', 'file', values(100_100).map(() => [1])],
	['an object', 'event', Object.fromEntries(values(200_001).map((key) => [key, 1]))],
	['events', 'file', { data: values(100_100).map((a) => ({ a })) }],
])('more than 200,000 values are refused: %s, on %s', async (_, startOn, body) => {
	parameters = { startOn };
	const headers = { 'Content-Type': JSON_TYPE };
	const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
	expect([response.status, await response.text()]).toEqual([
		413,
		'The callback holds more than 200,000 values, which is too much to look through',
	]);
	expect(result).toEqual({ noWebhookResponse: true });
	expect(warned).toMatch(/^The callback holds .* started nothing\.$/);
	expect(await itemsOfJson(body)).toHaveLength(1);
});

test('200,000 values are looked through', async () => {
	const body = [FILE, values(99_994), ...values(99_999)];
	expect(await itemsOfJson(body, 'file')).toHaveLength(1);
	expect(await itemsOfJson([...body, 1], 'every')).toHaveLength(1);
});

test.each(['application/json', 'text/plain'])('long numbers of %s come as text', async (type) => {
	const feedId = '14432998765432109876';
	const body = JSON.stringify({ ...VIDEO, feedId: 'ID', more: [1, '5'] }).replace('"ID"', feedId);
	const [item] = await itemsOf(body, type, 'feedVideo');
	expect(item).toMatchObject({ body: { feedId, more: [1, '5'] }, feedVideo: { feedId } });
});

test.each<[string | undefined, string, string]>([
	[undefined, '{"received":true}', 'application/json; charset=utf-8'],
	['success', 'success', 'text/plain; charset=utf-8'],
	['{"code": 0}', '{"code": 0}', 'application/json; charset=utf-8'],
	['', '', 'text/plain; charset=utf-8'],
])('with the Response Body %j it answers %j', async (responseBody, text, type) => {
	parameters = responseBody === undefined ? {} : { options: { responseBody } };
	for (const response of [await fetch(url), await post('{}', JSON_TYPE)]) {
		expect(await response.text()).toBe(text);
		expect(response.headers.get('content-type')).toBe(type);
	}
	expect(result).toHaveProperty('workflowData');
	await fetch(url);
	expect(result).not.toHaveProperty('workflowData');
});

test('no example brings an address along: n8n makes one for each import', () => {
	const folder = join(projectRoot, 'examples');
	const triggers = readdirSync(folder)
		.filter((name) => name.endsWith('.json'))
		.flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).nodes as INode[])
		.filter(({ type }) => type === 'n8n-nodes-workchat.workchatTrigger');
	expect(triggers.length).toBeGreaterThan(1);
	expect(triggers.filter(({ webhookId }) => webhookId)).toEqual([]);
});
