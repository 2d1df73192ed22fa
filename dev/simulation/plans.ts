import * as fc from 'fast-check';

import type { AnswerName } from './answers';
import {
	chainOf,
	DRY_BY_ITEM,
	type Options,
	type Plan,
	type PlannedItem,
	type PlannedRun,
} from './plan';

/**
 * Draws plans: several executions at once in several processes, with a memory that fails; and at last
 * one more of each, when all is well again. What is drawn shrinks towards no trouble at all.
 */

/** As often as its name says; else what comes first. */
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
/** From 1 on, the small ones as often as the large ones. */
const skewed = (most: number) => fc.nat(99).map((drawn) => Math.round(most ** (drawn / 99)));
/** A place in a list, or a moment of a span, before its length is known. */
const somewhere = fc.nat(999);
const placeIn = (drawn: number, length: number) => Math.floor((drawn * length) / 1000);

const TROUBLES: Array<[weight: number, ...AnswerName[]]> = [
	[15, 'refused'],
	[15, 'busy'],
	[2, 'lost', 'lost', 'done, lost', 'done, lost', 'done, lost'],
	[1, 'half', 'half', 'done, half', 'done, half', 'done, half'],
	[1, 'silent', 'silent', 'done, silent', 'done, silent', 'done, silent'],
	[1, 'bad gateway', 'bad gateway', 'done, bad gateway', 'done, bad gateway', 'done, bad gateway'],
];
const trouble = fc.constantFrom(
	...TROUBLES.flatMap(([weight, ...names]) => Array.from({ length: weight }, () => names).flat()),
);

const item = (troubled: number) =>
	fc.record({
		troubles: noneOr(troubled, upTo(3, trouble)),
		isDry: percent(30),
		/** It goes to the recipient of another one. */
		recipient: sometimes(10, undefined, somewhere),
		/** Another one stands in its place, once more. */
		instead: sometimes(5, undefined, somewhere),
	});
const items = fc.oneof(
	{ withCrossShrink: true },
	...[0, 0, 10, 20, 40].flatMap((troubled) =>
		[4, 40, 4, 40, 4, 40, 4, 250].map((most) => upTo(most, item(troubled))),
	),
);

const options = fc.record({
	maxConcurrency: skewed(200),
	maxTries: fc.integer({ min: 1, max: 3 }),
	requestInterval: fc.constantFrom(0, 0, 0, 1, 2),
});

const run = fc.record({
	options,
	at: somewhere,
	process: somewhere,
	onError: fc.constantFrom<PlannedRun['onError'][]>('continueRegularOutput', 'stopWorkflow'),
	retryOf: somewhere,
	hasOtherKey: fc.boolean(),
	resends: fc.boolean(),
	dryRun: sometimes(
		20,
		undefined,
		fc.constantFrom<Array<Options['dryRun'] & {}>>(true, DRY_BY_ITEM),
	),
	cancel: sometimes(
		15,
		undefined,
		fc.record({ requests: fc.constantFrom(0, 0, 1, Infinity), delay: somewhere }),
	),
});

const moment = { at: somewhere, process: somewhere };
const pauses = (most: number, shortest: number, longest: number) =>
	upTo(most, fc.record({ ...moment, lasts: fc.integer({ min: shortest, max: longest }) }));
/** A few long ones, or the many short ones of a busy machine. */
const standstills = noneOr(
	30,
	fc.oneof(
		{ withCrossShrink: true },
		{ weight: 3, arbitrary: pauses(3, 200, 8000) },
		{ weight: 2, arbitrary: pauses(40, 20, 600) },
	),
);

const rarely = (most: number) =>
	sometimes(
		40,
		0,
		fc.integer({ min: 1, max: 100 }).map((drawn) => (drawn * most) / 100),
	);
const faults = sometimes(
	50,
	{ slow: 0, failsBefore: 0, failsAfter: 0, late: 0, outage: undefined },
	fc.record({
		slow: rarely(0.05),
		failsBefore: rarely(0.3),
		failsAfter: rarely(0.3),
		late: rarely(0.02),
		outage: sometimes(20, undefined, fc.tuple(somewhere, fc.integer({ min: 50, max: 8000 }))),
	}),
);

