import '../../dev/engine/coreEnvironment';

import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parse } from 'node:querystring';
import { buffer } from 'node:stream/consumers';

import axios from 'axios';
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
import type { CallbackKind } from '../../dev/sandbox/inventions';
import { projectRoot } from '../../dev/projectRoot';
import { startSandbox, type Sandbox } from '../../dev/sandbox/server';
import { expectLinear } from '../support/processorTime';
import { VIDEO } from '../support/setup';

/**
 * The trigger on n8n-core's context of a webhook, which a small server fills as n8n does with a
 * request. What n8n itself does before and after is tested in n8n: test/e2e/trigger.test.ts.
 */

const TYPE = 'n8n-nodes-workchat.workchatTrigger';

let nodeTypes: NodeTypes;
let trigger: INodeType;
let url: string;
let sandbox: Sandbox;
let parameters: IDataObject;
/** What the trigger made of the last request. */
let result: IWebhookResponseData;

const server = createServer(async (request, response) => {
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
	result = (await trigger.webhook?.call(context)) ?? {};
	response.end(result.webhookResponse);
});

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
		if (text !== '') request.body = parser(text);
	}
	request.body ??= {};
}

beforeAll(async () => {
	nodeTypes = await NodeTypes.load();
	trigger = nodeTypes.getByNameAndVersion(TYPE);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/?from=test`;
	sandbox = await startSandbox();
});
beforeEach(() => {
	parameters = {};
	sandbox.reset();
});
afterAll(async () => {
	await sandbox.stop();
	server.close();
});

/** The items that a callback makes. */
async function itemsOf(body: unknown, startOn = 'every'): Promise<IDataObject[]> {
	parameters = { startOn };
	await axios.post(url, body, { headers: { 'Content-Type': 'application/json' } });
	return (result.workflowData?.[0] ?? []).map(({ json: item }) => item);
}

const FILE = {
	fileAeskey: 'fake-key',
	fileAuthkey: 'fake-authkey',
	fileSize: 5,
	fileType: 5,
	fileUrl: 'https://example.com/file',
};

test('every callback is one item, with its body, headers and query', async () => {
	expect(await itemsOf({ any: ['thing'] })).toEqual([
		{
			body: { any: ['thing'] },
			headers: expect.objectContaining({ 'content-type': 'application/json' }),
			query: { from: 'test' },
		},
	]);
});

const FORM = 'application/x-www-form-urlencoded';
const JSON_TEXT = JSON.stringify({ a: ['x=1&y', 2] });
const PARSED = JSON.parse(JSON_TEXT) as object;

test.each<[string | undefined, string, unknown]>([
	['application/json; charset=utf-8', JSON_TEXT, PARSED],
	[undefined, JSON_TEXT, PARSED],
	['application/octet-stream', JSON_TEXT, PARSED],
	['application/vnd.api+json', `[${JSON_TEXT}]`, [PARSED]],
	['text/json; charset=unheard-of', `\uFEFF${JSON_TEXT}`, PARSED],
	['text/plain', JSON_TEXT, PARSED],
	[FORM, JSON_TEXT, PARSED],
	[FORM, encodeURIComponent(JSON_TEXT), PARSED],
	[FORM, 'a=1&b=%7B%7D', { a: '1', b: '{}' }],
	[FORM, '%7B%7D=1', { '{}': '1' }],
	[FORM, 'a', { a: '' }],
	['text/plain', 'words', 'words'],
	['application/octet-stream', '12345678901234567890', '12345678901234567890'],
	['application/json', '12345678901234567890', '12345678901234567890'],
	['application/octet-stream', '{ not JSON', '{ not JSON'],
	['application/octet-stream', '', {}],
	[undefined, '', {}],
])('of the content type %s, %j is read as %j', async (type, text, body) => {
	parameters = { startOn: 'every' };
	const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type };
	const request = httpRequest(url, { method: 'POST', headers }).end(text);
	const [response] = (await once(request, 'response')) as [IncomingMessage];
	await buffer(response);
	expect(response.statusCode).toBe(200);
	expect(result.workflowData?.[0]?.map(({ json }) => json.body)).toEqual([body]);
});

test.each<[string, string, string]>([
	['gbk', '7b2261223a22d6d0cec4227d', '中文'],
	['gb18030', '7b2261223a22d6d0cec4227d', '中文'],
	['iso-8859-1', '7b2261223a22e9227d', 'é'],
	['utf-16', 'fffe7b002200610022003a0022002d4e22007d00', '中'],
	['utf-16', 'feff007b002200610022003a00224e2d0022007d', '中'],
	['utf-8', 'fffe7b002200610022003a0022002d4e22007d00', '中'],
	['base64', '7b2261223a2262227d', 'b'],
	['hex', '7b2261223a2262227d', 'b'],
	['', '7b2261223a2262227d', 'b'],
	// n8n takes a header without a charset for UTF-8.
	['utf-8', '7b2261223a22ff227d', '\uFFFD'],
])('of the charset %s, the bytes %s are read as %s', async (charset, bytes, a) => {
	parameters = { startOn: 'every' };
	const headers = { 'Content-Type': `text/json; charset=${charset}` };
	await axios.post(url, Buffer.from(bytes, 'hex'), { headers });
	expect(result.workflowData?.[0]?.map(({ json }) => json.body)).toEqual([{ a }]);
});

test('a file is found in JSON of any content type', async () => {
	parameters = { startOn: 'file' };
	await axios.post(url, JSON.stringify({ a: FILE }), { headers: { 'Content-Type': FORM } });
	expect(result.workflowData?.[0]?.map(({ json }) => json.file)).toEqual([FILE]);
	await axios.post(url, 'words', { headers: { 'Content-Type': 'text/plain' } });
	expect(result.workflowData).toBeUndefined();
});

test.each<[string, unknown, object[]]>([
	['deep inside', { a: [{ b: { ...FILE, more: 1 } }] }, [FILE]],
	['in a list', [FILE, { ...FILE, fileSize: 6 }], [FILE, { ...FILE, fileSize: 6 }]],
	['twice, but the same', { a: FILE, b: { ...FILE, more: 1 } }, [FILE]],
	['around another', { ...FILE, thumbnail: { ...FILE, fileType: 3 } }, [FILE]],
	['in no body', null, []],
	['of another kind', VIDEO, []],
])('a file in a callback is found %s', async (_, body, files) => {
	const items = await itemsOf(body, 'file');
	expect(items.map(({ file }) => file)).toEqual(files);
	for (const item of items) expect(item).toMatchObject({ body, query: { from: 'test' } });
	expect('workflowData' in result).toBe(files.length > 0);
});

test('a feed video in a callback is found', async () => {
	const items = await itemsOf({ content: [{ ...VIDEO, more: 1 }] }, 'feedVideo');
	expect(items.map(({ feedVideo }) => feedVideo)).toEqual([VIDEO]);
	expect(await itemsOf({ content: FILE }, 'feedVideo')).toEqual([]);
});

test.each<[CallbackKind, number[]]>([
	['text', [1, 0, 0]],
	['file', [1, 1, 0]],
	['feedVideo', [1, 0, 1]],
])('of a %s from the sandbox, each way to start makes its items', async (kind, counts) => {
	const seen: number[] = [];
	for (const startOn of ['every', 'file', 'feedVideo']) {
		parameters = { startOn };
		expect(await sandbox.postCallback(url, kind)).toMatchObject({ status: 200 });
		seen.push(result.workflowData?.[0]?.length ?? 0);
	}
	expect(seen).toEqual(counts);
});

test.each<[string | undefined, string, string]>([
	[undefined, '{"received":true}', 'application/json; charset=utf-8'],
	['success', 'success', 'text/plain; charset=utf-8'],
	['{"code": 0}', '{"code": 0}', 'application/json; charset=utf-8'],
	['', '', 'text/plain; charset=utf-8'],
])('with the Response Body %j it answers %j', async (responseBody, text, type) => {
	for (const method of ['GET', 'POST']) {
		parameters = responseBody === undefined ? {} : { options: { responseBody } };
		const data = method === 'POST' ? {} : undefined;
		const response = await axios.request({ url, method, data, responseType: 'text' });
		expect([response.data, response.headers['content-type']]).toEqual([text, type]);
		expect('workflowData' in result).toBe(method === 'POST');
	}
});

test('a callback of 1 MB with thousands of files is searched in linear time', async () => {
	const list = (count: number) =>
		Array.from({ length: count }, (_, fileSize) => ({ ...FILE, fileSize }));
	await expectLinear(async (count) => {
		expect(await itemsOf({ list: list(count) }, 'file')).toHaveLength(count);
	}, 250);
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
