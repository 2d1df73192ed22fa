import type { IExecuteFunctions } from 'n8n-workflow';

import { Halt } from '../nodes/Workchat/execution/halt';
import { Hints } from '../nodes/Workchat/execution/hints';
import { Ledger } from '../nodes/Workchat/execution/ledger';
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

describe('the ledger of an AI tool', () => {
	const nodeContext = {};
	/** n8n gives every try of a tool another run index. */
	const tryNumber = ($runIndex: number) =>
		new Ledger({
			getContext: () => nodeContext,
			getWorkflowDataProxy: () => ({ $runIndex }),
			isToolExecution: () => true,
		} as unknown as IExecuteFunctions);
	const lost = new Failure('lost', { outcome: 'unknown', origin: 'network', advice: '' });

	test('knows an unknown message in the next try, whatever other calls do meanwhile', () => {
		tryNumber(0).keepUnknown(0, 'this', lost);
		const other = tryNumber(1);
		other.keepSent(0, 'that', { code: 0 });
		other.close();
		expect(() => tryNumber(2).recall(0, 'this', false)).toThrow('lost');
		expect(tryNumber(2).recall(0, 'that', false)).toBeUndefined();
	});
});

test('hints stand any number of items', () => {
	const hints = new Hints();
	hints.add(
		'failed',
		Array.from({ length: 300_000 }, (_, index) => index),
	);
	const addExecutionHints = jest.fn();
	hints.show({ addExecutionHints } as unknown as IExecuteFunctions);
	expect(addExecutionHints).toHaveBeenCalledWith(
		expect.objectContaining({
			message: 'failed (items 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 299990 more)',
		}),
	);
});
