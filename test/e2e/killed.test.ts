import type { INode } from 'n8n-workflow';

import { CREDENTIAL, NODE, nodeOf, recipients, SEND, TRIGGER } from '../../dev/engine/workflows';
import { eventually } from './support/editor';
import { asked, customers } from './support/messages';
import { useN8n } from './support/setup';
import { chainOf, giving, publishTriggered, Workflow } from './support/workflow';

/** n8n is killed while the service has not answered for the last customer: what its Retry has to go by. */

const here = useN8n();

const ITEMS = nodeOf('Items', '', giving(recipients(4)));
const SENDS = nodeOf(NODE, 'n8n-nodes-workchat.workchat', {
	parameters: { ...SEND, options: { maxTries: 1 } },
	credentials: { workchatApi: { id: '1', name: CREDENTIAL } },
});
const other = (name: string, type: string, typeVersion: number, parameters: INode['parameters']) =>
	nodeOf(name, `n8n-nodes-base.${type}`, { typeVersion, parameters });

async function plain() {
	const chain = chainOf('Plain', other(TRIGGER, 'noOp', 1, {}), ITEMS, SENDS);
	const workflow = await publishTriggered(here, chain);
	return { started: workflow, sends: workflow.id };
}

/** In rounds of two, after each of which n8n saves the execution. */
async function loop() {
	const rounds = other('Loop', 'splitInBatches', 3, { batchSize: 2, options: {} });
	const { connections, ...chain } = chainOf('Loop', other(TRIGGER, 'noOp', 1, {}), ITEMS, rounds);
	const to = (node: string) => [{ node, type: 'main' as const, index: 0 }];
	connections.Loop = { main: [[], to(NODE)] };
	connections[NODE] = { main: [to('Loop')] };
	const settings = { executionOrder: 'v1' as const, saveExecutionProgress: true };
	const nodes = [...chain.nodes, SENDS];
	const workflow = await publishTriggered(here, { ...chain, nodes, connections, settings });
	return { started: workflow, sends: workflow.id };
}

async function subWorkflow() {
	const called = other(TRIGGER, 'executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' });
	const { id } = await (await Workflow.add(here, chainOf('Called', called, SENDS))).publish();
	const workflowId = { __rl: true, mode: 'id', value: id };
	const call = other('Call', 'executeWorkflow', 1.2, { workflowId, options: {} });
	const caller = chainOf('Caller', other(TRIGGER, 'noOp', 1, {}), ITEMS, call);
	return { started: await publishTriggered(here, caller), sends: id };
}

test.each([
	['an execution of which n8n saved nothing', plain],
	['a later round of a loop, after which n8n had saved the one before', loop],
	["a sub-workflow, n8n's record of which does not tell when it began", subWorkflow],
])('nobody gets it again by a Retry of %s', async (_, add) => {
	const { started, sends } = await add();
	here.sandbox.misbehave({ kind: 'delay', milliseconds: 60_000 }, { toId: 'customer-4' });
	await started.post({});
	await eventually(async () => expect(asked(here)).toEqual(customers(1, 2, 3, 4)));
	await here.crash();
	const [killed] = await here.n8n.executions(sends);
	const { status, data } = await here.n8n.retry(killed!.id);
	expect([status, data.resultData.error?.message]).toEqual([
		'error',
		expect.stringMatching(/^Not sent again: This execution was cut off before/),
	]);
	expect(asked(here)).toEqual(customers(1, 2, 3, 4));
});
