import { inspect } from 'node:util';

import * as fc from 'fast-check';

import type { Observed } from '../../../dev/simulation/observed';
import { breachesOf, type Breach } from '../../../dev/simulation/oracle';
import { plans } from '../../../dev/simulation/plans';
import { simulate } from '../../../dev/simulation/world';

/** Milliseconds in which a plan that breaks a promise is made smaller. */
const SHRINKING = 60_000;
/** For what is broken and what happened: a small plan is told whole. */
const MOST_LINES = 80;

/**
 * Draws as many plans from a seed, always the same, and expects that none breaks a promise. Else it
 * shows the smallest that does, as it can be pinned.
 * @param watch gets what became of each
 */
export async function expectNoBreach(
	seed: number,
	numRuns: number,
	watch: (observed: Observed, excused: Breach[]) => void = () => {},
): Promise<void> {
	let shrinkUntil = Infinity;
	const property = fc.asyncProperty(plans, async (plan) => {
		if (performance.now() > shrinkUntil) return;
		const observed = await simulate(plan);
		const breaches = breachesOf(observed);
		const violations = breaches.filter(({ excuse }) => !excuse);
		if (violations.length === 0) return watch(observed, breaches);
		shrinkUntil = Math.min(shrinkUntil, performance.now() + SHRINKING);
		const broken = violations.map(({ invariant, text }) => `${invariant}: ${text}`);
		const story = [...broken, ...observed.log].slice(0, MOST_LINES);
		throw new Error([inspect(plan, { depth: Infinity, breakLength: 140 }), ...story].join('\n'));
	});
	await fc.assert(property, { seed, numRuns, includeErrorInReport: true });
}

/** `PLANS=4000 npm test -- simulation`: that many plans; with another SEED others. */
const { PLANS = '0', SEED = '1' } = process.env;
const SHARES = 2;
const HOURS = 3_600_000;

/** Each share has a test file, as Jest runs files side by side. */
export function testShare(share: number): void {
	const count = Math.ceil(Number(PLANS) / SHARES);
	const seed = Number(SEED) * SHARES + share;
	const name = `${count} plans of seed ${seed} break no promise`;
	(count > 0 ? test : test.skip)(name, async () => await expectNoBreach(seed, count), 3 * HOURS);
}
