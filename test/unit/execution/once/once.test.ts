import { assert, type IExecuteFunctions } from 'n8n-workflow';

import { all } from '../../../support/messages';
import { failing, useVirtualN8n, type Fate, type Settings } from '../../../support/virtual';

import { ANY_ROW, DeduplicationStandIn } from '../../../../dev/engine/deduplicationStandIn';
import { recipients } from '../../../../dev/engine/workflows';
import { entriesOf, executionKey } from '../../../../nodes/Workchat/execution/once/claimKeys';
import { ClaimStore, claimStoreOf } from '../../../../nodes/Workchat/execution/once/claimStore';

const n8n = useVirtualN8n();
const one = recipients(1);
const spring = { sendOnceKey: 'spring' };
const storeOfNode = (workflow: string, node = 'node') =>
	claimStoreOf({
		getWorkflow: () => ({ id: workflow }),
		getNode: () => ({ id: node }),
		helpers: {},
	} as IExecuteFunctions);

test('each node of each workflow has its own Send Once Keys', () => {
	expect(storeOfNode('one')).toBe(storeOfNode('one'));
	expect(storeOfNode('one')).not.toBe(storeOfNode('one', 'another node'));
	expect(storeOfNode('one')).not.toBe(storeOfNode('another'));
});

test('a notice warns if the node has more than half of the entries that n8n keeps', async () => {
	const send = async (toId: string) => (await n8n.run([{ toId }], spring)).hints;
	// For example of other processes. The message and the execution marker add three entries.
	const before = Array.from({ length: 20_497 }, (_, index) => `entry ${index}`);
	n8n.store = new DeduplicationStandIn(undefined, undefined, new Map([[ANY_ROW, before]]));
	expect(await send('last')).toEqual([]);
	expect(await send('one more')).toEqual([
		expect.stringMatching(
			/^n8n has 20503 of at most 41000 entries .* older messages are forgotten/,
		),
	]);
});

test('a Retry that ends completes its claim of the execution, so no other Retry sends these messages', async () => {
	n8n.answer = () => 'refused';
	const failed = await n8n.run(one, { stopsOnError: true });
	await n8n.retry(failed);
	const ofLedger = n8n.store.entries().filter((entry) => entry.includes('"id"'));
	expect(ofLedger).toEqual([executionKey({ id: failed.id, runs: 1 })]);
});

test.each([
	['a first execution does not send', false, spring, 'notSent'],
	['a first execution without a key sends', false, {}, 'sent'],
	['a Retry does not send, as a killed execution may have sent it', true, spring, 'unknown'],
	['a Retry without a key does not send', true, {}, 'unknown'],
])('if n8n does not answer, %s', async (_, isRetry, settings, end) => {
	const killed = { ...(await n8n.run(one, settings)), saved: {} };
	n8n.store = new DeduplicationStandIn(failing(() => true));
	const { ends } = isRetry ? await n8n.retry(killed) : await n8n.run(one, settings);
	expect(ends).toEqual([end]);
	expect(n8n.logged).toContain('Workchat: deduplication store failed: gone');
});

test('if n8n stops answering before Retry On Fail resends an unknown message, it stays unknown', async () => {
	n8n.answer = () => 'lost';
	const failed = await n8n.run(one, { ...spring, resendUnknown: true, stopsOnError: true });
	n8n.store = new DeduplicationStandIn(failing(() => true));
	const { error } = await n8n.retryOnFail(failed);
	expect(error?.message).toMatch(/^Not sent again: It was lost\. Now: n8n could not tell/);
	expect(error?.description).toMatch(/^The message to customer-1 may or may not have been sent/);
});

test('if n8n stops answering, claimed messages are unknown, and all others are not sent', async () => {
	n8n.store = new DeduplicationStandIn(failing((check) => check > 1));
	const { ends } = await n8n.run(recipients(10), spring);
	expect(ends).toEqual([...all(7, 'unknown'), ...all(3, 'notSent')]);
});

const toOne = Array.from({ length: 40 }, (_, key) => ({ toId: 'customer-1', key: `${key}` }));
test.each<[string, Settings, Array<{ toId: string }>, number]>([
	['the message in flight and six more', {}, recipients(40), 7],
	[
		'the message in flight, with a long Request Interval',
		{ requestInterval: 500 },
		recipients(40),
		1,
	],
	[
		'the message in flight and 13 more to one recipient, although all are read at once',
		{ maxConcurrency: 2 },
		toOne,
		14,
	],
])(
	'a killed run leaves these messages unknown, and no others: %s',
	async (_, settings, items, most) => {
		n8n.answer = async (): Promise<Fate> => (await n8n.clock.sleep(1000), 'accepted');
		const killed = n8n.start(items, { ...spring, ...settings });
		const isOpen = (entry: string) => /"key".* open$/.test(entry);
		const counts: number[] = [];
		for (let second = 0; second < 5; second++) {
			await n8n.pass(950);
			counts.push(n8n.store.entries().filter(isOpen).length);
		}
		expect(Math.max(...counts)).toBe(most);
		killed.cancel();
		await n8n.until(killed.ended);
	},
);

