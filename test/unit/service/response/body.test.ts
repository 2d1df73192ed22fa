import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

import { Body } from '../../../../nodes/Workchat/service/response/body';
import { typeOfBytes } from '../../../../nodes/Workchat/service/file/mimeType';
import { openResponse } from '../../../../nodes/Workchat/service/http/http';
import { stopClockWhileBusy, within } from '../../../support/turns';
import { wording } from '../../../support/wording';

const openedFrom = async (body: Readable, timeout: number) => {
	const send = async () => ({ statusCode: 200, headers: {}, body });
	return await Body.of(await openResponse(send, { timeout }, wording));
};

beforeAll(stopClockWhileBusy);

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
	await expect(within(1000, content.read(1000))).rejects.toThrow(/no byte came/);
});

test('a consumer may take longer than the timeout', async () => {
	const parts = Array.from({ length: 4 }, () => Buffer.alloc(100_000));
	const body = Readable.from(parts);
	const response = await openResponse(
		async () => ({ statusCode: 200, headers: {}, body }),
		{ timeout: 300 },
		wording,
	);
	let bytes = 0;
	for await (const part of (await Body.of(response)).parts()) {
		await wait(400);
		bytes += part.length;
	}
	expect(bytes).toBe(400_000);
});
