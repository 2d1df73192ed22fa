import type { IRun } from 'n8n-workflow';

import type { WorkflowJson } from '../dev/engine/engine';
import type { Misbehaviour, Schedule } from '../dev/sandbox/misbehaviour';
import {
	looped,
	NODE,
	nodeOf,
	recipients,
	resultOf,
	SEND,
	useBench,
	useMemory,
	workflowOf,
	type NodeSettings,
} from './setup';

/** What n8n remembers for the node keeps Retries of one execution from sending what another one sent. */

const bench = useBench();
const memory = useMemory(bench);

type Json = Record<string, unknown>;

const ONE_TRY = { ...SEND, options: { maxTries: 1 } };
const REFUSE: Misbehaviour = { kind: 'refuse', code: 1, message: 'no' };
const LOSE: Misbehaviour = { kind: 'dropAfterAccepting' };
const CONTINUE: NodeSettings = { onError: 'continueRegularOutput' };

const to = (toId: string, times = 1): Schedule => ({ times, when: (body) => body.toId === toId });
const onWire = () => bench.sandbox.requests.map(({ body }) => body?.toId);
const accepted = () => bench.sandbox.messages.map(({ toId }) => toId);

/** Runs it with a second item that is refused, so that items from there on are left for Retries. */
async function failing(workflow: WorkflowJson): Promise<IRun> {
	bench.sandbox.misbehave(REFUSE, to('customer-2'));
	const failed = await bench.engine.run(workflow);
	expect(failed.status).toBe('error');
	expect(memory.deduplicator.calls).toEqual([]);
	return failed;
}

const endOf = (run: IRun) => resultOf(run).error?.message ?? 'success';
const OF_ANOTHER = /^Another retry of execution \d+ sent this message: see there$/;

