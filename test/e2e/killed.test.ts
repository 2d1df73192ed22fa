import type { INode } from 'n8n-workflow';

import { CREDENTIAL, NODE, nodeOf, SEND, TRIGGER } from '../../dev/engine/workflows';
import { eventually } from './support/editor';
import { asked } from './support/messages';
import { useN8n } from './support/setup';
import { chainOf, giving, publishTriggered, Workflow } from './support/workflow';

/** n8n is killed while the service has not answered for the last customer: what its Retry has to go by. */

const here = useN8n();

/** Milliseconds: for as long as this, n8n has to be killed. */
const SLOW = 600_000;
const SENDS = nodeOf(NODE, 'n8n-nodes-workchat.workchat', {
	parameters: { ...SEND, options: { maxTries: 1, timeout: SLOW } },
	credentials: { workchatApi: { id: '1', name: CREDENTIAL } },
});
const other = (name: string, type: string, typeVersion: number, parameters: INode['parameters']) =>
	nodeOf(name, `n8n-nodes-base.${type}`, { typeVersion, parameters });
const START = other(TRIGGER, 'noOp', 1, {});

/** Each publishes what sends these items: what starts it, and the ID of what sends. */
const WORKFLOWS = {
	'an execution of which n8n saved nothing': async (items: INode) => {
		const workflow = await publishTriggered(here, chainOf('Plain', START, items, SENDS));
		return [workflow, workflow.id] as const;
	},
	'a later round of a loop, after which n8n had saved the one before': async (items: INode) => {
		const rounds = other('Loop', 'splitInBatches', 3, { batchSize: 2, options: {} });
		const { connections, ...chain } = chainOf('Loop', START, items, rounds);
		const to = (node: string) => [{ node, type: 'main' as const, index: 0 }];
		connections.Loop = { main: [[], to(NODE)] };
		connections[NODE] = { main: [to('Loop')] };
		const settings = { executionOrder: 'v1' as const, saveExecutionProgress: true };
		const nodes = [...chain.nodes, SENDS];
		const workflow = await publishTriggered(here, { ...chain, nodes, connections, settings });
		return [workflow, workflow.id] as const;
	},
	"a sub-workflow, n8n's record of which does not tell when it began": async (items: INode) => {
		const called = other(TRIGGER, 'executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' });
		const { id } = await (await Workflow.add(here, chainOf('Called', called, SENDS))).publish();
		const workflowId = { __rl: true, mode: 'id', value: id };
		const call = other('Call', 'executeWorkflow', 1.2, { workflowId, options: {} });
		return [await publishTriggered(here, chainOf('Caller', START, items, call)), id] as const;
	},
};
const killed: Record<string, string> = {};

/** All at once, as n8n takes long to start. */
beforeAll(async () => {
	const slow = { kind: 'delay', milliseconds: SLOW } as const;
	const isLast = ({ toId }: Record<string, unknown>) => String(toId).startsWith('last');
	here.sandbox.misbehave(slow, { times: Infinity, when: isLast });
	for (const [name, add] of Object.entries(WORKFLOWS)) {
		const toIds = ['first', 'second', 'third', 'last'].map((toId) => ({ toId: toId + name }));
		const [started, id] = await add(nodeOf('Items', '', giving(toIds)));
		killed[name] = id;
		await started.post({});
	}
	await eventually(async () => expect(asked(here)).toHaveLength(12));
	await here.crash();
});

test.each(Object.keys(WORKFLOWS))('nobody gets it again by a Retry of %s', async (name) => {
	const [execution] = await here.n8n.executions(killed[name]!);
	const { status, data } = await here.n8n.retry(execution!.id);
	const words = expect.stringMatching(/^Not sent again: This execution was interrupted/);
	expect([status, data.resultData.error?.message]).toEqual(['error', words]);
	expect(asked(here)).toEqual([]);
});
