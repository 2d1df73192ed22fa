import { assert, type IExecuteFunctions } from 'n8n-workflow';

import { all } from '../../../support/messages';
import { failing, useVirtualN8n, type Fate, type Settings } from '../../../support/virtual';

import { ANY_ROW, DeduplicationStandIn } from '../../../../dev/engine/deduplicationStandIn';
import { recipients } from '../../../../dev/engine/workflows';
import { Journal, journalOf } from '../../../../nodes/Workchat/execution/once/journal';
import { entriesOf, executionName } from '../../../../nodes/Workchat/execution/once/names';

const n8n = useVirtualN8n();
const one = recipients(1);
const spring = { sendOnceKey: 'spring' };
const journalOfNode = (workflow: string, node = 'node') =>
	journalOf({
		getWorkflow: () => ({ id: workflow }),
		getNode: () => ({ id: node }),
		helpers: {},
	} as IExecuteFunctions);

test('each node of each workflow has a journal of its own', () => {
	expect(journalOfNode('one')).toBe(journalOfNode('one'));
	expect(journalOfNode('one')).not.toBe(journalOfNode('one', 'another node'));
	expect(journalOfNode('one')).not.toBe(journalOfNode('another'));
});

test('where half of what n8n keeps for the node is taken, a notice tells so', async () => {
	const send = async (toId: string) => (await n8n.run([{ toId }], spring)).hints;
	// Of other processes, say: the message and its trace are three more entries.
	const before = Array.from({ length: 20_497 }, (_, index) => `entry ${index}`);
	n8n.memory = new DeduplicationStandIn(undefined, undefined, new Map([[ANY_ROW, before]]));
	expect(await send('last')).toEqual([]);
	expect(await send('one more')).toEqual([
		expect.stringMatching(/^n8n has 20503 of at most 41000 entries .* older ones are forgotten/),
	]);
});

test('a Retry ends when n8n has noted that another record tells of its messages now', async () => {
	n8n.answer = () => 'refused';
	const failed = await n8n.run(one, { stopsOnError: true });
	await n8n.retry(failed);
	const ofRecord = n8n.memory.entries().filter((entry) => entry.includes('"id"'));
	expect(ofRecord).toEqual([executionName({ id: failed.id, runs: 1 })]);
});

test.each([
	['a first execution does not send', false, spring, 'notSent'],
	['a first execution without a key sends', false, {}, 'sent'],
	['a Retry does not, as a killed execution may have sent it', true, spring, 'unknown'],
	['a Retry without a key does not', true, {}, 'unknown'],
])('where n8n does not answer, %s', async (_, isRetry, settings, end) => {
	const killed = { ...(await n8n.run(one, settings)), saved: {} };
	n8n.memory = new DeduplicationStandIn(failing(() => true));
	const { ends } = isRetry ? await n8n.retry(killed) : await n8n.run(one, settings);
	expect(ends).toEqual([end]);
	expect(n8n.logged).toContain("Workchat: n8n's memory failed: gone");
});

test('where n8n has no memory at all, a Retry sends', async () => {
	n8n.memory = new DeduplicationStandIn({}, 'of another workflow');
	n8n.answer = () => 'refused';
	const failed = await n8n.run(one, { stopsOnError: true });
	n8n.answer = () => 'accepted';
	expect((await n8n.retry(failed)).ends).toEqual(['sent']);
});

test('messages n8n was asked about in vain are in doubt, all others are not sent', async () => {
	n8n.memory = new DeduplicationStandIn(failing((question) => question > 1));
	const { ends } = await n8n.run(recipients(10), spring);
	expect(ends).toEqual([...all(7, 'unknown'), ...all(3, 'notSent')]);
});

const toOne = Array.from({ length: 40 }, (_, key) => ({ toId: 'customer-1', key: `${key}` }));
test.each<[string, Settings, Array<{ toId: string }>, number]>([
	['the one under way and six more', {}, recipients(40), 7],
	[
		'the one under way, where the Request Interval is long',
		{ requestInterval: 500 },
		recipients(40),
		1,
	],
	[
		'twice seven more to one recipient, though all are read at once',
		{ maxConcurrency: 2 },
		toOne,
		15,
	],
])('a kill leaves in doubt %s', async (_, settings, items, most) => {
	n8n.answer = async (): Promise<Fate> => (await n8n.clock.sleep(1000), 'accepted');
	const killed = n8n.begin(items, { ...spring, ...settings });
	await n8n.pass(4900);
	const isOpen = (entry: string) => /"key".* open$/.test(entry);
	expect(n8n.memory.entries().filter(isOpen)).toHaveLength(most);
	killed.cancel();
	await n8n.until(killed.ended);
});

test('of two items with the same key and recipient, the second is skipped', async () => {
	const { ends } = await n8n.run([...one, ...one], spring);
	expect([ends, n8n.asked]).toEqual([['sent', 'skipped'], ['customer-1']]);
});

