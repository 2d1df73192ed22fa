import type { Execution, Observed, Report, Seen } from '../../../dev/simulation/observed';
import { breachesOf, INVARIANTS } from '../../../dev/simulation/oracle';
import { ANSWERS, type AnswerName, type Plan, type PlannedRun } from '../../../dev/simulation/plan';
import { keyed, keyless, planOf, resending, to } from './simplePlans';

/**
 * Each invariant finds its breaches, and no excuse covers them. That it finds nothing else is shown by the
 * simulated plans.
 */

/** Two items to one recipient. */
const plan = (run: PlannedRun, more: Partial<Plan> = {}): Plan =>
	planOf(0, [run], { items: [to('customer'), to('customer')], ...more });

const seen = (item: number, name: AnswerName, at: number, run = 0): Seen => {
	return { ...ANSWERS[name], item, name, at, run, isAfterStop: false };
};
/** One request for each item, one after another. */
const inTurn = (...names: AnswerName[]) => names.map((name, item) => seen(item, name, 10 * item));
const reportOf = (outcome: Report['outcome'], input = 0): Report => ({ input, outcome, text: '' });
const said = (...outcomes: Array<Report['outcome']>) => ({ reports: outcomes.map(reportOf) });
const threw = (outcome: Report['outcome']) =>
	({ status: 'error', thrown: reportOf(outcome) }) as const;
const cancelled = { status: 'canceled', cancelledAt: -1 } as const;
const killed = { status: 'crashed' } as const;
const well = { failures: 0, staleWrites: 0 };
/** The requests, and the result of each run of the plan. */
const observed = (
	requests: Seen[],
	first: Partial<Execution>,
	of = plan(keyless),
	store = well,
	...others: Array<Partial<Execution>>
): Observed => {
	const executions = [first, ...others].map((one, run): Execution => {
		const planned = of.runs[run]!;
		const times = { firstInput: 0, startedAt: 0, endedAt: 100 };
		return { run, planned, status: 'success', reports: [], ...times, ...one };
	});
	return { plan: of, seen: requests, executions, store, log: [] };
};

