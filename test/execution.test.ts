import { Halt } from '../nodes/Workchat/execution/halt';
import { Pace } from '../nodes/Workchat/execution/pace';
import { withRetries } from '../nodes/Workchat/execution/retry';
import { Failure } from '../nodes/Workchat/service/failure';

/** The waits before each further try of something that always fails. */
async function waits(maxTries: number, retryAfter?: number): Promise<number[]> {
	const halt = new Halt();
	const slept: number[] = [];
	jest
		.spyOn(halt, 'sleep')
		.mockImplementation(async (milliseconds) => void slept.push(milliseconds));
	const attempt = async () => {
		throw new Failure('busy', { outcome: 'rejected', origin: 'service', advice: '', retryAfter });
	};
	const rules = { maxTries, mayRepeat: () => true, pace: new Pace(0, halt), halt };
	await expect(withRetries(attempt, rules)).rejects.toThrow('busy');
	return slept;
}

test('waits double, with jitter, up to 30 s', async () => {
	const runs = await Promise.all(Array.from({ length: 20 }, async () => await waits(12)));
	for (const run of runs) {
		expect(run).toHaveLength(11);
		for (const [index, wait] of run.entries()) {
			const full = Math.min(500 * 2 ** index, 30_000);
			expect(wait).toBeGreaterThanOrEqual(full / 2);
			expect(wait).toBeLessThanOrEqual(full);
		}
	}
	expect(new Set(runs.map(([first]) => first)).size).toBeGreaterThan(15);
});

test('waits are as long as the service asks, up to a minute', async () => {
	expect(await waits(3, 7000)).toEqual([7000, 7000]);
	expect(await waits(2, 0)).toEqual([0]);
	expect(await waits(2, 3_600_000)).toEqual([60_000]);
});

test('a run that is cancelled before it begins starts nothing', async () => {
	const halt = new Halt(AbortSignal.abort());
	const attempt = jest.fn();
	const rules = { maxTries: 3, mayRepeat: () => true, pace: new Pace(60_000, halt), halt };
	expect(await withRetries(attempt, rules)).toBeUndefined();
	expect(attempt).not.toHaveBeenCalled();
});