describe('Retry pressed twice on one failed execution', () => {
	test('one after the other: nothing is sent twice', async () => {
		const workflow = workflowOf(recipients(4), ONE_TRY);
		const failed = await failing(workflow);
		expect(endOf(await bench.engine.retry(workflow, failed))).toBe('success');

		const { error } = resultOf(await bench.engine.retry(workflow, failed));
		expect(error?.message).toMatch(OF_ANOTHER);
		expect(error?.description).toMatch(/1 of 4 items were sent, and 1 may have been/);
		expect(accepted()).toEqual(['customer-1', 'customer-2', 'customer-3', 'customer-4']);
	});

	test('names the execution', async () => {
		const workflow = workflowOf(recipients(2), ONE_TRY);
		const failed = await failing(workflow);
		await bench.engine.retry(workflow, failed);
		const { error } = resultOf(await bench.engine.retry(workflow, failed));
		const { workchatExecution } =
			failed.data.executionData?.contextData[`node:${NODE}`] ?? ({} as Json);
		expect(error?.message).toContain(`execution ${String(workchatExecution)} `);
	});

	test('at the same moment: nothing is sent twice', async () => {
		for (let round = 0; round < 5; round++) {
			memory.begin(() => Math.random() * 4);
			bench.sandbox.reset();
			const workflow = workflowOf(recipients(12), ONE_TRY, CONTINUE);
			const failed = await failing(workflowOf(recipients(12), ONE_TRY));
			await Promise.all([1, 2, 3].map(async () => await bench.engine.retry(workflow, failed)));
			expect(accepted().sort()).toEqual(
				recipients(12)
					.map(({ toId }) => toId)
					.sort(),
			);
		}
	});

	test('with Continue, each item says so', async () => {
		const failed = await failing(workflowOf(recipients(3), ONE_TRY));
		const workflow = workflowOf(recipients(3), ONE_TRY, CONTINUE);
		await bench.engine.retry(workflow, failed);
		const { items } = resultOf(await bench.engine.retry(workflow, failed));
		expect(items.map(({ json }) => json)).toEqual([
			expect.objectContaining({ code: 0 }),
			...[1, 2].map(() => ({
				error: {
					message: expect.stringMatching(OF_ANOTHER) as string,
					description: 'This retry did not send it again.',
					outcome: 'unknown',
				},
			})),
		]);
	});

	test('Resend if Unknown does not send what another retry certainly sent', async () => {
		const parameters = { ...SEND, options: { maxTries: 1, resendUnknown: true } };
		const workflow = workflowOf(recipients(3), parameters);
		const failed = await failing(workflow);
		await bench.engine.retry(workflow, failed);
		await bench.engine.retry(workflow, failed);
		expect(accepted()).toHaveLength(3);
	});

	test('what the first retry may have sent is in doubt, and Resend if Unknown sends it', async () => {
		const workflow = workflowOf(recipients(3), ONE_TRY);
		const failed = await failing(workflow);
		bench.sandbox.misbehave(LOSE, { ...to('customer-2'), isAccepted: false });
		await bench.engine.retry(workflow, failed);
		const { error } = resultOf(await bench.engine.retry(workflow, failed));
		expect(error?.message).toMatch(
			/^Another retry of execution \d+ sent this message, or tried to: see there$/,
		);
		expect(accepted()).toEqual(['customer-1']);

		const resend = { ...SEND, options: { maxTries: 1, resendUnknown: true } };
		const changed = workflowOf(recipients(3), resend);
		expect(endOf(await bench.engine.retry(changed, failed))).toBe('success');
		expect(accepted()).toEqual(['customer-1', 'customer-2', 'customer-3']);
	});

	test('sends what the first retry did not: it was refused there, or not begun', async () => {
		const workflow = workflowOf(recipients(5), ONE_TRY);
		const failed = await failing(workflow);
		bench.sandbox.misbehave(REFUSE, to('customer-4'));
		expect(endOf(await bench.engine.retry(workflow, failed))).not.toBe('success');
		const continued = workflowOf(recipients(5), ONE_TRY, CONTINUE);
		const { items } = resultOf(await bench.engine.retry(continued, failed));
		expect(items.map(({ json }) => 'error' in json)).toEqual([false, true, true, false, false]);
		expect(accepted()).toEqual(recipients(5).map(({ toId }) => toId));
	});

	test('knows a message by its place where an expression changes it from retry to retry', async () => {
		const feedVideo = `={{ { ...${SEND.feedVideo}, feedId: $now.toMillis() + Math.random() + "" } }}`;
		const workflow = workflowOf(recipients(4), { ...ONE_TRY, feedVideo });
		const failed = await failing(workflow);
		await bench.engine.retry(workflow, failed);
		await bench.engine.retry(workflow, failed);
		expect(accepted()).toHaveLength(4);
	});

	test('knows a message by its content where the node was edited in between', async () => {
		const failed = await failing(workflowOf(recipients(4), ONE_TRY));
		await bench.engine.retry(workflowOf(recipients(4), ONE_TRY), failed);
		const edited = { ...SEND, options: { maxTries: 1, timeout: 5000 } };
		await bench.engine.retry(workflowOf(recipients(4), edited), failed);
		expect(accepted()).toHaveLength(4);
	});

	test('sends what was made another message in between', async () => {
		const failed = await failing(workflowOf(recipients(2), ONE_TRY));
		await bench.engine.retry(workflowOf(recipients(2), ONE_TRY), failed);
		const edited = { ...ONE_TRY, instanceGuid: 'another' };
		expect(endOf(await bench.engine.retry(workflowOf(recipients(2), edited), failed))).toBe(
			'success',
		);
		expect(bench.sandbox.messages.map(({ instance_guid }) => instance_guid)).toEqual([
			'default-instance',
			'default-instance',
			'another',
			'another',
		]);
	});

	test('sends equal rows of the list as often as they stand there', async () => {
		const items = ['1', '2', '3', '3', '3'].map((number) => ({ toId: `customer-${number}` }));
		const workflow = workflowOf(items, ONE_TRY);
		const failed = await failing(workflow);
		await bench.engine.retry(workflow, failed);
		await bench.engine.retry(workflow, failed);
		expect(accepted()).toEqual(items.map(({ toId }) => toId));
	});

	test('also in the third iteration of a loop', async () => {
		const workflow = looped(workflowOf(recipients(4), ONE_TRY));
		bench.sandbox.misbehave(REFUSE, to('customer-3'));
		const failed = await bench.engine.run(workflow);
		expect(accepted()).toEqual(['customer-1', 'customer-2']);
		expect(endOf(await bench.engine.retry(workflow, failed))).toBe('success');
		expect(resultOf(await bench.engine.retry(workflow, failed)).error?.message).toMatch(OF_ANOTHER);
		expect(accepted()).toEqual(recipients(4).map(({ toId }) => toId));
	});
});

