import { failing, useVirtualN8n } from '../../../support/virtual';

import { assert } from 'n8n-workflow';

import { DeduplicationStandIn, type Faults } from '../../../../dev/engine/deduplicationStandIn';
import type { Claim } from '../../../../nodes/Workchat/execution/once/claim';
import { ClaimStore } from '../../../../nodes/Workchat/execution/once/claimStore';
import { DedupRow } from '../../../../nodes/Workchat/execution/once/dedupRow';

const n8n = useVirtualN8n();

let rows: DeduplicationStandIn;
beforeEach(() => (rows = new DeduplicationStandIn({})));
const helpersWith = (faults: Faults) => ({
	...rows.beside(faults).helpersFor(),
	logger: n8n.logger,
});
/** The claim store of another process. */
function newStore(faults: Faults = {}): ClaimStore {
	return new ClaimStore(new DedupRow(helpersWith(faults)));
}
/** The state of the key for an execution that claims it. */
const claim = async (store: ClaimStore, mayReopen = false) =>
	(await n8n.until(store.claim('K', mayReopen))).state;
const held = async (store: ClaimStore, key = 'K', mayReopen = false) => {
	const { claim } = await n8n.until(store.claim(key, mayReopen));
	assert(claim);
	return claim;
};
/** More than n8n removes in one call. */
const completeMany = async (store: ClaimStore) => {
	const keys = Array.from({ length: 150 }, (_, index) => `K${index || ''}`);
	const claims = await n8n.until(Promise.all(keys.map(async (key) => await store.claim(key))));
	for (const { claim } of claims) claim!.end('completed');
};
/** In place of n8n's, if that fails. */
const removeProcessed = async () => await Promise.reject(new Error('gone'));
/** Without nonces. */
const entries = () => rows.entries().filter((entry) => entry.startsWith('K'));
const BOTH = ['K', 'K open'];

test.each<[string, (claim: Claim) => void, string, string[]]>([
	['a sent message', (claim) => claim.end('completed'), 'completed', ['K']],
	['a message that was not sent', (claim) => claim.end('free'), 'free', BOTH],
	['an unknown outcome', (claim) => claim.end('claimed'), 'claimed', BOTH],
	['a claim of a killed process', () => {}, 'claimed', BOTH],
])('another worker learns of %s', async (_, end, state, left) => {
	const store = newStore();
	const claimed = await held(store);
	expect(entries()).toEqual(BOTH);
	end(claimed);
	await n8n.pass();
	const other = newStore();
	expect(await claim(other)).toBe(state);
	await n8n.pass();
	expect(entries()).toEqual(left);
	expect(rows.entries()).toHaveLength(left.length);
	expect(await claim(newStore(), true)).toBe(state === 'completed' ? 'completed' : 'reopened');
});

test('a worker whose claim was overwritten does not send, even if its second check fails after n8n has written it', async () => {
	let written = 0;
	const after = (operation: string) => {
		if (operation !== 'find' && ++written === 2) throw new Error('gone');
	};
	const claimed = newStore({ after }).claim('K');
	await n8n.pass(50);
	rows.remove(rows.entries());
	expect((await n8n.until(claimed)).state).toBe('claimed');
});

test('another execution in the same process finds a held key claimed, and a sent one completed before n8n has recorded it', async () => {
	const store = newStore();
	const claimed = await held(store);
	expect(await claim(store, true)).toBe('claimed');
	store.row.helpers = { ...helpersWith({}), removeProcessed };
	claimed.end('completed');
	await n8n.pass(1000);
	expect(await claim(store, true)).toBe('completed');
});

test('a key with an unknown outcome can be reopened to resend, but is never released', async () => {
	await claim(newStore());
	const store = newStore();
	expect(await claim(store)).toBe('claimed');
	const claimed = await held(store, 'K', true);
	expect(await claim(store, true)).toBe('claimed');
	claimed.end('free');
	await n8n.pass();
	expect(entries()).toEqual(BOTH);
});

test('an open entry is removed in three rounds, as another worker may write it back', async () => {
	const helpers = helpersWith({});
	const store = new ClaimStore(new DedupRow(helpers));
	const remove = jest.spyOn(helpers, 'removeProcessed');
	await completeMany(store);
	await n8n.pass();
	const sizes = remove.mock.calls.map(([entries]) => entries.length);
	expect(sizes).toEqual([8 + 98, 52, 100, 50, 100, 50]); // eight nonces go first
	rows.remove(['K']);
	expect(await claim(store)).toBe('free');
});

test.each([
	['completed', (entry: string) => entry === 'K open', 'completed'],
	['claimed', (entry: string) => !BOTH.includes(entry), 'claimed'],
])(
	'a worker does not send if the one that overwrote its claim has %s the key',
	async (_, isGone, state) => {
		const claimed = newStore().claim('K');
		await n8n.pass(50);
		rows.remove(rows.entries().filter(isGone));
		expect((await n8n.until(claimed)).state).toBe(state);
		expect(n8n.logged.join()).toContain(': overwritten by another process');
	},
);

