import { setTimeout as wait } from 'node:timers/promises';

import type { IRun } from 'n8n-workflow';

import { isOlder } from '../dev/engine/coreVersion';

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
import { eventually, turnsOf } from './turns';

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
		expect(error?.description).toMatch(/1 of 4 items were sent, and 3 may have been/);
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
		expect(accepted()).toEqual(['customer-1', 'customer-3']);

		const resend = { ...SEND, options: { maxTries: 1, resendUnknown: true } };
		const changed = workflowOf(recipients(3), resend);
		expect(endOf(await bench.engine.retry(changed, failed))).toMatch(OF_ANOTHER);
		expect(accepted()).toEqual(['customer-1', 'customer-3', 'customer-2']);
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
		const failed = await bench.engine.run(brokenBefore(workflow));
		expect(failed.data.resultData.lastNodeExecuted).toBe('Split');

		bench.sandbox.misbehave(REFUSE, to('customer-2'));
		const first = await bench.engine.retry(workflow, failed);
		expect(endOf(await bench.engine.retry(workflow, first))).toBe('success');
		expect(endOf(await bench.engine.retry(workflow, first))).toBe(
			'Another retry of the same execution sent this message: see there',
		);
		expect(accepted()).toEqual(['customer-1', 'customer-2', 'customer-3']);
	});
});

/** The workflow as it was when a node before ours failed. */
function brokenBefore(workflow: WorkflowJson): WorkflowJson {
	const broken = structuredClone(workflow);
	const split = broken.nodes.find(({ name }) => name === 'Split');
	if (split) split.parameters.fieldToSplitOut = '={{ $json.nothing.at.all }}';
	return broken;
}

/** n8n 1 does not tell when an execution began. */
(isOlder ? describe.skip : describe)('an execution without a record of ours', () => {
	test('as it failed before our node: its Retries know of each other', async () => {
		const workflow = workflowOf(recipients(5), ONE_TRY);
		const failed = await bench.engine.run(brokenBefore(workflow));
		const retries = [1, 2].map(async () => await bench.engine.retry(workflow, failed));
		await Promise.all(retries);
		const another = await bench.engine.retry(workflow, failed);
		expect(endOf(another)).toBe('Another retry of the same execution sent this message: see there');
		expect(accepted()).toHaveLength(5);
		expect(JSON.stringify(another)).not.toMatch(/execution (of )?\d{10,}/);
	});

	test('as it was killed: its Retry sends nothing, and says so', async () => {
		bench.sandbox.misbehave({ kind: 'hang' }, to('customer-3'));
		const workflow = workflowOf(recipients(5), { ...ONE_TRY, options: { maxConcurrency: 1 } });
		const running = bench.engine.begin(workflow);
		while (bench.sandbox.requests.length < 3) await wait(5);
		const killed = running.killed();
		for (let retry = 0; retry < 2; retry++) {
			const { error } = resultOf(await bench.engine.retry(workflow, killed));
			expect(error?.message).toBe('This execution was cut off before while it sent its messages');
			expect(error?.description).toMatch(
				/^n8n kept no record of it.*Resend if Unknown\..* and 5 may have been\.$/,
			);
		}
		expect(onWire()).toEqual(['customer-1', 'customer-2', 'customer-3']);

		const resend = { ...SEND, options: { maxTries: 1, resendUnknown: true } };
		expect(endOf(await bench.engine.retry(workflowOf(recipients(5), resend), killed))).toBe(
			'success',
		);
		expect(onWire()).toHaveLength(8);
		running.cancel();
		await running.finished;
	});

	test('as it was killed in a later round of a loop', async () => {
		bench.sandbox.misbehave({ kind: 'hang' }, to('customer-2'));
		const workflow = looped(workflowOf(recipients(3), ONE_TRY));
		const running = bench.engine.begin(workflow);
		while (bench.sandbox.requests.length < 2) await wait(5);
		const retried = await bench.engine.retry(workflow, running.killed());
		expect(endOf(retried)).toBe('This execution was cut off before while it sent its messages');
		expect(onWire()).toEqual(['customer-1', 'customer-2']);
		running.cancel();
		await running.finished;
	});

	test('as it was killed while a node after ours ran', async () => {
		const workflow = workflowOf(recipients(3), ONE_TRY);
		const running = bench.engine.begin(workflow);
		await running.finished;
		const retried = await bench.engine.retry(workflow, running.killed());
		expect(endOf(retried)).toBe('This execution was cut off before while it sent its messages');
		expect(accepted()).toHaveLength(3);
	});

	test('as it was killed before our node: its Retry sends everything', async () => {
		const workflow = workflowOf(recipients(3), ONE_TRY);
		const running = bench.engine.begin(brokenBefore(workflow));
		await running.finished;
		expect(endOf(await bench.engine.retry(workflow, running.killed()))).toBe('success');
		expect(accepted()).toHaveLength(3);
	});
});

describe('without a key, n8n is asked', () => {
	test.each([1, 300])(
		'once a run, and told what it may forget, however many items it has: %d',
		async (count) => {
			// What is kept of earlier executions is forgotten with later ones.
			const one = workflowOf(recipients(1), ONE_TRY);
			for (let run = 0; run < 21; run++) await bench.engine.run(one);
			await eventually(() => memory.deduplicator.calls.includes('remove'));
			const { length } = memory.deduplicator.calls;
			await bench.engine.run(workflowOf(recipients(count), ONE_TRY));
			await eventually(() => memory.deduplicator.calls.length === length + 2);
			expect(memory.deduplicator.calls.slice(length)).toEqual(['check', 'remove']);
		},
	);

	test.each<[string, (end: Promise<void>) => unknown]>([
		['fails', async () => await Promise.reject(new Error('the database is gone'))],
		['does not answer', async (end) => await end],
	])('and where it %s, the messages go out all the same', async (_, before) => {
		let end = () => {};
		const ended = new Promise<void>((resolve) => (end = resolve));
		memory.begin(
			() => 0,
			() => before(ended),
		);
		const [run, turns] = await turnsOf(bench.engine.run(workflowOf(recipients(2), ONE_TRY)));
		end();
		expect(endOf(run)).toBe('success');
		expect(accepted()).toHaveLength(2);
		expect(turns).toBeLessThan(500);
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
		const { length } = memory.deduplicator.calls;
		expect((await bench.engine.retry(workflow, failed)).status).toBe('success');
		expect(accepted()).toHaveLength(2);
		expect(memory.deduplicator.calls).toHaveLength(length);
	});

	test('in a retry of which every item is known already', async () => {
		const workflow = workflowOf(recipients(1), ONE_TRY);
		bench.sandbox.misbehave(LOSE);
		const failed = await bench.engine.run(workflow);
		const { length } = memory.deduplicator.calls;
		await bench.engine.retry(workflow, failed);
		expect(memory.deduplicator.calls).toHaveLength(length);
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
