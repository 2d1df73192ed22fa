import type { IRun } from 'n8n-workflow';

import { isOlder } from '../../dev/engine/coreVersion';
import type { WorkflowJson } from '../../dev/engine/engine';
import type { Misbehaviour } from '../../dev/sandbox/misbehaviour';
import { toIds } from '../support/messages';
import {
	looped,
	nodeOf,
	recipients,
	resultOf,
	SEND,
	useBench,
	useMemory,
	workflowOf,
} from '../support/setup';
import { eventually } from '../support/turns';

/**
 * Several Retries of one execution, in n8n's engine. All else of them stands in journal.test.ts, in
 * virtual time; what one Retry knows of its execution, in ledger.test.ts.
 */

const bench = useBench();
const memory = useMemory(bench);

const ONE_TRY = { ...SEND, options: { maxTries: 1 } };
const REFUSE: Misbehaviour = { kind: 'refuse', code: 1, message: 'no' };
const CUT_OFF = 'Not sent again: This execution was cut off before while it sent its messages';
const OF_ANOTHER = /^Not sent again: Another retry of execution \d+ sent this message: see there$/;

const onWire = () => bench.sandbox.requests.map(({ body }) => body?.toId);
const accepted = () => bench.sandbox.messages.map(({ toId }) => toId);
const endOf = (run: IRun) => resultOf(run).error?.message ?? 'success';
const retry = async (...given: Parameters<typeof bench.engine.retry>) =>
	endOf(await bench.engine.retry(...given));

/** Runs it with a second item that is refused, so that items from there on are left for Retries. */
async function failing(workflow: WorkflowJson): Promise<IRun> {
	bench.sandbox.misbehave(REFUSE, { toId: 'customer-2' });
	const failed = await bench.engine.run(workflow);
	expect(failed.status).toBe('error');
	return failed;
}

/** The workflow as it was when a node failed: the one before ours, or after. */
function broken(workflow: WorkflowJson, name: 'Split' | 'After'): WorkflowJson {
	const parameters = { fieldToSplitOut: '={{ $json.nothing.at.all }}' };
	const nodes = workflow.nodes.map((node) =>
		node.name === name ? nodeOf(name, 'n8n-nodes-base.splitOut', { parameters }) : node,
	);
	return { ...workflow, nodes };
}

const feedVideo = `={{ { ...${SEND.feedVideo}, feedId: $now.toMillis() + Math.random() + "" } }}`;
test.each<[string, object, object]>([
	['', {}, {}],
	[', with an expression that changes from try to try', { feedVideo }, {}],
	[', with the node edited in between', {}, { options: { maxTries: 1, timeout: 5000 } }],
])('one after the other sends nothing twice%s', async (_, parameters, edited) => {
	const workflow = workflowOf(recipients(4), { ...ONE_TRY, ...parameters });
	const failed = await failing(workflow);
	expect(await retry(workflow, failed)).toBe('success');
	const changed = workflowOf(recipients(4), { ...ONE_TRY, ...parameters, ...edited });
	expect(await retry(changed, failed)).toMatch(OF_ANOTHER);
	expect(accepted()).toEqual(toIds(4));
});

test('in a loop they know each iteration', async () => {
	const workflow = looped(workflowOf(recipients(4), ONE_TRY));
	bench.sandbox.misbehave(REFUSE, { toId: 'customer-3' });
	const failed = await bench.engine.run(workflow);
	expect(accepted()).toEqual(toIds(2));
	expect(await retry(workflow, failed)).toBe('success');
	expect(await retry(workflow, failed)).toMatch(OF_ANOTHER);
	expect(accepted()).toEqual(toIds(4));
});

test('n8n is not asked where another node failed after ours', async () => {
	const workflow = workflowOf(recipients(2), ONE_TRY);
	const failed = await bench.engine.run(broken(workflow, 'After'));
	expect(failed.data.resultData.lastNodeExecuted).toBe('After');
	const { length } = memory.deduplicator.calls;
	expect(await retry(workflow, failed)).toBe('success');
	expect(accepted()).toHaveLength(2);
	expect(memory.deduplicator.calls).toHaveLength(length);
});

/** What messages of Retries are called in n8n: see names.test.ts. */
test('what a Retry leaves in n8n is frozen', async () => {
	bench.sandbox.misbehave(REFUSE);
	const workflow = workflowOf(recipients(1), ONE_TRY);
	await bench.engine.retry(workflow, await bench.engine.run(workflow));
	const entries = memory.entries().filter((entry) => entry.startsWith('[1,"retry"'));
	expect(entries.map((entry) => entry.replace(/"retry","\d+"/, '"retry","1"'))).toEqual([
		'[1,"retry","1","0","kjqUBIuI7Bryo/nu5vROXFs51aLp+tSfPqRxpjXYjGQ= 0"]',
		'[1,"retry","1","0","XoQ551bBEMU19ye4if4xjeL9MoPVtfV9DetIJ1NP2no=",0]',
	]);
});

/** n8n 1 does not tell when an execution began. */
(isOlder ? describe.skip : describe)('of an execution without a record of ours', () => {
	const SAME = 'Not sent again: Another retry of the same execution sent this message: see there';

	test('as it failed before our node: they know of each other', async () => {
		const workflow = workflowOf(recipients(3), ONE_TRY);
		const failed = await bench.engine.run(broken(workflow, 'Split'));
		expect(failed.data.resultData.lastNodeExecuted).toBe('Split');
		const ends = [1, 2].map(async () => await retry(workflow, failed));
		expect(await Promise.all(ends)).toContainEqual(expect.stringMatching(/success|^Another/));
		expect(await retry(workflow, failed)).toBe(SAME);
		expect(accepted()).toHaveLength(3);
	});

	test('as it was killed before our node: they send everything', async () => {
		const workflow = workflowOf(recipients(3), ONE_TRY);
		const running = bench.engine.begin(broken(workflow, 'Split'));
		await running.finished;
		expect(await retry(workflow, running.killed())).toBe('success');
		expect(accepted()).toHaveLength(3);
	});

	test.each([
		['', workflowOf(recipients(4), ONE_TRY)],
		[' in a later round of a loop', looped(workflowOf(recipients(4), ONE_TRY))],
	])('as it was killed%s: they send nothing', async (_, workflow) => {
		bench.sandbox.misbehave({ kind: 'hang' }, { toId: 'customer-3' });
		const running = bench.engine.begin(workflow);
		await eventually(() => bench.sandbox.requests.length === 3);
		expect(await retry(workflow, running.killed())).toBe(CUT_OFF);
		expect(onWire()).toEqual(toIds(3));
		running.cancel();
		await running.finished;
	});
});
