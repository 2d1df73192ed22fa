import { recipients } from '../../../../dev/engine/workflows';
import { hashOf, keyName } from '../../../../nodes/Workchat/execution/once/names';
import { all, customers, toIds } from '../../../support/messages';
import {
	useVirtualN8n,
	type Execution,
	type Fate,
	type Item,
	type Settings,
} from '../../../support/virtual';

/** What n8n remembers for the node keeps one execution from sending what another one sent. */

const n8n = useVirtualN8n();
const KEYED: Settings = { sendOnceKey: 'spring' };
const STOPS: Settings = { stopsOnError: true };
const OF_ANOTHER = /^Not sent again: Another retry of execution \d+ sent this message: see there$/;
const messagesOf = ({ jsons }: Execution) =>
	jsons.map(({ error }) => (error as { message: string } | undefined)?.message);

type Ends = Record<string, 'refused' | 'lost'>;

/** Lets the next message to each of them end so; all others are accepted. */
function once(how: Ends): void {
	const left = { ...how };
	n8n.answer = (toId) => {
		const fate = left[toId] ?? 'accepted';
		delete left[toId];
		return fate;
	};
}

/** How the items of a run end, and of a Retry. */
const run = async (items: Item[], settings = KEYED, how: Ends = {}) => {
	once(how);
	return (await n8n.run(items, settings)).ends;
};
const retry = async (execution: Execution, settings: Settings = {}, how: Ends = {}) => {
	once(how);
	return (await n8n.retry(execution, settings)).ends;
};

/** What becomes of one message after the other, and after how many milliseconds. */
function answerInTurn(...answers: Array<[milliseconds: number, fate: Fate]>): void {
	n8n.answer = async () => {
		const [milliseconds, fate] = answers.shift()!;
		await n8n.clock.sleep(milliseconds);
		return fate;
	};
}

/** An execution whose second message is refused, so that items from there on are left for Retries. */
async function failed(items: Item[], settings: Settings = {}): Promise<Execution> {
	once({ 'customer-2': 'refused' });
	const execution = await n8n.run(items, { ...STOPS, ...settings });
	expect(execution.error).toBeDefined();
	return execution;
}

/** What n8n has of an execution where it is killed, or failed before it came to the node. */
const unrecorded = (execution: Execution): Execution => ({ ...execution, saved: {} });

describe('Retry pressed twice on one failed execution', () => {
	test('sends nothing twice, and says whose it is', async () => {
		const execution = await failed(recipients(3));
		expect((await n8n.retry(execution)).error).toBeUndefined();
		const { error } = await n8n.retry(execution);
		expect(error?.message).toMatch(OF_ANOTHER);
		expect(error?.message).toContain(` ${execution.id} `);
		expect(error?.description).toMatch(/1 of 3 items were sent, and 2 may have been/);
		const { jsons } = await n8n.retry(execution, {});
		const failure = {
			message: error?.message,
			description: 'This retry did not send it again.',
			outcome: 'unknown',
			tried: false,
		};
		expect(jsons).toEqual([{ code: 0 }, { error: failure }, { error: failure }]);
		expect(n8n.accepted).toEqual(toIds(3));
	});

	test('at the same moment sends nothing twice', async () => {
		for (let round = 0; round < 10; round++) {
			n8n.reset();
			n8n.beginMemory(() => Math.random() * 4);
			const execution = await failed(recipients(12));
			const retries = [1, 2, 3].map(async () => await n8n.beginRetry(execution, {}).ended);
			await n8n.until(Promise.all(retries));
			expect(n8n.accepted.toSorted()).toEqual(toIds(12).toSorted());
		}
	});

	test('leaves in doubt what the first may have sent, and Resend if Unknown sends that alone', async () => {
		const execution = await failed(recipients(3));
		expect(await retry(execution, {}, { 'customer-2': 'lost' })).toEqual([
			'sent',
			'unknown',
			'sent',
		]);
		expect(messagesOf(await n8n.retry(execution, {}))).toEqual([
			undefined,
			expect.stringMatching(
				/^Not sent again: Another retry of execution \d+ sent this message, or tried to: see there$/,
			),
			expect.stringMatching(OF_ANOTHER),
		]);
		const resends = { resends: true };
		expect(await retry(execution, resends)).toEqual(['sent', 'sent', 'unknown']);
		expect(await retry(execution, resends)).toEqual(['sent', 'unknown', 'unknown']);
		expect(n8n.accepted).toEqual(customers(1, 3, 2));
	});

	test('sends what the first did not: it was refused there, or not begun', async () => {
		const execution = await failed(recipients(5));
		expect(await retry(execution, STOPS, { 'customer-4': 'refused' })).toEqual([]);
		expect(await retry(execution)).toEqual(['sent', 'unknown', 'unknown', 'sent', 'sent']);
		expect(n8n.accepted).toEqual(toIds(5));
	});

	test.each<[string, Settings, string]>([
		['sends equal items as often as they stand there', {}, 'unknown'],
		['skips under keys of their own what the first sent', KEYED, 'skipped'],
	])('%s', async (_, settings, end) => {
		const items = customers(1, 2, 3, 3, 3).map((toId, index) => ({
			toId,
			...(settings === KEYED && { sendOnceKey: String(index) }),
		}));
		const execution = await failed(items, settings);
		expect(await retry(execution, settings)).toEqual(all(5, 'sent'));
		expect(await retry(execution, settings)).toEqual(['sent', ...all(4, end)]);
		expect(n8n.accepted).toHaveLength(5);
	});

	test('knows a message by its content where its item was changed; another is sent', async () => {
		const execution = await failed(recipients(4));
		await n8n.retry(execution);
		const changed = recipients(4).map((item) => ({ ...item, changed: true }));
		await n8n.retry(execution, STOPS, changed);
		expect(n8n.accepted).toEqual(toIds(4));
		expect((await n8n.retry(execution, {}, [{ toId: 'another' }])).ends).toEqual(['sent']);
	});
});

