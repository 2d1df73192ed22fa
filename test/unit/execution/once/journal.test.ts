import { failing, useVirtualN8n } from '../../../support/virtual';

import { assert } from 'n8n-workflow';

import { DeduplicationStandIn, type Faults } from '../../../../dev/engine/deduplicationStandIn';
import type { Claim } from '../../../../nodes/Workchat/execution/once/claim';
import { Journal } from '../../../../nodes/Workchat/execution/once/journal';
import { Row } from '../../../../nodes/Workchat/execution/once/row';

const n8n = useVirtualN8n();

let rows: DeduplicationStandIn;
beforeEach(() => (rows = new DeduplicationStandIn({})));
const memoryOf = (faults: Faults) => ({ ...rows.beside(faults).helpersFor(), logger: n8n.logger });
/** In a process of its own. */
function journal(faults: Faults = {}): Journal {
	return new Journal(new Row(memoryOf(faults)));
}
/** What the name is to whoever claims it. */
const claim = async (of: Journal, reopens = false) =>
	(await n8n.until(of.claim('N', reopens))).state;
const ours = async (of: Journal, name = 'N', reopens = false) => {
	const { claim } = await n8n.until(of.claim(name, reopens));
	assert(claim);
	return claim;
};
/** More than n8n removes in one call. */
const endMany = async (one: Journal) => {
	const names = Array.from({ length: 150 }, (_, index) => `N${index || ''}`);
	const claims = await n8n.until(Promise.all(names.map(async (name) => await one.claim(name))));
	for (const { claim } of claims) claim!.end('closed');
};
/** As of an n8n that does not hear of what is removed. */
const removeProcessed = async () => await Promise.reject(new Error('gone'));
/** Without marks. */
const entries = () => rows.entries().filter((entry) => entry.startsWith('N'));
const BOTH = ['N', 'N open'];

test.each<[string, (claim: Claim) => void, string, string[]]>([
	['sent', (claim) => claim.end('closed'), 'closed', ['N']],
	['not sent', (claim) => claim.end('free'), 'free', BOTH],
	['in doubt', (claim) => claim.end('open'), 'open', BOTH],
	['held by one that was killed', () => {}, 'open', BOTH],
])('what was %s is so for another process', async (_, end, state, left) => {
	const one = journal();
	const claimed = await ours(one);
	expect(entries()).toEqual(BOTH);
	end(claimed);
	await n8n.pass();
	const other = journal();
	expect(await claim(other)).toBe(state);
	await n8n.pass();
	expect(entries()).toEqual(left);
	expect(rows.entries()).toHaveLength(left.length);
	expect(await claim(journal(), true)).toBe(state === 'closed' ? 'closed' : 'reopened');
});

test('what another worker wrote over is not ours, also where the look for it fails once n8n has heard it', async () => {
	let written = 0;
	const after = (operation: string) => {
		if (operation !== 'find' && ++written === 2) throw new Error('gone');
	};
	const claimed = journal({ after }).claim('N');
	await n8n.pass(50);
	rows.remove(rows.entries());
	expect((await n8n.until(claimed)).state).toBe('open');
});

test('what is held is in doubt for its own process, and sent before n8n has noted that', async () => {
	const one = journal();
	const claimed = await ours(one);
	expect(await claim(one, true)).toBe('open');
	one.row.memory = { ...memoryOf({}), removeProcessed };
	claimed.end('closed');
	await n8n.pass(1000);
	expect(await claim(one, true)).toBe('closed');
});

test('what was in doubt is claimed where it is to be sent again, and never forgotten', async () => {
	await claim(journal());
	const one = journal();
	expect(await claim(one)).toBe('open');
	const claimed = await ours(one, 'N', true);
	expect(await claim(one, true)).toBe('open');
	claimed.end('free');
	await n8n.pass();
	expect(entries()).toEqual(BOTH);
});

test('the mark "open" is removed in three turns, as another worker may write over it', async () => {
	const memory = memoryOf({});
	const one = new Journal(new Row(memory));
	const remove = jest.spyOn(memory, 'removeProcessed');
	await endMany(one);
	await n8n.pass();
	const sizes = remove.mock.calls.map(([entries]) => entries.length);
	expect(sizes).toEqual([8 + 98, 52, 100, 50, 100, 50]); // eight marks go first
	rows.remove(['N']);
	expect(await claim(one)).toBe('free');
});

test.each([
	['sent', (entry: string) => entry === 'N open', 'closed'],
	['sends', (entry: string) => !BOTH.includes(entry), 'open'],
])('what another worker %s, as it wrote over the claim, is not ours', async (_, isGone, answer) => {
	const claimed = journal().claim('N');
	await n8n.pass(50);
	rows.remove(rows.entries().filter(isGone));
	expect((await n8n.until(claimed)).state).toBe(answer);
	expect(n8n.logged.join()).toContain(': written over by another process');
});

