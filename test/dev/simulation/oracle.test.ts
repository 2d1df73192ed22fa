import type { Execution, Observed, Report, Seen } from '../../../dev/simulation/observed';
import { breachesOf, INVARIANTS } from '../../../dev/simulation/oracle';
import { ANSWERS, type AnswerName, type Plan, type PlannedRun } from '../../../dev/simulation/plan';
import { keyed, keyless, planOf, resending, to } from './simplePlans';

/** An oracle that cannot fail proves nothing: each invariant notices what it is for. */

/** Of two items to one recipient. */
const plan = (run: PlannedRun, more: Partial<Plan> = {}): Plan =>
	planOf(0, [run], { items: [to('customer'), to('customer')], processes: 1, ...more });

const seen = (item: number, name: AnswerName, at: number, run = 0): Seen => {
	return { ...ANSWERS[name], item, name, at, run };
};
/** One request for each item, one after the other, and one word. */
const inTurn = (...names: AnswerName[]) => names.map((name, item) => seen(item, name, 10 * item));
const said = (...outcomes: Array<Report['outcome']>): Report[] =>
	outcomes.map((outcome, input) => ({ input, outcome, text: '' }));
const threw = (outcome: Report['outcome']): Partial<Execution> => {
	return { status: 'error', thrown: { input: 0, outcome, text: '' } };
};
const cancelled = (cancelledAt: number, endedAt: number): Partial<Execution> => {
	return { status: 'canceled', cancelledAt, endedAt };
};
const well = { troubles: 0, stalls: 0 };
/** What the service saw, and what the items or the execution say of it: of each run of the plan. */
const observed = (
	requests: Seen[],
	told: Report[] | Partial<Execution>,
	of = plan(keyless),
	memory = well,
	...others: Array<Report[] | Partial<Execution>>
): Observed => {
	const executions = [told, ...others].map((one, run) => {
		const more = Array.isArray(one) ? { reports: one } : one;
		const ended = { status: 'success', startedAt: 0, endedAt: 100, reports: [] } as const;
		return { run, planned: of.runs[run]!, ...ended, ...more } as Execution;
	});
	return { plan: of, seen: requests, executions, memory, log: [] };
};

const bothDone = inTurn('done', 'done');
const twice = [...bothDone, seen(1, 'done', 20)];
const failing = { troubles: 1, stalls: 0 };
const pauses = [{ at: 0, process: 0, lasts: 500 }];
const saidSent = said('sent', 'sent');
const stops = plan({ ...keyless, onError: 'stopWorkflow' });
const withKey = plan(keyed);
const resends = plan(resending);

test.each<[string, Observed]>([
	['sent', observed(bothDone, saidSent)],
	['refused and lost', observed(inTurn('refused', 'done, lost'), said('rejected', 'unknown'))],
	['thrown', observed(inTurn('refused'), threw('rejected'), stops)],
	['one of two alike sent again, then the other', twins('done')],
	['resent, as one that asked for it was killed', afterKill(resending)],
])('what is as it should be breaks no invariant: %s', (_, one) => {
	expect(breachesOf(one)).toEqual([]);
});

/** Of two items with one message, the first is lost and sent again by a Retry; another one sends both. */
function twins(...rest: AnswerName[]): Observed {
	const first: PlannedRun = { ...keyless, onError: 'stopWorkflow' };
	const resend = { ...first, options: { ...keyless.options, resendUnknown: true }, retryOf: 0 };
	const of = planOf(0, [first, resend, { ...first, retryOf: 1 }], { inputs: [0, 0] });
	const last = rest.map((name, index) => seen(0, name, 20 + index, 2));
	const requests = [seen(0, 'lost', 0), seen(0, 'done', 10, 1), ...last];
	const stopped = threw('unknown');
	return observed(requests, stopped, of, well, stopped, stopped);
}

/** One sends, the next one is killed when it would have skipped that, and the last one sends it again. */
function afterKill(last: PlannedRun): Observed {
	const of = planOf(0, [keyed, keyed, last], { kills: [{ at: 5000, process: 0 }] });
	const requests = [seen(0, 'done', 0), seen(0, 'done', 6000, 2)];
	const killed: Partial<Execution> = { status: 'crashed', startedAt: 4990, endedAt: 5000 };
	const again = { startedAt: 5000, endedAt: 6010, reports: said('sent') };
	return observed(requests, said('sent'), of, well, killed, again);
}

