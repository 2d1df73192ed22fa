import '../../dev/engine/coreEnvironment';

import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { parse } from 'node:querystring';

import { WebhookContext } from 'n8n-core';
import { Workflow, type INodeType, type INodeTypes } from 'n8n-workflow';

import { NodeTypes } from '../../dev/engine/nodeTypes';
import { nodeOf } from '../../dev/engine/workflows';
import { callbackKinds } from '../../dev/sandbox/callbackKinds';
import { expectLinear } from '../support/processorTime';

/** The trigger on n8n-core's webhook context, with requests as n8n passes them. */

const TYPE = 'n8n-nodes-workchat.workchatTrigger';
const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';
const PARTS = 'multipart/form-data';

let nodeTypes: INodeTypes;
let trigger: INodeType;
beforeAll(async () => {
	nodeTypes = await NodeTypes.load();
	trigger = nodeTypes.getByNameAndVersion(TYPE);
});

/** How n8n 2.41 parses bodies for a node of version 2 (webhook-helpers.js, body-parser.js). */
const PARSERS: Record<string, (text: string) => unknown> = {
	[JSON_TYPE]: (text) => JSON.parse(text),
	[FORM]: parse,
	[PARTS]: (text) => ({ data: parse(text), files: {} }),
	'text/plain': String,
};
function requestOf(method: string, bytes: string | Buffer, type?: string) {
	const [contentType = '', charset = 'charset=utf-8'] = type?.split('; ') ?? [];
	const text = bytes.toString();
	const request = new IncomingMessage(new Socket());
	return Object.assign(request, {
		...{ method, headers: { 'content-type': type }, query: { from: 'test' } },
		...(type && { contentType, encoding: charset.slice('charset='.length) }),
		...(PARSERS[contentType] && { body: text === '' ? {} : PARSERS[contentType](text) }),
		async readRawBody() {
			if (contentType === PARTS) throw new Error('n8n has read its stream');
			Object.assign(request, { rawBody: Buffer.from(bytes) });
		},
	});
}

/** Posts a body with a content type, if any. Returns the response and the items. */
async function call(
	parameters: object,
	bytes: string | Buffer = '',
	type?: string,
	method = 'POST',
) {
	const { webhooks } = trigger.description;
	const webhookDescription = webhooks?.find(({ httpMethod }) => httpMethod === method);
	const node = nodeOf('Trigger', TYPE, { typeVersion: 2, parameters: { ...parameters } });
	const workflow = new Workflow({ nodes: [node], connections: {}, active: true, nodeTypes });
	const httpRequest = requestOf(method, bytes, type);
	const httpResponse = new ServerResponse(httpRequest);
	const http = { httpRequest, httpResponse } as never;
	const data = { webhookDescription } as never;
	const context = new WebhookContext(workflow, node, http, 'webhook', data, [], null);
	const result = await trigger.webhook!.call(context);
	return {
		result,
		items: (result.workflowData?.[0] ?? []).map(({ json }) => json),
		status: httpResponse.statusCode,
		type: httpResponse.getHeader('content-type'),
		text: result.webhookResponse,
	};
}

/** The items of a callback. */
const itemsOf = async (bytes: string | Buffer, type?: string, startOn = 'every') =>
	(await call({ startOn }, bytes, type)).items;
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
		{ body: { any: ['thing'] }, headers: { 'content-type': JSON_TYPE }, query: { from: 'test' } },
	]);
});

const EVENTS = [
	{ guid: 'a', n: 1 },
	{ guid: 'b', n: 2 },
];
const MIXED = { guid: 'a', msgData: [{ subMsgType: 2 }, { subMsgType: 101 }] };
const RELAYED = { guid: 'a', message: { contentJson: JSON.stringify(MIXED) } };
const CHANGED = { ...RELAYED, guid: 'b' };
const EMPTIED = { ...RELAYED, guid: '', msgData: null };
const OTHER_JSON = [{ guid: 'a', sizeJson: '{"size":1}' }];
const CUSTOMER = { message: { contentText: JSON.stringify({ senderId: 'b', msgData: {} }) } };
const TEXTS = EVENTS.map((event) => JSON.stringify(event));

