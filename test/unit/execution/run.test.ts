import { recipients } from '../../../dev/engine/workflows';
import { all, customers } from '../../support/messages';
import { useVirtualN8n, type Fate } from '../../support/virtual';

import { Yielder } from '../../../nodes/Workchat/common/yielder';

const n8n = useVirtualN8n();

test('after a failure, requests in flight finish, and the others are counted as not tried', async () => {
	n8n.answer = async (toId): Promise<Fate> => {
		if (toId === 'customer-1') await n8n.clock.sleep(1500);
		return toId === 'customer-3' ? 'lost' : 'accepted';
	};
	const { error, took } = await n8n.run(recipients(9), { stopsOnError: true, maxConcurrency: 2 });
	expect(error?.context.itemIndex).toBe(2);
	expect(error?.description).toMatch(
		/: 2 sent, 1 may have been sent \(customer-3\), 6 not tried\./,
	);
	expect(n8n.requested).toEqual(customers(1, 2, 3));
	expect(took).toBe(1500);
});

test('a message that an earlier try sent is counted as sent, even if its turn does not come', async () => {
	n8n.answer = async (toId): Promise<Fate> => {
		if (toId === 'customer-1') await n8n.clock.sleep(1000);
		return toId === 'customer-1' ? 'refused' : 'accepted';
	};
	const failed = await n8n.run(recipients(2), { stopsOnError: true, maxConcurrency: 2 });
	const { error } = await n8n.retry(failed, { stopsOnError: true });
	expect(error?.description).toContain(': 1 sent, 1 failed (customer-1). ');
});

const KEY = 'Send Once Key.';
const REST = ", and run once with 'Resend if Unknown' and only those who did not get it.";
test.each([
	[1, 1, '', KEY],
	[3, 1, '', `${KEY} All other messages are done.`],
	[3, 2, 'spring', `${KEY} All other messages are done. Ask customer-2, customer-3${REST}`],
	[2, 2, '', `${KEY} Ask customer-1, customer-2${REST}`],
])('if of %d messages only %d are unknown, the last sentences say so: %j', async (...given) => {
	const [count, lost, sendOnceKey, words] = given;
	n8n.answer = (toId) => (Number(toId.slice(-1)) > count - lost ? 'lost' : 'accepted');
	let run = await n8n.run(recipients(count), { stopsOnError: true, sendOnceKey });
	for (let rest = count; rest > 0 && n8n.requested.length < count; rest--)
		run = await n8n.retry(run);
	expect((await n8n.retry(run)).error?.description.endsWith(words)).toBe(true);
});

test('if another Retry has taken over, the error does not advise to resend its messages', async () => {
	n8n.answer = (toId) => (toId === 'customer-2' ? 'refused' : 'accepted');
	const failed = await n8n.run(recipients(2), { stopsOnError: true });
	n8n.answer = () => 'accepted';
	await n8n.retry(failed, {});
	const { error } = await n8n.retry(failed, { stopsOnError: true });
	expect(error?.description).toContain(
		'Messages of this run: 1 sent, 1 may have been sent (customer-2).',
	);
	expect(error?.description).not.toContain('Resend if Unknown');
});

test('a message that waits for its Request Interval is not sent after a failure', async () => {
	n8n.answer = async (): Promise<Fate> => (await n8n.clock.sleep(1000), 'refused');
	const settings = { stopsOnError: true, maxConcurrency: 2, requestInterval: 5000 };
	await n8n.run(recipients(3), settings);
	expect(n8n.requested).toEqual(customers(1));
});

test('after a failure, no key is claimed for messages that still wait for the same recipient', async () => {
	n8n.answer = () => 'refused';
	const items = Array.from({ length: 40 }, (_, key) => ({ toId: 'customer-1', key: `${key}` }));
	await n8n.run(items, { sendOnceKey: 'spring', stopsOnError: true, maxConcurrency: 2 });
	expect(n8n.requested).toEqual(customers(1));
	const claims = n8n.logged.filter((line) => line.endsWith(': free, now written'));
	expect(claims.length).toBeLessThanOrEqual(15); // of the one in flight, and those claimed ahead
});

test('concurrent calls of a tool wait for each other, so the same message is sent once', async () => {
	n8n.answer = async (): Promise<Fate> => (await n8n.clock.sleep(1000), 'accepted');
	const settings = { asTool: {} };
	const calls = [1, 2].map(() => n8n.start(recipients(1), settings));
	await n8n.until(Promise.all(calls.map(async ({ ended }) => await ended)));
	expect(n8n.requested).toEqual(customers(1));
	expect(calls.map(({ ends }) => ends)).toEqual([['sent'], ['sent']]);
});

test('an invalid item stops the run before any key is claimed', async () => {
	let read = 0;
	const content = () => {
		if (++read === 3) throw new Error('bad');
	};
	const settings = { sendOnceKey: 'spring', stopsOnError: true, content };
	const { error } = await n8n.run(recipients(5), settings);
	expect(error?.context.itemIndex).toBe(2);
	expect(n8n.store?.calls).toEqual([]);
});

test.each([1, 5])(
	'if the node continues on errors, items are read on demand, %d at a time',
	async (most) => {
		/** For each item, how many messages had been sent when it was read. */
		const left: number[] = [];
		const content = () => left.push(n8n.requested.length);
		const { ends } = await n8n.run(recipients(20), { maxConcurrency: most, content });
		expect(ends).toEqual(all(20, 'sent'));
		expect(left.map((count, item) => item - count).every((ahead) => ahead < most)).toBe(true);
	},
);

/** Blocks the event loop for 10 ms. */
const work = () => void (n8n.clock.now += 10);

test.each([
	['reading', { content: work }, () => {}],
	['sending without any wait', {}, work],
])('while %s, many items do not block the event loop', async (_, settings, send) => {
	const yieldNow = jest.spyOn(Yielder.prototype, 'yieldNow');
	n8n.answer = () => (send(), 'accepted');
	await n8n.run(recipients(20), { stopsOnError: true, ...settings });
	expect(yieldNow.mock.calls.length).toBeGreaterThan(5);
});
