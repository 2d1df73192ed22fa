import { ANSWERS, type AnswerName } from '../../../dev/simulation/answers';
import { breachesOf, INVARIANTS } from '../../../dev/simulation/oracle/invariants';
import type { Execution, Observed, Report, Seen } from '../../../dev/simulation/oracle/observed';
import {
	DRY_BY_ITEM,
	type Options,
	type Plan,
	type PlannedRun,
} from '../../../dev/simulation/plan';

/** An oracle that cannot fail proves nothing: each invariant notices what it is for. */

const OPTIONS: Options = {
	maxConcurrency: 2,
	maxTries: 2,
	requestInterval: 0,
	resendUnknown: false,
};
const planOf = (options: Partial<Options> = {}, more: Partial<PlannedRun> = {}): Plan => ({
	seed: 0,
	items: [0, 1].map((index) => ({ toId: 'customer', troubles: [], isDry: index === 1 })),
	inputs: [0, 1],
	retryOnFail: false,
	runs: [
		{
			at: 0,
			process: 0,
			options: { ...OPTIONS, ...options },
			onError: 'continueRegularOutput',
			...more,
		},
	],
	processes: 1,
	failsBefore: false,
	kills: [],
	pauses: [],
	memory: { latency: 1, slow: 0, failsBefore: 0, failsAfter: 0, late: 0 },
	latency: 5,
});

/** A request of 5 ms. */
const seen = (item: number, name: AnswerName, startedAt: number): Seen => ({
	...ANSWERS[name],
	item,
	name,
	run: 0,
	startedAt,
	endedAt: startedAt + 5,
	endedBy: 'service',
});
/** One request for each item, one after the other, and one word. */
const inTurn = (...names: AnswerName[]) => names.map((name, item) => seen(item, name, 10 * item));
const said = (...outcomes: Array<Report['outcome']>): Report[] =>
	outcomes.map((outcome, input) => ({ input, outcome, text: '', length: 0 }));
const thrown = { name: 'NodeApiError', message: 'no', input: 0, outcome: 'rejected' as const };
const threw = (more: object, status: Execution['status'] = 'error') => ({
	status,
	thrown: { ...thrown, ...more },
});

/** What the service saw, and what the items or the execution say of it. */
const observed = (
	requests: Seen[],
	told: Report[] | Partial<Execution>,
	plan = planOf(),
): Observed => ({
	plan,
	seen: requests,
	executions: [
		{
			run: 0,
			status: 'success',
			startedAt: 0,
			endedAt: 100,
			reports: [],
			standstill: 0,
			standstills: 0,
			...(Array.isArray(told) ? { reports: told } : told),
		},
	],
	memory: { troubles: 0, stalls: 0 },
	log: [],
});

const bothDone = inTurn('done', 'done');
const saidSent = said('sent', 'sent');
const stops = planOf({}, { onError: 'stopWorkflow' });
const stopsOneByOne = planOf({ maxConcurrency: 1, maxTries: 1 }, { onError: 'stopWorkflow' });
const keyed = planOf({ sendOnceKey: 'spring' });
const dry = planOf({ dryRun: true });
const dryByItem = planOf({ dryRun: DRY_BY_ITEM });

test.each<[string, Observed]>([
	['sent', observed(bothDone, saidSent)],
	['refused and lost', observed(inTurn('refused', 'done, lost'), said('rejected', 'unknown'))],
	['thrown', observed(inTurn('refused'), threw({}), stops)],
	['dry', observed([], said('dry', 'dry'), dry)],
	['dry by the item', observed(inTurn('done'), said('sent', 'dry'), dryByItem)],
])('what is as it should be breaks no invariant: %s', (_, one) => {
	expect(breachesOf(one)).toEqual([]);
});

