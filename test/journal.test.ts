import { recipients } from '../dev/engine/workflows';
import { hashOf, keyName } from '../nodes/Workchat/execution/once/names';
import { all, toIds } from './messages';
import { useVirtualN8n, type Execution, type Fate, type Settings } from './virtual';

/** What n8n remembers for the node keeps one execution from sending what another one sent. */

const n8n = useVirtualN8n();
const KEYED: Settings = { sendOnceKey: 'spring' };
const STOPS: Settings = { stopsOnError: true };
const OF_ANOTHER = /^Another retry of execution \d+ sent this message: see there$/;
const messagesOf = ({ jsons }: Execution) =>
	jsons.map(({ error }) => (error as { message: string } | undefined)?.message);

/** Lets the next message to each of them end so; all others are accepted. */
function once(how: Record<string, 'refused' | 'lost'>): void {
	n8n.answer = (toId) => {
		const fate = how[toId] ?? 'accepted';
		delete how[toId];
		return fate;
	};
}

/** An execution whose second message is refused, so that items from there on are left for Retries. */
async function failed(count: number, settings: Settings = {}): Promise<Execution> {
	once({ 'customer-2': 'refused' });
	const execution = await n8n.run(recipients(count), { ...STOPS, ...settings });
	expect(execution.error).toBeDefined();
	return execution;
}

/** What n8n has of an execution where it is killed, or failed before it came to the node. */
/** What becomes of one message after the other, and after how many milliseconds. */
function answerInTurn(...answers: Array<[milliseconds: number, fate: Fate]>): void {
	n8n.answer = async () => {
		const [milliseconds, fate] = answers.shift()!;
		await n8n.clock.sleep(milliseconds);
		return fate;
	};
}

const unrecorded = (execution: Execution): Execution => ({ ...execution, saved: {} });

describe('Retry pressed twice on one failed execution', () => {
	test('one after the other: nothing is sent twice, and the second says whose it is', async () => {
		const execution = await failed(4);
		expect((await n8n.retry(execution)).error).toBeUndefined();
		const { error } = await n8n.retry(execution);
		expect(error?.message).toMatch(OF_ANOTHER);
		expect(error?.message).toContain(` ${execution.id} `);
		expect(error?.description).toMatch(/1 of 4 items were sent, and 3 may have been/);
		expect(n8n.accepted).toEqual(toIds(4));
	});

	test('at the same moment: nothing is sent twice', async () => {
		for (let round = 0; round < 10; round++) {
			n8n.reset();
			n8n.beginMemory(() => Math.random() * 4);
			const execution = await failed(12);
			const retries = [1, 2, 3].map(async () => await n8n.beginRetry(execution, {}).ended);
			await n8n.until(Promise.all(retries));
			expect(n8n.accepted.toSorted()).toEqual(toIds(12).toSorted());
		}
	});

	test('with Continue, each item says so', async () => {
		const execution = await failed(3);
		await n8n.retry(execution, {});
		const { jsons } = await n8n.retry(execution, {});
		const error = {
			message: expect.stringMatching(OF_ANOTHER) as string,
			description: 'This retry did not send it again.',
			outcome: 'unknown',
		};
		expect(jsons).toEqual([{ code: 0 }, { error }, { error }]);
	});

	test('what the first may have sent is in doubt, and Resend if Unknown sends it alone', async () => {
		const execution = await failed(3);
		once({ 'customer-2': 'lost' });
		await n8n.retry(execution, {});
		const doubtful = await n8n.retry(execution, {});
		expect(messagesOf(doubtful)[1]).toMatch(
			/^Another retry of execution \d+ sent this message, or tried to: see there$/,
		);
		expect(n8n.accepted).toEqual(['customer-1', 'customer-3']);
		for (let retry = 0; retry < 2; retry++) {
			expect(messagesOf(await n8n.retry(execution, { resends: true }))[2]).toMatch(OF_ANOTHER);
			expect(n8n.accepted).toEqual(['customer-1', 'customer-3', 'customer-2']);
		}
	});

	test('the second sends what the first did not: it was refused there, or not begun', async () => {
		const execution = await failed(5);
		once({ 'customer-4': 'refused' });
		expect((await n8n.retry(execution)).error).toBeDefined();
		const ends = (await n8n.retry(execution, {})).ends;
		expect(ends).toEqual(['sent', 'unknown', 'unknown', 'sent', 'sent']);
		expect(n8n.accepted).toEqual(toIds(5));
	});

	test('a message is known by its item where its content changes from try to try', async () => {
		const execution = await failed(4, { content: Math.random });
		await n8n.retry(execution);
		await n8n.retry(execution);
		expect(n8n.accepted).toEqual(toIds(4));
	});

	test('a message is known by its content where its item was changed', async () => {
		const execution = await failed(4);
		await n8n.retry(execution);
		const changed = recipients(4).map((item) => ({ ...item, changed: true }));
		await n8n.retry(execution, STOPS, changed);
		expect(n8n.accepted).toEqual(toIds(4));
	});

	test('another message is sent', async () => {
		const execution = await failed(2);
		await n8n.retry(execution);
		const others = recipients(2).map(({ toId }) => ({ toId: `other ${toId}` }));
		expect((await n8n.retry(execution, {}, others)).ends).toEqual(['sent', 'sent']);
	});

	test('equal items are sent as often as they stand there', async () => {
		const items = ['1', '2', '3', '3', '3'].map((number) => ({ toId: `customer-${number}` }));
		once({ 'customer-2': 'refused' });
		const execution = await n8n.run(items, STOPS);
		await n8n.retry(execution);
		await n8n.retry(execution);
		expect(n8n.accepted).toEqual(items.map(({ toId }) => toId));
	});

	test('with a Send Once Key, the second skips what the first sent', async () => {
		const execution = await failed(4, KEYED);
		expect((await n8n.retry(execution)).error).toBeUndefined();
		expect((await n8n.retry(execution)).ends).toEqual(['sent', ...all(3, 'skipped')]);
		expect(n8n.accepted).toEqual(toIds(4));
	});
});