describe('a chain of retries', () => {
	test('sends each message once, whichever of them is retried again', async () => {
		const workflow = workflowOf(recipients(6), ONE_TRY);
		const failed = await failing(workflow);
		bench.sandbox.misbehave(REFUSE, to('customer-4'));
		const first = await bench.engine.retry(workflow, failed);
		bench.sandbox.misbehave(REFUSE, to('customer-6'));
		const second = await bench.engine.retry(workflow, first);
		expect(accepted()).toHaveLength(5);

		for (const execution of [failed, first, failed]) {
			expect(endOf(await bench.engine.retry(workflow, execution))).not.toBe('success');
		}
		const continued = workflowOf(recipients(6), ONE_TRY, CONTINUE);
		await bench.engine.retry(continued, first);
		const last = await bench.engine.retry(continued, second);
		await bench.engine.retry(continued, failed);
		expect(accepted().sort()).toEqual(
			recipients(6)
				.map(({ toId }) => toId)
				.sort(),
		);
		expect(resultOf(last).items).toHaveLength(6);
	});

	test('may begin with a retry that reached the node first', async () => {
		const workflow = workflowOf(recipients(3), ONE_TRY);
		const broken = structuredClone(workflow);
		const split = broken.nodes.find(({ name }) => name === 'Split');
		if (split) split.parameters.fieldToSplitOut = '={{ $json.nothing.at.all }}';
		const failed = await bench.engine.run(broken);
		expect(failed.data.resultData.lastNodeExecuted).toBe('Split');

		bench.sandbox.misbehave(REFUSE, to('customer-2'));
		const first = await bench.engine.retry(workflow, failed);
		expect(memory.deduplicator.calls).toEqual([]);
		expect(endOf(await bench.engine.retry(workflow, first))).toBe('success');
		expect(resultOf(await bench.engine.retry(workflow, first)).error?.message).toMatch(OF_ANOTHER);
		expect(accepted()).toEqual(['customer-1', 'customer-2', 'customer-3']);
	});

	test('may begin with an execution under version 0.1.0', async () => {
		const workflow = workflowOf(recipients(3), ONE_TRY);
		const failures = [await failing(workflow), await failing(workflow)];
		for (const { data } of failures) {
			delete data.executionData?.contextData[`node:${NODE}`]?.workchatExecution;
		}
		const [failed, other] = failures as [IRun, IRun];
		bench.sandbox.messages.length = 0;
		expect(endOf(await bench.engine.retry(workflow, failed))).toBe('success');
		expect(resultOf(await bench.engine.retry(workflow, failed)).error?.message).toBe(
			'Another retry of the same execution sent this message: see there',
		);
		expect(endOf(await bench.engine.retry(workflow, other))).toBe('success');
		expect(accepted()).toEqual(['customer-2', 'customer-3', 'customer-2', 'customer-3']);
	});
});

describe('n8n is not asked', () => {
	test('in a retry, where another node failed after ours', async () => {
		const workflow = workflowOf(recipients(2), ONE_TRY);
		const broken = structuredClone(workflow);
		broken.nodes = broken.nodes.map((node) =>
			node.name === 'After'
				? nodeOf('After', 'n8n-nodes-base.splitOut', {
						parameters: { fieldToSplitOut: '={{ $json.nothing.at.all }}' },
					})
				: node,
		);
		const failed = await bench.engine.run(broken);
		expect(failed.data.resultData.lastNodeExecuted).toBe('After');
		expect((await bench.engine.retry(workflow, failed)).status).toBe('success');
		expect(accepted()).toHaveLength(2);
		expect(memory.deduplicator.calls).toEqual([]);
	});

	test('in a retry of which every item is known already', async () => {
		const workflow = workflowOf(recipients(1), ONE_TRY);
		bench.sandbox.misbehave(LOSE);
		const failed = await bench.engine.run(workflow);
		await bench.engine.retry(workflow, failed);
		expect(memory.deduplicator.calls).toEqual([]);
		expect(onWire()).toHaveLength(1);
	});
});

describe('a memory of n8n', () => {
	test('that is not there: retries go on, with a hint', async () => {
		bench.engine.deduplicator = undefined;
		const workflow = workflowOf(recipients(3), ONE_TRY);
		bench.sandbox.misbehave(REFUSE, to('customer-2'));
		const failed = await bench.engine.run(workflow);
		const retried = await bench.engine.retry(workflow, failed);
		expect(accepted()).toEqual(['customer-1', 'customer-2', 'customer-3']);
		const [run] = retried.data.resultData.runData[NODE]?.slice(-1) ?? [];
		expect(run?.hints).toEqual([
			expect.objectContaining({
				message:
					'n8n could not tell whether another Retry of the same execution sent these messages, too (items 1, 2)',
			}),
		]);
	});
});

test('a retry with a Send Once Key skips what another retry sent', async () => {
	const parameters = { ...SEND, options: { maxTries: 1, sendOnceKey: 'spring-offer' } };
	const workflow = workflowOf(recipients(4), parameters);
	bench.sandbox.misbehave(REFUSE, to('customer-2'));
	const failed = await bench.engine.run(workflow);
	expect(endOf(await bench.engine.retry(workflow, failed))).toBe('success');
	const { items, error } = resultOf(await bench.engine.retry(workflow, failed));
	expect(error).toBeUndefined();
	expect(items.map(({ json }) => json.skipped === true)).toEqual([false, true, true, true]);
	expect(accepted()).toHaveLength(4);
});