test('of two items with the same key and recipient, the second is skipped, without a notice', async () => {
	const { ends, hints } = await n8n.run([...one, ...one], spring);
	expect([ends, n8n.requested, hints]).toEqual([['sent', 'skipped'], ['customer-1'], []]);
});

test.each([
	['a Send Once Key that was typed on a Mac', { sendOnceKey: 'cafe\u0301' }],
	['a Base URL in capitals and with its port', { baseUrl: 'HTTPS://EXAMPLE.com:443' }],
])('%s is the same one, so nobody gets the message again', async (_, more) => {
	const settings = { sendOnceKey: 'caf\u00e9' };
	await n8n.run(one, settings);
	expect((await n8n.run(one, { ...settings, ...more })).ends).toEqual(['skipped']);
});

test('the log has a line for each step of a claim, and names no recipient', async () => {
	await n8n.run(one, spring);
	await n8n.run(one, spring);
	const free = '{"ledger":"free","key":"free","execution":"free"}';
	expect(n8n.logged.map((line) => line.replace(/claim [\w+/]{8}/, 'claim'))).toEqual([
		'Workchat: claim: free, now written',
		'Workchat: claim: held',
		`Workchat: item 1, claim: send, evidence ${free}`,
		'Workchat: claim: completed',
		'Workchat: claim: completed in n8n',
		'Workchat: claim: completed before',
		'Workchat: item 1, claim: skip, evidence {"ledger":"free","key":"completed","execution":"free"}',
		'Workchat: claim: completed in n8n',
	]);
});

test('a message that another execution is sending is checked again when its turn comes', async () => {
	n8n.answer = async (): Promise<Fate> => (await n8n.clock.sleep(500), 'accepted');
	const other = n8n.start(one, spring);
	await n8n.pass(300);
	const { ends } = await n8n.run(recipients(2).reverse(), spring);
	expect([ends, (await other.ended).ends]).toEqual([['sent', 'skipped'], ['sent']]);
});

test('a run ends even if n8n does not record everything in time, and logs that', async () => {
	const before = async (operation: string) => {
		if (operation === 'update' && n8n.accepted.length > 0) await n8n.clock.sleep(60_000);
	};
	n8n.store = new DeduplicationStandIn({ before });
	const { ends, took } = await n8n.run(one, spring);
	expect(ends).toEqual(['sent']);
	expect(took).toBeLessThan(4000);
	expect(n8n.logged.at(-1)).toBe('Workchat: ended before n8n had recorded everything');
});

/** The first of two messages is sent, and the other refused. A killed execution leaves no ledger. */
test.each<[string, string[], string, string[]]>([
	['failed', ['spring', 'spring'], 'spring', ['sent', 'sent']],
	['failed', ['spring', 'summer', ''], 'spring', ['sent', 'sent']],
	['failed', ['spring'], 'summer', ['sent', 'unknown']],
	['failed', ['spring'], '', ['sent', 'unknown']],
	['failed', ['', 'spring'], 'spring', ['sent', 'sent']],
	['failed', ['', 'spring'], 'summer', ['sent', 'unknown']],
	['failed', ['', 'spring'], '', ['sent', 'unknown']],
	['failed', ['', ''], 'spring', ['sent', 'unknown']],
	['was killed', ['spring'], 'spring', ['skipped', 'sent']],
	['was killed', ['spring', 'spring'], 'spring', ['skipped', 'sent']],
	['was killed', ['spring'], 'summer', ['unknown', 'unknown']],
	['was killed', ['spring'], '', ['unknown', 'unknown']],
	['was killed', [''], 'spring', ['unknown', 'unknown']],
])(
	'after an execution %s with the keys %j, a Retry with the key %j reports %j, and nobody gets a message twice',
	async (how, keys, key, ends) => {
		const stops = (sendOnceKey = '') => ({ sendOnceKey, stopsOnError: true });
		n8n.answer = (toId) => (toId === 'customer-2' ? 'refused' : 'accepted');
		const [first, ...retries] = keys;
		const failed = await n8n.run(recipients(2), stops(first));
		if (how === 'was killed') failed.saved = {};
		for (const retry of retries) await n8n.retry(failed, stops(retry));
		n8n.answer = () => 'accepted';
		expect((await n8n.retry(failed, { sendOnceKey: key })).ends).toEqual(ends);
		expect(new Set(n8n.accepted).size).toBe(n8n.accepted.length);
	},
);