const BROKEN: Record<keyof typeof INVARIANTS, Record<string, Observed>> = {
	'delivered once': {
		twice: observed([...bothDone, seen(1, 'done', 20)], saidSent),
		'again though unknown': observed([seen(0, 'done, lost', 0), ...bothDone], saidSent),
		'two items with one key': observed(bothDone, saidSent, keyed),
	},
	'dry stays dry': {
		'sent though the run is dry': observed(bothDone, said('dry', 'dry'), dry),
		'sent though the item is dry': observed(bothDone, said('sent', 'dry'), dryByItem),
		'shown though it is to be sent': observed([], said('dry', 'dry'), dryByItem),
		'called sent though the run is dry': observed(inTurn('done'), said('sent', 'dry'), dry),
	},
	'in order': {
		'the second first': observed([seen(1, 'done', 0), seen(0, 'done', 10)], saidSent),
		'at the same time': observed([seen(0, 'done', 0), seen(1, 'done', 4)], saidSent),
	},
	'few enough tries': {
		'three instead of two': observed(
			[0, 10, 20].map((at) => seen(0, 'refused', at)),
			said('rejected'),
		),
	},
	'true outcomes': {
		'rejected though delivered': observed(inTurn('done, lost', 'done'), said('rejected', 'sent')),
		'sent though refused': observed(inTurn('refused', 'done'), saidSent),
		'skipped though never sent': observed([], said('skipped', 'skipped'), keyed),
		'sent twice as often': observed(inTurn('done'), saidSent, { ...planOf(), inputs: [0, 0] }),
		'not sent though it came': observed(inTurn('refused', 'done'), said('notSent', 'sent')),
		'no word of it': observed(bothDone, said('garbled', 'sent')),
	},
	'no needless doubt': {
		'nothing was left open': observed([seen(1, 'done', 0)], said('unknown', 'sent')),
		'unknown though it was sent': observed(bothDone, said('unknown', 'sent')),
		'thrown as unknown': observed(inTurn('refused'), threw({ outcome: 'unknown' }), stops),
	},
	'complete output': {
		'one item of two': observed(bothDone, said('sent')),
		'in another order': observed(bothDone, saidSent.toReversed()),
		'thrown with Continue': observed([], threw({}, 'success')),
		'an error of something else': observed(
			[],
			{ thrown: { name: 'TypeError', message: '' } },
			stops,
		),
	},
	'nothing unexpected': {
		'a slip': observed([], { thrown: { ...thrown, message: 'x is not a function' } }, stops),
	},
	'brief errors': {
		'a long one': observed(inTurn('refused'), [{ ...said('rejected')[0]!, length: 15_000 }]),
	},
	'true counts': {
		'one instead of two': observed(
			bothDone,
			threw({ description: '1 message was sent in this run.' }),
		),
	},
	ends: { never: observed([], { status: 'running', endedAt: undefined }) },
	'stops when cancelled': {
		'goes on': observed(
			[0, 1, 2].map((at) => seen(0, 'lost', at)),
			{ status: 'canceled', cancelledAt: -1, endedAt: 4 },
		),
		late: observed([], { status: 'canceled', cancelledAt: 0, endedAt: 5000 }),
	},
	'stops at a failure': {
		'goes on': observed(inTurn('refused', 'done'), threw({}), stopsOneByOne),
	},
};

describe.each(Object.entries(BROKEN))('%s:', (invariant, ways) => {
	test.each(Object.entries(ways))('%s is noticed', (_, one) => {
		expect(breachesOf(one).map((breach) => breach.invariant)).toContain(invariant);
	});
});

/** What docs/delivery.md tells of is no violation, and nothing else is excused by it. */
test('only what a worker overwrote or did not see is excused', () => {
	const twice = [...bothDone, seen(1, 'done', 20)];
	const excusesOf = (one: Observed) =>
		Object.fromEntries(breachesOf(one).map(({ invariant, excuse }) => [invariant, excuse]));
	const stalled = { memory: { troubles: 0, stalls: 1 } };
	expect(excusesOf({ ...observed(twice, said('sent')), ...stalled })).toEqual({
		'delivered once': 'a worker stood still in a call of its memory',
		'complete output': undefined,
	});
	const paused = { ...planOf(), pauses: [{ at: 0, process: 0, lasts: 500 }] };
	expect(excusesOf(observed(twice, saidSent, paused))).toEqual({ 'delivered once': undefined });
	const resending = planOf({ resendUnknown: true });
	const failing = { memory: { troubles: 1, stalls: 0 } };
	expect(excusesOf({ ...observed(twice, saidSent, resending), ...failing })).toEqual({
		'delivered once': 'resent as its memory had failed',
	});
	expect(excusesOf({ ...observed(twice, saidSent), ...failing })).toEqual({
		'delivered once': undefined,
	});
	expect(excusesOf(observed(twice, saidSent, resending))).toEqual({ 'delivered once': undefined });
	expect(excusesOf(observed(twice, saidSent, { ...resending, processes: 2 }))).toEqual({
		'delivered once': 'resent beside another worker',
	});
});
