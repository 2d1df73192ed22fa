import type { Misbehaviour } from '../dev/sandbox/misbehaviour';
import { withRetries } from '../nodes/Workchat/execution/retry';
import { StopSignal } from '../nodes/Workchat/execution/stopSignal';
import { Throttle } from '../nodes/Workchat/execution/throttle';
import { Failure } from '../nodes/Workchat/service/failure/failure';
import { Secrets } from '../nodes/Workchat/service/failure/secrets';
import { recipients, resultOf, SEND, useBench, workflowOf } from './setup';
import { turnsOf } from './turns';

const bench = useBench();

describe('retries inside an item', () => {
	test.each([
		['HTTP 429', { kind: 'httpError', status: 429, retryAfter: '0' }],
		['HTTP 503', { kind: 'httpError', status: 503, retryAfter: '0' }],
		[
			'HTTP 503 with a date',
			{ kind: 'httpError', status: 503, retryAfter: new Date(0).toUTCString() },
		],
	] as Array<[string, Misbehaviour]>)('send again after %s', async (_, misbehaviour) => {
		bench.sandbox.misbehave(misbehaviour, { times: 2 });
		const { error } = resultOf(await bench.engine.run(workflowOf(recipients(1), SEND)));
		expect(error).toBeUndefined();
		expect(bench.sandbox.requests).toHaveLength(3);
		expect(bench.sandbox.messages).toHaveLength(1);
	});

	test('stop at Max Tries, the first included', async () => {
		bench.sandbox.misbehave({ kind: 'httpError', status: 503, retryAfter: '0' }, { times: 9 });
		const parameters = { ...SEND, options: { maxTries: 4 } };
		const { error } = resultOf(await bench.engine.run(workflowOf(recipients(1), parameters)));
		expect(error?.message).toMatch(/not available right now/);
		expect(bench.sandbox.requests).toHaveLength(4);
	});

	test.each([400, 401, 403, 404, 500, 502, 504])(
		'do not send again after HTTP %d',
		async (status) => {
			bench.sandbox.misbehave({ kind: 'httpError', status }, { times: 9 });
			await bench.engine.run(workflowOf(recipients(1), SEND));
			expect(bench.sandbox.requests).toHaveLength(1);
		},
	);

	test('wait longer each time, and as long as the service asks', async () => {
		bench.sandbox.misbehave({ kind: 'httpError', status: 429, retryAfter: '1' });
		bench.sandbox.misbehave({ kind: 'httpError', status: 503 });
		const [, turns] = await turnsOf(bench.engine.run(workflowOf(recipients(1), SEND)));
		const [first = 0, second = 0, third = 0] = bench.sandbox.requests.map(
			({ startedAt }) => startedAt,
		);
		expect(second - first).toBeGreaterThanOrEqual(990);
		expect(third - second).toBeGreaterThanOrEqual(490);
		expect(turns).toBeLessThan(500);
	});

	test('send an unknown message again with Resend if Unknown', async () => {
		bench.sandbox.misbehave({ kind: 'dropAfterAccepting' }, { isAccepted: false });
		const options = { resendUnknown: true };
		const { error } = resultOf(
			await bench.engine.run(workflowOf(recipients(1), { ...SEND, options })),
		);
		expect(error).toBeUndefined();
		expect(bench.sandbox.requests).toHaveLength(2);
	});
});

/** The waits before each further try of something that always fails. */
async function waits(maxTries: number, retryAfter?: number): Promise<number[]> {
	const stopSignal = new StopSignal();
	const slept: number[] = [];
	jest
		.spyOn(stopSignal, 'sleep')
		.mockImplementation(async (milliseconds) => void slept.push(milliseconds));
	const attempt = async () => {
		throw new Failure('busy', { outcome: 'rejected', origin: 'service', advice: '', retryAfter });
	};
	const rules = {
		maxTries,
		mayRepeat: () => true,
		secrets: Secrets.NONE,
		throttle: new Throttle(0, stopSignal),
		stopSignal,
	};
	expect(await withRetries(attempt, rules)).toMatchObject({ message: 'busy' });
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
	const rules = {
		maxTries: 3,
		mayRepeat: () => true,
		secrets: Secrets.NONE,
		throttle: new Throttle(60_000, stopSignal),
		stopSignal,
	};
	expect(await withRetries(attempt, rules)).toBeUndefined();
	expect(attempt).not.toHaveBeenCalled();
});

test('an item that may have been done stays unknown, whatever a later try says', async () => {
	const stopSignal = new StopSignal();
	jest.spyOn(stopSignal, 'sleep').mockResolvedValue();
	const outcomes = ['notSent', 'unknown', 'rejected', 'rejected'] as const;
	let tries = 0;
	const attempt = async () => {
		const outcome = outcomes[tries++] ?? 'rejected';
		throw new Failure(`try ${tries} was ${outcome}`, { outcome, origin: 'service', advice: '' });
	};
	const rules = {
		maxTries: 4,
		mayRepeat: () => true,
		secrets: Secrets.NONE,
		throttle: new Throttle(0, stopSignal),
		stopSignal,
	};
	expect(await withRetries(attempt, rules)).toMatchObject({
		outcome: 'unknown',
		message: 'try 2 was unknown. Tried again: try 4 was rejected',
	});
});

test('an unforeseen error shows no secret either', async () => {
	const stopSignal = new StopSignal();
	const attempt = async () => {
		throw new TypeError('cannot read "fake-secret-0123456789"');
	};
	const rules = {
		maxTries: 1,
		mayRepeat: () => false,
		secrets: new Secrets(() => ['fake-secret-0123456789']),
		throttle: new Throttle(0, stopSignal),
		stopSignal,
	};
	expect(await withRetries(attempt, rules)).toMatchObject({
		outcome: 'unknown',
		message: 'Something unexpected happened: cannot read "***"',
	});
});
