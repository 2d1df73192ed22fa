import { useVirtualN8n } from '../../../support/virtual';

import { Readable } from 'node:stream';

import { openReply, type Timeout } from '../../../../nodes/Workchat/service/http/http';
import { about } from '../../../support/about';

const n8n = useVirtualN8n();
const TIMEOUT: Timeout = { milliseconds: 1000, covers: 'pauses' };
const head = { statusCode: 200, headers: {} };

test('a download does not time out while n8n stores a part of it', async () => {
	const body = Readable.from([Buffer.from('a'), Buffer.from('b')]);
	const reply = await n8n.until(openReply(async () => ({ ...head, body }), TIMEOUT, about));
	const read = async () => {
		let text = '';
		for await (const part of reply.bytes()) {
			text += String(part);
			await n8n.clock.sleep(5 * TIMEOUT.milliseconds);
		}
		return text;
	};
	expect(await n8n.until(read())).toBe('ab');
});

test('a response that arrives after the timeout leaves no connection open', async () => {
	const destroy = jest.fn();
	const send = async () => {
		await n8n.clock.sleep(5 * TIMEOUT.milliseconds);
		return { ...head, body: { destroy } };
	};
	await expect(n8n.until(openReply(send, TIMEOUT, about))).rejects.toThrow('in time');
	await n8n.pass();
	expect(destroy).toHaveBeenCalledTimes(1);
});
