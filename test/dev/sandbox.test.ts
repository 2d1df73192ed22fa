import { once } from 'node:events';
import { Agent } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';

import type { AxiosResponse } from 'axios';
import spawn from 'cross-spawn';

import { projectRoot } from '../../dev/projectRoot';
import { refusals, type Refusal } from '../../dev/sandbox/inventions';
import type { Choice } from '../../dev/sandbox/menu';
import { KINDS, type Misbehaviour, type Schedule } from '../../dev/sandbox/misbehaviour';
import { operations, type Operation } from '../../dev/sandbox/operations';
import { decrypted, samples, type Sample } from '../../dev/sandbox/samples';
import { startSandbox, type DownloadResponse } from '../../dev/sandbox/server';
import { DOWNLOAD, message, SEND, useSandbox } from '../support/clientsOf';
import { eventually } from '../support/turns';

/** Operations that the node might be given one day. */
const OTHER = '/workchat/example/message';
const given: Array<[path: string, ...fields: Operation['fields']]> = [
	['/workchat/example/no-fields'],
	['/workchat/example/one-field', { name: 'count', label: 'Count', type: 'integer' }],
	[
		OTHER,
		{ name: 'toId', label: 'Recipient ID', type: 'id' },
		{ name: 'text', label: 'Text', type: 'text' },
		{ name: 'code', label: 'Code', type: 'text', isSecret: true },
	],
];
operations.push(...given.map(([path, ...fields]) => ({ name: `Name of ${path}`, path, fields })));

const KEY = 'fake-sandbox-key';
const own = useSandbox(KEY);
const { send, download, fileBody } = own;
const linkOf = async (sample: Sample): Promise<string> => (await download(sample)).data.data.url;
const bytesBehind = async (url: string) =>
	Buffer.from((await own.anyone.get(url, { responseType: 'arraybuffer' })).data);

const everySample = Object.values(samples);
const requestId = expect.stringMatching(/^svc_./);
const success = (data: unknown = expect.anything()) => ({
	status: 200,
	data: { ok: true, code: 0, message: 'success', request_id: requestId, data },
});
const failure = (status: number, code: number, words: string) => ({
	status,
	data: {
		ok: false,
		code,
		message: expect.stringContaining(words),
		request_id: requestId,
		data: null,
	},
});
const refused = ({ status, code, message }: Refusal) => failure(status, code, message);

function expectReply({ status, data }: AxiosResponse, expected: object) {
	expect({ status, data }).toEqual(expected);
}

function expectNothingDone() {
	expect(own.sandbox.messages).toEqual([]);
	expect(own.sandbox.requests.filter(({ isAccepted }) => isAccepted)).toEqual([]);
}

const integers = ['fileSize', 'fileType', 'count'];
const sent = { messageId: 'sandbox-message-1' };
type Endpoint = [path: string, body: () => object, data: object];

describe.each<Endpoint>([
	[SEND, () => message, sent],
	[DOWNLOAD, () => fileBody(samples.document), { url: expect.any(String) }],
	['/workchat/example/no-fields', () => ({ instance_guid: 'fake-instance' }), {}],
	['/workchat/example/one-field', () => ({ instance_guid: 'fake-instance', count: 7 }), {}],
	[OTHER, () => ({ instance_guid: 'fake-instance', toId: 'c', text: 'Hi', code: '1' }), sent],
])('%s', (path, bodyOf, data) => {
	const body = bodyOf as () => Record<string, unknown>;

	async function expectRefused(refusedBody: object, ...words: string[]) {
		const reply = await own.client.post(path, refusedBody);
		expectReply(reply, refused(refusals.badFields));
		for (const word of words) expect(reply.data.message).toContain(word);
	}

	test('takes the documented body, and is among the messages if it has a recipient', async () => {
		expectReply(await own.client.post(path, body()), success(data));
		expect(own.sandbox.requests).toMatchObject([{ isAccepted: true, body: body() }]);
		expect(own.sandbox.messages).toEqual(data === sent ? [body()] : []);
	});

	test('refuses a body without its fields, with others or with wrong ones, and names them', async () => {
		const fields = Object.keys(body());
		await expectRefused({}, ...fields.map((field) => `'${field}'`));
		for (const field of fields)
			await expectRefused({ ...body(), [field]: undefined }, `'${field}'`);
		await expectRefused({ ...body(), extra: '1' });
		for (const index of [0, 1, 2, 3, 4, 5]) {
			const wrong = fields.map((field) => [
				field,
				(integers.includes(field)
					? ['1', '', 1.5, true, null, {}]
					: [1, '', true, null, {}, ['a']])[index],
			]);
			await expectRefused(Object.fromEntries(wrong), ...fields.map((field) => `/${field} must`));
		}
		expectNothingDone();
	});

	test('refuses any other API key', async () => {
		for (const key of [undefined, 'wrong-key', `${KEY}0`, KEY.toUpperCase()]) {
			const headers = key === undefined ? {} : { 'X-Service-Key': key };
			expectReply(await own.anyone.post(path, body(), { headers }), refused(refusals.badKey));
		}
		expectNothingDone();
	});
});

