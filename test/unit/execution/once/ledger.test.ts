import { useVirtualN8n } from '../../../support/virtual';

import { recipients } from '../../../../dev/engine/workflows';
import { customers } from '../../../support/messages';

const n8n = useVirtualN8n();

test('the same item with another operation is another message', async () => {
	n8n.answer = (toId) => (toId === 'customer-2' ? 'refused' : 'accepted');
	const failed = await n8n.run(recipients(3), { stopsOnError: true });
	n8n.answer = () => 'accepted';
	n8n.operation = 'sendOfAnotherKind';
	await n8n.retry(failed);
	expect(n8n.accepted).toEqual([...customers(1), ...customers(1, 2, 3)]);
});

test('an edited item with another API key is another message', async () => {
	n8n.answer = (toId) => (toId === 'customer-2' ? 'refused' : 'accepted');
	const failed = await n8n.run(recipients(2), { stopsOnError: true });
	n8n.answer = () => 'accepted';
	const edited = customers(1, 2).map((toId) => ({ toId, column: 'new' }));
	await n8n.retry(failed, { apiKey: 'another key' }, edited);
	expect(n8n.accepted).toEqual(customers(1, 1, 2));
});

test('a message that was resent after an unknown outcome is sent for the next Retry', async () => {
	n8n.answer = () => 'lost';
	const lost = await n8n.run(recipients(2), { stopsOnError: true });
	n8n.answer = (toId) => (toId === 'customer-1' ? 'accepted' : 'refused');
	const resent = await n8n.retry(lost, { stopsOnError: true, resendUnknown: true });
	n8n.answer = () => 'accepted';
	expect((await n8n.retry(resent, {})).ends).toEqual(['sent', 'sent']);
	expect(n8n.requested).toEqual(customers(1, 1, 2, 2));
});

test('after a cancelled execution, equal items that were edited are not sent again', async () => {
	const fates = ['accepted', 'refused', 'accepted'] as const;
	let sent = 0;
	n8n.answer = async () => fates[sent++] ?? (await n8n.clock.sleep(60_000), 'accepted');
	const items = customers(1, 1, 1, 2).map((toId) => ({ toId }));
	const cancelled = n8n.start(items);
	await n8n.pass(1000);
	cancelled.cancel();
	await n8n.until(cancelled.ended);
	const left = items.slice(0, 2).map((item) => ({ ...item, column: 'new' }));
	expect((await n8n.retry(cancelled, {}, left)).ends).toEqual(['sent', 'sent']);
	expect(n8n.requested).toHaveLength(4);
});

test('when equal items are added, only the added ones are sent', async () => {
	n8n.answer = (toId) => (toId === 'customer-2' ? 'refused' : 'accepted');
	const items = customers(1, 1, 2).map((toId) => ({ toId }));
	const failed = await n8n.run(items, { stopsOnError: true });
	const edited = customers(1, 1, 1).map((toId) => ({ toId, column: 'new' }));
	await n8n.retry(failed, {}, edited);
	expect(n8n.accepted).toEqual(customers(1, 1, 1));
});
