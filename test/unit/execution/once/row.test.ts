import { recipients } from '../../../../dev/engine/workflows';
import { all, customers } from '../../../support/messages';
import { useVirtualN8n, type Fate, type Settings } from '../../../support/virtual';

/** What n8n remembers comes late, twice or not at all, or is overwritten. */

const n8n = useVirtualN8n();
const KEYED: Settings = { sendOnceKey: 'spring' };
const ITEMS = recipients(5);
const send = async (items = ITEMS, settings: Settings = {}) =>
	(await n8n.run(items, { ...KEYED, ...settings })).ends;
const expectNobodyTwice = () => expect(new Set(n8n.accepted).size).toBe(n8n.accepted.length);

/** Lets reads and writes fail, before or after they did what they should, as told of each by its number. */
function failing(fails: (operation: number) => boolean, moment: 'before' | 'after' = 'before') {
	const fault = { isOn: true };
	let operations = 0;
	const act = () => {
		if (fault.isOn && fails(operations++)) throw new Error('Connection terminated');
	};
	n8n.beginMemory(() => 0, ...(moment === 'before' ? [act] : [() => {}, act]));
	return fault;
}

describe('a memory that fails', () => {
	test.each([...Array(12).keys()])(
		'once, after its work, at operation %d of the next run: nobody gets it again',
		async (from) => {
			const fault = failing((operation) => operation === from, 'after');
			fault.isOn = false;
			await send();
			fault.isOn = true;
			const again = await send([...ITEMS, { toId: 'another' }]);
			// The process that sent them knows it, whatever it reads.
			expect(again.slice(0, 5)).toEqual(all(5, 'skipped'));
			fault.isOn = false;
			await send([...ITEMS, { toId: 'another' }]);
			expectNobodyTwice();
		},
	);

	test('now and then is asked again', async () => {
		failing((operation) => operation % 5 === 4);
		expect(await send()).toEqual(all(5, 'sent'));
		expect(await send()).toEqual(all(5, 'skipped'));
	});

	test('from some moment on: what is claimed goes out, and nothing else', async () => {
		const fault = failing(() => n8n.accepted.length >= 4);
		const items = recipients(40);
		const ends = await send(items);
		const sent = n8n.accepted.length;
		// What n8n was asked about may stand there all the same.
		const asked = ends.filter((end) => end === 'unknown').length;
		expect(sent).toBeGreaterThanOrEqual(5);
		expect(sent).toBeLessThanOrEqual(16);
		expect(asked).toBeLessThanOrEqual(10);
		const rest = 40 - sent - asked;
		expect(ends).toEqual([...all(sent, 'sent'), ...all(asked, 'unknown'), ...all(rest, 'notSent')]);

		fault.isOn = false;
		const next = await send(items);
		expectNobodyTwice();
		// That they were sent is written a little later, and may not have been any more.
		for (const end of next.slice(0, sent)) expect(end).toMatch(/skipped|unknown/);
		expect(next.slice(-20)).toEqual(all(20, 'sent'));
	});

	test('for some seconds as a run ends: that messages were sent is noted later', async () => {
		const fault = failing(() => n8n.accepted.length >= 4);
		expect(await send()).toEqual(all(5, 'sent'));
		await n8n.pass(5000);
		fault.isOn = false;
		await n8n.pass(5000);
		expect(n8n.openEntries()).toEqual([]);
		expect(await send()).toEqual(all(5, 'skipped'));
	});

	test.each([1, 2, 3, 5])(
		'for %d s as a refused message is freed: the next one for its recipient is tried',
		async (seconds) => {
			const fault = failing(() => true);
			fault.isOn = false;
			n8n.answer = () => {
				if (n8n.asked.length > 1) return 'accepted';
				fault.isOn = true;
				void n8n.clock.sleep(seconds * 1000).then(() => (fault.isOn = false));
				return 'refused';
			};
			expect(await send(customers(1, 1).map((toId) => ({ toId })))).toEqual(['rejected', 'sent']);
			expect(n8n.asked).toEqual(customers(1, 1));
		},
	);

	test('as a refused message is freed, which another worker does: the next one is not freed too', async () => {
		for (let seconds = 0.5; seconds < 12; seconds += 0.5) {
			n8n.reset();
			const fault = failing(() => true);
			fault.isOn = false;
			const outage = async () => {
				fault.isOn = true;
				await n8n.clock.sleep(seconds * 1000);
				n8n.rows.remove(n8n.openEntries().flatMap((open) => [open, open.replace(/ open$/, '')]));
				fault.isOn = false;
			};
			n8n.answer = async (toId): Promise<Fate> => {
				const isFirst = n8n.asked.length === 1;
				if (isFirst) void outage();
				else await n8n.clock.sleep(toId === 'customer-2' ? 14_000 : 20_000);
				return isFirst || toId === 'customer-2' ? 'refused' : 'accepted';
			};
			const items = customers(1, 1, 2).map((toId) => ({ toId }));
			const run = n8n.begin(items, { ...KEYED, maxConcurrency: 2 });
			await n8n.pass(16_000);
			await send(recipients(1), { worker: 2 });
			await n8n.until(run.ended);
			expectNobodyTwice();
		}
	});

	test('as a message is to begin: every item for its recipient comes out', async () => {
		const fault = failing(() => true);
		fault.isOn = false;
		n8n.answer = async (): Promise<Fate> => {
			fault.isOn = true;
			await n8n.clock.sleep(3000);
			return 'accepted';
		};
		expect(await send(customers(1, 2, 2).map((toId) => ({ toId })))).toEqual([
			'sent',
			'unknown',
			'unknown',
		]);
	});

	test('while a run goes on, after another one ended: what it did is noted later', async () => {
		const fault = failing(() => true);
		fault.isOn = false;
		await send([{ toId: 'another' }]);
		const takes: Record<string, [milliseconds: number, Fate]> = {
			'customer-1': [500, 'accepted'],
			'customer-2': [500, 'refused'],
			'customer-3': [60_000, 'accepted'],
		};
		n8n.answer = async (toId) => {
			const [milliseconds, fate] = takes[toId]!;
			await n8n.clock.sleep(milliseconds);
			return fate;
		};
		const running = n8n.begin(recipients(3), { ...KEYED, maxConcurrency: 3 });
		await n8n.pass(400);
		fault.isOn = true;
		await n8n.pass(40_000);
		fault.isOn = false;
		await n8n.until(running.ended);
		n8n.answer = () => 'accepted';
		expect(await send(recipients(3))).toEqual(['skipped', 'sent', 'skipped']);
	});

	test('and is not there: nothing goes out with a key, and it is not asked again', async () => {
		n8n.memory = undefined;
		const { jsons, ends, took } = await n8n.run(recipients(2), KEYED);
		expect(ends).toEqual(['notSent', 'notSent']);
		expect(JSON.stringify(jsons[0])).toMatch(/could not tell.*needs to initialized/);
		expect(took).toBe(0);
		expect((await n8n.run(recipients(2))).ends).toEqual(['sent', 'sent']);
	});

	test.each(['find', 'insert', 'update'] as const)(
		'as its %s never returns: the run ends all the same',
		async (hanging) => {
			let isUp = false;
			const before = async (operation: string) => {
				while (operation === hanging && !isUp) await n8n.clock.sleep(10);
			};
			n8n.beginMemory(() => 0, before);
			const run = await n8n.run(ITEMS, KEYED);
			// A new row is inserted; it is the claims that are written then, or not.
			expect(run.ends).toEqual(all(5, hanging === 'update' ? 'unknown' : 'notSent'));
			expect(JSON.stringify(run.jsons[0])).toMatch(/does not answer/);
			expect(run.took).toBeLessThan(15_000);
			// Whoever comes after that does not wait as long.
			await n8n.pass(1);
			const next = await n8n.run(ITEMS, KEYED);
			expect(next.ends).toEqual(all(5, 'notSent'));
			expect(next.took).toBeLessThan(run.took / 3);
			expect(n8n.asked).toEqual([]);

			isUp = true;
			await n8n.pass(1000);
			expect(await send([{ toId: 'another' }])).toEqual(['sent']);
		},
	);

	test('is late: what it wrote after all is freed', async () => {
		let isSlow = true;
		n8n.beginMemory(
			() => 0,
			async (operation) => {
				if (operation === 'update' && isSlow) await n8n.clock.sleep(11_000);
			},
		);
		expect(await send()).toEqual(all(5, 'unknown'));
		isSlow = false;
		await n8n.pass();
		expect(n8n.openEntries()).toEqual([]);
		expect(await send()).toEqual(all(5, 'sent'));
	});
});

