import { once } from 'node:events';
import { Agent } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';

import type { AxiosInstance, AxiosResponse } from 'axios';
import spawn from 'cross-spawn';

import { projectRoot } from '../dev/projectRoot';
import { refusals, type Refusal } from '../dev/sandbox/inventions';
import type { Choice } from '../dev/sandbox/menu';
import { KINDS, type Misbehaviour } from '../dev/sandbox/misbehaviour';
import { operations, type Operation } from '../dev/sandbox/operations';
import { decrypted, samples, type Sample } from '../dev/sandbox/samples';
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
afterAll(async () => await sandbox.stop());

const messageFields = [
	...['instance_guid', 'channelName', 'channelUrl', 'coverUrl', 'encodeData'],
	...['headImgUrl', 'feedId', 'feedNo', 'username', 'toId'],
];
const message = Object.fromEntries(messageFields.map((field) => [field, `fake ${field} 视频号`]));

const integers = ['fileSize', 'fileType'];
const fileFields = ['instance_guid', 'fileAeskey', 'fileAuthkey', 'fileUrl', ...integers];
const fileBody = (sample: Sample) => ({
	instance_guid: 'fake-instance',
	...sandbox.fieldsOf(sample),
});

const endpoints = [
	{ path: SEND, fields: messageFields, body: () => message },
	{ path: DOWNLOAD, fields: fileFields, body: () => fileBody(samples.document) },
];

const send = async () => await client.post(SEND, message);
const download = async (sample: Sample) => await client.post(DOWNLOAD, fileBody(sample));
const linkOf = async (sample: Sample): Promise<string> => (await download(sample)).data.data.url;

const requestId = expect.stringMatching(/^svc_./);
const success = (data: unknown = expect.anything()) => ({
	status: 200,
	data: { ok: true, code: 0, message: 'success', request_id: requestId, data },
});
const failure = (status: number, code: number, text: string) => ({
	status,
	data: {
		ok: false,
		code,
		message: expect.stringContaining(text),
		request_id: requestId,
		data: null,
	},
});
const refused = ({ status, code, message }: Refusal) => failure(status, code, message);

function expectReply({ status, data }: AxiosResponse, expected: object) {
	expect({ status, data }).toEqual(expected);
}

function expectNothingDone() {
	expect(sandbox.messages).toEqual([]);
	expect(sandbox.requests.map(({ isAccepted }) => isAccepted)).toEqual([false]);
}

describe.each(endpoints)('$path', ({ path, fields, body }) => {
	test('takes the documented body', async () => {
		expect(Object.keys(body()).sort()).toEqual([...fields].sort());
		expectReply(await client.post(path, body()), success());
		expect(sandbox.requests).toMatchObject([{ isAccepted: true, body: body() }]);
	});

	test('refuses a body without its fields, and names each of them', async () => {
		const reply = await client.post(path, {});
		expectReply(reply, refused(refusals.badFields));
		for (const field of fields) expect(reply.data.message).toContain(`'${field}'`);
		expectNothingDone();
	});

	test.each([0, 1, 2, 3, 4])('refuses another type of each field: %i', async (index) => {
		const wrong = (field: string) =>
			integers.includes(field)
				? ['1', 1.5, true, null, {}][index]
				: [1, true, null, {}, ['text']][index];
		const reply = await client.post(
			path,
			Object.fromEntries(fields.map((field) => [field, wrong(field)])),
		);
		expectReply(reply, refused(refusals.badFields));
		for (const field of fields) expect(reply.data.message).toContain(`/${field} must be`);
		expectNothingDone();
	});

	test('refuses a field that is not documented', async () => {
		expectReply(await client.post(path, { ...body(), extra: '1' }), refused(refusals.badFields));
		expectNothingDone();
	});

	test.each([undefined, 'wrong-key', `${KEY}0`, KEY.toUpperCase()])(
		'refuses the API key %p',
		async (key) => {
			const headers = key === undefined ? {} : { 'X-Service-Key': key };
			expectReply(await anyone.post(path, body(), { headers }), refused(refusals.badKey));
			expectNothingDone();
		},
	);
});

