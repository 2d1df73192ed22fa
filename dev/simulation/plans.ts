import * as fc from 'fast-check';

import { chainOf, type Moment, type Plan, type PlannedRun } from './plan';

/**
 * Draws plans: several executions at once in several processes, with a memory that fails; and at last
 * one more of each, when all is well again. What is drawn shrinks towards no trouble at all.
 */

/** True in this percentage of cases; shrinks to false. */
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
/** From 1 to `most`, where small numbers are as likely as large ones. */
const skewed = (most: number) => fc.nat(99).map((drawn) => Math.round(most ** (drawn / 99)));
/** A place in a list, or a moment of a span, before its length is known. */
const somewhere = fc.nat(999);
const placeIn = (drawn: number, length: number) => Math.floor((drawn * length) / 1000);

const trouble = fc.oneof(
	{ weight: 6, arbitrary: fc.constantFrom('refused' as const, 'busy' as const) },
	{ weight: 4, arbitrary: fc.constantFrom('lost' as const, 'done, lost' as const) },
	{ weight: 1, arbitrary: fc.constantFrom('silent' as const, 'done, silent' as const) },
);
const item = (troubled: number) =>
	fc.record({
		troubles: noneOr(troubled, upTo(3, trouble)),
		/** It goes to the recipient of another one. */
		recipient: sometimes(10, undefined, somewhere),
		/** An earlier item stands in its place, once more. */
		instead: sometimes(10, undefined, somewhere),
	});
const items = fc.oneof(
	{ withCrossShrink: true },
	...[0, 10, 30, 60].flatMap((troubled) =>
		[4, 40, 4, 40, 4, 40, 4, 120].map((most) => upTo(most, item(troubled))),
	),
);

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
	key: fc.constantFrom('spring', 'summer', ''),
	resends: percent(70),
	cancelAfter: sometimes(15, undefined, somewhere),
	hasNoId: percent(5),
	isRewritten: percent(15),
	isUnreadable: percent(15),
});

const pauses = (most: number, shortest: number, longest: number) =>
	upTo(most, fc.record({ ...moment, lasts: between(shortest, longest) }));
/** A few long ones, or the many short ones of a busy machine. */
const standstills = noneOr(
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
	/** Within so many milliseconds all of them begin. */
	span: fc.constantFrom(300, 1500, 6000),
	hasKeys: fc.boolean(),
	hasTwoKeys: percent(30),
	mayResend: percent(35),
	/** Each Retry is one of the run before it. */
	areInTurn: percent(50),
	areKeyedRetried: percent(30),
	retryOnFail: percent(20),
	processes: between(1, 3),
	mayFailBefore: percent(20),
	/** Rather while the first run is at work, so that others go on with what it left. */
	kills: noneOr(35, upTo(2, fc.record({ ...moment, at: somewhere.map((at) => (at * at) / 1000) }))),
	pauses: standstills,
	memory: fc.record({
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
		items: from.items.map(({ troubles, recipient }, index) => ({
			toId: `customer-${recipient === undefined ? index : placeIn(recipient, length + 1)}`,
			troubles,
		})),
		inputs: from.items.map(({ instead }, index) =>
			instead === undefined ? index : placeIn(instead, index + 1),
		),
		retryOnFail,
		runs: [...runs, ...calmRuns(runs, processes)],
		processes,
		failsBefore: !hasKeys && from.mayFailBefore,
		kills: from.kills.map(when),
		pauses: from.pauses.map((pause) => ({ ...pause, ...when(pause) })),
		memory: { ...from.memory, ...from.faults },
		latency,
		rounds,
		savesProgress,
		areOfSubWorkflow,
	};
}

function runsOf(from: Drawn, when: (moment: Moment) => Moment): PlannedRun[] {
	const { hasKeys, hasTwoKeys, areKeyedRetried, mayResend, areInTurn, span } = from;
	const preset = from.areKeysExpressions ? '={{ $execution.id }}' : 'spring';
	const runs: PlannedRun[] = [];
	for (const [index, one] of from.runs.entries()) {
		const { options, onError, cancelAfter, resends } = one;
		const goesOn = onError !== 'stopWorkflow';
		const isRetry = index > 0 && (!hasKeys || areKeyedRetried);
		const retryOf = !isRetry ? undefined : areInTurn ? index - 1 : placeIn(one.retryOf, index);
		// A Retry has the key of what it retries, unless it was added, removed or changed since then.
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
			// An error that is to stop the workflow comes before anything is claimed.
			...(isRetry && goesOn && one.isUnreadable && { isUnreadable: true }),
			...(cancelAfter !== undefined && { cancelAfter: placeIn(cancelAfter, span + 1) }),
		});
	}
	return runs;
}

const CALM = { maxConcurrency: 10, maxTries: 1, requestInterval: 0, resendUnknown: false };

/** One after the last run with each key, or of each execution and its Retries. */
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