test('has the fields of the documentation', () => {
	const fieldsAt = (path: string) =>
		operations
			.find((operation) => operation.path === path)
			?.fields.map(({ name }) => name)
			.sort();
	const videoFields = ['channelName', 'channelUrl', 'coverUrl', 'encodeData', 'headImgUrl'];
	expect(fieldsAt(SEND)).toEqual([...videoFields, 'feedId', 'feedNo', 'username', 'toId'].sort());
	const fileFields = ['fileAeskey', 'fileAuthkey', 'fileSize', 'fileType', 'fileUrl'];
	expect(fieldsAt(DOWNLOAD)).toEqual(fileFields);
});

test('takes 1 to 5 as fileType, and nothing else', async () => {
	for (const fileType of [0, 1, 2, 3, 4, 5, 6, -1]) {
		const reply = await own.client.post(DOWNLOAD, { ...fileBody(samples.video), fileType });
		const isKnown = fileType >= 1 && fileType <= 5;
		expectReply(reply, isKnown ? success() : refused(refusals.badFields));
	}
});

test('keeps accepted messages in order and numbers them', async () => {
	for (const [index, toId] of ['a', '视频号'].entries()) {
		expectReply(await send(toId), success({ messageId: `sandbox-message-${index + 1}` }));
	}
	expect(own.sandbox.messages).toEqual(['a', '视频号'].map((toId) => ({ ...message, toId })));
});