test('the log has a line for each turn of a claim, and names no recipient', async () => {
	await n8n.run(one, spring);
	await n8n.run(one, spring);
	const free = '{"line":"free","key":"free","execution":"free"}';
	expect(n8n.logged.map((line) => line.replace(/claim [\w+/]{8}/, 'claim'))).toEqual([
		'Workchat: claim: asked: free, so written',
		'Workchat: claim: ours',
		`Workchat: item 0, claim: send, as told by ${free}`,
		'Workchat: claim: done',
		'Workchat: claim: noted as done',
		'Workchat: claim: asked: done before',
		'Workchat: item 0, claim: skip, as told by {"line":"free","key":"closed"}',
		'Workchat: claim: noted as done',
	]);
});

test('a message that another execution is sending is looked at again in its turn', async () => {
	n8n.answer = async (): Promise<Fate> => (await n8n.clock.sleep(500), 'accepted');
	const other = n8n.begin(one, spring);
	await n8n.pass(300);
	const { ends } = await n8n.run(recipients(2).reverse(), spring);
	expect([ends, (await other.ended).ends]).toEqual([['sent', 'skipped'], ['sent']]);
});

test('a run ends though n8n does not note it in time, which its log tells', async () => {
	const before = async (operation: string) => {
		if (operation === 'update' && n8n.accepted.length > 0) await n8n.clock.sleep(60_000);
	};
	n8n.memory = new DeduplicationStandIn({ before });
	const { ends, took } = await n8n.run(one, spring);
	expect(ends).toEqual(['sent']);
	expect(took).toBeLessThan(4000);
	expect(n8n.logged.at(-1)).toBe('Workchat: ended before n8n had noted all of it');
});

/** The first of two messages is sent, and the other refused. A killed execution leaves no record. */
test.each<[string, string[], string, string[]]>([
	['failed', ['spring', 'spring'], 'spring', ['sent', 'sent']],
	['failed', ['spring', 'summer'], 'spring', ['sent', 'unknown']],
	['failed', ['spring', ''], 'spring', ['sent', 'unknown']],
	['failed', ['', 'spring'], '', ['sent', 'unknown']],
	['failed', ['', 'spring'], 'summer', ['sent', 'unknown']],
	['killed', ['spring'], 'spring', ['skipped', 'sent']],
	['killed', ['spring'], '', ['unknown', 'unknown']],
	['killed', [''], 'spring', ['unknown', 'unknown']],
])('%s with the keys %j, a Retry with %j has %j', async (how, keys, key, ends) => {
	const stops = (sendOnceKey = '') => ({ sendOnceKey, stopsOnError: true });
	n8n.answer = (toId) => (toId === 'customer-2' ? 'refused' : 'accepted');
	const [first, ...retries] = keys;
	const failed = await n8n.run(recipients(2), stops(first));
	if (how === 'killed') failed.saved = {};
	for (const retry of retries) await n8n.retry(failed, stops(retry));
	n8n.answer = () => 'accepted';
	expect((await n8n.retry(failed, { sendOnceKey: key })).ends).toEqual(ends);
	expect(new Set(n8n.accepted).size).toBe(n8n.accepted.length);
});

/** As an expression does that names a node without data. Both messages are refused at first. */
test.each<[string, string, Settings, string]>([
	['failed', 'not sent', {}, 'notSent'],
	['failed', 'not sent, by its key', spring, 'notSent'],
	['failed, and was retried', 'perhaps sent by the other Retry', {}, 'unknown'],
	['failed, and was retried', 'perhaps sent by the other Retry with its key', spring, 'unknown'],
	['was killed', 'perhaps sent', {}, 'unknown'],
	['was killed', 'perhaps sent with its key', spring, 'unknown'],
	['failed, and was edited', 'perhaps what was lost', {}, 'unknown'],
	['was killed, where n8n does not answer', 'perhaps sent', {}, 'unknown'],
])('what the Retry of an execution that %s cannot read is %s', async (how, _, settings, end) => {
	n8n.answer = () => (how.endsWith('edited') ? 'lost' : 'refused');
	const failed = await n8n.run(recipients(2), { ...settings, stopsOnError: true });
	if (how.includes('killed')) failed.saved = {};
	if (how.endsWith('retried')) await n8n.retry(failed);
	if (how.endsWith('answer')) n8n.memory = new DeduplicationStandIn(failing(() => true));
	const content = () => {
		throw new Error('No such node');
	};
	const items = recipients(how.endsWith('edited') ? 3 : 2).slice(-2);
	const { ends } = await n8n.retry(failed, { ...settings, content }, items);
	expect(ends).toEqual([end, end]);
});

test('a message whose item was edited, and found again, puts no item in doubt that cannot be read', async () => {
	n8n.answer = (toId) => (toId === 'customer-1' ? 'lost' : 'refused');
	const [first, second] = recipients(2);
	const failed = await n8n.run([first!, second!], { stopsOnError: true, maxConcurrency: 2 });
	const contents = [() => undefined, () => assert(false, 'No such node')];
	const content = () => contents.shift()!();
	const { ends } = await n8n.retry(failed, { content }, [{ ...first!, note: 'new' }, second!]);
	expect(ends).toEqual(['unknown', 'notSent']);
});

