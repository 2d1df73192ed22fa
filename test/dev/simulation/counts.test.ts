import { expectNoBreach } from './property';

/**
 * docs/delivery.md concedes some breaches. A plan is excused for them, but no more plans may be than
 * this, and no more messages end in doubt or unsent: the last count was 6, 2,288 and 89.
 *
 * One call of n8n's memory more or fewer changes all random numbers after it: counts then differ by a
 * few, also of a harmless change. If one is exceeded, count with other seeds before and after your
 * change. Where it grows with all of them, look at:
 * - excused: what writes over another worker's entries, or no longer looks whether its own stand;
 * - unknownInTheEnd: claims that nobody frees, or traces that nobody removes;
 * - notSent: what gives up before it has asked n8n.
 */
const BOUNDS = { excused: 10, unknownInTheEnd: 2450, notSent: 120 };
const SEEDS = [1, 2, 3];
const PLANS = 200;

test('plans break no promise, and few messages end in doubt or unsent', async () => {
	const counts = { excused: 0, unknownInTheEnd: 0, notSent: 0 };
	for (const seed of SEEDS) {
		await expectNoBreach(seed, PLANS, ({ plan, executions }, excused) => {
			counts.excused += Math.min(1, excused.length);
			for (const { run, reports, thrown } of executions) {
				const outcomes = [...reports, ...(thrown ? [thrown] : [])].map(({ outcome }) => outcome);
				const { length } = outcomes.filter((outcome) => outcome === 'unknown');
				if (plan.runs[run]?.isCalm) counts.unknownInTheEnd += length;
				counts.notSent += outcomes.filter((outcome) => outcome === 'notSent').length;
			}
		});
	}
	expect(counts.excused).toBeLessThanOrEqual(BOUNDS.excused);
	expect(counts.unknownInTheEnd).toBeLessThanOrEqual(BOUNDS.unknownInTheEnd);
	expect(counts.notSent).toBeLessThanOrEqual(BOUNDS.notSent);
}, 600_000);
