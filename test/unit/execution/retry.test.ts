import { withRetries } from '../../../nodes/Workchat/execution/retry';
import { StopSignal } from '../../../nodes/Workchat/execution/stopSignal';
import { Throttle } from '../../../nodes/Workchat/execution/throttle';
import { Failure } from '../../../nodes/Workchat/service/failure/failure';
import { wording } from '../../support/wording';
import { recipients, resultOf, SEND, useBench, workflowOf } from '../../support/setup';
import { turnsOf } from '../../support/turns';

const bench = useBench();

/** After which answers is told in outcomes.test.ts. */
test('an item is tried again until Max Tries, after as long as the service asks, or longer each time', async () => {
	bench.sandbox.misbehave({ kind: 'httpError', status: 429, retryAfter: '1' });
	bench.sandbox.misbehave({ kind: 'httpError', status: 503 });
	bench.sandbox.misbehave({ kind: 'httpError', status: 503, retryAfter: '0' }, { times: 9 });
	const parameters = { ...SEND, options: { maxTries: '={{ "4" }}' } };
	const workflow = workflowOf(recipients(1), parameters);
	const [run, turns] = await turnsOf(bench.engine.run(workflow));
	expect(resultOf(run).error?.message).toMatch(/not available right now/);
	const starts = bench.sandbox.requests.map(({ startedAt }) => startedAt);
	const [first = 0, second = 0] = starts.slice(1).map((start, index) => start - starts[index]!);
	expect(first).toBeGreaterThanOrEqual(990);
	expect(second).toBeGreaterThanOrEqual(490);
	expect(starts).toHaveLength(4);
	expect(turns).toBeLessThan(500);
});

/** What a try fails with. */
const failureWith = (outcome: Failure['outcome'], message = 'busy', retryAfter?: number) =>
	new Failure(message, { outcome, origin: 'service', advice: '', retryAfter });

const rulesWith = (stopSignal: StopSignal, maxTries: number) => ({
	maxTries,
	mayRepeat: () => true,
	wording,
	throttle: new Throttle(0, stopSignal),
	stopSignal,
});

/** The waits before each further try of something that always fails. */
async function waits(maxTries: number, retryAfter?: number): Promise<number[]> {
	const stopSignal = new StopSignal();
	const slept: number[] = [];
	jest
		.spyOn(stopSignal, 'sleep')
		.mockImplementation(async (milliseconds) => void slept.push(milliseconds));
	const attempt = async () => await Promise.reject(failureWith('rejected', 'busy', retryAfter));
	const failure = await withRetries(attempt, rulesWith(stopSignal, maxTries));
	expect(failure).toMatchObject({ message: 'busy' });
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
	const stopSignal = new StopSignal(AbortSignal.abort());
	const attempt = jest.fn();
	const rules = { ...rulesWith(stopSignal, 3), throttle: new Throttle(60_000, stopSignal) };
	expect(await withRetries(attempt, rules)).toBeUndefined();
	expect(attempt).not.toHaveBeenCalled();
});

test('an item that may have been done stays unknown, whatever a later try says', async () => {
	const stopSignal = new StopSignal();
	jest.spyOn(stopSignal, 'sleep').mockResolvedValue();
	const outcomes = ['notSent', 'unknown', 'unknown', 'rejected', 'rejected'] as const;
	let tries = 0;
	const attempt = async () => {
		const outcome = outcomes[tries++] ?? 'rejected';
		throw failureWith(outcome, `try ${tries} was ${outcome}`);
	};
	expect(await withRetries(attempt, rulesWith(stopSignal, 5))).toMatchObject({
		outcome: 'unknown',
		message: 'try 3 was unknown. Tried again: try 5 was rejected',
	});
});

test('an unforeseen error shows no secret either', async () => {
	const attempt = async () => await Promise.reject(new TypeError('cannot read "fake-secret"'));
	const rules = {
		...rulesWith(new StopSignal(), 1),
		wording: { ...wording, secrets: ['fake-secret'] },
	};
	expect(await withRetries(attempt, rules)).toMatchObject({
		outcome: 'unknown',
		message: 'Something unexpected happened: cannot read "***"',
	});
});
