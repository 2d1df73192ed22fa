import { inspect } from 'node:util';

import * as fc from 'fast-check';

import { breachesOf, type Breach } from '../../../dev/simulation/oracle/invariants';
import type { Observed } from '../../../dev/simulation/oracle/observed';
import type { Plan } from '../../../dev/simulation/plan';
import { plans } from '../../../dev/simulation/plans';
import { simulate } from '../../../dev/simulation/world';

/** Of a log, which tells most where the plan is small. */
const MOST_LINES = 60;
/** Milliseconds in which a plan that breaks a promise is made smaller. */
const SHRINKING = 60_000;

/**
 * Draws plans of a seed, and expects that none breaks a promise; else shows the smallest that does.
 * @param watch gets what became of each
 */
export async function expectNoBreach(
	numbers: { seed: number; numRuns: number },
	watch: (observed: Observed, excused: Breach[]) => void = () => {},
): Promise<void> {
	const property = fc.asyncProperty(plans, async (plan) => {
		const observed = await simulate(plan);
		const breaches = breachesOf(observed);
		if (breaches.some(({ excuse }) => !excuse)) throw new Error(story(observed, breaches));
		watch(observed, breaches);
	});
	const details = await fc.check(property, { ...numbers, ...shrinking() });
	if (details.failed) throw new Error(reportOf(details));
}