const drawn = fc.record({
	seed: fc.noShrink(fc.nat()),
	items,
	runs: upTo(4, run),
	calmOptions: options,
	/** Within so many milliseconds all of them begin. */
	span: fc.constantFrom(300, 1500, 6000),
	hasKeys: fc.boolean(),
	hasTwoKeys: percent(30),
	mayResend: percent(25),
	areKeyedRetried: percent(30),
	retryOnFail: percent(20),
	processes: fc.integer({ min: 1, max: 3 }),
	mayFailBefore: percent(20),
	kills: noneOr(25, upTo(1, fc.record(moment))),
	pauses: standstills,
	memory: faults,
	memoryLatency: fc.constantFrom(1, 5, 20),
	latency: fc.constantFrom(5, 50, 400),
});

type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never;

export const plans: fc.Arbitrary<Plan> = fc.noBias(drawn.map(planOf));

function planOf(from: Drawn): Plan {
	const { seed, span, processes, hasKeys, retryOnFail, latency, memory } = from;
	const at = ({ at, process }: { at: number; process: number }) => ({
		at: placeIn(at, span + 1),
		process: placeIn(process, processes),
	});
	const runs = runsOf(from, at);
	const { outage, ...faultsOf } = memory;
	const outageFrom = placeIn(outage?.[0] ?? 0, span + 1);
	return {
		seed,
		items: from.items.map(({ troubles, isDry, recipient }, index): PlannedItem => {
			const place = recipient === undefined ? index : placeIn(recipient, from.items.length + 1);
			return { toId: `customer-${place}`, troubles, isDry };
		}),
		inputs: from.items.map(({ instead }, index) =>
			instead === undefined ? index : placeIn(instead, index + 1),
		),
		retryOnFail,
		runs: [...runs, ...calmRuns(from, runs)],
		processes,
		failsBefore: !hasKeys && from.mayFailBefore,
		kills: from.kills.map(at),
		pauses: from.pauses.map((pause) => ({ ...at(pause), lasts: pause.lasts })),
		memory: {
			latency: from.memoryLatency,
			...faultsOf,
			...(outage && { outage: { from: outageFrom, to: outageFrom + outage[1] } }),
		},
		latency,
	};
}

type Drawer = (of: { at: number; process: number }) => { at: number; process: number };

function runsOf(from: Drawn, at: Drawer): PlannedRun[] {
	const { hasKeys, hasTwoKeys, areKeyedRetried, mayResend, span } = from;
	const runs: PlannedRun[] = [];
	for (const [index, one] of from.runs.entries()) {
		const isRetried = index > 0 && (!hasKeys || areKeyedRetried);
		const retryOf = isRetried ? placeIn(one.retryOf, index) : undefined;
		const original = retryOf === undefined ? undefined : runs[retryOf];
		const ownKey = hasTwoKeys && one.hasOtherKey ? 'summer' : 'spring';
		// Of a dry run, there is nothing to retry.
		const mayBeDry = hasKeys || index > 0;
		const { cancel } = one;
		runs.push({
			...at(one),
			...(index === 0 && { at: 0 }),
			options: {
				...one.options,
				resendUnknown: mayResend && one.resends,
				...(hasKeys && { sendOnceKey: original?.options.sendOnceKey ?? ownKey }),
				...(mayBeDry && one.dryRun && { dryRun: one.dryRun }),
			},
			onError: one.onError,
			...(retryOf !== undefined && { retryOf }),
			...(cancel && {
				cancel: {
					requests: Math.min(cancel.requests, from.items.length),
					delay: placeIn(cancel.delay, span + 1),
				},
			}),
		});
	}
	return runs;
}

/** After the last one of each, by its key or where its Retries go back to. */
function calmRuns({ calmOptions, processes }: Drawn, runs: PlannedRun[]): PlannedRun[] {
	const ends = new Map<string | number | undefined, number>();
	for (const [index, { options }] of runs.entries()) {
		const { sendOnceKey, dryRun } = options;
		if (sendOnceKey || !dryRun) ends.set(sendOnceKey ?? chainOf(runs, index)[0], index);
	}
	return [...ends.values()].map((index): PlannedRun => {
		const { sendOnceKey } = runs[index]?.options ?? {};
		const options = { ...calmOptions, maxConcurrency: 10, resendUnknown: false };
		return {
			at: 0,
			process: processes,
			options: { ...options, ...(sendOnceKey && { sendOnceKey }) },
			onError: 'continueRegularOutput',
			...(sendOnceKey ? {} : { retryOf: index }),
			isCalm: true,
		};
	});
}
