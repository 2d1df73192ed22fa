import type { Execution, Observed, Report, Seen } from '../../../dev/simulation/observed';
import { breachesOf, INVARIANTS } from '../../../dev/simulation/oracle';
import { ANSWERS, type AnswerName, type Plan, type PlannedRun } from '../../../dev/simulation/plan';
import { keyed, keyless, planOf, resending, to } from './simplePlans';

/**
 * An oracle that cannot fail proves nothing: each invariant notices what it is for, and no excuse
 * covers it. The simulated plans themselves show that it notices nothing else.
 */

/** Two items to one recipient. */
const plan = (run: PlannedRun, more: Partial<Plan> = {}): Plan =>
	planOf(0, [run], { items: [to('customer'), to('customer')], ...more });

const seen = (item: number, name: AnswerName, at: number, run = 0): Seen => {
	return { ...ANSWERS[name], item, name, at, run, isAfterStop: false };
};
/** One request for each item, one after the other, and one word. */
const inTurn = (...names: AnswerName[]) => names.map((name, item) => seen(item, name, 10 * item));
const report = (outcome: Report['outcome'], input = 0): Report => ({ input, outcome, text: '' });
const said = (...outcomes: Array<Report['outcome']>) => ({ reports: outcomes.map(report) });
const threw = (outcome: Report['outcome']) =>
	({ status: 'error', thrown: report(outcome) }) as const;
const cancelled = { status: 'canceled', cancelledAt: -1 } as const;
const killed = { status: 'crashed' } as const;
const well = { troubles: 0, stalls: 0 };
/** What the service saw, and what the items or the execution say of it: of each run of the plan. */
const observed = (
	requests: Seen[],
	told: Partial<Execution>,
	of = plan(keyless),
	memory = well,
	...others: Array<Partial<Execution>>
): Observed => {
	const executions = [told, ...others].map((one, run): Execution => {
		const planned = of.runs[run]!;
		const times = { firstInput: 0, startedAt: 0, endedAt: 100 };
		return { run, planned, status: 'success', reports: [], ...times, ...one };
	});
	return { plan: of, seen: requests, executions, memory, log: [] };
};

const bothDone = inTurn('done', 'done');
const twice = [...bothDone, seen(1, 'done', 20)];
const failing = { troubles: 1, stalls: 0 };
const saidSent = said('sent', 'sent');
const stopping: PlannedRun = { ...keyless, onError: 'stopWorkflow' };
const stops = plan(stopping);
const withKey = plan(keyed);
const resends = plan(resending);
const resendsAll = { ...keyless.options, resendUnknown: true };

/** Beside an execution with another key, in the same process. */
const beside = (run: PlannedRun) =>
	plan(run, { runs: [run, { ...keyed, options: { ...keyed.options, sendOnceKey: 'summer' } }] });
/** Retries of the first one. */
const retry = { ...keyless, retryOf: 0 };
const resendingRetry = { ...retry, options: resendsAll };
const resent = { ...said('sent'), startedAt: 150, endedAt: 300 };
const killedAndRetried = (...requests: Seen[]) =>
	observed(requests, killed, planOf(0, [keyless, retry]), well, said('sent'));