test('a Retry that shared a key leaves the others to it, and no trace of another key', async () => {
	n8n.answer = () => 'refused';
	const failed = await n8n.run(recipients(2), { stopsOnError: true });
	const shared = await n8n.retry(failed, { ...spring, stopsOnError: true });
	n8n.answer = () => 'accepted';
	await n8n.retry(failed, spring);
	for (const sendOnceKey of ['', 'summer'])
		expect((await n8n.retry(shared, { sendOnceKey })).ends).toEqual(['unknown', 'unknown']);
	expect((await n8n.retry(shared, spring)).ends).toEqual(['skipped', 'skipped']);
	expect(n8n.memory.entries().filter((entry) => entry.includes('summer'))).toEqual([]);
});

test.each(['', 'spring'])(
	'what a Retry (key: %j) has resent in doubt stays so, also for a Retry of it that resends',
	async (sendOnceKey) => {
		const killed = await n8n.run(recipients(2));
		killed.saved = {};
		n8n.answer = () => 'refused';
		const resends = { sendOnceKey, repeatsUnknown: true };
		const resent = await n8n.retry(killed, { ...resends, stopsOnError: true });
		expect((await n8n.retry(resent, { sendOnceKey })).ends).toEqual(['unknown', 'unknown']);
		expect(n8n.asked).toHaveLength(3);
		expect((await n8n.retry(resent, resends)).ends).toEqual(['unknown', 'unknown']);
		expect(n8n.asked).toHaveLength(5);
	},
);

test.each([
	['Retries', {}],
	['executions with a key', spring],
])('two %s resend at once: only one sends', async (how, settings) => {
	n8n.answer = () => 'lost';
	const lost = { ...(await n8n.run(one, settings)), saved: {} };
	n8n.answer = () => 'accepted';
	const resends = { ...settings, repeatsUnknown: true };
	const resend = async () =>
		how === 'Retries' ? await n8n.retry(lost, resends) : await n8n.run(one, resends);
	const [first, second] = await Promise.all([resend(), resend()]);
	expect([first.ends, second.ends]).toEqual([['sent'], ['unknown']]);
});

test('what is asked for while the run is stopped is not held for ever', async () => {
	const resends = { ...spring, repeatsUnknown: true };
	n8n.answer = () => 'lost';
	await n8n.run(one, spring);
	n8n.answer = () => 'accepted';
	const stopped = n8n.begin(one, resends);
	await n8n.pass(100); // it looks for the second time, before it would resend
	stopped.cancel();
	await n8n.pass();
	expect((await n8n.run(one, resends)).ends).toEqual(['sent']);
});

test('what a Retry has in doubt is so by its key, too, where it is stopped before its try', async () => {
	n8n.answer = (toId) => (toId === 'customer-2' ? 'lost' : 'refused');
	const failed = await n8n.run(recipients(2), { stopsOnError: true, maxConcurrency: 2 });
	n8n.answer = () => 'accepted';
	const resends = { ...spring, repeatsUnknown: true, requestInterval: 60_000 };
	const stopped = n8n.begin(recipients(2), resends, failed);
	await n8n.pass(5000); // the second waits for its Request Interval
	stopped.cancel();
	await n8n.until(stopped.ended);
	expect((await n8n.run(recipients(2), spring)).ends).toEqual(['skipped', 'unknown']);
});

test('a Retry gives back what it had claimed before n8n failed', async () => {
	const killed = { ...(await n8n.run(one)), saved: {} };
	let fails = true;
	n8n.memory = n8n.memory.beside(failing((question) => fails && question > 2));
	const resends = { repeatsUnknown: true };
	expect((await n8n.retry(killed, { ...spring, ...resends })).ends).toEqual(['unknown']);
	fails = false;
	expect((await n8n.retry(killed, resends)).ends).toEqual(['sent']);
});

test('what a run leaves is there before a message is, and may go once it has ended', async () => {
	const endTrace = jest.spyOn(Journal.prototype, 'endTrace');
	n8n.memory = new DeduplicationStandIn({ latency: 50 });
	let left: string[] = [];
	n8n.answer = async (): Promise<Fate> => {
		left = n8n.memory.entries();
		return (await n8n.clock.sleep(1000), 'accepted');
	};
	const { id, establishedAt, ended } = n8n.begin(one);
	await n8n.pass(900);
	expect([left, endTrace.mock.calls]).toEqual([entriesOf(executionName({ establishedAt })), []]);
	await n8n.until(ended);
	expect(endTrace.mock.calls).toEqual([[id, entriesOf(executionName({ establishedAt }))]]);
});

test('the Retry of an execution that was killed says how to send all the same', async () => {
	const killed = { ...(await n8n.run(one)), saved: {} };
	const { error } = await n8n.retry(killed, { stopsOnError: true });
	expect(error?.message).toMatch(/^Not sent again: This execution was cut off before/);
	expect(error?.description).toContain("switch on 'Resend if Unknown'");
});