test.each<[string, unknown, unknown[]]>([
	['each entry of an envelope', { code: 0, msg: '', data: EVENTS }, EVENTS],
	['each entry of a text in an envelope', { code: 0, data: JSON.stringify(EVENTS) }, EVENTS],
	['each entry of a bare list', EVENTS, EVENTS],
	['each event of a relay', { traceId: 'a', events: EVENTS }, EVENTS],
	['each event in the data of a relay', { data: { events: EVENTS } }, EVENTS],
	['each event that is a text', { events: TEXTS }, EVENTS],
	['each event that is a text in a text', { data: JSON.stringify({ events: TEXTS }) }, EVENTS],
	['an event that a relay has wrapped', { events: [RELAYED] }, [{ ...MIXED, ...RELAYED }]],
	['an event, with the value that its relay has changed', CHANGED, [{ ...MIXED, ...CHANGED }]],
	['an event, with its own values where its relay has none', EMPTIED, [{ ...EMPTIED, ...MIXED }]],
	['a single wrapped event', RELAYED, [{ ...MIXED, ...RELAYED }]],
	['an event, without the other JSON in it', OTHER_JSON, OTHER_JSON],
	['an event, not for the JSON in the text of a customer', { events: [CUSTOMER] }, [CUSTOMER]],
	[
		'an event with msgData, not for the one in its text',
		[{ ...RELAYED, msgData: 1 }],
		[{ ...RELAYED, msgData: 1 }],
	],
	[
		'the body if it has a list of members',
		{ data: { list: EVENTS } },
		[{ data: { list: EVENTS } }],
	],
	[
		'the body if it has a list of parts',
		{ guid: 'a', files: EVENTS },
		[{ guid: 'a', files: EVENTS }],
	],
	['a single event', MIXED, [MIXED]],
	['an event as data', { type: 'a', data: MIXED }, [MIXED]],
	['an event in a text as data', { code: 0, data: JSON.stringify(MIXED) }, [MIXED]],
	['an event in data', { type: 'a', data: { event: MIXED } }, [MIXED]],
	['the body if its data is not an event', { data: { guid: 'a' } }, [{ data: { guid: 'a' } }]],
	[
		'the body if its data is a list of other values',
		{ data: ['a', FILE] },
		[{ data: ['a', FILE] }],
	],
	['each event next to empty ones', { data: [EVENTS[0], null, {}, '', EVENTS[1]] }, EVENTS],
	['the body if its list is empty', { data: [] }, [{ data: [] }]],
	['a text', '"words"', ['"words"']],
])('with Every Event, the workflow gets an item for %s', async (_, body, events) => {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	const items = await itemsOf(text, typeof body === 'string' ? 'text/plain' : JSON_TYPE, 'event');
	expect(items.map(({ event }) => event)).toEqual(events);
	for (const item of items) expect(item).toMatchObject({ query: { from: 'test' } });
});

const JSON_TEXT = JSON.stringify({ a: ['x=1&y', 2] });
const PARSED = JSON.parse(JSON_TEXT) as object;

test.each<[string | undefined, string, unknown]>([
	[`${JSON_TYPE}; charset=utf-8`, JSON_TEXT, PARSED],
	['application/octet-stream', JSON_TEXT, PARSED],
	['text/json', `\uFEFF${JSON_TEXT}`, PARSED],
	['text/plain', JSON_TEXT, PARSED],
	[FORM, JSON_TEXT, PARSED],
	[FORM, encodeURIComponent(JSON_TEXT), PARSED],
	[FORM, 'a=1&b=%7B%7D', { a: '1', b: '{}' }],
	[PARTS, 'a=1', { data: { a: '1' }, files: {} }],
	['text/plain', 'words', 'words'],
	[JSON_TYPE, '12345678901234567890', '12345678901234567890'],
	[JSON_TYPE, '{"a":12345678901234567890}', { a: '12345678901234567890' }],
	['application/octet-stream', '{ not JSON', '{ not JSON'],
	[undefined, '', {}],
])('with the content type %s, %j is read as %j', async (type, text, body) => {
	expect((await itemsOf(text, type)).map((item) => item.body)).toEqual([body]);
});

