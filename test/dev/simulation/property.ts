import { inspect } from 'node:util';

import * as fc from 'fast-check';

import type { Observed } from '../../../dev/simulation/observed';
import { breachesOf, type Breach } from '../../../dev/simulation/oracle';
import { plans } from '../../../dev/simulation/plans';
import { simulate } from '../../../dev/simulation/world';

/** Milliseconds in which a plan with a breach is shrunk. */
const SHRINKING = 60_000;
/** Lines of the report: breaches, and what happened. */
const MAX_LINES = 80;

/**
 * Draws plans from a seed, and expects that none breaks a promise. If one does, the error has the smallest
 * such plan, which can be pinned.
 * @param watch called with the result of each plan
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
		const story = [...broken, ...observed.log].slice(0, MAX_LINES);
		throw new Error([inspect(plan, { depth: Infinity, breakLength: 140 }), ...story].join('\n'));
	});
	await fc.assert(property, { seed, numRuns, includeErrorInReport: true });
}

/** `PLANS=4000 npm test -- simulation` runs 4000 plans; another SEED draws other plans. */
const { PLANS = '0', SEED = '1' } = process.env;
const SHARES = 2;
const HOURS = 3_600_000;

/** Each share has a test file, as Jest runs files concurrently. */
export function testShare(share: number): void {
	const count = Math.ceil(Number(PLANS) / SHARES);
	const seed = Number(SEED) * SHARES + share;
	const name = `${count} plans of seed ${seed} break no promise`;
	(count > 0 ? test : test.skip)(name, async () => await expectNoBreach(seed, count), 3 * HOURS);
}
