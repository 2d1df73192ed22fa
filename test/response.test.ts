import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

import { StopSignal } from '../nodes/Workchat/execution/stopSignal';
import { runTasks } from '../nodes/Workchat/execution/keyedQueue';
import { Body } from '../nodes/Workchat/service/body';
import { extensionOf, typeOfBytes } from '../nodes/Workchat/service/file/mimeType';
import { openResponse } from '../nodes/Workchat/service/http';
import type { RequestContext } from '../nodes/Workchat/service/requestContext';
import { responseFailure } from '../nodes/Workchat/service/responseFailure';
import { successEnvelope } from '../nodes/Workchat/service/workchat';

const context: RequestContext = {
	receiver: 'The service',
	isRepeatable: false,
	secrets: () => [],
};
const openedFrom = async (body: Readable, timeout: number) => {
	const send = async () => ({ statusCode: 200, headers: {}, body });
	return await Body.of(await openResponse(send, { timeout }, context));
};
const head = { status: 200, headers: {} };

test('a task that waited for its key goes before later ones', async () => {
	const started: number[] = [];
	const tasks = ['a', 'a', 'b', 'c'].map((key, index) => ({
		key,
		run: async () => {
			started.push(index);
			await wait(key === 'b' ? 50 : 5);
		},
	}));
	await runTasks(Readable.from(tasks), 2, new StopSignal());
	expect(started).toEqual([0, 2, 1, 3]);
});

test('code 0, but not ok, is unknown and not repeated', () => {
	let failure: unknown;
	try {
		successEnvelope(head, Buffer.from('{"ok":false,"code":0,"request_id":"svc_x"}'), context);
	} catch (error) {
		failure = error;
	}
	expect(failure).toMatchObject({
		message: expect.stringMatching(/not ok/) as string,
		outcome: 'unknown',
		transient: false,
	});
});

test('an envelope without ok is a success by its code', () => {
	expect(successEnvelope(head, Buffer.from('{"code":0}'), context)).toEqual({ code: 0 });
});

test.each(['{"code":"0"}', '{"code":1.5}', '{"code":null}', '[0]', 'null', '"0"'])(
	'%s is no envelope',
	(text) => {
		expect(() => successEnvelope(head, Buffer.from(text), context)).toThrow(
			/something else instead/,
		);
	},
);

test.each([405, 409, 413, 422, 451, 499])('HTTP %d is a refusal, not repeated', (status) => {
	const failure = responseFailure({ status, headers: {} }, {}, context);
	expect(failure).toMatchObject({ outcome: 'rejected', transient: false });
	expect(failure.message).toBe(`The service refused (HTTP ${status})`);
});

test.each<[number, string, boolean]>([
	[307, 'unknown', false],
	[429, 'rejected', true],
	[500, 'unknown', true],
	[502, 'unknown', true],
	[503, 'unknown', true],
	[504, 'unknown', true],
])('HTTP %d is %s, transient: %j', (status, outcome, transient) => {
	const failure = responseFailure({ status, headers: {} }, {}, context);
	expect(failure).toMatchObject({ outcome, transient });
});

test.each(['', '<html>', 'text'])('an answer %j instead of an envelope is transient', (text) => {
	let failure: unknown;
	try {
		successEnvelope(head, Buffer.from(text), context);
	} catch (error) {
		failure = error;
	}
	expect(failure).toMatchObject({ outcome: 'unknown', transient: true });
});

test('what a file is shows in its first bytes, in however small parts they come', async () => {
	const parts = [...'%PDF-1.7'.padEnd(700)].map((byte) => Buffer.from(byte));
	const body = Readable.from(parts);
	const content = await openedFrom(body, 1000);
	expect(content.first.length).toBeGreaterThanOrEqual(512);
	expect(typeOfBytes(content.first)).toBe('application/pdf');
	expect((await content.read(1000)).content).toHaveLength(700);
});

test('a stall after a slow consumer is still noticed', async () => {
	const body = Readable.from(
		(async function* () {
			yield Buffer.alloc(600);
			await wait(60_000, undefined, { ref: false });
		})(),
	);
	const content = await openedFrom(body, 300);
	await wait(600);
	const text = Promise.race([content.read(1000), wait(10_000, 'goes on', { ref: false })]);
	await expect(text).rejects.toThrow(/no byte came/);
});

test.each<[string, Buffer, string | undefined]>([
	['WebP', Buffer.from('RIFF\x24\0\0\0WEBPVP8 ', 'latin1'), 'image/webp'],
	['WAV', Buffer.from('RIFF\x24\0\0\0WAVEfmt ', 'latin1'), 'audio/wav'],
	['AVI', Buffer.from('RIFF\x24\0\0\0AVI LIST', 'latin1'), 'video/x-msvideo'],
	['HEIC', Buffer.from('\0\0\0\x18ftypheic', 'latin1'), 'image/heic'],
	['MOV', Buffer.from('\0\0\0\x14ftypqt  ', 'latin1'), 'video/quicktime'],
	['M4A', Buffer.from('\0\0\0\x14ftypM4A ', 'latin1'), 'audio/mp4'],
	['MP3 with tags', Buffer.from('ID3\x03', 'latin1'), 'audio/mpeg'],
	['MP3 without tags', Buffer.from([0xff, 0xfb, 0x90, 0x00]), 'audio/mpeg'],
	['Silk as chats write it', Buffer.from('\x02#!SILK_V3', 'latin1'), 'audio/silk'],
	['old Office', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'application/x-cfb'],
	['text in UTF-16', Buffer.from('\ufeffabc', 'utf16le'), undefined],
	['text that begins with BM', Buffer.from('BMW and more'), undefined],
	['nothing', Buffer.alloc(0), undefined],
])('the first bytes of %s', (_, first, mimeType) => {
	expect(typeOfBytes(first)).toBe(mimeType);
});

test('extensions', () => expect(extensionOf('image/jpeg')).toBe('jpg'));