test.each([
	['gbk', '7b2261223a22d6d0cec4227d', '中文'],
	['unheard-of', '7b2261223a2262227d', 'b'],
])('with the charset %s, the bytes %s are read as %s', async (charset, bytes, a) => {
	const items = await itemsOf(Buffer.from(bytes, 'hex'), `text/json; charset=${charset}`);
	expect(items.map(({ body }) => body)).toEqual([{ a }]);
});

const THUMBNAIL = { ...FILE, fileType: 3 };
const NAMED = { ...FILE, fileName: '报告.pdf' };
const EMPTY = { fileAeskey: '', fileAuthkey: null, fileSize: 0, fileType: '0', fileUrl: ' ' };

test.each<[string, unknown, object[]]>([
	['in a list', [FILE, { ...FILE, fileSize: 6 }], [FILE, { ...FILE, fileSize: 6 }]],
	['with its name in the same object', { a: { ...FILE, filename: '报告.pdf' } }, [NAMED]],
	[
		'with its name in an outer object',
		{ fileName: '报告.pdf', a: { b: FILE, fileName: '' } },
		[NAMED],
	],
	[
		'once if the callback has it twice',
		{ a: FILE, b: [{ ...FILE, fileSize: '5', more: 1 }] },
		[FILE],
	],
	['that contains another file', { ...FILE, thumbnail: THUMBNAIL }, [FILE, THUMBNAIL]],
	['inside of an empty one', { ...EMPTY, reply: { quoted: FILE } }, [FILE]],
	['next to and below empty ones', [EMPTY, { ...FILE, fileUrl: '' }, { a: FILE }], [FILE]],
	['only if the callback has one, else nothing starts', null, []],
	[
		'only if its fields have values',
		{ text: 'words', ...EMPTY, a: { ...FILE, fileAeskey: '\u200b' } },
		[],
	],
])('the trigger finds a file %s', async (_, body, files) => {
	const { items, result } = await call({ startOn: 'file' }, JSON.stringify(body), JSON_TYPE);
	expect(items.map(({ file }) => file)).toEqual(files);
	for (const item of items) expect(item).toMatchObject({ body, query: { from: 'test' } });
	expect('workflowData' in result).toBe(files.length > 0);
});

const files = [1, 4, 5].map((fileType) => {
	const own = { fileSize: 1000 + fileType, fileUrl: `https://example.com/${fileType}` };
	return { ...FILE, fileType, ...own };
});
const CONTENT = { number: 1, time: 1_790_000_001, files, coverUrl: 'https://example.com/cover' };
/** The files or feed videos that are found. */
test.each<[kind: keyof typeof callbackKinds, startOn: string, found: object[]]>([
	['video', 'file', [{ fileType: 4, fileSize: 1004, fileUrl: 'https://example.com/4' }]],
	['mixed', 'file', [{ fileType: 1, fileUrl: 'https://example.com/1' }, { fileType: 5 }]],
	['twoInstances', 'file', [{ fileType: 1 }, { fileType: 5 }]],
	['text', 'file', []],
	['ownFeedVideo', 'feedVideo', [{ feedNo: 'fake-feed-no-1' }]],
	['incompleteFeedVideo', 'feedVideo', []],
])('in the callback %s of compatible services, %s finds %j', async (kind, startOn, found) => {
	const body = callbackKinds[kind](CONTENT);
	const items = await itemsOfJson(body, startOn);
	expect(items.map((item) => item[startOn])).toMatchObject(found);
	const events = 'data' in body ? body.data : [];
	// Either one event has several files, or each file has its own event.
	const expected = items.map((_, index) => (events.length > 1 ? events[index] : events[0]));
	expect(items.map(({ event }) => event)).toEqual(expected);
});

