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
const A_PAUSE = { at: 0, process: 0, lasts: 500 };
const failing = { troubles: 1, stalls: 0 };
const saidSent = said('sent', 'sent');
const stops = plan({ ...keyless, onError: 'stopWorkflow' });
const withKey = plan(keyed);
const resends = plan(resending);
const resendsAll = { ...keyless.options, resendUnknown: true };

/** Of two items with one message, the first is lost and sent again by a Retry; another one sends both. */
function twins(...rest: AnswerName[]): Observed {
	const first: PlannedRun = { ...keyless, onError: 'stopWorkflow' };
	const resend = { ...first, options: resendsAll, retryOf: 0 };
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
	const again = { ...said('sent'), startedAt: 5000, endedAt: 6010 };
	const before = { ...killed, startedAt: 4990, endedAt: 5000 };
	return observed(requests, said('sent'), of, well, before, again);
}

/** Beside an execution with another key, in this process: a needless doubt, or what is sent twice. */
function beside(process: number, run: PlannedRun): Observed {
	const other = { ...keyed, process, options: { ...keyed.options, sendOnceKey: 'summer' } };
	const of = plan(run, { runs: [run, other] });
	return run.options.resendUnknown
		? observed(twice, saidSent, of, well, killed)
		: observed([seen(0, 'done', 0)], said('unknown', 'unknown'), of, well, killed);
}

/** Sent by one that is killed, and by its Retry. */
function killedAndRetried(
	memory: Observed['memory'],
	requests = [seen(0, 'done', 0), seen(0, 'done', 200, 1)],
	retry: PlannedRun = keyless,
	told = said('sent'),
): Observed {
	const of = planOf(0, [keyless, { ...retry, retryOf: 0 }]);
	return observed(requests, killed, of, memory, told);
}
/** The same beside another worker, whose write of its own may take away what the first one left. */
function killedBeside(endedAt: number): Observed {
	const of = planOf(0, [keyless, { ...keyless, retryOf: 0 }, { ...keyless, process: 1 }]);
	const requests = [seen(0, 'done', 0), seen(0, 'done', 5, 2), seen(0, 'done', 1200, 1)];
	const retry = { ...said('sent'), startedAt: 1100, endedAt: 1300 };
	return observed(requests, { ...killed, endedAt }, of, well, retry, said('sent'));
}
/** Two Retries of one that was killed both resend. */
function bothResend(areOfSubWorkflow: boolean): Observed {
	const retry = { ...keyless, options: resendsAll, retryOf: 0 };
	const of = planOf(0, [keyless, retry, retry], { areOfSubWorkflow });
	const requests = [seen(0, 'done', 200, 1), seen(0, 'done', 210, 2)];
	const resent = { ...said('sent'), startedAt: 150, endedAt: 300 };
	return observed(requests, killed, of, well, resent, resent);
}
const lostAndRefused = [seen(0, 'lost', 0), seen(0, 'refused', 200, 1)];
/** The first one comes after the kill at 100. */
const resentMeanwhile = [seen(0, 'done', 90, 1), seen(0, 'done', 145)];
const resendsAlone = { ...resending, options: { ...resending.options, sendOnceKey: '' } };