describe('an operation that the node is given', () => {
	const given: Array<Pick<Operation, 'path' | 'fields'> & { body: object; data: object }> = [
		{ path: '/workchat/example/no-fields', fields: [], body: {}, data: {} },
		{
			path: '/workchat/example/one-field',
			fields: [{ name: 'count', label: 'Count', type: 'integer' }],
			body: { count: 7 },
			data: {},
		},
		{
			path: '/workchat/example/message',
			fields: [
				{ name: 'toId', label: 'Recipient ID', type: 'id' },
				{ name: 'text', label: 'Text', type: 'text' },
				{ name: 'code', label: 'Code', type: 'text', isSecret: true },
			],
			body: { toId: 'customer-1', text: 'Hello!', code: 'secret' },
			data: { messageId: 'sandbox-message-1' },
		},
	];
	let other: Sandbox;
	beforeAll(async () => {
		operations.push(
			...given.map(({ path, fields }) => ({ name: `Name of ${path}`, path, fields })),
		);
		other = await startSandbox();
		operations.length -= given.length;
	});
	afterAll(async () => await other.stop());

	test.each(given)('is answered at $path by its fields', async ({ path, fields, body, data }) => {
		const { client } = clientsOf(other);
		const whole = { instance_guid: 'fake-instance', ...body };
		expectReply(await client.post(path, whole), success(data));
		expect(other.requests.at(-1)).toMatchObject({ isAccepted: true, body: whole });
		for (const { name } of [{ name: 'instance_guid' }, ...fields]) {
			const reply = await client.post(path, { ...whole, [name]: undefined });
			expectReply(reply, refused(refusals.badFields));
			expect(reply.data.message).toContain(`'${name}'`);
		}
		const reply = await client.post(path, { ...whole, extra: '1' });
		expectReply(reply, refused(refusals.badFields));
		expectReply(await clientsOf(other).anyone.post(path, whole), refused(refusals.badKey));
	});

	test('is among the messages if it has a recipient', () => {
		expect(other.messages).toEqual([{ instance_guid: 'fake-instance', ...given[2]?.body }]);
	});
});

test.each([1, 2, 3, 4, 5])('takes %i as fileType', async (fileType) => {
	expectReply(
		await client.post(DOWNLOAD, { ...fileBody(samples.video), fileType }),
		success({ url: expect.any(String) }),
	);
});

test.each([0, 6, -1])('refuses %i as fileType', async (fileType) => {
	const reply = await client.post(DOWNLOAD, { ...fileBody(samples.video), fileType });
	expectReply(reply, refused(refusals.badFields));
	expectNothingDone();
});

test('keeps accepted messages in order and numbers them', async () => {
	const bodies = ['a', 'b'].map((toId) => ({ ...message, toId }));
	for (const [index, body] of bodies.entries()) {
		const data = { messageId: `sandbox-message-${index + 1}` };
		expectReply(await client.post(SEND, body), success(data));
	}
	expect(sandbox.messages).toEqual(bodies);
});