const VIDEO = Object.fromEntries(
	'channelName channelUrl coverUrl encodeData headImgUrl feedId feedNo username'
		.split(' ')
		.map((name) => [name, `fake-${name}`]),
);
const event = (toId: string, ...parts: object[]) => ({ toId, msgData: { parts } });
const OTHER = { ...FILE, fileSize: 6 };
const ONE = event('1', FILE);
const DEEP = { toId: '2', msgData: { a: { b: JSON.stringify([[VIDEO], FILE, FILE]) } } };
const TWO = event('3', OTHER, FILE);
const NONE = { toId: '4', msgData: {} };
const MORE = { data: [DEEP, ONE], more: [FILE, OTHER, OTHER] };
const AROUND = { ...RELAYED, ...FILE };
const ALL: Record<string, unknown> = { DEEP, ONE, TWO, NONE, FILE, OTHER, VIDEO };
/** Each item's event, with the file and the video that were found in it. */
test.each<[startOn: string, items: string, body: unknown]>([
	['file', 'DEEP FILE, ONE FILE, TWO OTHER, TWO FILE', [DEEP, ONE, TWO, NONE]],
	['file', 'ONE FILE, ONE FILE', [JSON.stringify(ONE), ONE]],
	['feedVideo', 'DEEP - VIDEO', [NONE, DEEP, ONE]],
	['event', 'DEEP FILE VIDEO, NONE, TWO OTHER, TWO FILE', [DEEP, NONE, TWO]],
	['event', 'ONE FILE, ONE FILE', [ONE, ONE]],
	['event', 'NONE, a, a', [NONE, 'a', 'a']],
	['file', 'DEEP FILE, ONE FILE, body OTHER', MORE],
	['event', 'DEEP FILE VIDEO, ONE FILE, body OTHER', MORE],
	['file', 'body FILE', FILE],
	['file', 'body FILE', { data: [{ a: 1 }], file: FILE }],
	['file', 'body FILE', { data: { file: FILE } }],
	['file', 'wrapped FILE', AROUND],
])(
	'with Start On %s, the workflow gets each content of an event once, and then those of the rest of the body: %s',
	async (...row) => {
		const [startOn, expected, body] = row;
		const named = { ...ALL, body, wrapped: { ...MIXED, ...AROUND }, '-': undefined };
		const items = await itemsOfJson(body, startOn);
		const found = items.map(({ event: of, file, feedVideo }) => [of, file, feedVideo]);
		const names = expected.split(', ').map((item) => [...item.split(' '), '-', '-'].slice(0, 3));
		const valueOf = (name: string) => (name in named ? named[name as 'body'] : name);
		expect(found).toEqual(names.map((three) => three.map(valueOf)));
	},
);

test('many events with many files take linear time', async () => {
	const post = async (body: string) => await itemsOf(body, JSON_TYPE, 'event');
	const events = (size: number) => JSON.stringify(Array.from({ length: size }, () => ONE));
	await expectLinear(post, events, 200);
});

test('a callback with too many values is an error, except with Every Callback', async () => {
	const body = Array(200_001).fill(1);
	await expect(itemsOfJson(body, 'file')).rejects.toThrow('more than 200,000 values');
	expect(await itemsOfJson(body.slice(1), 'file')).toEqual([]);
	expect(await itemsOfJson(body)).toHaveLength(1);
});

test.each<[string | undefined, string, string]>([
	[undefined, '{"received":true}', 'application/json; charset=utf-8'],
	['success', 'success', 'text/plain; charset=utf-8'],
	['{"code": 0}', '{"code": 0}', 'application/json; charset=utf-8'],
	['', '', 'text/plain; charset=utf-8'],
])('with the Response Body %j, the response is %j', async (responseBody, text, type) => {
	const parameters = responseBody === undefined ? {} : { options: { responseBody } };
	const answer = { status: 200, text, type };
	const callback = await call(parameters, '{}', JSON_TYPE);
	expect(callback).toMatchObject({ ...answer, items: [{ body: {} }] });
	const { result, ...probe } = await call(parameters, '', undefined, 'GET');
	expect(probe).toMatchObject(answer);
	expect(result).not.toHaveProperty('workflowData');
});