test('a chain of Retries sends each message once, whichever of them is retried again', async () => {
	const execution = await failed(6);
	once({ 'customer-4': 'refused' });
	const first = await n8n.retry(execution);
	once({ 'customer-6': 'refused' });
	const second = await n8n.retry(first);
	expect(n8n.accepted).toHaveLength(5);
	for (const one of [execution, first, execution])
		expect((await n8n.retry(one)).error).toBeDefined();
	for (const one of [first, second, execution])
		expect((await n8n.retry(one, {})).jsons).toHaveLength(6);
	expect(n8n.accepted.toSorted()).toEqual(toIds(6));
});

describe('an execution without a record', () => {
	const OF_THE_SAME = 'Another retry of the same execution sent this message: see there';
	const CUT_OFF = 'This execution was cut off before while it sent its messages';

	test('as it failed before the node: its Retries know of each other', async () => {
		const before = unrecorded(await n8n.run([], STOPS));
		const retries = [1, 2].map(async () => await n8n.beginRetry(before, {}, recipients(5)).ended);
		await n8n.until(Promise.all(retries));
		const another = await n8n.retry(before, STOPS, recipients(5));
		expect(another.error?.message).toBe(OF_THE_SAME);
		expect(another.error?.description).not.toMatch(/\d{10,}/);
		expect(n8n.accepted).toEqual(toIds(5));
	});

	test('as it failed before the node: so do Retries of its Retry', async () => {
		const before = unrecorded(await n8n.run([], STOPS));
		once({ 'customer-2': 'refused' });
		const first = await n8n.retry(before, STOPS, recipients(3));
		expect((await n8n.retry(first)).error).toBeUndefined();
		expect((await n8n.retry(first)).error?.message).toBe(OF_THE_SAME);
		expect(n8n.accepted).toEqual(toIds(3));
	});

	test('as it was killed while it sent, or later: its Retries send nothing, and say so', async () => {
		const killed = unrecorded(await n8n.run(recipients(5), STOPS));
		for (let retry = 0; retry < 2; retry++) {
			const { error } = await n8n.retry(killed);
			expect(error?.message).toBe(CUT_OFF);
			expect(error?.description).toMatch(
				/^n8n kept no record of it.*Resend if Unknown\..* and 5 may have been\.$/,
			);
		}
		expect(n8n.asked).toEqual(toIds(5));
		expect((await n8n.retry(killed, { resends: true })).ends).toEqual(all(5, 'sent'));
	});

	test('as it was killed: twenty later executions leave that known, one more does not', async () => {
		const killed = unrecorded(await n8n.run(recipients(1)));
		for (let run = 0; run < 19; run++) await n8n.run(recipients(1));
		expect(messagesOf(await n8n.retry(killed))).toEqual([CUT_OFF]);
		for (let run = 0; run < 2; run++) await n8n.run(recipients(1));
		await n8n.pass();
		expect((await n8n.retry(killed)).ends).toEqual(['sent']);
	});
});