test.each([0, 1])(
	'if n8n fails in round %d after it has written, the key stays claimed, but not in this process',
	async (round) => {
		let [fails, written] = [true, 0];
		const after = (operation: string) => {
			if (fails && operation !== 'find' && written++ >= round) throw new Error('gone');
		};
		const store = newStore({ after });
		await expect(claim(store)).rejects.toThrow('gone');
		fails = false;
		expect(await claim(store)).toBe('claimed');
	},
);

test('a key that is claimed during a failing check is checked in the next round', async () => {
	const store = newStore(failing((check) => check <= 4));
	const failed = expect(store.claim('K')).rejects.toThrow('gone');
	await n8n.pass(30);
	await held(store, 'other');
	await failed;
});

test.each([['completed', ['K']] as const, ['free', BOTH] as const])(
	'after a claim ended as %s, the node repeats a failed removal only if no other execution can have the key',
	async (end, left) => {
		const store = newStore();
		const claimed = await held(store);
		store.row.helpers = { ...helpersWith({}), removeProcessed };
		claimed.end(end);
		await n8n.pass();
		store.row.helpers = helpersWith({});
		(await held(store, 'other')).end('claimed');
		await n8n.pass();
		expect(entries()).toEqual(left);
		rows.remove(BOTH);
		expect(await claim(store)).toBe('free'); // this process does not hold it
	},
);

test('a marker is written again, after as long as a slow worker may take to overwrite it', async () => {
	await n8n.until(newStore({ latency: 100 }).writeMarker(['K']));
	rows.remove(['K']);
	await n8n.pass(1600);
	expect(entries()).toEqual([]);
	await n8n.pass(1000);
	expect(entries()).toEqual(['K']);
});

test('a message waits for the second check of its claim until slow workers have written, at most 3 s, and for a random time', async () => {
	const delays = new Set<string>();
	const bounds: Array<[latency: number, min: number]> = [
		[0, 100],
		[100, 1600],
		[1000, 2000],
	];
	for (let worker = 0; worker < 10; worker++) {
		const [latency, min] = bounds[worker % bounds.length]!;
		rows = new DeduplicationStandIn({});
		const startedAt = n8n.clock.now;
		await held(newStore({ latency }));
		const delay = n8n.clock.now - startedAt - 4 * latency - 20;
		expect(delay / min).toBeGreaterThanOrEqual(1);
		expect(delay / min).toBeLessThanOrEqual(1.5);
		delays.add((delay / min).toFixed(4));
	}
	expect(delays.size).toBeGreaterThan(5);
});

test('a claim ends only once', async () => {
	const claimed = await held(newStore());
	claimed.end('completed');
	for (const as of ['completed', 'free', 'claimed'] as const)
		expect(() => claimed.end(as)).toThrow('A claim that is completing cannot end');
});

test.each([1, 3])('a claim is held even if its second check fails %d times', async (times) => {
	const fails = (check: number) => check > 1 && check <= 1 + times;
	expect(await claim(newStore(failing(fails)))).toBe('free');
});

test('a key that is released and claimed again during removals is held', async () => {
	const store = newStore({ latency: 50 });
	const [other, claimed] = [await held(store, 'other'), await held(store)];
	await n8n.pass();
	other.end('completed');
	await n8n.pass(30); // the removal is in flight
	claimed.end('free');
	expect(await claim(store)).toBe('free');
});

test.each<[string, (run: number) => string, string[]]>([
	['the node forgets the oldest of more than 500 executions', (run) => `${run}`, ['K0']],
	[
		'a loop of more than 500 rounds keeps its first marker, so its Retry after a kill sends nothing twice',
		() => 'a loop',
		['K1'],
	],
	[
		'a loop keeps its first marker, and the node forgets the oldest of other executions',
		(run) => (run % 500 ? `${run}` : 'a loop'),
		['K1'],
	],
])('%s', async (_, executionOf, gone) => {
	const store = newStore();
	await n8n.until(store.writeMarker(['K of a running execution']));
	const keys = Array.from({ length: 501 }, (_key, run) => `K${run}`);
	for (const [run, key] of keys.entries()) {
		await n8n.until(store.writeMarker([key]));
		if (run > 0) store.retireMarker(executionOf(run - 1), [keys[run - 1]!]);
	}
	await n8n.pass();
	expect(entries()).toHaveLength(502);
	store.retireMarker(executionOf(500), [keys[500]!]);
	await n8n.pass();
	const all = ['K of a running execution', ...keys];
	expect(all.filter((key) => !entries().includes(key))).toEqual(gone);
});

test('after a failed removal, the node goes on with claims, as each further removal may take ten seconds to fail', async () => {
	const helpers = helpersWith({});
	const store = new ClaimStore(new DedupRow(helpers));
	const remove = jest.spyOn(helpers, 'removeProcessed').mockImplementation(removeProcessed);
	await completeMany(store);
	remove.mockClear();
	await held(store, 'other');
	expect(remove.mock.calls.length).toBeLessThanOrEqual(3); // one in each round
});

test('a run that ends waits for a removal in flight', async () => {
	const store = newStore({ latency: 50 });
	const claimed = await held(store);
	await n8n.pass();
	claimed.end('completed');
	await n8n.pass(30); // the removal is in flight
	await n8n.until(store.removeNow());
	expect(entries()).toEqual(['K']);
});
