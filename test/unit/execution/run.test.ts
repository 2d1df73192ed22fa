import { recipients } from '../../../dev/engine/workflows';
import { all, customers } from '../../support/messages';
import { useVirtualN8n, type Fate } from '../../support/virtual';

import { Yielder } from '../../../nodes/Workchat/common/yielder';

const n8n = useVirtualN8n();

const WITHOUT_KEY =
	'To send the rest, retry (with the same data), or execute the workflow without the messages that were or may have been sent.';
const WITH_KEY =
	'Execute the workflow again with the same Send Once Key: it skips messages that were sent.';
const SAME_DATA =
	'Retry uses the same data again: corrections in it take effect in a new execution.';

test('after a failure, requests in flight finish, and the others are counted as not tried', async () => {
	n8n.answer = async (toId): Promise<Fate> => {
		if (toId === 'customer-1') await n8n.clock.sleep(1500);
		return toId === 'customer-3' ? 'lost' : 'accepted';
	};
	const { error, took } = await n8n.run(recipients(9), { stopsOnError: true, maxConcurrency: 2 });
	expect(error?.context.itemIndex).toBe(2);
	expect(error?.description).toBe(
		`The message to customer-3 may or may not have been sent; others: 2 sent, 6 not tried. Ask the recipient. ${WITHOUT_KEY}`,
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
	expect(error?.description).toContain('was not sent now; others: 1 sent. ');
});

const RESEND =
	"Ask the recipient. If a message did not arrive, run only that one again, with 'Resend if Unknown'.";
test.each([
	[1, 1, '', `sent. ${RESEND}`],
	[3, 1, '', `sent; others: 2 sent. ${RESEND}`],
	[3, 2, 'spring', `sent; others: 1 sent or skipped, 1 may have been sent (customer-3). ${RESEND}`],
	[2, 2, '', `sent; others: 1 may have been sent (customer-2). ${RESEND}`],
])('if of %d messages only %d are unknown, the error says how to resend: %j', async (...given) => {
	const [count, lost, sendOnceKey, words] = given;
	n8n.answer = (toId) => (Number(toId.slice(-1)) > count - lost ? 'lost' : 'accepted');
	let run = await n8n.run(recipients(count), { stopsOnError: true, sendOnceKey });
	for (let rest = count; rest > 0 && n8n.requested.length < count; rest--)
		run = await n8n.retry(run);
	expect((await n8n.retry(run)).error?.description.endsWith(words)).toBe(true);
});

/** Whether the refusal is about a value, the Send Once Key, messages before it, its advice, the last sentence. */
test.each<[boolean, string, number, string]>([
	[false, '', 0, ''],
	[true, '', 0, SAME_DATA],
	[true, 'spring', 0, SAME_DATA],
	[false, '', 1, WITHOUT_KEY],
	[true, '', 1, WITHOUT_KEY],
	[false, 'spring', 1, WITH_KEY],
	[true, 'spring', 1, WITH_KEY],
])(
	'the error about a refused message (about a value: %j, key: %j, sent before: %d) says how to send the rest',
	async (isAboutValue, sendOnceKey, sent, nextStep) => {
		n8n.answer = (toId) =>
			Number(toId.slice(-1)) <= sent ? 'accepted' : isAboutValue ? 'invalid' : 'refused';
		const { error } = await n8n.run(recipients(sent + 2), { stopsOnError: true, sendOnceKey });
		const before = sent > 0 ? `${sent} ${sendOnceKey ? 'sent or skipped' : 'sent'}, ` : '';
		const result = `The message to customer-${sent + 1} was not sent; others: ${before}1 not tried.`;
		expect(error?.description).toBe(`${result} Wait.${nextStep && ` ${nextStep}`}`);
	},
);

test('if another Retry has taken over, the error does not advise to resend its messages', async () => {
	n8n.answer = (toId) => (toId === 'customer-2' ? 'refused' : 'accepted');
	const failed = await n8n.run(recipients(2), { stopsOnError: true });
	n8n.answer = () => 'accepted';
	await n8n.retry(failed, {});
	const { error } = await n8n.retry(failed, { stopsOnError: true });
	expect(error?.description).toContain(
		'customer-2 may or may not have been sent; others: 1 sent. Retry the other Retry instead',
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