const BROKEN: Record<keyof typeof INVARIANTS, Record<string, Observed>> = {
	deliveredOnce: {
		twice: observed(twice, saidSent),
		'again though unknown': observed([seen(0, 'done, lost', 0), ...bothDone], saidSent),
		'two items with one key': observed(bothDone, saidSent, withKey),
		'one item with a key, as it stands there twice': observed(
			[seen(0, 'done', 0), seen(0, 'done', 10)],
			saidSent,
			plan(keyed, { inputs: [0, 0] }),
		),
		'again, as one that would have skipped it was killed': observed(
			[seen(0, 'done', 0), seen(0, 'done', 6000, 2)],
			said('sent'),
			planOf(0, [keyed, keyed, keyed], { kills: [{ at: 5000, process: 0 }] }),
			well,
			{ ...killed, startedAt: 4990, endedAt: 5000 },
			{ ...said('sent'), startedAt: 5000, endedAt: 6010 },
		),
		'again by the Retry of one that was killed': killedAndRetried(
			seen(0, 'done', 0),
			seen(0, 'done', 200, 1),
		),
		'again by the Retry of one that was killed later, beside another worker': observed(
			[seen(0, 'done', 0), seen(0, 'done', 5, 2), seen(0, 'done', 1200, 1)],
			{ ...killed, endedAt: 1000 },
			planOf(0, [keyless, retry, { ...keyless, process: 1 }]),
			well,
			{ ...said('sent'), startedAt: 1100, endedAt: 1300 },
			said('sent'),
		),
		'again while it was on its way': killedAndRetried(
			seen(0, 'done', 90, 1),
			seen(0, 'done', 145), // it was killed at 100
		),
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
			killed,
		),
		'with a memory that fails': observed(twice, saidSent, plan(keyless), failing),
	},
	resentOnce: {
		'again though it was sent': observed(twice, saidSent, resends),
		'both of two alike, though one was sent again': observed(
			[seen(0, 'lost', 0), ...[1, 2, 2].map((run) => seen(0, 'done', 10 * run, run))],
			threw('unknown'),
			planOf(
				0,
				[stopping, { ...stopping, options: resendsAll, retryOf: 0 }, { ...stopping, retryOf: 1 }],
				{ inputs: [0, 0] },
			),
			well,
			threw('unknown'),
			threw('unknown'),
		),
		'in doubt under the key of a Retry, which was refused': observed(
			[seen(0, 'lost', 0), seen(0, 'refused', 10, 1), seen(0, 'done', 20, 2)],
			said('unknown'),
			planOf(0, [keyless, { ...resending, retryOf: 0 }, keyed]),
			well,
			said('unknown'),
			said('sent'),
		),
		'by two Retries of one that was killed': observed(
			[seen(0, 'done', 200, 1), seen(0, 'done', 210, 2)],
			killed,
			planOf(0, [keyless, resendingRetry, resendingRetry]),
			well,
			resent,
			resent,
		),
		'beside another key in the same process': observed(
			twice,
			saidSent,
			beside(resending),
			well,
			killed,
		),
	},
	trueOutcomes: {
		'rejected though delivered': observed(
			[seen(0, 'refused', 0), seen(0, 'done, lost', 5), seen(1, 'done', 10)],
			said('rejected', 'sent'),
		),
		'rejected though another execution had left its key open': observed(
			[seen(0, 'lost', 0), seen(0, 'refused', 120, 1)],
			said('unknown'),
			planOf(0, [keyed, resending]),
			well,
			{ ...said('rejected'), startedAt: 110, endedAt: 130 },
		),
		'rejected though it never came': observed([seen(1, 'done', 0)], said('rejected', 'sent')),
		'sent though refused': observed(inTurn('refused', 'done'), saidSent),
		'skipped though never sent': observed([], said('skipped', 'skipped'), withKey),
		'sent twice as often': observed(inTurn('done'), saidSent, plan(keyless, { inputs: [0, 0] })),
		'not sent though it came': observed(inTurn('refused', 'done'), said('notSent', 'sent')),
		'not sent though it was lost before': observed(
			[seen(0, 'lost', 0)],
			said('unknown'),
			planOf(0, [keyless, retry]),
			failing,
			said('notSent'),
		),
		'not sent though all was well': observed(
			[seen(1, 'done', 0)],
			said('notSent', 'sent'),
			plan({ ...keyless, isCalm: true }),
			failing,
		),
		'no word of it': observed(bothDone, said('garbled', 'sent')),
	},
	noNeedlessDoubt: {
		'nothing was left open': observed([seen(1, 'done', 0)], said('unknown', 'sent')),
		'unknown though it was sent': observed(bothDone, said('unknown', 'sent')),
		'unknown though a Retry sent it': observed(
			[seen(0, 'lost', 0), seen(0, 'done', 10, 1)],
			said('unknown'),
			planOf(0, [keyless, resendingRetry]),
			well,
			said('unknown'),
		),
		'beside another key in the same process': observed(
			[seen(0, 'done', 0)],
			said('unknown', 'unknown'),
			beside(keyed),
			well,
			killed,
		),
	},
	completeOutput: {
		'one item of two': observed(bothDone, said('sent')),
		'in another order': observed(bothDone, { reports: saidSent.reports.toReversed() }),
		'thrown with Continue': observed([], threw('notSent'), plan(keyless), failing),
		'not thrown': observed(inTurn('refused', 'done'), said('rejected', 'sent'), stops),
	},
	endsInTime: {
		never: observed([], { status: 'running', endedAt: undefined }),
		'goes on though it was cancelled': observed(
			[{ ...bothDone[0]!, isAfterStop: true }],
			cancelled,
		),
		'late after it was cancelled': observed([], { ...cancelled, endedAt: 5000 }),
	},
};

describe.each(Object.entries(BROKEN))('%s is broken:', (invariant, ways) => {
	test.each(Object.entries(ways))('%s', (_, one) => {
		const told = breachesOf(one).map((breach) => [breach.invariant, breach.excuse]);
		expect(new Set(told.map(String))).toEqual(new Set([`${invariant},`]));
	});
});