const AS_IT_SHOULD_BE: Record<string, Observed> = {
	sent: observed(bothDone, saidSent),
	'refused and lost': observed(inTurn('refused', 'done, lost'), said('rejected', 'unknown')),
	thrown: observed(inTurn('refused'), threw('rejected'), stops),
	'one of two alike sent again, then the other': twins('done'),
	'resent, as one that asked for it was killed': afterKill(resending),
	'sent again after a kill, as a memory that failed does not know of it': killedAndRetried(failing),
	'refused after such a kill': killedAndRetried(failing, lostAndRefused, keyless, said('rejected')),
	'sent again after a kill at once, beside another worker': killedBeside(200),
	'resent by two Retries of a sub-workflow that was killed': bothResend(true),
	'resent while it was on its way': killedAndRetried(well, resentMeanwhile, resendsAlone),
};

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
		'again, as one that asked for it was killed': afterKill(keyed),
		'again by the Retry of one that was killed': killedAndRetried(well),
		'again by the Retry of one that was killed later, beside another worker': killedBeside(1000),
		'again while it was on its way': killedAndRetried(well, resentMeanwhile),
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
		'in a standstill': observed(twice, saidSent, plan(keyless, { pauses: [A_PAUSE] })),
		'with a memory that fails': observed(twice, saidSent, plan(keyless), failing),
	},
	resentOnce: {
		'again though it was sent': observed(twice, saidSent, resends),
		'both of two alike, though one was sent again': twins('done', 'done'),
		'by two Retries of one that was killed': bothResend(false),
		'on two workers': observed(twice, saidSent, { ...resends, processes: 2 }),
		'beside another key in the same process': beside(0, resending),
	},
	trueOutcomes: {
		'rejected though delivered': observed(
			[seen(0, 'refused', 0), seen(0, 'done, lost', 5), seen(1, 'done', 10)],
			said('rejected', 'sent'),
		),
		'rejected though it never came': observed([seen(1, 'done', 0)], said('rejected', 'sent')),
		'sent though refused': observed(inTurn('refused', 'done'), saidSent),
		'skipped though never sent': observed([], said('skipped', 'skipped'), withKey),
		'sent twice as often': observed(inTurn('done'), saidSent, plan(keyless, { inputs: [0, 0] })),
		'not sent though it came': observed(inTurn('refused', 'done'), said('notSent', 'sent')),
		'not sent though it was lost before': observed(
			[seen(0, 'lost', 0)],
			said('unknown'),
			planOf(0, [keyless, { ...keyless, retryOf: 0 }]),
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
		'thrown without a word': observed([], threw('garbled'), stops),
	},
	noNeedlessDoubt: {
		'nothing was left open': observed([seen(1, 'done', 0)], said('unknown', 'sent')),
		'unknown though it was sent': observed(bothDone, said('unknown', 'sent')),
		'unknown though a Retry sent it': observed(
			[seen(0, 'lost', 0), seen(0, 'done', 10, 1)],
			said('unknown'),
			planOf(0, [keyless, { ...keyless, options: resendsAll, retryOf: 0 }]),
			well,
			said('unknown'),
		),
		'thrown as unknown': observed(inTurn('refused'), threw('unknown'), stops),
		'beside another key in the same process': beside(0, keyed),
	},
	completeOutput: {
		'one item of two': observed(bothDone, said('sent')),
		'in another order': observed(bothDone, { reports: saidSent.reports.toReversed() }),
		'thrown with Continue': observed([], threw('notSent'), plan(keyless), failing),
		'not thrown': observed(inTurn('refused', 'done'), said('rejected', 'sent'), stops),
	},
	endsInTime: {
		never: observed([], { status: 'running', endedAt: undefined }),
		'goes on though it was cancelled': observed(bothDone, { ...cancelled, endedAt: 4 }),
		'late after it was cancelled': observed([], { ...cancelled, endedAt: 5000 }),
	},
};

/** What docs/delivery.md tells of is no violation, and nothing else is excused by it. */
const EXCUSED: Record<string, Record<string, Observed>> = {
	'deliveredOnce: a worker stood still in a call of its memory': {
		'a write that came late': observed(twice, saidSent, plan(keyless), { troubles: 0, stalls: 1 }),
	},
	'resentOnce: resent as its memory had failed': {
		'with a memory that fails': observed(twice, saidSent, resends, failing),
	},
	'resentOnce: another worker wrote over it': { 'beside another key': beside(1, resending) },
	'noNeedlessDoubt: another worker wrote over it': { 'beside another key': beside(1, keyed) },
};

const ALL = { nothing: AS_IT_SHOULD_BE, ...BROKEN, ...EXCUSED };

describe.each(Object.entries(ALL))('%s is broken:', (words, ways) => {
	test.each(Object.entries(ways))('%s', (_, one) => {
		const told = breachesOf(one).map(
			({ invariant, excuse }) => invariant + (excuse ? `: ${excuse}` : ''),
		);
		expect([...new Set(told)]).toEqual(words === 'nothing' ? [] : [words]);
	});
});