const bothDone = inTurn('done', 'done');
const twice = [...bothDone, seen(1, 'done', 20)];
const failing = { failures: 1, staleWrites: 0 };
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
		'a message is delivered twice': observed(twice, saidSent),
		'a message is sent again after an unknown outcome': observed(
			[seen(0, 'done, lost', 0), ...bothDone],
			saidSent,
		),
		'two items with one key are both delivered': observed(bothDone, saidSent, withKey),
		'an item with a key is delivered twice, as it is twice in the list': observed(
			[seen(0, 'done', 0), seen(0, 'done', 10)],
			saidSent,
			plan(keyed, { inputs: [0, 0] }),
		),
		'a message is sent again, as an execution that skips it was killed': observed(
			[seen(0, 'done', 0), seen(0, 'done', 6000, 2)],
			said('sent'),
			planOf(0, [keyed, keyed, keyed], { kills: [{ at: 5000, process: 0 }] }),
			well,
			{ ...killed, startedAt: 4990, endedAt: 5000 },
			{ ...said('sent'), startedAt: 5000, endedAt: 6010 },
		),
		'the Retry of a killed execution sends again': killedAndRetried(
			seen(0, 'done', 0),
			seen(0, 'done', 200, 1),
		),
		'the Retry of an execution that was killed later sends again, beside another worker': observed(
			[seen(0, 'done', 0), seen(0, 'done', 5, 2), seen(0, 'done', 1200, 1)],
			{ ...killed, endedAt: 1000 },
			planOf(0, [keyless, retry, { ...keyless, process: 1 }]),
			well,
			{ ...said('sent'), startedAt: 1100, endedAt: 1300 },
			said('sent'),
		),
		'a Retry sends a message again that is in flight': killedAndRetried(
			seen(0, 'done', 90, 1),
			seen(0, 'done', 145), // it was killed at 100
		),
		'a Retry with an added key sends again': observed(
			[...bothDone, seen(0, 'done', 20, 1), seen(1, 'done', 30, 1)],
			saidSent,
			planOf(0, [keyless, { ...keyed, retryOf: 0 }], { items: [to('one'), to('other')] }),
			well,
			saidSent,
		),
		'a message is sent again beside another one that is resent': observed(
			[...twice, seen(2, 'lost', 30), seen(2, 'done', 40, 1)],
			said('sent', 'sent', 'unknown'),
			planOf(0, [keyless, resending], { items: [to('one'), to('other'), to('third')] }),
			failing,
			killed,
		),
		'a message is delivered twice with a store that fails': observed(
			twice,
			saidSent,
			plan(keyless),
			failing,
		),
	},
	resentOnce: {
		'a sent message is resent': observed(twice, saidSent, resends),
		'two equal messages are resent, though one of them was already': observed(
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
		'a message is sent again that is unknown with the key of a Retry': observed(
			[seen(0, 'lost', 0), seen(0, 'refused', 10, 1), seen(0, 'done', 20, 2)],
			said('unknown'),
			planOf(0, [keyless, { ...resending, retryOf: 0 }, keyed]),
			well,
			said('unknown'),
			said('sent'),
		),
		'two Retries of a killed execution both resend': observed(
			[seen(0, 'done', 200, 1), seen(0, 'done', 210, 2)],
			killed,
			planOf(0, [keyless, resendingRetry, resendingRetry]),
			well,
			resent,
			resent,
		),
		'a message is resent beside another key in the same process': observed(
			twice,
			saidSent,
			beside(resending),
			well,
			killed,
		),
	},
	trueOutcomes: {
		'a delivered message is rejected': observed(
			[seen(0, 'refused', 0), seen(0, 'done, lost', 5), seen(1, 'done', 10)],
			said('rejected', 'sent'),
		),
		'a message is rejected though another execution left its key claimed': observed(
			[seen(0, 'lost', 0), seen(0, 'refused', 120, 1)],
			said('unknown'),
			planOf(0, [keyed, resending]),
			well,
			{ ...said('rejected'), startedAt: 110, endedAt: 130 },
		),
		'a message is rejected that was not requested': observed(
			[seen(1, 'done', 0)],
			said('rejected', 'sent'),
		),
		'a refused message is sent': observed(inTurn('refused', 'done'), saidSent),
		'messages are skipped that were never sent': observed([], said('skipped', 'skipped'), withKey),
		'two messages are sent, and one was delivered': observed(
			inTurn('done'),
			saidSent,
			plan(keyless, { inputs: [0, 0] }),
		),
		'a requested message is not sent': observed(inTurn('refused', 'done'), said('notSent', 'sent')),
		'a message is not sent whose outcome was unknown before': observed(
			[seen(0, 'lost', 0)],
			said('unknown'),
			planOf(0, [keyless, retry]),
			failing,
			said('notSent'),
		),
		'a message is not sent without any fault': observed(
			[seen(1, 'done', 0)],
			said('notSent', 'sent'),
			plan({ ...keyless, isCalm: true }),
			failing,
		),
		'an item is neither a result nor an error': observed(bothDone, said('garbled', 'sent')),
	},
	noNeedlessUnknown: {
		'a message is unknown without any request': observed(
			[seen(1, 'done', 0)],
			said('unknown', 'sent'),
		),
		'a sent message is unknown': observed(bothDone, said('unknown', 'sent')),
		'a message is unknown that a Retry sent': observed(
			[seen(0, 'lost', 0), seen(0, 'done', 10, 1)],
			said('unknown'),
			planOf(0, [keyless, resendingRetry]),
			well,
			said('unknown'),
		),
		'messages are unknown beside another key in the same process': observed(
			[seen(0, 'done', 0)],
			said('unknown', 'unknown'),
			beside(keyed),
			well,
			killed,
		),
	},
	completeOutput: {
		'there is one item of two': observed(bothDone, said('sent')),
		'items are in another order': observed(bothDone, { reports: saidSent.reports.toReversed() }),
		'an error is thrown with Continue': observed([], threw('notSent'), plan(keyless), failing),
		'no error is thrown with Stop Workflow': observed(
			inTurn('refused', 'done'),
			said('rejected', 'sent'),
			stops,
		),
	},
	endsInTime: {
		'a run does not end': observed([], { status: 'running', endedAt: undefined }),
		'a cancelled run sends another message': observed(
			[{ ...bothDone[0]!, isAfterStop: true }],
			cancelled,
		),
		'a cancelled run ends late': observed([], { ...cancelled, endedAt: 5000 }),
	},
};

describe.each(Object.entries(BROKEN))('%s finds that', (invariant, ways) => {
	test.each(Object.entries(ways))('%s', (_, one) => {
		const found = breachesOf(one).map((breach) => [breach.invariant, breach.excuse]);
		expect(new Set(found.map(String))).toEqual(new Set([`${invariant},`]));
	});
});