describe('the envelope', () => {
	type Call = () => Promise<AxiosResponse>;
	const calling =
		(method: string, url: string, who = () => client): Call =>
		async () =>
			await who().request({ method, url, data: message });
	const posting =
		(body: string, headers: Record<string, string | false> = {}): Call =>
		async () =>
			await client.post(SEND, Buffer.from(body), {
				headers: { 'Content-Type': 'application/json', ...headers },
			});
	const misbehaving =
		(...misbehaviour: Parameters<Sandbox['misbehave']>): Call =>
		async () => {
			sandbox.misbehave(...misbehaviour);
			return await send();
		};
	const crash = () => {
		throw new Error('a crash inside the handler');
	};
	const whole = JSON.stringify(message);
	const { badKey, noSuchPath, badJson, badFields, notJson, tooLarge } = refusals;
	const tooMany = { 'Content-Length': `${2 ** 30}`, Connection: 'close' };

	const replies: Array<[string, Call, object]> = [
		['a sent message', send, success()],
		['a download', async () => await download(samples.voice), success()],
		['a wrong key', calling('POST', SEND, () => anyone), refused(badKey)],
		['an unknown path', calling('GET', '/unknown'), refused(noSuchPath)],
		['an unknown path of the API', calling('POST', '/workchat/unknown'), refused(noSuchPath)],
		['a path that cannot be decoded', calling('GET', '/%zz'), refused(noSuchPath)],
		['an overlong path', calling('GET', `/files/${'x'.repeat(500)}/y`), refused(noSuchPath)],
		['GET', calling('GET', SEND), refused(noSuchPath)],
		['PUT', calling('PUT', DOWNLOAD), refused(noSuchPath)],
		['DELETE', calling('DELETE', SEND), refused(noSuchPath)],
		['broken JSON', posting('{"toId":'), refused(badJson)],
		['an empty body', posting(''), refused(badJson)],
		['a JSON null', posting('null'), refused(badFields)],
		['a JSON array', posting('[]'), refused(badFields)],
		['another content type', posting(whole, { 'Content-Type': 'text/plain' }), refused(notJson)],
		['no content type', posting(whole, { 'Content-Type': false }), refused(notJson)],
		['a body that announces too many bytes', posting('{}', tooMany), refused(tooLarge)],
		['a crash', misbehaving({ kind: 'html' }, { when: crash }), refused(refusals.crash)],
		['an HTTP error', misbehaving({ kind: 'httpError', status: 500 }), failure(500, 50000, '')],
	];

	test.each(replies)('answers %s', async (_, request, expected) => {
		const reply = await request();
		expectReply(reply, expected);
		expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
		expect(sandbox.requests).toHaveLength(1);
	});

	test('never repeats a request_id', async () => {
		const ids: string[] = [];
		for (const [, request] of [...replies, ...replies]) {
			ids.push((await request()).data.request_id);
			sandbox.reset();
		}
		expect(new Set(ids).size).toBe(2 * replies.length);
	});
});

