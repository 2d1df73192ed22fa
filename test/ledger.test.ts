import type { IRun } from 'n8n-workflow';

import type { Misbehaviour, Schedule } from '../dev/sandbox/misbehaviour';
import { eventually } from './turns';
import {
	indexesOf,
	looped,
	recipients,
	resultOf,
	SEND,
	type NodeSettings,
	useBench,
	VIDEO,
	workflowOf,
} from './setup';

const bench = useBench();

/** How a message can fail, and whether it arrives all the same. */
const FAILURES: Record<string, { how: Misbehaviour; isAccepted: boolean }> = {
	rejected: { how: { kind: 'refuse', code: 1, message: 'no' }, isAccepted: false },
	notSent: { how: { kind: 'httpError', status: 503, retryAfter: '0' }, isAccepted: false },
	'unknown, not done': { how: { kind: 'dropAfterAccepting' }, isAccepted: false },
	'unknown, but done': { how: { kind: 'dropAfterAccepting' }, isAccepted: true },
};

const COUNT = 5;
const toIds = (list: Array<Record<string, unknown>>) => list.map(({ toId }) => toId);
const onWire = () => toIds(bench.sandbox.requests.map(({ body }) => body ?? {}));
const to = (toId: string): Schedule => ({ when: (body) => body.toId === toId });

interface Case {
	retries: number;
	onError: NonNullable<NodeSettings['onError']>;
	position: number;
	failure: string;
}

const CASES: Case[] = [2, 5].flatMap((retries) =>
	(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const).flatMap((onError) =>
		[0, 2, COUNT - 1].flatMap((position) =>
			Object.keys(FAILURES).map((failure) => ({ retries, onError, position, failure })),
		),
	),
);

const withRetryOnFail = ({ retries, onError }: Case): NodeSettings => ({
	onError,
	retryOnFail: true,
	maxTries: retries,
	waitBetweenTries: 1,
});

describe('Retry On Fail', () => {
	test.each(CASES)(
		'with $retries tries, $onError and item $position $failure sends nothing twice',
		async (it) => {
			const { how, isAccepted } = FAILURES[it.failure] as (typeof FAILURES)[string];
			const failing = `customer-${it.position + 1}`;
			bench.sandbox.misbehave(how, { ...to(failing), times: 100, isAccepted });

			const parameters = { ...SEND, options: { maxTries: 1 } };
			const run = await bench.engine.run(
				workflowOf(recipients(COUNT), parameters, withRetryOnFail(it)),
			);

			expect(new Set(toIds(bench.sandbox.messages)).size).toBe(bench.sandbox.messages.length);
			const tries = onWire().filter((toId) => toId === failing).length;
			if (it.failure.startsWith('unknown')) expect(tries).toBe(1);
			const stops = it.onError === 'stopWorkflow';
			// n8n runs the node again where it throws, and where its first output item is an error.
			const isRunAgain = stops || it.position === 0;
			if (!it.failure.startsWith('unknown')) expect(tries).toBe(isRunAgain ? it.retries : 1);

			const others = recipients(COUNT).filter(({ toId }) => toId !== failing);
			const expected = stops ? others.slice(0, it.position) : others;
			expect(onWire().filter((toId) => toId !== failing)).toEqual(toIds(expected));
			expectOutcome(run, it);
		},
	);

	function expectOutcome(run: IRun, { onError, position, failure }: Case): void {
		const { items, errorItems, error } = resultOf(run);
		const [outcome] = failure.split(',');
		if (onError === 'stopWorkflow') {
			expect(error?.context?.itemIndex).toBe(position);
			expect(error).toMatchObject({
				errorResponse: { outcome: outcome === 'notSent' ? 'rejected' : outcome },
			});
			const sent = new RegExp(`${position} of ${COUNT} items were sent`);
			if (position > 0) expect(error?.description).toMatch(sent);
			return;
		}
		const all = onError === 'continueErrorOutput' ? [...items, ...errorItems] : items;
		expect(all).toHaveLength(COUNT);
		expect(indexesOf(all.filter(({ json }) => json.error))).toEqual([position]);
		if (onError === 'continueRegularOutput') {
			expect(indexesOf(items)).toEqual(recipients(COUNT).map((_, index) => index));
		}
	}

	test('gives the stored results of sent items', async () => {
		bench.sandbox.misbehave({ kind: 'httpError', status: 503 }, to('customer-3'));
		const parameters = { ...SEND, options: { maxTries: 1 } };
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		const run = await bench.engine.run(workflowOf(recipients(3), parameters, settings));
		const { items, error } = resultOf(run);
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.data)).toEqual([
			{ messageId: 'sandbox-message-1' },
			{ messageId: 'sandbox-message-2' },
			{ messageId: 'sandbox-message-3' },
		]);
		expect(onWire()).toEqual(['customer-1', 'customer-2', 'customer-3', 'customer-3']);
	});

	test('with Resend if Unknown sends an unknown item again', async () => {
		bench.sandbox.misbehave(
			{ kind: 'dropAfterAccepting' },
			{ ...to('customer-2'), isAccepted: false },
		);
		const parameters = { ...SEND, options: { maxTries: 1, resendUnknown: true } };
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		const { error } = resultOf(
			await bench.engine.run(workflowOf(recipients(2), parameters, settings)),
		);
		expect(error).toBeUndefined();
		expect(onWire()).toEqual(['customer-1', 'customer-2', 'customer-2']);
	});
});