/** Unreadable: for example, an expression names a node without data. Both messages are refused at first. */
test.each<[string, string, Settings, string]>([
	['failed', 'not sent', {}, 'notSent'],
	['failed', 'unknown with its key, as only the key knows', spring, 'unknown'],
	['failed, and was retried', 'unknown, as the other Retry may have sent it', {}, 'unknown'],
	['failed, and was retried', 'unknown with its key, too', spring, 'unknown'],
	['was killed', 'unknown', {}, 'unknown'],
	['was killed', 'unknown with its key, too', spring, 'unknown'],
	['failed, and was edited', 'unknown, as it may be the lost one', {}, 'unknown'],
	['was killed, and n8n does not answer', 'unknown', {}, 'unknown'],
])(
	'if the execution %s, its Retry reports an unreadable item as %s',
	async (how, _, settings, end) => {
		n8n.answer = () => (how.endsWith('edited') ? 'lost' : 'refused');
		const failed = await n8n.run(recipients(2), { ...settings, stopsOnError: true });
		if (how.includes('killed')) failed.saved = {};
		if (how.endsWith('retried')) await n8n.retry(failed);
		if (how.endsWith('answer')) n8n.store = new DeduplicationStandIn(failing(() => true));
		const content = () => {
			throw new Error('No such node');
		};
		const items = recipients(how.endsWith('edited') ? 3 : 2).slice(-2);
		const { ends } = await n8n.retry(failed, { ...settings, content }, items);
		expect(ends).toEqual([end, end]);
	},
);

test('an edited item that finds its ledger entry makes no unreadable item unknown', async () => {
	n8n.answer = (toId) => (toId === 'customer-1' ? 'lost' : 'refused');
	const [first, second] = recipients(2);
	const failed = await n8n.run([first!, second!], { stopsOnError: true, maxConcurrency: 2 });
	const contents = [() => undefined, () => assert(false, 'No such node')];
	const content = () => contents.shift()!();
	const { ends } = await n8n.retry(failed, { content }, [{ ...first!, note: 'new' }, second!]);
	expect(ends).toEqual(['unknown', 'notSent']);
});

test('after a Retry with an added Send Once Key, only Retries with this key send', async () => {
	n8n.answer = () => 'refused';
	const failed = await n8n.run(recipients(2), { stopsOnError: true });
	const keyed = await n8n.retry(failed, { ...spring, stopsOnError: true });
	n8n.answer = () => 'accepted';
	expect((await n8n.retry(failed, spring)).ends).toEqual(['sent', 'sent']);
	for (const sendOnceKey of ['', 'summer'])
		expect((await n8n.retry(keyed, { sendOnceKey })).ends).toEqual(['unknown', 'unknown']);
	expect((await n8n.retry(keyed, spring)).ends).toEqual(['skipped', 'skipped']);
});

test('an execution with a Send Once Key that failed cannot be sent again by Retries of a Retry without it', async () => {
	n8n.answer = () => 'refused';
	const failed = await n8n.run(recipients(2), { ...spring, stopsOnError: true });
	const keyless = await n8n.retry(failed, { stopsOnError: true });
	n8n.answer = () => 'accepted';
	expect((await n8n.retry(failed, spring)).ends).toEqual(['sent', 'sent']);
	const { error } = await n8n.retry(keyless, { stopsOnError: true });
	expect(error?.message).toContain('the execution had another Send Once Key');
	expect(n8n.accepted).toEqual(['customer-1', 'customer-2']);
});

test.each([
	['with a key', 'without one', spring, {}],
	['without a key', 'with one', {}, spring],
	['with a key', 'with another one', spring, { sendOnceKey: 'summer' }],
])(
	'if an execution failed before the node and a Retry %s took over, a Retry %s sends nothing, and leaves no claim',
	async (_first, _second, first, second) => {
		const failed = { ...n8n.start([]), saved: {} };
		n8n.answer = (toId) => (toId === 'customer-2' ? 'refused' : 'accepted');
		await n8n.retry(failed, first, recipients(2));
		await n8n.pass();
		const before = n8n.store.entries();
		n8n.answer = () => 'accepted';
		const { ends } = await n8n.retry(failed, second, recipients(2));
		expect(ends).toEqual(['unknown', 'unknown']);
		await n8n.pass();
		expect(n8n.store.entries()).toEqual(before);
	},
);

test('while a Retry with an added key sends, another Retry with this key sends the remaining messages', async () => {
	n8n.answer = () => 'refused';
	const failed = await n8n.run(recipients(2), { stopsOnError: true });
	n8n.answer = async (): Promise<Fate> => (await n8n.clock.sleep(60_000), 'accepted');
	const first = n8n.start(recipients(1), spring, failed);
	await n8n.pass(1000);
	const { ends } = await n8n.retry(failed, spring);
	expect([ends, (await first.ended).ends]).toEqual([['unknown', 'sent'], ['sent']]);
	expect(n8n.accepted).toEqual(['customer-1', 'customer-2']);
});