describe('the envelope', () => {
	type Call = () => Promise<AxiosResponse>;
	const calling =
		(method: string, url: string, who: 'client' | 'anyone' = 'client'): Call =>
		async () =>
			await own[who].request({ method, url, data: message });
	const posting =
		(body: string, headers: Record<string, string | false> = {}): Call =>
		async () =>
			await own.client.post(SEND, Buffer.from(body), {
				headers: { 'Content-Type': 'application/json', ...headers },
			});
	const misbehaving =
		(misbehaviour: Misbehaviour, schedule?: Schedule): Call =>
		async () => {
			own.sandbox.misbehave(misbehaviour, schedule);
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
		['a wrong key', calling('POST', SEND, 'anyone'), refused(badKey)],
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
	const ids = new Set<string>();

	test.each(replies)('answers %s, each time with another request_id', async (_, call, expected) => {
		for (const count of [1, 2]) {
			const reply = await call();
			expectReply(reply, expected);
			expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
			expect(own.sandbox.requests).toHaveLength(count);
			expect(ids).not.toContain(reply.data.request_id);
			ids.add(reply.data.request_id);
		}
	});
});

describe('downloads', () => {
	const contentOf: Record<DownloadResponse['as'], (body: Buffer, data: never) => unknown> = {
		body: (body) => body,
		link: async (_, { url }: { url: string }) => await bytesBehind(url),
		base64: (_, { content }: { content: string }) => Buffer.from(content, 'base64'),
		dataUri: (_, { file }: { file: string }) =>
			Buffer.from(file.split(';base64,')[1] ?? '', 'base64'),
		nested: async (_, { result }: { result: { files: [{ downloadUrl: string }] } }) =>
			await bytesBehind(result.files[0].downloadUrl),
	};
	const ways = Object.keys(contentOf) as Array<DownloadResponse['as']>;

	test.each(ways)('as %s give samples, and other content as told', async (as) => {
		const fileOf = async (sample: Sample) => {
			const config = { responseType: 'arraybuffer' as const };
			const body = Buffer.from((await own.client.post(DOWNLOAD, fileBody(sample), config)).data);
			const data = as === 'body' ? undefined : JSON.parse(body.toString()).data;
			return await contentOf[as](body, data as never);
		};
		own.sandbox.answerDownloads({ as });
		for (const sample of everySample) expect(await fileOf(sample)).toEqual(sample.content);
		for (const content of [1, 65_536, 200_001, Buffer.from('other content')]) {
			own.sandbox.answerDownloads({ as, content });
			const expected = Buffer.isBuffer(content) ? content : Buffer.alloc(content, 'sandbox\0');
			expect(expected.equals((await fileOf(samples.video)) as Buffer)).toBe(true);
		}
	});

	test('have a sample for each fileType, which is encrypted at its fileUrl', async () => {
		expect([...new Set(everySample.map(({ fileType }) => fileType))]).toEqual([1, 2, 3, 4, 5]);
		for (const sample of everySample) {
			const { content, aesKey, authKey, fileType, path } = sample;
			expect(content.length).toBeGreaterThan(500);
			const fields = own.sandbox.fieldsOf(sample);
			expect(fields).toEqual({
				fileAeskey: aesKey,
				fileAuthkey: authKey,
				fileSize: content.length,
				fileType,
				fileUrl: `${own.sandbox.url}${path}`,
			});
			const stored = await bytesBehind(fields.fileUrl);
			const other = everySample.find((another) => another.aesKey !== aesKey);
			expect(stored.equals(content)).toBe(false);
			expect(decrypted(stored, aesKey)).toEqual(content);
			expect(decrypted(stored, other?.aesKey ?? '')).not.toEqual(content);
		}
	});

	test.each<[string, string, Refusal]>([
		['fileAeskey', samples.video.aesKey, refusals.badFileKey],
		['fileAeskey', `${samples.document.aesKey}\n`, refusals.badFileKey],
		['fileAeskey', 'not hexadecimal', refusals.badFileKey],
		['fileAuthkey', samples.video.authKey, refusals.badFileKey],
		['fileUrl', 'https://example.com/unknown', refusals.noSuchFile],
	])('refuse the wrong %s %j', async (field, value, refusal) => {
		const body = { ...fileBody(samples.document), [field]: value };
		expectReply(await own.client.post(DOWNLOAD, body), refused(refusal));
		expectNothingDone();
	});

	const usual = {
		'content-type': 'application/pdf',
		'content-disposition': "attachment; filename*=UTF-8''%E6%8A%A5%E5%91%8A%202026.pdf",
	};
	const headersOf = async (answer: DownloadResponse) => {
		own.sandbox.answerDownloads(answer);
		const reply = await download(samples.document);
		return (answer.as === 'body' ? reply : await own.anyone.get(reply.data.data.url)).headers;
	};
	test.each(['link', 'body'] as const)('as %s have headers, or others as told', async (as) => {
		expect(await headersOf({ as })).toMatchObject(usual);
		const headers = await headersOf({ as, headers: { 'content-type': 'text/x-other' } });
		expect(headers['content-type']).toBe('text/x-other');
		expect(headers).not.toHaveProperty('content-disposition');
	});

	test('name the type in a data URI', async () => {
		own.sandbox.answerDownloads({ as: 'dataUri' });
		const { data } = await download(samples.voice);
		expect(data.data.file).toMatch(/^data:audio\/amr;base64,/);
	});

	test('name the file in the link, or another as told', async () => {
		expect(await linkOf(samples.document)).toMatch(/\/%E6%8A%A5%E5%91%8A%202026\.pdf\?signature=/);
		own.sandbox.answerDownloads({ as: 'link', linkName: 'folder/other.bin' });
		const link = await linkOf(samples.voice);
		expect(new URL(link).pathname).toMatch(/\/folder\/other\.bin$/);
		expect(await bytesBehind(link)).toEqual(samples.voice.content);
	});

	test.each([null, 'text', [], { unrelated: 1 }])('take %j for data', async (data) => {
		own.sandbox.answerDownloads({ as: 'link', data });
		expectReply(await download(samples.voice), success(data));
	});

	test('lead to the host that was called, whatever the host in fileUrl', async () => {
		const headers = { Host: 'host.docker.internal' };
		const { data } = await own.client.post(DOWNLOAD, fileBody(samples.voice), { headers });
		expect(data.data.url).toMatch(/^http:\/\/host\.docker\.internal\/files\//);
	});

	test('stream content that no memory could hold', async () => {
		own.sandbox.answerDownloads({ as: 'link', content: 2 ** 50 });
		const link = await linkOf(samples.video);
		const stream: Readable = (await own.anyone.get(link, { responseType: 'stream' })).data;
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
		noRequestId: { reply: { status: 200 }, isAccepted: true },
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
	const statuses = async (...recipients: string[]) => {
		const replies: Array<number | string> = [];
		for (const toId of recipients) {
			const reply: { status?: number; code?: string } = await seen(send(toId));
			replies.push(reply.status ?? reply.code ?? 'none');
		}
		return replies;
	};

	describe.each(everyKind)('$kind', ({ kind, misbehaviour, reply, isAccepted, config }) => {
		// Nothing can be accepted before it is read.
		const choices = kind === 'dropBeforeReading' ? [undefined] : [undefined, !isAccepted];
		test.each(choices)('of one call, with isAccepted %s', async (chosen) => {
			const isDone = chosen ?? isAccepted;
			own.sandbox.misbehave(misbehaviour, { isAccepted: chosen });
			expect(await seen(own.client.post(SEND, message, config))).toMatchObject(reply);
			expect(own.sandbox.messages).toEqual(isDone ? [message] : []);
			expect(own.sandbox.requests).toMatchObject([{ isAccepted: isDone }]);
			const isRead = kind !== 'dropBeforeReading';
			expect(own.sandbox.requests[0]?.body).toEqual(isRead ? message : undefined);
			expectReply(await send(), success());
		});

		test('of one link to a file', async () => {
			own.sandbox.misbehave(misbehaviour, { on: 'file' });
			const link = await linkOf(samples.voice);
			expect(await seen(own.anyone.get(link, config))).toMatchObject(reply);
			expect(own.sandbox.requests).toMatchObject([{ isAccepted: true }, { isAccepted }]);
			expect(await seen(own.anyone.get(link))).toMatchObject({ status: 200 });
		});
	});

	test('on a fileUrl too; that on the API leaves files alone', async () => {
		const { fileUrl } = own.sandbox.fieldsOf(samples.voice);
		own.sandbox.misbehave({ kind: 'httpError', status: 503 });
		expect(await own.anyone.get(fileUrl)).toMatchObject({ status: 200 });
		own.sandbox.misbehave({ kind: 'httpError', status: 404 }, { on: 'file' });
		expectReply(await own.anyone.get(fileUrl), failure(404, 40400, '404'));
		expectReply(await send(), failure(503, 50300, '503'));
	});

	test('an HTTP error without an envelope', async () => {
		own.sandbox.misbehave({ kind: 'httpError', status: 502, hasEnvelope: false });
		const { headers, ...reply } = await send();
		expect(reply).toMatchObject({ status: 502, data: '<!doctype html><title>502</title>' });
		expect(headers['content-type']).toBe('text/html');
		expect(headers).not.toHaveProperty('retry-after');
	});

	test('noRequestId leaves nothing else out', async () => {
		own.sandbox.misbehave({ kind: 'noRequestId' });
		const data = { ok: true, code: 0, message: 'success', data: null };
		expectReply(await send(), { status: 200, data });
	});

	test('delay holds the answer back, not the work', async () => {
		own.sandbox.misbehave({ kind: 'delay', milliseconds: 200 });
		const startedAt = performance.now();
		let isAnswered = false;
		const reply = send().finally(() => (isAnswered = true));
		await eventually(() => own.sandbox.messages.length === 1);
		expect(isAnswered).toBe(false);
		expectReply(await reply, success(sent));
		// A timer may fire a little early.
		expect(performance.now() - startedAt).toBeGreaterThanOrEqual(195);
	});

	test('hang sends not even headers', async () => {
		own.sandbox.misbehave({ kind: 'hang' });
		const config = { responseType: 'stream' as const, timeout: 200 };
		await expect(own.client.post(SEND, message, config)).rejects.toThrow('timeout');
	});

	test.each(['truncate', 'stall'] as const)('%s sends half of what it announces', async (kind) => {
		const { content } = samples.video;
		own.sandbox.answerDownloads({ as: 'body' });
		own.sandbox.misbehave({ kind });
		const config = { responseType: 'stream' as const };
		const { headers, data } = await own.client.post(DOWNLOAD, fileBody(samples.video), config);
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

	test('happens as many times as told, in the order in which it was planned', async () => {
		own.sandbox.misbehave({ kind: 'httpError', status: 503 }, { times: 2 });
		own.sandbox.misbehave({ kind: 'dropBeforeReading' });
		own.sandbox.misbehave({ kind: 'httpError', status: 500 });
		const expected = [503, 503, 'ECONNRESET', 500, 200];
		expect(await statuses('a', 'a', 'a', 'a', 'a')).toEqual(expected);
	});

	test.each<[Misbehaviour, number | string]>([
		[{ kind: 'httpError', status: 503 }, 503],
		[{ kind: 'dropBeforeReading' }, 'ECONNRESET'],
	])('%j happens only to the calls that it is meant for', async (misbehaviour, outcome) => {
		own.sandbox.misbehave(misbehaviour, { toId: 'b' });
		expect(await statuses('a', 'b', 'b')).toEqual([200, outcome, 200]);
	});

	test('waits for a call with the right key, but not for one with the right body', async () => {
		own.sandbox.misbehave({ kind: 'httpError', status: 503 });
		expectReply(await own.anyone.post(SEND, message), refused(refusals.badKey));
		expectReply(await own.client.post(SEND, {}), failure(503, 50300, '503'));
		expectReply(await own.client.post(SEND, {}), refused(refusals.badFields));
	});

	describe('as it can be told over HTTP', () => {
		const tell = async (told: object) => await own.anyone.post('/sandbox/misbehave', told);

		test('happens so often, and to one recipient alone', async () => {
			const told = { kind: 'httpError', status: 503, retryAfter: '7', hasEnvelope: false };
			expectReply(await tell({ ...told, times: 2, toId: 'b' }), success(null));
			expect(await statuses('b', 'a', 'b', 'b')).toEqual([503, 200, 503, 200]);
			expect(own.sandbox.messages.map(({ toId }) => toId)).toEqual(['a', 'b']);
		});

		test.each([{}, { kind: 'nonsense' }])('names the kinds when it refuses %j', async (told) => {
			const { status, data } = await tell(told);
			expect([status, data.message]).toEqual([
				400,
				expect.stringContaining(`(${Object.keys(KINDS).join(', ')})`),
			]);
		});

		test.each(['httpError', 'refuse', 'redirect', 'delay'])(
			'asks what %s is like',
			async (kind) => {
				expect((await tell({ kind })).status).toBe(400);
				expect(await statuses('a')).toEqual([200]);
			},
		);

		test('offers every kind, each in words that it takes', async () => {
			const { data } = await own.anyone.get('/sandbox/misbehave');
			const offered = (data.data as Choice[]).map(({ told }) => told);
			expect(new Set(offered.map(({ kind }) => kind))).toEqual(new Set(Object.keys(KINDS)));
			for (const told of offered) expectReply(await tell(told), success(null));
		});
	});
});

test('can be told over HTTP how to answer downloads', async () => {
	const told = await own.anyone.post('/sandbox/answer-downloads', { as: 'base64' });
	expectReply(told, success(null));
	const { content } = samples.document;
	expectReply(await download(samples.document), success({ content: content.toString('base64') }));
});

describe('the record', () => {
	test('holds a request as it arrived', async () => {
		const rawBody = JSON.stringify(message, null, 2);
		const before = performance.now();
		await own.client.post(`${SEND}?trace=1`, Buffer.from(rawBody), {
			headers: { 'Content-Type': 'application/json; charset=utf-8', 'X-Trace': 'fake-trace' },
		});
		await eventually(() => own.sandbox.requests[0]?.endedAt !== undefined);

		expect(own.sandbox.requests).toEqual([
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
		const { startedAt = 0, endedAt = 0 } = own.sandbox.requests[0] ?? {};
		const times = [before, startedAt, endedAt, performance.now()];
		expect(times).toEqual([...times].sort((a, b) => a - b));
	});

	test('holds requests in order of arrival, whatever became of them', async () => {
		const { anyone, client, sandbox } = own;
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
		for (let call = 0; call < 3; call++) await own.client.post(SEND, message, { httpAgent });
		httpAgent.destroy();
		const numbers = own.sandbox.requests.map(({ connection }) => connection);
		expect([numbers.length, new Set(numbers).size]).toEqual([3, connections]);
	});

	test('ends a request when its connection is gone', async () => {
		own.sandbox.misbehave({ kind: 'hang' });
		const caller = new AbortController();
		const call = own.client.post(SEND, message, { signal: caller.signal });
		await eventually(() => own.sandbox.requests.length === 1);
		expect(own.sandbox.requests[0]?.endedAt).toBeUndefined();
		caller.abort();
		await expect(call).rejects.toThrow('canceled');
		await eventually(() => own.sandbox.requests[0]?.endedAt !== undefined);
	});
});

test('reset forgets messages, requests, plans, answers and links', async () => {
	await send();
	const link = await linkOf(samples.voice);
	own.sandbox.misbehave({ kind: 'html' });
	own.sandbox.misbehave({ kind: 'html' }, { on: 'file' });
	own.sandbox.answerDownloads({ as: 'base64', data: 'other' });

	own.sandbox.reset();

	expect([own.sandbox.messages, own.sandbox.requests]).toEqual([[], []]);
	expectReply(await own.anyone.get(link), refused(refusals.noSuchPath));
	const again = await download(samples.voice);
	expectReply(again, success({ url: expect.any(String) }));
	expect((await own.anyone.get(again.data.data.url)).status).toBe(200);
	expect(own.sandbox.requests.map(({ order }) => order)).toEqual([1, 2, 3]);
});

test('answers to names of this machine alone, and to those that it was given', async () => {
	const other = await startSandbox({ key: KEY, names: ['Workchat-sandbox'] });
	const known = [
		...['127.0.0.1', '127.0.0.1:4010', '[::1]:4010', 'LOCALHOST:1', 'localhost.:4010'],
		...['a.localhost', 'host.docker.internal:4010', 'workchat-sandbox:4010', 'Workchat-Sandbox:1'],
	];
	const unknown = ['attacker.example.com', '127.0.0.1.example.com:4010', 'localhost.example.com'];
	for (const host of [...known, ...unknown]) {
		const { status } = await own.anyone.get(`${other.url}/`, { headers: { host } });
		expect([host, status]).toEqual([host, known.includes(host) ? 200 : 421]);
	}
	expect(other.requests).toEqual([]);
	await other.stop();
});

test('stop ends open calls and frees the port', async () => {
	const other = await startSandbox({ key: KEY });
	other.misbehave({ kind: 'hang' });
	const call = own.client.post(`${other.url}${SEND}`, message).catch(({ code }) => code);
	await eventually(() => other.requests.length === 1);
	await other.stop();
	expect(await call).toBe('ECONNRESET');
	await expect(own.client.get(other.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test.each<[string, () => string[], RegExp]>([
	[
		'a busy port',
		() => ['--port', new URL(own.sandbox.url).port],
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