const BROKEN: Record<keyof typeof INVARIANTS, Record<string, Observed>> = {
	deliveredOnce: {
		twice: observed(twice, saidSent),
		'again though unknown': observed([seen(0, 'done, lost', 0), ...bothDone], saidSent),
		'two items with one key': observed(bothDone, saidSent, withKey),
		'again, as one that asked for it was killed': afterKill(keyed),
		'again by a Retry that has a key': observed(
			[...bothDone, seen(0, 'done', 20, 1), seen(1, 'done', 30, 1)],
			saidSent,
			planOf(0, [keyless, { ...keyed, retryOf: 0 }], { items: [to('one'), to('other')] }),
			well,
			saidSent,
		),
		'beside another message that is resent': observed(
			[...twice, seen(2, 'lost', 30), seen(2, 'done', 40, 1)],
			said('sent', 'sent', 'unknown'),
			planOf(0, [keyless, resending], { items: [to('one'), to('other'), to('third')] }),
			failing,
			said('sent'),
		),
	},
	resentOnce: {
		'again though it was sent': observed(twice, saidSent, resends),
		'both of two alike, though one was sent again': twins('done', 'done'),
	},
	trueOutcomes: {
		'rejected though delivered': observed(inTurn('done, lost', 'done'), said('rejected', 'sent')),
		'sent though refused': observed(inTurn('refused', 'done'), saidSent),
		'skipped though never sent': observed([], said('skipped', 'skipped'), withKey),
		'sent twice as often': observed(inTurn('done'), saidSent, plan(keyless, { inputs: [0, 0] })),
		'not sent though it came': observed(inTurn('refused', 'done'), said('notSent', 'sent')),
		'no word of it': observed(bothDone, said('garbled', 'sent')),
		'thrown without a word': observed([], threw('garbled'), stops),
	},
	noNeedlessDoubt: {
		'nothing was left open': observed([seen(1, 'done', 0)], said('unknown', 'sent')),
		'unknown though it was sent': observed(bothDone, said('unknown', 'sent')),
		'thrown as unknown': observed(inTurn('refused'), threw('unknown'), stops),
	},
	completeOutput: {
		'one item of two': observed(bothDone, said('sent')),
		'in another order': observed(bothDone, saidSent.toReversed()),
		'thrown with Continue': observed([], threw('notSent')),
		'not thrown': observed(inTurn('refused', 'done'), said('rejected', 'sent'), stops),
	},
	endsInTime: {
		never: observed([], { status: 'running', endedAt: undefined }),
		'goes on though it was cancelled': observed(bothDone, cancelled(-1, 4)),
		'late after it was cancelled': observed([], cancelled(0, 5000)),
	},
};

describe.each(Object.entries(BROKEN))('%s:', (invariant, ways) => {
	test.each(Object.entries(ways))('%s is noticed', (_, one) => {
		expect(breachesOf(one).map((breach) => breach.invariant)).toContain(invariant);
	});
});

/** What docs/delivery.md tells of is no violation, and nothing else is excused by it. */
test.each<[string, Observed, keyof typeof INVARIANTS, string | undefined]>([
	[
		'a write that came late',
		observed(twice, saidSent, plan(keyless), { troubles: 0, stalls: 1 }),
		'deliveredOnce',
		'a worker stood still in a call of its memory',
	],
	[
		'a standstill',
		observed(twice, saidSent, plan(keyless, { pauses })),
		'deliveredOnce',
		undefined,
	],
	[
		'a memory that fails',
		observed(twice, saidSent, plan(keyless), failing),
		'deliveredOnce',
		undefined,
	],
	[
		'Resend with a memory that fails',
		observed(twice, saidSent, resends, failing),
		'resentOnce',
		'resent as its memory had failed',
	],
	[
		'Resend on two workers',
		observed(twice, saidSent, { ...resends, processes: 2 }),
		'resentOnce',
		undefined,
	],
])('of a double, %s is an excuse only where it should be', (_, one, invariant, excuse) => {
	expect(breachesOf(one)).toMatchObject([{ invariant, excuse }]);
});

/** An execution with another key at the same time. */
test.each([
	['in another process', 1, 'another worker wrote over it'],
	['in the same process', 0, undefined],
])('%s excuses a needless doubt and what is resent, or not', (_, process, excuse) => {
	const other = { ...keyed, process, options: { ...keyed.options, sendOnceKey: 'summer' } };
	const besideIt = (run: PlannedRun, requests: Seen[], told: Report[]): Observed => {
		const of = plan(run, { runs: [run, other] });
		return observed(requests, told, of, well, said('sent'));
	};
	const excused = (invariant: string) => expect.objectContaining({ invariant, excuse }) as object;
	const doubt = besideIt(keyed, [seen(0, 'done', 0)], said('unknown', 'unknown'));
	expect(breachesOf(doubt)).toContainEqual(excused('noNeedlessDoubt'));
	const double = besideIt(resending, twice, saidSent);
	expect(breachesOf(double)).toContainEqual(excused('resentOnce'));
});