describe('a failed execution that is retried from the list', () => {
	const parameters = { ...SEND, options: { maxTries: 1 } };

	test('does not send accepted items again', async () => {
		bench.sandbox.misbehave({ kind: 'httpError', status: 503 }, to('customer-3'));
		const workflow = workflowOf(recipients(4), parameters);
		const failed = await bench.engine.run(workflow);
		expect(failed.status).toBe('error');

		const retried = await bench.engine.retry(workflow, failed);
		expect(resultOf(retried).error).toBeUndefined();
		expect(resultOf(retried).items).toHaveLength(4);
		expect(onWire()).toEqual([
			'customer-1',
			'customer-2',
			'customer-3',
			'customer-3',
			'customer-4',
		]);
	});

	test('does not send an unknown item again, but says so', async () => {
		bench.sandbox.misbehave({ kind: 'dropAfterAccepting' }, to('customer-2'));
		const workflow = workflowOf(recipients(2), parameters);
		const retried = await bench.engine.retry(workflow, await bench.engine.run(workflow));
		expect(resultOf(retried).error?.message).toMatch(/closed the connection/);
		expect(resultOf(retried).error?.description).toMatch(/did not send it again/);
		expect(onWire()).toEqual(['customer-1', 'customer-2']);
	});

	test('sends an item that was changed meanwhile', async () => {
		bench.sandbox.misbehave({ kind: 'httpError', status: 503 }, to('customer-2'));
		const failed = await bench.engine.run(workflowOf(recipients(2), parameters));
		const changed = workflowOf(recipients(2), { ...parameters, instanceGuid: 'another' });
		await bench.engine.retry(changed, failed);
		expect(onWire()).toEqual(['customer-1', 'customer-2', 'customer-1', 'customer-2']);
	});

	test('sends an item whose video was changed meanwhile', async () => {
		bench.sandbox.misbehave({ kind: 'httpError', status: 503 }, to('customer-2'));
		const failed = await bench.engine.run(workflowOf(recipients(2), parameters));
		const feedVideo = JSON.stringify({ ...VIDEO, feedNo: 'another' });
		await bench.engine.retry(workflowOf(recipients(2), { ...parameters, feedVideo }), failed);
		expect(onWire()).toEqual(['customer-1', 'customer-2', 'customer-1', 'customer-2']);
	});

	test('says of an unknown item the same at every retry', async () => {
		bench.sandbox.misbehave({ kind: 'httpError', status: 500 });
		const workflow = workflowOf(recipients(1), parameters);
		let run = await bench.engine.run(workflow);
		const message = resultOf(run).error?.message;
		for (let retries = 0; retries < 2; retries++) run = await bench.engine.retry(workflow, run);
		expect(resultOf(run).error?.message).toBe(message);
		expect(resultOf(run).error?.description?.match(/did not send it again/g)).toHaveLength(1);
		expect(bench.sandbox.requests).toHaveLength(1);
	});

	test('remembers an unknown item though Resend if Unknown was on', async () => {
		bench.sandbox.misbehave({ kind: 'dropAfterAccepting' });
		const options = { maxTries: 1, resendUnknown: true };
		const failed = await bench.engine.run(workflowOf(recipients(1), { ...SEND, options }));
		const retried = await bench.engine.retry(workflowOf(recipients(1), parameters), failed);
		expect(resultOf(retried).error?.description).toMatch(/did not send it again/);
		expect(bench.sandbox.requests).toHaveLength(1);
	});
});