test('while a Retry with a key resends the messages of a killed execution without one, another Retry with this key sends nothing', async () => {
	const killed = { ...(await n8n.run(recipients(2))), saved: {} };
	n8n.answer = async (): Promise<Fate> => (await n8n.clock.sleep(60_000), 'accepted');
	const first = n8n.start(recipients(1), { ...spring, resendUnknown: true }, killed);
	await n8n.pass(1000);
	expect((await n8n.retry(killed, spring)).ends).toEqual(['unknown', 'unknown']);
	expect((await n8n.until(first.ended)).ends).toEqual(['sent']);
	expect(n8n.requested).toEqual(['customer-1', 'customer-2', 'customer-1']);
});

test.each(['', 'spring'])(
	'after a Retry (key: %j) that resends, its unsent messages stay unknown, even in a Retry of it that resends',
	async (sendOnceKey) => {
		const killed = await n8n.run(recipients(2));
		killed.saved = {};
		n8n.answer = () => 'refused';
		const resends = { sendOnceKey, resendUnknown: true };
		const resent = await n8n.retry(killed, { ...resends, stopsOnError: true });
		expect((await n8n.retry(resent, { sendOnceKey })).ends).toEqual(['unknown', 'unknown']);
		expect(n8n.requested).toHaveLength(3);
		expect((await n8n.retry(resent, resends)).ends).toEqual(['unknown', 'unknown']);
		expect(n8n.requested).toHaveLength(5);
	},
);

test.each([
	['Retries', {}],
	['executions with a key', spring],
])('of two %s that resend at once, only one sends', async (how, settings) => {
	n8n.answer = () => 'lost';
	const lost = { ...(await n8n.run(one, settings)), saved: {} };
	n8n.answer = () => 'accepted';
	const resends = { ...settings, resendUnknown: true };
	const resend = async () =>
		how === 'Retries' ? await n8n.retry(lost, resends) : await n8n.run(one, resends);
	const [first, second] = await Promise.all([resend(), resend()]);
	expect([first.ends, second.ends]).toEqual([['sent'], ['unknown']]);
});

test('if a run is stopped while it claims a key, the next run can send', async () => {
	const resends = { ...spring, resendUnknown: true };
	n8n.answer = () => 'lost';
	await n8n.run(one, spring);
	n8n.answer = () => 'accepted';
	const stopped = n8n.start(one, resends);
	await n8n.pass(100); // the claim is checked for the second time, before the resend
	stopped.cancel();
	await n8n.pass();
	expect((await n8n.run(one, resends)).ends).toEqual(['sent']);
});

test('if a Retry is stopped before it resends, its Send Once Key keeps the unknown outcome of the ledger', async () => {
	n8n.answer = (toId) => (toId === 'customer-2' ? 'lost' : 'refused');
	const failed = await n8n.run(recipients(2), { stopsOnError: true, maxConcurrency: 2 });
	n8n.answer = () => 'accepted';
	const resends = { ...spring, resendUnknown: true, requestInterval: 60_000 };
	const stopped = n8n.start(recipients(2), resends, failed);
	await n8n.pass(5000); // the second waits for its Request Interval
	stopped.cancel();
	await n8n.until(stopped.ended);
	expect((await n8n.run(recipients(2), spring)).ends).toEqual(['skipped', 'unknown']);
});

test('a run writes its marker before the first message, and retires it when it has ended', async () => {
	const retireMarker = jest.spyOn(ClaimStore.prototype, 'retireMarker');
	n8n.store = new DeduplicationStandIn({ latency: 50 });
	let entries: string[] = [];
	n8n.answer = async (): Promise<Fate> => {
		entries = n8n.store.entries();
		return (await n8n.clock.sleep(1000), 'accepted');
	};
	const { id, establishedAt, ended } = n8n.start(one);
	await n8n.pass(900);
	const marker = entriesOf(executionKey({ establishedAt }));
	expect([entries, retireMarker.mock.calls]).toEqual([marker, []]);
	await n8n.until(ended);
	expect(retireMarker.mock.calls).toEqual([[id, marker]]);
});

test('the Retry of a killed execution says how to send anyway', async () => {
	const killed = { ...(await n8n.run(one)), saved: {} };
	const { error } = await n8n.retry(killed, { stopsOnError: true });
	expect(error?.message).toMatch(/^Not sent again: This execution was interrupted/);
	expect(error?.description).toContain("again, with 'Resend if Unknown'");
});
