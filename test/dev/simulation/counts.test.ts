import { expectNoBreach } from './property';

/**
 * What docs/delivery.md concedes is excused in single plans, but not any number of times. Of one node
 * these counts are always the same, as the clock is virtual and chance has a seed. They may differ by
 * 5 %, or by 2: a call of n8n's memory more or less is no fault.
 *
 * To renew them, once it is clear why they changed: take over what the failing test received.
 */
const PINNED: Record<string, number> = {
	'beside standstills: delivered': 907,
	'beside standstills: in the end sent': 260,
	'beside standstills: in the end skipped': 501,
	'beside standstills: in the end unknown': 271,
	'beside standstills: rejected': 42,
	'beside standstills: sent': 487,
	'beside standstills: skipped': 198,
	'beside standstills: unknown': 232,
	delivered: 3576,
	'excused of deliveredOnce': 1,
	'in the end sent': 1124,
	'in the end skipped': 1220,
	'in the end unknown': 841,
	notSent: 42,
	rejected: 220,
	sent: 1996,
	skipped: 412,
	'thrown as notSent': 5,
	'thrown as rejected': 41,
	'thrown as unknown': 140,
	unknown: 670,
};

const PLANS = 300;
const SEED = 1;

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
			if (thrown?.outcome) count(`thrown as ${thrown.outcome}`);
		}
	});
	const isNear = (name: string) => {
		const [pinned = 0, now = 0] = [PINNED[name], counts[name]];
		return Math.abs(now - pinned) <= Math.max(2, 0.05 * pinned);
	};
	const areNear = Object.keys({ ...PINNED, ...counts }).every(isNear);
	expect(areNear ? PINNED : counts).toEqual(PINNED);
}, 600_000);