describe('the ledger', () => {
	const contextOf = (run: IRun) => run.data.executionData?.contextData['node:Workchat'];
	const parameters = { ...SEND, options: { maxTries: 1 } };
	const EMPTY = { workchatExecution: expect.stringMatching(/^\d+$/) as string };

	test('is emptied once every item succeeded', async () => {
		const run = await bench.engine.run(workflowOf(recipients(3), SEND));
		expect(contextOf(run)).toEqual(EMPTY);
	});

	test('is emptied where nothing can run the node again', async () => {
		bench.sandbox.misbehave({ kind: 'refuse', code: 1, message: 'no' });
		const settings: NodeSettings = { onError: 'continueRegularOutput' };
		const run = await bench.engine.run(workflowOf(recipients(3), SEND, settings));
		expect(contextOf(run)).toEqual(EMPTY);
	});

	test('holds hashes and results of what a failed run sent, and nothing else', async () => {
		bench.sandbox.misbehave({ kind: 'refuse', code: 1, message: 'no' }, to('customer-2'));
		const run = await bench.engine.run(workflowOf(recipients(3), SEND));
		expect(contextOf(run)).toEqual({
			...EMPTY,
			workchatLedger: {
				0: [
					{
						sources: [expect.stringMatching(/^[\w+/]{43}= 0$/)],
						digest: expect.stringMatching(/^[\w+/]{43}=$/) as string,
						json: expect.objectContaining({ code: 0 }) as object,
					},
				],
			},
		});
	});

	test('knows the iterations of a loop apart', async () => {
		const same = [{ toId: 'customer-1' }, { toId: 'customer-1' }];
		const workflow = looped(workflowOf(same, SEND));
		const run = await bench.engine.run(workflow);
		expect(run.data.resultData.error).toBeUndefined();
		expect(run.data.resultData.runData.Workchat).toHaveLength(2);
		expect(onWire()).toEqual(toIds(same));
	});

	test('an unknown item of one iteration does not hold back its like in the next', async () => {
		bench.sandbox.misbehave({ kind: 'dropAfterAccepting' });
		const same = [{ toId: 'customer-1' }, { toId: 'customer-1' }];
		const settings: NodeSettings = {
			onError: 'continueRegularOutput',
			retryOnFail: true,
			maxTries: 2,
			waitBetweenTries: 1,
		};
		const workflow = looped(workflowOf(same, parameters, settings));
		const run = await bench.engine.run(workflow);
		expect(run.data.resultData.runData.Workchat).toHaveLength(2);
		expect(bench.sandbox.requests).toHaveLength(2);
	});

	test('the ledger is kept where the execution is cancelled', async () => {
		bench.sandbox.misbehave({ kind: 'hang' }, to('customer-2'));
		const settings: NodeSettings = { onError: 'continueRegularOutput' };
		const running = bench.engine.begin(workflowOf(recipients(3), SEND, settings));
		await eventually(() => bench.sandbox.requests.length === 2);
		running.cancel();
		const run = await running.finished;
		expect(contextOf(run)).toMatchObject({
			workchatLedger: { 0: [{ json: { code: 0 } }, { unknown: { outcome: 'unknown' } }] },
		});
	});
});