describe('without a key, n8n is asked', () => {
	test.each([1, 300])('once a run, and told what it may forget, for %d items', async (count) => {
		// What is kept of earlier executions is forgotten with later ones.
		for (let run = 0; run < 21; run++) await n8n.run(recipients(1));
		await n8n.pass();
		const { length } = n8n.memory!.calls;
		await n8n.run(recipients(count));
		await n8n.pass();
		expect(n8n.memory!.calls.slice(length)).toEqual(['check', 'remove']);
	});

	test.each<[string, () => unknown]>([
		['fails', async () => await Promise.reject(new Error('the database is gone'))],
		['does not answer', async () => await n8n.clock.sleep(60_000)],
	])('and where it %s, the messages go out a second later at most', async (_, before) => {
		n8n.beginMemory(() => 0, before);
		const { ends, took, log } = await n8n.run(recipients(2));
		expect(ends).toEqual(['sent', 'sent']);
		expect(took).toBeLessThanOrEqual(1000);
		expect(log.map(([text]) => text)).toEqual(['Workchat: not noted as begun']);
	});

	test('not at all in a Retry of which every item is known already', async () => {
		once({ 'customer-1': 'lost' });
		const execution = await n8n.run(recipients(1), STOPS);
		const { length } = n8n.memory!.calls;
		await n8n.retry(execution);
		expect(n8n.memory!.calls).toHaveLength(length);
		expect(n8n.asked).toHaveLength(1);
	});
});

