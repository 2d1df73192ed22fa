import type { IExecuteFunctions } from 'n8n-workflow';

import { Hints } from '../nodes/Workchat/execution/hints';
import { Ledger } from '../nodes/Workchat/execution/ledger';
import { withRetries } from '../nodes/Workchat/execution/retry';
import { StopSignal } from '../nodes/Workchat/execution/stopSignal';
import { Throttle } from '../nodes/Workchat/execution/throttle';
import { Failure } from '../nodes/Workchat/service/failure';

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
		throttle: new Throttle(0, stopSignal),
		stopSignal,
	};
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
	const stopSignal = new StopSignal(AbortSignal.abort());
	const attempt = jest.fn();
	const rules = {
		maxTries: 3,
		mayRepeat: () => true,
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
	const throttle = new Throttle(0, stopSignal);
	const rules = { maxTries: 4, mayRepeat: () => true, throttle, stopSignal };
	await expect(withRetries(attempt, rules)).rejects.toMatchObject({
		outcome: 'unknown',
		message: 'try 2 was unknown. Tried again: try 4 was rejected',
	});
});

describe('the ledger of an AI tool', () => {
	const nodeContext = {};
	const connection = { type: 'workchatApi', credential: { apiKey: 'key' } };
	/** n8n gives every call of a tool another run index. */
	const call = async ($runIndex: number, text: string, apiKey = 'key') => {
		const context = {
			getContext: () => nodeContext,
			getMode: () => 'manual',
			getExecutionId: () => '1',
			getNode: () => ({ type: 'n8n-nodes-workchat.workchatTool', parameters: {} }),
			getInputData: () => [{ json: { toolCallId: $runIndex } }],
			getWorkflowDataProxy: () => ({ $runIndex }),
		} as unknown as IExecuteFunctions;
		const ledger = await Ledger.open(context);
		const ofKey = { ...connection, credential: { apiKey } };
		return { ledger, entry: await ledger.entryOf(0, { text }, ofKey) };
	};
	const lost = new Failure('lost', { outcome: 'unknown', origin: 'network', advice: '' });

	test('knows a message in the next call, whatever other calls do meanwhile', async () => {
		(await call(0, 'this')).entry.keep(lost);
		const other = await call(1, 'that');
		other.entry.keep({ json: { code: 0 } });
		other.ledger.close();
		expect((await call(2, 'this')).entry.recall()).toMatchObject({ failure: { happened: 'lost' } });
		expect((await call(3, 'that')).entry.recall()).toEqual({ json: { code: 0 } });
		expect((await call(4, 'that', 'another key')).entry.recall()).toBeUndefined();
		expect((await call(5, 'else')).entry.recall()).toBeUndefined();
	});
});

describe('hints', () => {
	const shown = (hints: Hints): string[] => {
		const addExecutionHints = jest.fn();
		hints.show({ addExecutionHints } as unknown as IExecuteFunctions);
		return (addExecutionHints.mock.calls[0] as Array<{ message: string }>).map(
			({ message }) => message,
		);
	};

	test('stand any number of items, and name ten', () => {
		const hints = new Hints();
		hints.add(
			{ text: 'failed' },
			Array.from({ length: 300_000 }, (_, index) => index),
		);
		expect(shown(hints)).toEqual(['failed (items 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 299990 more)']);
	});

	test('say the same of several fields and items once', () => {
		const hints = new Hints();
		hints.add({ text: 'was removed', subject: 'a' }, [0]);
		hints.add({ text: 'was removed', subject: 'b' }, [0]);
		hints.add({ text: 'was removed', subject: 'a' }, [2]);
		expect(shown(hints)).toEqual(['was removed: a, b (items 0, 2)']);
	});

	test('are five at most', () => {
		const hints = new Hints();
		for (let count = 0; count < 7; count++) hints.add({ text: `text ${count}` }, [count]);
		expect(shown(hints)).toHaveLength(5);
	});
});
