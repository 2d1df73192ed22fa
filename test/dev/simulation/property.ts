import { inspect } from 'node:util';

import * as fc from 'fast-check';

import { breachesOf, type Breach } from '../../../dev/simulation/oracle/invariants';
import type { Observed } from '../../../dev/simulation/oracle/observed';
import { plans } from '../../../dev/simulation/plans';
import { simulate } from '../../../dev/simulation/world';

/** Milliseconds in which a plan that breaks a promise is made smaller. */
const SHRINKING = 60_000;
const MOST_BREACHES = 5;
/** Of what happened: a small plan is told whole. */
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
		if (violations.length > 0) {
			shrinkUntil = Math.min(shrinkUntil, performance.now() + SHRINKING);
			throw new Error(story(observed, violations));
		}
		watch(observed, breaches);
	});
	const {
		failed,
		numRuns: number,
		numShrinks,
		errorInstance,
	} = await fc.check(property, {
		seed,
		numRuns,
	});
	if (!failed) return;
	const found = `Plan ${number} of seed ${seed} breaks a promise, and so it does made smaller`;
	throw new Error(`${found} in ${numShrinks} steps:\n${(errorInstance as Error).message}`);
}

function story({ plan, log }: Observed, violations: Breach[]): string {
	const broken = violations.map(({ invariant, text }) => `${invariant}: ${text}`);
	return [
		inspect(plan, { depth: Infinity, maxArrayLength: Infinity, breakLength: 140, compact: 5 }),
		...broken.slice(0, MOST_BREACHES),
		...log.slice(0, MOST_LINES),
	].join('\n');
}
