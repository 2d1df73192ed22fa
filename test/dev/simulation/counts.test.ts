import { expectNoBreach } from './property';

/**
 * Where a process stands still no node can hold every promise, so single plans are excused; but not any
 * number of them. Of one node these counts are always the same, as the clock is virtual and chance has
 * a seed. They may differ by 5 %, or by 2: a call of n8n's memory more or less is no fault.
 *
 * To renew them, once it is clear why they changed: take over what the failing test received.
 */
const PINNED: Record<string, number> = {
	'messages delivered': 9654,
	'excused: delivered once': 88,
	sent: 5275,
	skipped: 1488,
	unknown: 1504,
	notSent: 37,
	rejected: 254,
	dry: 1869,
	'thrown: unknown': 67,
	'thrown: rejected': 25,
	'thrown: notSent': 6,
	'in the end: sent': 3091,
	'in the end: skipped': 4424,
	'in the end: unknown': 815,
};

const PLANS = 300;
const SEED = 1;
const TOLERANCE = 0.05;

test(`${PLANS} plans break no promise, and the counts of what became of them are as they were`, async () => {
	const counts: Record<string, number> = {};
	const count = (name: string, times = 1) => (counts[name] = (counts[name] ?? 0) + times);
	await expectNoBreach(SEED, PLANS, ({ plan, seen, executions }, excused) => {
		count('messages delivered', seen.filter(({ accepted }) => accepted).length);
		for (const { invariant } of excused) count(`excused: ${invariant}`);
		for (const { run, reports, thrown } of executions) {
			const when = plan.runs[run]?.isCalm ? 'in the end: ' : '';
			for (const { outcome } of reports) count(when + outcome);
			if (thrown?.outcome) count(`thrown: ${thrown.outcome}`);
		}
	});
	const isNear = (name: string) => {
		const [pinned = 0, now = 0] = [PINNED[name], counts[name]];
		return Math.abs(now - pinned) <= Math.max(2, TOLERANCE * pinned);
	};
	const areNear = Object.keys({ ...PINNED, ...counts }).every(isNear);
	expect(areNear ? PINNED : counts).toEqual(PINNED);
}, 600_000);
