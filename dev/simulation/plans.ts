import * as fc from 'fast-check';

import { chainOf, type Moment, type Plan, type PlannedRun } from './plan';

/**
 * Draws plans: concurrent executions in several processes, with a store that fails, and at last one more
 * execution of each kind without faults. Plans shrink towards fewer faults.
 */

/** True with this probability in percent; shrinks to false. */
const percent = (probability: number) => fc.nat(99).map((drawn) => drawn >= 100 - probability);
const sometimes = <T, U>(probability: number, normal: T, unusual: fc.Arbitrary<U>) =>
	fc.oneof(
		{ withCrossShrink: true },
		{ weight: 100 - probability, arbitrary: fc.constant(normal) },
		{ weight: probability, arbitrary: unusual },
	);
const noneOr = <T>(probability: number, list: fc.Arbitrary<T[]>) =>
	sometimes(probability, [] as T[], list);
const upTo = <T>(most: number, arbitrary: fc.Arbitrary<T>) =>
	fc.array(arbitrary, { minLength: 1, maxLength: most, size: 'max' });
const between = (min: number, max: number) => fc.integer({ min, max });
/** From 1 to `most`; small numbers are as likely as large ones. */
const skewed = (most: number) => fc.nat(99).map((drawn) => Math.round(most ** (drawn / 99)));
/** A position in a list or in a period, before its length is known. */
const somewhere = fc.nat(999);
const placeIn = (drawn: number, length: number) => Math.floor((drawn * length) / 1000);

const fault = fc.oneof(
	{ weight: 6, arbitrary: fc.constantFrom('refused' as const, 'busy' as const) },
	{ weight: 4, arbitrary: fc.constantFrom('lost' as const, 'done, lost' as const) },
	{ weight: 1, arbitrary: fc.constantFrom('silent' as const, 'done, silent' as const) },
);
const item = (faulty: number) =>
	fc.record({
		answers: noneOr(faulty, upTo(3, fault)),
		/** The index of another item, whose recipient it has. */
		recipient: sometimes(10, undefined, somewhere),
		/** The index of an earlier item, which is repeated instead. */
		instead: sometimes(10, undefined, somewhere),
	});
const items = fc.oneof(
	{ withCrossShrink: true },
	...[0, 10, 30, 60].flatMap((faulty) =>
		[4, 40, 4, 40, 4, 40, 4, 120].map((most) => upTo(most, item(faulty))),
	),
);

/** A key that is another one in every run. */
const CHANGING_KEY = '={{ $execution.id }}';

const moment = { at: somewhere, process: somewhere };
const run = fc.record({
	...moment,
	options: fc.record({
		maxConcurrency: skewed(200),
		maxTries: between(1, 3),
		requestInterval: sometimes(15, 0, between(1, 500)),
	}),
	onError: fc.oneof({ withCrossShrink: true }, fc.constant('continueRegularOutput' as const), {
		weight: 2,
		arbitrary: fc.constant('stopWorkflow' as const),
	}),
	retryOf: somewhere,
	hasOtherKey: fc.boolean(),
	key: fc.constantFrom('spring', 'summer', '', CHANGING_KEY),
	resends: percent(70),
	cancelAfter: sometimes(15, undefined, somewhere),
	hasNoId: percent(5),
	isRewritten: percent(15),
	isUnreadable: percent(15),
});

const pauses = (most: number, shortest: number, longest: number) =>
	upTo(most, fc.record({ ...moment, lasts: between(shortest, longest) }));
/** A few long pauses, or many short ones, as on a busy machine. */
const pauseList = noneOr(
	30,
	fc.oneof(
		{ withCrossShrink: true },
		{ weight: 3, arbitrary: pauses(3, 200, 8000) },
		{ weight: 2, arbitrary: pauses(40, 20, 600) },
	),
);

const rarely = (most: number) => {
	const share = between(1, 100).map((drawn) => (drawn * most) / 100);
	return sometimes(40, 0, share);
};
const faults = sometimes(
	50,
	{ slow: 0, failsBefore: 0, failsAfter: 0, late: 0, outage: undefined },
	fc.record({
		slow: rarely(0.05),
		failsBefore: rarely(0.3),
		failsAfter: rarely(0.3),
		late: rarely(0.02),
		outage: sometimes(20, undefined, fc.record({ at: fc.nat(3000), lasts: between(50, 8000) })),
	}),
);