test('a chain of Retries sends each message once, whichever of them is retried again', async () => {
	const execution = await failed(recipients(6));
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
	const OF_THE_SAME =
		'Not sent again: Another retry of the same execution sent this message: see there';
	const CUT_OFF = 'Not sent again: This execution was cut off before while it sent its messages';

	test('as it failed before the node: its Retries know of each other, and theirs too', async () => {
		const before = unrecorded(await n8n.run([], STOPS));
		once({ 'customer-2': 'refused' });
		const first = await n8n.retry(before, STOPS, recipients(3));
		expect((await n8n.retry(first)).error).toBeUndefined();
		for (const again of [await n8n.retry(first), await n8n.retry(before, STOPS, recipients(3))]) {
			expect(again.error?.message).toBe(OF_THE_SAME);
			expect(again.error?.description).not.toMatch(/\d{10,}/);
		}
		expect(n8n.accepted).toEqual(toIds(3));
	});

	test('as it was killed while it sent, or later: its Retries send nothing, and say so', async () => {
		const killed = unrecorded(await n8n.run(recipients(5), STOPS));
		for (let retry = 0; retry < 2; retry++) {
			const { error } = await n8n.retry(killed);
			expect(error?.message).toBe(CUT_OFF);
			expect(error?.description).toMatch(
				/^n8n kept no record of it.*'Resend if Unknown'\..* and 5 may have been\.$/,
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

describe('under a key, a run', () => {
	test('sends what a failure of another item kept from being begun', async () => {
		const { error } = await failed(recipients(8), KEYED);
		expect(error?.description).toMatch(/1 of 8 items were sent/);
		expect(n8n.openEntries()).toEqual([]);
		expect(await run(recipients(8))).toEqual(['skipped', ...all(7, 'sent')]);
	});

	test('keeps in doubt what Resend if Unknown could not send either, and stops there', async () => {
		n8n.answer = () => 'lost';
		await n8n.run(recipients(5), KEYED);
		n8n.answer = () => 'refused';
		const { error } = await n8n.run(recipients(5), { ...KEYED, ...STOPS, resends: true });
		expect(error?.context.itemIndex).toBe(0);
		expect(error?.message).toMatch(/was begun.*Tried again:/);
		for (let again = 0; again < 2; again++)
			expect(await run(recipients(5))).toEqual(all(5, 'unknown'));
		expect(n8n.asked).toHaveLength(6);
	});

	const TWICE = [...recipients(2), ...recipients(2)];
	test.each([1, 5])('skips a second row with the same key, %d at once', async (maxConcurrency) => {
		const items = [...TWICE, { toId: 'customer-1', sendOnceKey: 'its own' }];
		const ends = await run(items, { ...KEYED, maxConcurrency });
		expect(ends).toEqual(['sent', 'sent', 'skipped', 'skipped', 'sent']);
	});

	test('tries a second row where the first was refused, and not where it may have been sent', async () => {
		const ends = await run(TWICE, KEYED, { 'customer-1': 'refused', 'customer-2': 'lost' });
		expect(ends).toEqual(['rejected', 'unknown', 'sent', 'unknown']);
		expect(n8n.asked).toEqual(customers(1, 2, 1));
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

	test.each([
		['goes on', false],
		['is stopped', true],
	])(
		'that had claimed what another one sends again leaves it at that, as it %s',
		async (_, stops) => {
			answerInTurn([3000, 'accepted'], [0, 'lost'], [0, 'accepted']);
			const first = n8n.begin(recipients(2), KEYED);
			await n8n.pass(500);
			const again = { ...KEYED, resends: true };
			expect((await n8n.run([{ toId: 'customer-2' }], again)).ends).toEqual(['unknown']);
			if (stops) first.cancel();
			await n8n.until(first.ended);
			await n8n.pass(1000);
			expect((await n8n.run([{ toId: 'customer-2' }], KEYED)).ends).toEqual(['unknown']);
			expect(n8n.asked).toEqual(customers(1, 2));
		},
	);

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

describe('a cancelled execution', () => {
	test('ends at once, whenever the stop comes, and frees what was not begun', async () => {
		for (let when = 0; when < 3500; when += 50) {
			n8n.reset();
			n8n.beginMemory(() => 300);
			n8n.answer = async (): Promise<Fate> => {
				await n8n.clock.sleep(500);
				return 'accepted';
			};
			const running = n8n.begin(recipients(4), KEYED);
			await n8n.pass(when);
			running.cancel();
			const { ends, took } = await n8n.until(running.ended);
			expect(took).toBeLessThanOrEqual(when);
			await n8n.pass();
			expect(n8n.asked).toHaveLength(ends.length);
			expect(n8n.openEntries()).toHaveLength(ends.filter((end) => end === 'unknown').length);
			const before = ends.map((end) => (end === 'sent' ? 'skipped' : end));
			expect(await run(recipients(4))).toEqual([...before, ...all(4 - ends.length, 'sent')]);
		}
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
		expect(await run(recipients(5))).toEqual(['skipped', 'unknown', ...all(3, 'sent')]);
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
	const texts = ['asked: sent', 'asked: free', 'sent'].map((text) => `Workchat: ${text}`);
	expect(again.log.map(([text]) => text)).toEqual(texts);
});