test.each([30, 200])('what was sent stays sent with %d at once', async (maxConcurrency) => {
	const items = recipients(250);
	await send(items, { maxConcurrency });
	for (let run = 0; run < 2; run++)
		expect(await send(items, { maxConcurrency })).toEqual(all(items.length, 'skipped'));
	expect(n8n.accepted).toHaveLength(items.length);
});

describe('what n8n keeps', () => {
	test('does not grow with runs that only skip', async () => {
		await send();
		const lengths: number[] = [];
		for (let run = 0; run < 40; run++) {
			await send();
			lengths.push(n8n.rows.entries().length);
		}
		expect(Math.max(...lengths.slice(20))).toBeLessThanOrEqual(Math.max(...lengths.slice(0, 20)));
	});

	test('is too little for so many: nothing is sent', async () => {
		const { error } = await n8n.run(recipients(20_001), { ...KEYED, stopsOnError: true });
		expect(error?.message).toBe('20001 messages have a Send Once Key, and n8n keeps 20000');
		expect(error?.description).toMatch(/Nothing was sent/);
		expect(n8n.asked).toEqual([]);
		expect(n8n.memory?.calls).toEqual([]);
	});

	test.each([
		[40_800, 3],
		[40_990, 10],
	])(
		'with %d entries, and %d more messages: a hint says so if the oldest are dropped',
		async (count, messages) => {
			await send([{ toId: 'first' }]);
			n8n.rows.fill(count - n8n.rows.entries().length);
			const { hints } = await n8n.run(recipients(messages), { ...KEYED, maxConcurrency: 50 });
			const isDropped = !n8n.entries().some((entry) => entry.includes('first'));
			const hint = 'n8n remembers 20000 messages of this node: the oldest are forgotten now';
			expect(hints).toEqual(isDropped ? [expect.stringContaining(hint)] : []);
			expect(isDropped).toBe(count > 40_900);
			expect(await send(recipients(messages))).toEqual(all(messages, 'skipped'));
		},
	);
});