const drawn = fc.record({
	seed: fc.noShrink(fc.nat()),
	items,
	runs: upTo(4, run),
	/** Milliseconds within which all runs start. */
	span: fc.constantFrom(300, 1500, 6000),
	hasKeys: fc.boolean(),
	hasTwoKeys: percent(50),
	mayResend: percent(35),
	/** Whether each Retry is one of the run before it. */
	areInTurn: percent(50),
	areKeyedRetried: percent(60),
	retryOnFail: percent(20),
	processes: between(1, 3),
	mayFailBefore: percent(20),
	/** Mostly while the first run is running, so that others continue with what it left. */
	kills: noneOr(35, upTo(2, fc.record({ ...moment, at: somewhere.map((at) => (at * at) / 1000) }))),
	pauses: pauseList,
	store: fc.record({
		hasRow: fc.boolean(),
		latency: fc.constantFrom(1, 5, 20),
		work: sometimes(25, 0, between(20, 400)),
	}),
	faults,
	latency: fc.constantFrom(5, 50, 400),
	rounds: sometimes(25, 1, between(2, 3)),
	savesProgress: fc.boolean(),
	areOfSubWorkflow: percent(15),
	areKeysExpressions: percent(15),
});

type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never;

export const plans: fc.Arbitrary<Plan> = fc.noBias(drawn.map(planOf));

function planOf(from: Drawn): Plan {
	const { seed, span, processes, hasKeys, retryOnFail, latency } = from;
	const { rounds, savesProgress, areOfSubWorkflow } = from;
	const { length } = from.items;
	const when = ({ at, process }: Moment): Moment => ({
		at: placeIn(at, span + 1),
		process: placeIn(process, processes),
	});
	const runs = runsOf(from, when);
	return {
		seed,
		items: from.items.map(({ answers, recipient }, index) => ({
			toId: `customer-${recipient === undefined ? index : placeIn(recipient, length + 1)}`,
			answers,
		})),
		inputs: from.items.map(({ instead }, index) =>
			instead === undefined ? index : placeIn(instead, index + 1),
		),
		retryOnFail,
		runs: [...runs, ...calmRuns(runs, processes)],
		processes,
		failsBefore: (!hasKeys || from.areKeyedRetried) && from.mayFailBefore,
		kills: from.kills.map(when),
		pauses: from.pauses.map((pause) => ({ ...pause, ...when(pause) })),
		store: { ...from.store, ...from.faults },
		latency,
		rounds,
		savesProgress,
		areOfSubWorkflow,
	};
}

function runsOf(from: Drawn, when: (moment: Moment) => Moment): PlannedRun[] {
	const { hasKeys, hasTwoKeys, areKeyedRetried, mayResend, areInTurn, span } = from;
	const preset = from.areKeysExpressions ? CHANGING_KEY : 'spring';
	const runs: PlannedRun[] = [];
	for (const [index, one] of from.runs.entries()) {
		const { options, onError, cancelAfter, resends } = one;
		const continues = onError !== 'stopWorkflow';
		const isRetry = index > 0 && (!hasKeys || areKeyedRetried);
		const retryOf = !isRetry ? undefined : areInTurn ? index - 1 : placeIn(one.retryOf, index);
		// A Retry has the key of the execution, unless the key was added, removed or changed.
		const before = runs[retryOf ?? NaN]?.options.sendOnceKey ?? (hasKeys ? preset : '');
		const isEdited = hasTwoKeys && one.hasOtherKey && (hasKeys || retryOf !== undefined);
		const sendOnceKey = isEdited ? one.key : before;
		runs.push({
			...when(one),
			...(index === 0 && { at: 0 }),
			options: { ...options, resendUnknown: mayResend && resends, sendOnceKey },
			onError,
			...(retryOf !== undefined && { retryOf }),
			...(!isRetry && one.hasNoId && { hasNoId: true }),
			...(isRetry && one.isRewritten && { isRewritten: true }),
			// An error that stops the workflow comes before any claim.
			...(isRetry && continues && one.isUnreadable && { isUnreadable: true }),
			...(cancelAfter !== undefined && { cancelAfter: placeIn(cancelAfter, span + 1) }),
		});
	}
	return runs;
}

const CALM = { maxConcurrency: 10, maxTries: 1, requestInterval: 0, resendUnknown: false };

/** One run for each key, and one Retry for each execution without a key. */
function calmRuns(runs: PlannedRun[], process: number): PlannedRun[] {
	const hasKey = (index: number) => /^[^=]/.test(runs[index]?.options.sendOnceKey ?? '');
	const nameOf = (index: number) =>
		hasKey(index) ? runs[index]?.options.sendOnceKey : chainOf(runs, index)[0];
	const ends = new Map(runs.map((_, index) => [nameOf(index), index]));
	return [...ends.values()].map((index) => {
		const { sendOnceKey = '' } = runs[index]?.options ?? {};
		return {
			at: 0,
			process,
			options: { ...CALM, sendOnceKey },
			onError: 'continueRegularOutput',
			...(!hasKey(index) && { retryOf: index }),
			isCalm: true,
		};
	});
}