describe('under a key, a later execution', () => {
	test('sends what was refused', async () => {
		once({ 'customer-1': 'refused' });
		expect((await n8n.run(recipients(2), KEYED)).ends).toEqual(['rejected', 'sent']);
		expect((await n8n.run(recipients(2), KEYED)).ends).toEqual(['sent', 'skipped']);
	});

	test('sends what a failure of another item kept from being begun', async () => {
		const execution = await failed(8, KEYED);
		expect(execution.error?.description).toMatch(/1 of 8 items were sent/);
		expect(n8n.openEntries()).toEqual([]);
		const ends = (await n8n.run(recipients(8), KEYED)).ends;
		expect(ends).toEqual(['skipped', ...all(7, 'sent')]);
	});

	test('keeps in doubt what Resend if Unknown could not send either', async () => {
		once({ 'customer-1': 'lost' });
		await n8n.run(recipients(1), KEYED);
		once({ 'customer-1': 'refused' });
		const again = await n8n.run(recipients(1), { ...KEYED, resends: true });
		expect(messagesOf(again)[0]).toMatch(/was begun.*Tried again:/);
		for (let run = 0; run < 2; run++) {
			expect((await n8n.run(recipients(1), KEYED)).ends).toEqual(['unknown']);
		}
		expect(n8n.asked).toHaveLength(2);
	});

	test('with Resend if Unknown stops where it is refused', async () => {
		n8n.answer = () => 'lost';
		expect((await n8n.run(recipients(5), KEYED)).ends).toEqual(all(5, 'unknown'));
		n8n.answer = () => 'refused';
		const { error } = await n8n.run(recipients(5), { ...KEYED, ...STOPS, resends: true });
		expect(error?.context.itemIndex).toBe(0);
		expect(n8n.asked).toHaveLength(6);
	});

	test('that stops on errors sends all others, and then names those in doubt', async () => {
		once({ 'customer-4': 'lost' });
		await n8n.run(recipients(4), KEYED);
		const { error } = await n8n.run(recipients(10), { ...KEYED, ...STOPS });
		expect(error?.message).toMatch(/^A message with the Send Once Key "spring" was begun for this/);
		expect(error?.description).toMatch(/9 of 10 items were sent, and 1 may have been\./);
		expect(error?.context.itemIndex).toBe(3);
		await n8n.run(recipients(10), { ...KEYED, ...STOPS });
		expect(n8n.accepted).toHaveLength(9);
	});

	test.each([
		['the same process', 0, /^skipped$/],
		// Where both write at the same moment, it may stay in doubt.
		['another process', 1, /^skipped$|^unknown$/],
	])('is not sent what one in %s sends, nor taken back what it sent', async (_, worker, end) => {
		// Whenever the answers come: it takes some 0.3 s to free a message.
		for (let takes = 500; takes < 1500; takes += 50) {
			n8n.reset();
			answerInTurn([1000, 'refused'], [takes, 'accepted']);
			const refused = n8n.begin(recipients(1), KEYED);
			await n8n.pass(200);
			expect((await n8n.run(recipients(1), { ...KEYED, worker })).ends).toEqual(['unknown']);
			const resending = { ...KEYED, resends: true, worker };
			expect((await n8n.run(recipients(1), resending)).ends).toEqual(['sent']);
			expect((await n8n.until(refused.ended)).ends).toEqual(['rejected']);
			await n8n.pass(1000);
			expect((await n8n.run(recipients(1), KEYED)).ends[0]).toMatch(end);
		}
	});

	test('never finds free what is freed just after another one sent it', async () => {
		for (let later = 0; later < 800; later += 40) {
			n8n.reset();
			answerInTurn([1000, 'refused'], [0, 'accepted']);
			const refused = n8n.begin(recipients(1), KEYED);
			await n8n.pass(200);
			await n8n.run(recipients(1), { ...KEYED, resends: true, worker: 1 });
			await n8n.pass(1000 + later - n8n.clock.now);
			const third = await n8n.run(recipients(1), { ...KEYED, worker: 2 });
			expect(third.ends[0]).toMatch(/skipped|unknown/);
			await n8n.until(refused.ended);
			expect(n8n.accepted).toHaveLength(1);
		}
	});

	test('asks again about what another one had claimed, when its turn comes', async () => {
		n8n.answer = async (toId): Promise<Fate> => {
			await n8n.clock.sleep(toId === 'another' ? 3000 : 100);
			return 'accepted';
		};
		const first = n8n.begin(recipients(5), KEYED);
		await n8n.pass(50);
		const second = n8n.begin([{ toId: 'another' }, ...recipients(5)], KEYED);
		await n8n.until(Promise.all([first.ended, second.ended]));
		expect(second.ends).toEqual(['sent', ...all(5, 'skipped')]);
	});
});

describe('within one list, a second row to a recipient', () => {
	const TWICE = [...recipients(2), ...recipients(2)];

	test.each([1, 5])('is skipped, with %d at once', async (maxConcurrency) => {
		const ends = (await n8n.run(TWICE, { ...KEYED, maxConcurrency })).ends;
		expect(ends).toEqual(['sent', 'sent', 'skipped', 'skipped']);
		expect(n8n.asked).toEqual(toIds(2));
	});

	test('is tried where the first was refused, and not where it may have been sent', async () => {
		once({ 'customer-1': 'refused', 'customer-2': 'lost' });
		const ends = (await n8n.run(TWICE, KEYED)).ends;
		expect(ends).toEqual(['rejected', 'unknown', 'sent', 'unknown']);
		expect(n8n.asked).toEqual(['customer-1', 'customer-2', 'customer-1']);
	});

	test('is sent under a key of its own', async () => {
		const items = ['one', 'two', 'one'].map((sendOnceKey) => ({ toId: 'customer', sendOnceKey }));
		expect((await n8n.run(items, KEYED)).ends).toEqual(['sent', 'sent', 'skipped']);
	});
});