describe('a Retry', () => {
	test('leaves in doubt what is in doubt where the memory fails, though it should resend it', async () => {
		const settings = { ...KEYED, resends: true };
		n8n.answer = (toId) => (toId === 'customer-1' ? 'accepted' : 'lost');
		const fault = failing(() => true);
		fault.isOn = false;
		const failed = await n8n.run(recipients(3), { ...settings, stopsOnError: true });
		fault.isOn = true;
		const retry = await n8n.retry(failed, settings);
		expect(retry.ends).toEqual(['sent', 'unknown', 'notSent']);
		expect(JSON.stringify(retry.jsons[1])).not.toMatch(/[Nn]othing was sent/);
		expect(n8n.asked).toEqual(customers(1, 2));
	});

	test.each([0, 1, 2, 3, 5])(
		'without a key goes on where it fails from operation %d on, and says so',
		async (healthy) => {
			n8n.answer = (toId) => (toId === 'customer-2' ? 'refused' : 'accepted');
			const failed = await n8n.run(recipients(3), { stopsOnError: true });
			n8n.answer = () => 'accepted';
			failing((operation) => operation >= healthy);
			const { error, hints, log } = await n8n.retry(failed);
			expect(error).toBeUndefined();
			expect(n8n.accepted).toEqual(customers(1, 2, 3));
			const unguarded =
				/^n8n could not tell whether another Retry.* \(items 1, 2, counted from 0\)$/;
			if (healthy < 2) expect(hints).toEqual([expect.stringMatching(unguarded)]);
			expect(log.some(([text]) => text.endsWith('goes unguarded'))).toBe(hints.length > 0);
			expect(hints.join()).not.toMatch(/Key/);
		},
	);
});

describe('a worker that stands still between reading and writing', () => {
	/** Two workers, of which the first one, once so many messages were sent, writes back late what it read. */
	function twoWorkers(milliseconds: number, sent = 20) {
		const latency = () => 2;
		n8n.beginMemory(latency);
		let isPaused = false;
		const before = async (operation: string) => {
			if (operation !== 'update') return;
			if (isPaused) await n8n.clock.sleep(milliseconds);
			isPaused = false;
		};
		n8n.rowsOf.set(1, n8n.rows.beside({ latency, before }));
		n8n.answer = async (): Promise<Fate> => {
			await n8n.clock.sleep(30);
			isPaused ||= n8n.accepted.length === sent;
			return 'accepted';
		};
	}

	test('sends nothing again of what another one began and ended meanwhile', async () => {
		twoWorkers(3000);
		const items = recipients(60);
		const standing = n8n.begin(items, { ...KEYED, maxConcurrency: 2, worker: 1 });
		while (n8n.accepted.length <= 20) await n8n.pass(10);
		await n8n.pass(500);
		await send(items.slice(-10), { maxConcurrency: 2, worker: 2 });
		await n8n.until(standing.ended);
		expectNobodyTwice();
		expect(n8n.accepted).toHaveLength(60);
	});

	test.each([
		['with different keys', 1000, ['spring', 'summer']],
		['with different keys', 3000, ['spring', 'summer']],
		['with the same keys', 3000, ['spring', 'spring']],
	])(
		'beside another %s, which writes back what it read %d ms ago: nobody gets it again',
		async (_, milliseconds, keys) => {
			for (let sent = 20; sent < 23; sent++) {
				n8n.reset();
				twoWorkers(milliseconds, sent);
				const of = (sendOnceKey: string) =>
					recipients(60).map(({ toId }) => ({ toId: `${sendOnceKey} ${toId}` }));
				const runs = keys.map((sendOnceKey, index) =>
					n8n.begin(of(sendOnceKey), { sendOnceKey, maxConcurrency: 2, worker: index + 1 }),
				);
				await n8n.until(Promise.all(runs.map(async ({ ended }) => await ended)));
				expect(n8n.accepted).toHaveLength(new Set(keys).size * 60);
				await n8n.pass(milliseconds);
				for (const sendOnceKey of keys) {
					const again = await n8n.run(of(sendOnceKey), { sendOnceKey, worker: 2 });
					expect(again.ends).toEqual(all(60, 'skipped'));
				}
				expectNobodyTwice();
			}
		},
	);
});
