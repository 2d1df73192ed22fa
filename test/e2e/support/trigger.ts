import { nodeOf } from '../../../dev/engine/workflows';
import type { Here } from './setup';
import { Workflow } from './workflow';

export const AFTER = 'After';

/** Publishes a Workchat Trigger, and a node of the name {@link AFTER} behind it. */
export async function addTrigger(
	here: Here,
	startOn: 'every' | 'file' | 'feedVideo',
	next = nodeOf(AFTER, 'n8n-nodes-base.noOp'),
): Promise<Workflow> {
	const type = 'n8n-nodes-workchat.workchatTrigger';
	const trigger = nodeOf('Trigger', type, { typeVersion: 2, parameters: { startOn } });
	const connections = { Trigger: { main: [[{ node: AFTER, type: 'main' as const, index: 0 }]] } };
	const workflow = { name: 'Trigger', nodes: [trigger, next], connections };
	return await (await Workflow.add(here, workflow)).publish();
}