describe('a cancelled execution', () => {
	/** Cancels an execution while its message to the third recipient is under way: it ends at once. */
	async function cancelled(count: number): Promise<Execution> {
		const began = new Promise<void>((resolve) => {
			n8n.answer = async (toId): Promise<Fate> => {
				if (toId !== 'customer-3') return 'accepted';
				resolve();
				return await new Promise<never>(() => {});
			};
		});
		const running = n8n.begin(recipients(count), KEYED);
		await n8n.until(began);
		const { now } = n8n.clock;
		running.cancel();
		const ended = await n8n.until(running.ended);
		expect(n8n.clock.now).toBe(now);
		n8n.answer = () => 'accepted';
		return ended;
	}

	test('frees what was not begun, and leaves in doubt what was under way', async () => {
		await cancelled(20);
		await n8n.pass(1000);
		expect(n8n.openEntries()).toHaveLength(1);
		const ends = (await n8n.run(recipients(20), KEYED)).ends;
		expect(ends).toEqual(['skipped', 'skipped', 'unknown', ...all(17, 'sent')]);
	});

	test('is noted later where n8n is slow', async () => {
		n8n.beginMemory(() => 400);
		expect((await cancelled(20)).ends).toEqual(['sent', 'sent', 'unknown']);
		expect(n8n.openEntries().length).toBeGreaterThan(1);
		await n8n.pass();
		expect(n8n.openEntries()).toHaveLength(1);
	});

	test('frees what waits for its turn, or leaves it in doubt where it was', async () => {
		once({ 'customer-2': 'lost' });
		await n8n.run([{ toId: 'customer-2' }], KEYED);
		const waits = { ...KEYED, resends: true, requestInterval: 60_000 };
		const running = n8n.begin(recipients(5), waits);
		await n8n.pass(1000);
		running.cancel();
		await n8n.until(running.ended);
		await n8n.pass(1000);
		const ends = (await n8n.run(recipients(5), KEYED)).ends;
		expect(ends).toEqual(['skipped', 'unknown', ...all(3, 'sent')]);
	});

	test('leaves no claim behind, whenever the stop comes', async () => {
		for (let after = 0; after < 1500; after += 50) {
			n8n.reset();
			n8n.beginMemory(() => 300);
			n8n.answer = async (toId): Promise<Fate> => {
				if (toId === 'customer-1') await n8n.clock.sleep(2000);
				return 'accepted';
			};
			const running = n8n.begin(recipients(3), KEYED);
			while (n8n.accepted.length === 0) await n8n.pass(10);
			await n8n.pass(after);
			running.cancel();
			await n8n.until(running.ended);
			await n8n.pass();
			expect(n8n.openEntries()).toEqual([]);
		}
	});

	test('begins nothing that it is told is free after the stop', async () => {
		n8n.beginMemory(() => 400);
		const running = n8n.begin(recipients(5), KEYED);
		await n8n.pass(600);
		running.cancel();
		expect((await n8n.until(running.ended)).ends).toEqual([]);
		await n8n.pass();
		expect(n8n.asked).toEqual([]);
		expect(n8n.openEntries()).toEqual([]);
	});
});

test("n8n's log tells what becomes of each message, by hashes", async () => {
	once({ 'customer-2': 'refused' });
	const { log } = await n8n.run(recipients(2), KEYED);
	const told = (itemIndex: number, ...whats: string[]) => {
		const name = keyName('https://example.com/', `customer-${itemIndex + 1}`, 'spring');
		return whats.map((what) => [`Workchat: ${what}`, { itemIndex, entries: [hashOf(name)] }]);
	};
	expect(log).toEqual([
		...told(0, 'asked: free'),
		...told(1, 'asked: free'),
		...told(0, 'sent'),
		...told(1, 'freed'),
	]);
	const again = await n8n.run(recipients(2), KEYED);
	expect(again.log.map(([text]) => text.replace('Workchat: ', ''))).toEqual([
		'asked: sent',
		'asked: free',
		'sent',
	]);
});