describe('downloads', () => {
	const everySample = Object.values(samples);
	const ways = ['link', 'base64', 'dataUri', 'nested', 'body'] as const;
	type Way = (typeof ways)[number];

	const bytesBehind = async (url: string) =>
		Buffer.from((await anyone.get(url, { responseType: 'arraybuffer' })).data);

	const placeOf: Record<Exclude<Way, 'body'>, (data: never) => Promise<Buffer> | Buffer> = {
		link: async ({ url }: { url: string }) => await bytesBehind(url),
		base64: ({ content }: { content: string }) => Buffer.from(content, 'base64'),
		dataUri: ({ file }: { file: string }) => Buffer.from(file.split(';base64,')[1] ?? '', 'base64'),
		nested: async ({ result }: { result: { files: [{ downloadUrl: string }] } }) =>
			await bytesBehind(result.files[0].downloadUrl),
	};

	async function fileOf(as: Way, sample: Sample): Promise<Buffer> {
		const config = { responseType: 'arraybuffer' as const };
		const reply = await client.post(DOWNLOAD, fileBody(sample), config);
		const body = Buffer.from(reply.data);
		return as === 'body' ? body : await placeOf[as](JSON.parse(body.toString()).data as never);
	}

	test('have a sample for each fileType', () => {
		expect([...new Set(everySample.map(({ fileType }) => fileType))]).toEqual([1, 2, 3, 4, 5]);
		expect(everySample.every(({ content }) => content.length > 500)).toBe(true);
	});

	test.each(everySample)('ask for $name by its own fields', (sample) => {
		expect(sandbox.fieldsOf(sample)).toEqual({
			fileAeskey: sample.aesKey,
			fileAuthkey: sample.authKey,
			fileSize: sample.content.length,
			fileType: sample.fileType,
			fileUrl: `${sandbox.url}${sample.path}`,
		});
	});

	describe.each(ways)('as %s', (as) => {
		beforeEach(() => sandbox.answerDownloads({ as }));

		test.each(everySample)('give $name', async (sample) => {
			expect(await fileOf(as, sample)).toEqual(sample.content);
		});

		test.each([1, 65_536, 200_001])('give %i generated bytes', async (content) => {
			sandbox.answerDownloads({ as, content });
			const file = await fileOf(as, samples.video);
			expect(file.equals(Buffer.alloc(content, 'sandbox\0'))).toBe(true);
		});

		test('give other content than the sample', async () => {
			const content = Buffer.from('other content');
			sandbox.answerDownloads({ as, content });
			expect(await fileOf(as, samples.video)).toEqual(content);
		});
	});

	test.each<[string, string | undefined, Refusal]>([
		['fileAeskey', samples.video.aesKey, refusals.badFileKey],
		['fileAeskey', `${samples.document.aesKey}\n`, refusals.badFileKey],
		['fileAeskey', 'not hexadecimal', refusals.badFileKey],
		['fileAuthkey', samples.video.authKey, refusals.badFileKey],
		['fileUrl', 'https://example.com/unknown', refusals.noSuchFile],
	])('refuse the wrong %s %j', async (field, value, refusal) => {
		const reply = await client.post(DOWNLOAD, { ...fileBody(samples.document), [field]: value });
		expectReply(reply, refused(refusal));
		expectNothingDone();
	});

	test.each(everySample)('keep $name encrypted at its fileUrl', async (sample) => {
		const stored = await bytesBehind(sandbox.fieldsOf(sample).fileUrl);
		const [other] = everySample.filter(({ aesKey }) => aesKey !== sample.aesKey);
		expect(stored.equals(sample.content)).toBe(false);
		expect(decrypted(stored, sample.aesKey)).toEqual(sample.content);
		expect(decrypted(stored, other?.aesKey ?? '')).not.toEqual(sample.content);
	});

	test('name the file and its type in the headers of a link and of a body', async () => {
		const expected = {
			'content-type': 'application/pdf',
			'content-disposition': "attachment; filename*=UTF-8''%E6%8A%A5%E5%91%8A%202026.pdf",
		};
		const link = await linkOf(samples.document);
		expect(link).toMatch(/\/%E6%8A%A5%E5%91%8A%202026\.pdf\?signature=/);
		expect((await anyone.get(link)).headers).toMatchObject(expected);
		sandbox.answerDownloads({ as: 'body' });
		expect((await download(samples.document)).headers).toMatchObject(expected);
	});

	test('name the type in a data URI', async () => {
		sandbox.answerDownloads({ as: 'dataUri' });
		const { data } = await download(samples.voice);
		expect(data.data.file).toMatch(/^data:audio\/amr;base64,/);
	});

	test.each(['link', 'body'] as const)('take other headers for a %s', async (as) => {
		sandbox.answerDownloads({ as, headers: { 'content-type': 'text/x-other' } });
		const reply = await download(samples.document);
		const { headers } = as === 'body' ? reply : await anyone.get(reply.data.data.url);
		expect(headers['content-type']).toBe('text/x-other');
		expect(headers).not.toHaveProperty('content-disposition');
	});

	test('take another name for the link', async () => {
		sandbox.answerDownloads({ as: 'link', linkName: 'folder/other.bin' });
		const link = await linkOf(samples.voice);
		expect(new URL(link).pathname).toMatch(/\/folder\/other\.bin$/);
		expect(await bytesBehind(link)).toEqual(samples.voice.content);
	});

	test.each([null, 'text', [], { unrelated: 1 }])('take %j for data', async (data) => {
		sandbox.answerDownloads({ as: 'link', data } as DownloadResponse);
		expectReply(await download(samples.voice), success(data));
	});

	test('lead to the host that was called, whatever the host in fileUrl', async () => {
		const headers = { Host: 'host.docker.internal' };
		const reply = await client.post(DOWNLOAD, fileBody(samples.voice), { headers });
		expectReply(
			reply,
			success({ url: expect.stringMatching(/^http:\/\/host\.docker\.internal\/files\//) }),
		);
	});

	test('stream content that no memory could hold', async () => {
		sandbox.answerDownloads({ as: 'link', content: 2 ** 50 });
		const link = await linkOf(samples.video);
		const stream: Readable = (await anyone.get(link, { responseType: 'stream' })).data;
		let length = 0;
		for await (const chunk of stream) {
			length += (chunk as Buffer).length;
			if (length >= 1_000_000) break;
		}
		expect(length).toBeGreaterThanOrEqual(1_000_000);
	});
});

describe('misbehaviour', () => {
	interface Effect {
		more?: object;
		/** What the client sees: a reply, or the code of its error. */
		reply: object;
		isAccepted?: boolean;
	}

	const effects: Record<Misbehaviour['kind'], Effect> = {
		httpError: {
			more: { status: 503, retryAfter: '7' },
			reply: { ...failure(503, 50300, '503'), headers: { 'retry-after': '7' } },
		},
		refuse: { more: { code: 12345, message: 'no' }, reply: failure(200, 12345, 'no') },
		html: {
			reply: {
				status: 200,
				headers: { 'content-type': 'text/html' },
				data: expect.stringMatching(/^<!doctype html>/),
			},
		},
		empty: { reply: { status: 200, headers: { 'content-length': '0' }, data: '' } },
		// A string, as axios leaves what it cannot parse.
		invalidJson: {
			reply: {
				status: 200,
				headers: { 'content-type': 'application/json' },
				data: expect.stringMatching(/^\{"ok":true/),
			},
		},
		noRequestId: { reply: { status: 200, data: { ok: true, code: 0 } }, isAccepted: true },
		redirect: {
			more: { location: 'https://example.com/elsewhere' },
			reply: { status: 307, headers: { location: 'https://example.com/elsewhere' } },
		},
		delay: { more: { milliseconds: 20 }, reply: { status: 200 }, isAccepted: true },
		hang: { reply: { code: 'ECONNABORTED' } },
		dropBeforeReading: { reply: { code: 'ECONNRESET' } },
		dropAfterAccepting: { reply: { code: 'ECONNRESET' }, isAccepted: true },
		// How axios names a body that breaks off.
		truncate: { reply: { code: 'ERR_BAD_RESPONSE' }, isAccepted: true },
		stall: { reply: { code: 'ECONNABORTED' }, isAccepted: true },
	};
	const everyKind = Object.entries(effects).map(([kind, { more, reply, isAccepted = false }]) => ({
		kind,
		misbehaviour: { kind, ...more } as Misbehaviour,
		reply,
		isAccepted,
		config: { timeout: ['hang', 'stall'].includes(kind) ? 200 : 10_000 },
	}));

	const seen = async (request: Promise<AxiosResponse>) =>
		await request.catch(({ code }: { code: string }) => ({ code }));

	test.each(everyKind)('$kind', async ({ misbehaviour, reply, isAccepted, config }) => {
		sandbox.misbehave(misbehaviour);
		expect(await seen(client.post(SEND, message, config))).toMatchObject(reply);
		expect(sandbox.messages).toEqual(isAccepted ? [message] : []);
		expect(sandbox.requests).toMatchObject([{ isAccepted }]);
		expectReply(await send(), success());
	});

	// Nothing can be accepted before it is read.
	test.each(everyKind.filter(({ kind }) => kind !== 'dropBeforeReading'))(
		'$kind, but the other way with isAccepted',
		async ({ misbehaviour, reply, isAccepted, config }) => {
			sandbox.misbehave(misbehaviour, { isAccepted: !isAccepted });
			expect(await seen(client.post(SEND, message, config))).toMatchObject(reply);
			expect(sandbox.messages).toEqual(isAccepted ? [] : [message]);
			expect(sandbox.requests).toMatchObject([{ isAccepted: !isAccepted }]);
		},
	);

	test.each(everyKind)('$kind on a file', async ({ misbehaviour, reply, isAccepted, config }) => {
		sandbox.misbehave(misbehaviour, { on: 'file' });
		const link = await linkOf(samples.voice);
		expect(await seen(anyone.get(link, config))).toMatchObject(reply);
		expect(sandbox.requests).toMatchObject([{ isAccepted: true }, { isAccepted }]);
		expect(await seen(anyone.get(link))).toMatchObject({ status: 200 });
	});

	test('on a fileUrl too', async () => {
		sandbox.misbehave({ kind: 'httpError', status: 404 }, { on: 'file' });
		const { fileUrl } = sandbox.fieldsOf(samples.voice);
		expectReply(await anyone.get(fileUrl), failure(404, 40400, '404'));
	});

	test('on the API leaves files alone', async () => {
		const link = await linkOf(samples.voice);
		sandbox.misbehave({ kind: 'httpError', status: 503 });
		expect(await anyone.get(link)).toMatchObject({ status: 200 });
		expectReply(await send(), failure(503, 50300, '503'));
	});

	test.each([429, 500, 502, 503, 504])('an HTTP %i without an envelope', async (status) => {
		sandbox.misbehave({ kind: 'httpError', status, hasEnvelope: false });
		const { headers, ...reply } = await send();
		expect(reply).toMatchObject({ status, data: `<!doctype html><title>${status}</title>` });
		expect(headers['content-type']).toBe('text/html');
		expect(headers).not.toHaveProperty('retry-after');
	});

	test('noRequestId leaves nothing else out', async () => {
		sandbox.misbehave({ kind: 'noRequestId' });
		const data = { ok: true, code: 0, message: 'success', data: null };
		expectReply(await send(), { status: 200, data });
	});

	test('delay holds the answer back, not the work', async () => {
		sandbox.misbehave({ kind: 'delay', milliseconds: 200 });
		const startedAt = performance.now();
		let isAnswered = false;
		const reply = send().finally(() => (isAnswered = true));
		await eventually(() => sandbox.messages.length === 1);
		expect(isAnswered).toBe(false);
		expectReply(await reply, success({ messageId: 'sandbox-message-1' }));
		// A timer may fire a little early.
		expect(performance.now() - startedAt).toBeGreaterThanOrEqual(195);
	});

	test('hang sends not even headers', async () => {
		sandbox.misbehave({ kind: 'hang' });
		const config = { responseType: 'stream' as const, timeout: 200 };
		await expect(client.post(SEND, message, config)).rejects.toThrow('timeout');
	});

	test.each(['truncate', 'stall'] as const)('%s sends half of what it announces', async (kind) => {
		const { content } = samples.video;
		sandbox.answerDownloads({ as: 'body' });
		sandbox.misbehave({ kind });
		const config = { responseType: 'stream' as const };
		const { headers, data } = await client.post(DOWNLOAD, fileBody(samples.video), config);
		expect(headers).toMatchObject({
			'content-length': `${content.length}`,
			'content-type': 'video/mp4',
		});
		const half = content.subarray(0, Math.ceil(content.length / 2));
		const stream = data as Readable;
		const chunks: Buffer[] = [];
		stream.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {});
		await eventually(() => Buffer.concat(chunks).length >= half.length);
		if (kind === 'truncate') await eventually(() => stream.destroyed);
		else await wait(100); // in which nothing more may come
		expect(stream.destroyed).toBe(kind === 'truncate');
		expect(Buffer.concat(chunks)).toEqual(half);
		stream.destroy();
	});

	test.each([
		{ kind: 'dropBeforeReading' as const, body: undefined },
		{ kind: 'dropAfterAccepting' as const, body: message },
	])('$kind keeps to its name', async ({ kind, body }) => {
		sandbox.misbehave({ kind });
		await expect(send()).rejects.toMatchObject({ code: 'ECONNRESET' });
		expect(sandbox.requests[0]?.body).toEqual(body);
	});

	const statuses = async (...recipients: string[]) => {
		const replies: Array<number | string> = [];
		for (const toId of recipients) {
			const reply: { status?: number; code?: string } = await seen(
				client.post(SEND, { ...message, toId }),
			);
			replies.push(reply.status ?? reply.code ?? 'none');
		}
		return replies;
	};

	test('happens as many times as told', async () => {
		sandbox.misbehave({ kind: 'httpError', status: 500 }, { times: 2 });
		expect(await statuses('a', 'a', 'a')).toEqual([500, 500, 200]);
	});

	test('happens in the order in which it was planned', async () => {
		sandbox.misbehave({ kind: 'httpError', status: 503 });
		sandbox.misbehave({ kind: 'dropBeforeReading' });
		sandbox.misbehave({ kind: 'httpError', status: 500 });
		expect(await statuses('a', 'a', 'a', 'a')).toEqual([503, 'ECONNRESET', 500, 200]);
	});

	test.each<[Misbehaviour, number | string]>([
		[{ kind: 'httpError', status: 503 }, 503],
		[{ kind: 'dropBeforeReading' }, 'ECONNRESET'],
	])('%j happens only to the calls that it is meant for', async (misbehaviour, outcome) => {
		sandbox.misbehave(misbehaviour, { when: ({ toId }) => toId === 'b' });
		expect(await statuses('a', 'b', 'b')).toEqual([200, outcome, 200]);
	});

	test('waits for a call with the right key, but not for one with the right body', async () => {
		sandbox.misbehave({ kind: 'httpError', status: 503 });
		expectReply(await anyone.post(SEND, message), refused(refusals.badKey));
		expectReply(await client.post(SEND, {}), failure(503, 50300, '503'));
		expectReply(await client.post(SEND, {}), refused(refusals.badFields));
	});
});

describe('the record', () => {
	test('holds a request as it arrived', async () => {
		const rawBody = JSON.stringify(message, null, 2);
		const before = performance.now();
		await client.post(`${SEND}?trace=1`, Buffer.from(rawBody), {
			headers: { 'Content-Type': 'application/json; charset=utf-8', 'X-Trace': 'fake-trace' },
		});
		await eventually(() => sandbox.requests[0]?.endedAt !== undefined);

		expect(sandbox.requests).toEqual([
			{
				order: 1,
				method: 'POST',
				url: `${SEND}?trace=1`,
				headers: expect.objectContaining({
					'content-type': 'application/json; charset=utf-8',
					'x-service-key': KEY,
					'x-trace': 'fake-trace',
				}),
				rawBody,
				body: message,
				connection: expect.any(Number),
				startedAt: expect.any(Number),
				endedAt: expect.any(Number),
				isAccepted: true,
			},
		]);
		const { startedAt = 0, endedAt = 0 } = sandbox.requests[0] ?? {};
		const times = [before, startedAt, endedAt, performance.now()];
		expect(times).toEqual([...times].sort((a, b) => a - b));
	});

	test('holds requests in order of arrival, whatever became of them', async () => {
		await anyone.get('/unknown');
		await anyone.post(SEND, message);
		await client.post(SEND, Buffer.from('{'), { headers: { 'Content-Type': 'application/json' } });
		const link = await linkOf(samples.voice);
		await anyone.get(link);

		expect(sandbox.requests).toMatchObject([
			{ order: 1, method: 'GET', url: '/unknown', isAccepted: false },
			{ order: 2, method: 'POST', url: SEND, isAccepted: false },
			{ order: 3, method: 'POST', url: SEND, isAccepted: false, rawBody: '{' },
			{ order: 4, method: 'POST', url: DOWNLOAD, isAccepted: true },
			{ order: 5, method: 'GET', url: link.slice(sandbox.url.length), isAccepted: true },
		]);
		expect(sandbox.requests[2]).not.toHaveProperty('body');
	});

	test.each([
		{ keepAlive: true, connections: 1 },
		{ keepAlive: false, connections: 3 },
	])('tells connections apart: $connections', async ({ keepAlive, connections }) => {
		const httpAgent = new Agent({ keepAlive });
		for (let call = 0; call < 3; call++) await client.post(SEND, message, { httpAgent });
		httpAgent.destroy();
		const numbers = sandbox.requests.map(({ connection }) => connection);
		expect(numbers).toHaveLength(3);
		expect(new Set(numbers).size).toBe(connections);
	});

	test('ends a request when its connection is gone', async () => {
		sandbox.misbehave({ kind: 'hang' });
		const caller = new AbortController();
		const call = client.post(SEND, message, { signal: caller.signal });
		await eventually(() => sandbox.requests.length === 1);
		expect(sandbox.requests[0]?.endedAt).toBeUndefined();
		caller.abort();
		await expect(call).rejects.toThrow('canceled');
		await eventually(() => sandbox.requests[0]?.endedAt !== undefined);
	});
});

describe('over HTTP', () => {
	test('it can be told to misbehave', async () => {
		const told = { kind: 'httpError', status: 503, retryAfter: '7', hasEnvelope: false, times: 2 };
		expectReply(await anyone.post('/sandbox/misbehave', told), success(null));
		for (const status of [503, 503, 200]) expect((await send()).status).toBe(status);
	});

	test.each([
		{},
		{ kind: 'nonsense' },
		{ kind: 'httpError' },
		{ kind: 'delay' },
		{ kind: 'redirect' },
	])('it refuses to misbehave like %j', async (told) => {
		expect((await anyone.post('/sandbox/misbehave', told)).status).toBe(400);
		expect((await send()).status).toBe(200);
	});

	test('it can be told to misbehave to one recipient alone', async () => {
		await anyone.post('/sandbox/misbehave', { kind: 'httpError', status: 500, toId: 'b' });
		const statuses = ['a', 'b', 'b'].map(
			async (toId) => (await client.post(SEND, { ...message, toId })).status,
		);
		expect((await Promise.all(statuses)).sort()).toEqual([200, 200, 500]);
		expect(sandbox.messages.map(({ toId }) => toId).sort()).toEqual(['a', 'b']);
	});

	test.each([{}, { kind: 'nonsense' }])('it names the kinds when it refuses %j', async (told) => {
		const { data } = await anyone.post('/sandbox/misbehave', told);
		expect(data.message).toContain(`(${Object.keys(KINDS).join(', ')})`);
	});

	test('it offers every kind of misbehaviour, each in words that it takes', async () => {
		const { data } = await anyone.get('/sandbox/misbehave');
		const offered = (data.data as Choice[]).map(({ told }) => told);
		expect(new Set(offered.map(({ kind }) => kind))).toEqual(new Set(Object.keys(KINDS)));
		for (const told of offered) {
			expectReply(await anyone.post('/sandbox/misbehave', told), success(null));
		}
	});

	test('it can be told how to answer downloads', async () => {
		expectReply(await anyone.post('/sandbox/answer-downloads', { as: 'base64' }), success(null));
		const { data } = await download(samples.document);
		expect(data.data).toEqual({ content: samples.document.content.toString('base64') });
	});
});

test('reset forgets messages, requests, plans, answers and links', async () => {
	await send();
	const link = await linkOf(samples.voice);
	sandbox.misbehave({ kind: 'html' });
	sandbox.misbehave({ kind: 'html' }, { on: 'file' });
	sandbox.answerDownloads({ as: 'base64', data: 'other' });

	sandbox.reset();

	expect([sandbox.messages, sandbox.requests]).toEqual([[], []]);
	expectReply(await anyone.get(link), refused(refusals.noSuchPath));
	const again = await download(samples.voice);
	expectReply(again, success({ url: expect.any(String) }));
	expect((await anyone.get(again.data.data.url)).status).toBe(200);
	expect(sandbox.requests.map(({ order }) => order)).toEqual([1, 2, 3]);
});

test.each<[string, number]>([
	['127.0.0.1', 200],
	['127.0.0.1:4010', 200],
	['[::1]:4010', 200],
	['LOCALHOST:1', 200],
	['host.docker.internal:4010', 200],
	['workchat-sandbox:4010', 200],
	['Workchat-Sandbox:4010', 200],
	['localhost.:4010', 200],
	['a.localhost', 200],
	['attacker.example.com', 421],
	['127.0.0.1.example.com:4010', 421],
	['localhost.example.com', 421],
])('with the Host %s it answers %i', async (host, status) => {
	const other = await startSandbox({ key: KEY, names: ['Workchat-sandbox'] });
	const reply = await anyone.get(`${other.url}/`, { headers: { host }, validateStatus: null });
	await other.stop();
	expect(reply.status).toBe(status);
	expect(other.requests).toEqual([]);
});

test('stop ends open calls and frees the port', async () => {
	const other = await startSandbox({ key: KEY });
	other.misbehave({ kind: 'hang' });
	const call = client.post(`${other.url}${SEND}`, message).catch(({ code }) => code);
	await eventually(() => other.requests.length === 1);
	await other.stop();
	expect(await call).toBe('ECONNRESET');
	await expect(client.get(other.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test.each<[string, () => string[], RegExp]>([
	[
		'a busy port',
		() => ['--port', new URL(sandbox.url).port],
		/^Port \d+ is in use: .+--port\.\n$/,
	],
	['a port that is none', () => ['--port', 'x'], /^options.port should be .+\n$/],
	['an unknown option', () => ['--prot', '1'], /^Unknown option '--prot'.*\n$/],
])('npm run sandbox says in one line what is wrong with %s', async (_name, args, words) => {
	const program = join(projectRoot, 'build', 'dev', 'sandbox', 'cli.js');
	const child = spawn(process.execPath, [program, ...args()], {
		stdio: ['ignore', 'ignore', 'pipe'],
	});
	const [output, [code]] = await Promise.all([text(child.stderr!), once(child, 'close')]);
	expect([code, output]).toEqual([1, expect.stringMatching(words)]);
});
