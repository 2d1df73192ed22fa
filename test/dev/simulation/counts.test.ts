import { expectNoBreach } from './property';

/**
 * Where a process stands still no node can hold every promise, so single plans are excused; but not any
 * number of them. Of one node these counts are always the same, as the clock is virtual and chance has
 * a seed. They may differ by 5 %, or by 2: a call of n8n's memory more or less is no fault.
 *
 * To renew them, once it is clear why they changed: take over what the failing test received.
 */
const PINNED: Record<string, number> = {
	'beside standstills: delivered': 1326,
	'beside standstills: dry': 460,
	'beside standstills: in the end sent': 239,
	'beside standstills: in the end skipped': 483,
	'beside standstills: in the end unknown': 396,
	'beside standstills: notSent': 87,
	'beside standstills: rejected': 29,
	'beside standstills: sent': 971,
	'beside standstills: skipped': 200,
	'beside standstills: thrown as rejected': 8,
	'beside standstills: thrown as unknown': 12,
	'beside standstills: unknown': 155,
	delivered: 4983,
	dry: 2268,
	'in the end sent': 1337,
	'in the end skipped': 2084,
	'in the end unknown': 555,
	notSent: 402,
	rejected: 196,
	sent: 2918,
	skipped: 1081,
	'thrown as notSent': 2,
	'thrown as rejected': 16,
	'thrown as unknown': 49,
	unknown: 905,
};

const PLANS = 300;
const SEED = 1;
const TOLERANCE = 0.05;

test(`${PLANS} plans break no promise, and what became of them counts as much as it did`, async () => {
	const counts: Record<string, number> = {};
	const count = (name: string, times = 1) => (counts[name] = (counts[name] ?? 0) + times);
	await expectNoBreach(SEED, PLANS, ({ plan, seen, executions }, excused) => {
		const where = plan.pauses.length > 0 ? 'beside standstills: ' : '';
		count(`${where}delivered`, seen.filter(({ accepted }) => accepted).length);
		for (const { invariant } of excused) count(`${where}excused of ${invariant}`);
		for (const { run, reports, thrown } of executions) {
			const when = plan.runs[run]?.isCalm ? 'in the end ' : '';
			for (const { outcome } of reports) count(where + when + outcome);
			if (thrown?.outcome) count(`${where}thrown as ${thrown.outcome}`);
		}
	});
	const isNear = (name: string) => {
		const [pinned = 0, now = 0] = [PINNED[name], counts[name]];
		return Math.abs(now - pinned) <= Math.max(2, TOLERANCE * pinned);
	};
	const areNear = Object.keys({ ...PINNED, ...counts }).every(isNear);
	expect(areNear ? PINNED : counts).toEqual(PINNED);
}, 600_000);