test.each([0, 1])(
	'what n8n does not hear in turn %d stays in doubt, and nothing is held for it',
	async (turn) => {
		let [fails, written] = [true, 0];
		const after = (operation: string) => {
			if (fails && operation !== 'find' && written++ >= turn) throw new Error('gone');
		};
		const one = journal({ after });
		await expect(claim(one)).rejects.toThrow('gone');
		fails = false;
		expect(await claim(one)).toBe('open');
	},
);

test('what is asked for during a question that fails is asked for in the next turn', async () => {
	const one = journal(failing((question) => question <= 4));
	const failed = expect(one.claim('N')).rejects.toThrow('gone');
	await n8n.pass(30);
	await ours(one, 'other');
	await failed;
});

test.each([['closed', ['N']] as const, ['free', BOTH] as const])(
	'what n8n failed to hear: %s goes with a later turn only if nobody else can mean it, and holds nothing',
	async (end, left) => {
		const one = journal();
		const claimed = await ours(one);
		one.row.memory = { ...memoryOf({}), removeProcessed };
		claimed.end(end);
		await n8n.pass();
		one.row.memory = memoryOf({});
		(await ours(one, 'other')).end('open');
		await n8n.pass();
		expect(entries()).toEqual(left);
		rows.remove(BOTH);
		expect(await claim(one)).toBe('free'); // nothing is held for it
	},
);

test('what is left for Retries is written once more, as late as another worker, as slow, may write over it', async () => {
	await n8n.until(journal({ latency: 100 }).leaveTrace(['N']));
	rows.remove(['N']);
	await n8n.pass(1600);
	expect(entries()).toEqual([]);
	await n8n.pass(1000);
	expect(entries()).toEqual(['N']);
});

test('a claim is looked at as late, too, and by no two workers at the same moment', async () => {
	const pauses = new Set<string>();
	for (let worker = 0; worker < 10; worker++) {
		const [latency, shortest] = worker % 2 ? ([100, 1600] as const) : ([0, 100] as const);
		rows = new DeduplicationStandIn({});
		const began = n8n.clock.now;
		await ours(journal({ latency }));
		const pause = n8n.clock.now - began - 4 * latency - 20;
		expect(pause / shortest).toBeGreaterThanOrEqual(1);
		pauses.add((pause / shortest).toFixed(4));
	}
	expect(pauses.size).toBeGreaterThan(5);
});

test('a claim ends once', async () => {
	const claimed = await ours(journal());
	claimed.end('closed');
	for (const as of ['closed', 'free', 'open'] as const)
		expect(() => claimed.end(as)).toThrow('A claim that is closing cannot become');
});

test.each([1, 3])('a claim is ours also where the look for it fails %d times', async (times) => {
	const fails = (question: number) => question > 1 && question <= 1 + times;
	expect(await claim(journal(failing(fails)))).toBe('free');
});

test('what is freed during removals, and claimed anew, is ours', async () => {
	const one = journal({ latency: 50 });
	const [other, claimed] = [await ours(one, 'other'), await ours(one)];
	await n8n.pass();
	other.end('closed');
	await n8n.pass(30); // its removal is on the way
	claimed.end('free');
	expect(await claim(one)).toBe('free');
});

test.each<[string, (run: number) => string, string[]]>([
	['executions, that of the first', (run) => `${run}`, ['N0']],
	['runs of one execution, that of the second', () => 'a loop', ['N1']],
	['others than the latest, the oldest', (run) => (run % 500 ? `${run}` : 'a loop'), ['N1']],
])('of what is left by more than 500 %s goes', async (_, executionOf, gone) => {
	const one = journal();
	await n8n.until(one.leaveTrace(['N of one at work']));
	const names = Array.from({ length: 501 }, (_name, run) => `N${run}`);
	for (const [run, name] of names.entries()) {
		await n8n.until(one.leaveTrace([name]));
		if (run > 0) one.endTrace(executionOf(run - 1), [names[run - 1]!]);
	}
	await n8n.pass();
	expect(entries()).toHaveLength(502);
	one.endTrace(executionOf(500), [names[500]!]);
	await n8n.pass();
	expect(['N of one at work', ...names].filter((name) => !entries().includes(name))).toEqual(gone);
});

test('after a removal that fails, a question is next: ten seconds of silence are enough', async () => {
	const memory = memoryOf({});
	const one = new Journal(new Row(memory));
	const remove = jest.spyOn(memory, 'removeProcessed').mockImplementation(removeProcessed);
	await endMany(one);
	remove.mockClear();
	await ours(one, 'other');
	expect(remove.mock.calls.length).toBeLessThanOrEqual(3); // one in each turn
});

test('at the end, what is on its way to n8n is waited for', async () => {
	const one = journal({ latency: 50 });
	const claimed = await ours(one);
	await n8n.pass();
	claimed.end('closed');
	await n8n.pass(30); // its removal is on the way
	await n8n.until(one.flush());
	expect(entries()).toEqual(['N']);
});
