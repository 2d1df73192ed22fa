import type { IDataObject, INodeParameters, IWorkflowBase } from 'n8n-workflow';

import type { WorkflowJson } from '../engine/engine';
import { fieldsInItem } from './parameters';
import type { Plan, PlannedRun } from './plan';

export const NODE = 'Workchat';

type Node = IWorkflowBase['nodes'][number];

/** The items that reach the node. */
export function inputsOf({ items, inputs, fieldsInItems }: Plan): IDataObject[] {
	return inputs.flatMap((index) => {
		const item = items[index];
		if (!item) return [];
		const { marker, toId, content } = item;
		const fields = fieldsInItems && { body: { row: fieldsInItem(fieldsInItems, item) } };
		return [{ marker, toId, size: content?.length, ...fields }];
	});
}

/** The workflow of a plan as it stands at one of its runs. */
export function workflowOf(plan: Plan, run: PlannedRun): WorkflowJson {
	const { kind, line, retryOnFail, maxNodeTries } = plan;
	const { onError, parameters } = run;
	const isTool = kind === 'tool';
	const afterSplit = isTool ? 'Loop' : NODE;
	return {
		name: `Plan ${plan.number}`,
		nodes: [
			nodeOf('Trigger', 'n8n-nodes-base.manualTrigger'),
			nodeOf('Items', 'n8n-nodes-base.set', {
				parameters: { mode: 'raw', jsonOutput: JSON.stringify({ items: inputsOf(plan) }) },
			}),
			nodeOf('Split', 'n8n-nodes-base.splitOut', { parameters: { fieldToSplitOut: 'items' } }),
			nodeOf(NODE, `n8n-nodes-workchat.workchat${isTool ? 'Tool' : ''}`, {
				parameters: parameters as INodeParameters,
				credentials: { workchatApi: { id: line, name: 'Workchat account' } },
				onError,
				...(retryOnFail && { retryOnFail, maxTries: maxNodeTries, waitBetweenTries: 1 }),
			}),
			// An agent calls its tool once for each message.
			nodeOf('Loop', 'n8n-nodes-base.splitInBatches'),
			nodeOf('After', 'n8n-nodes-base.noOp'),
			nodeOf('Failed', 'n8n-nodes-base.noOp'),
		],
		connections: {
			Trigger: { main: [to('Items')] },
			Items: { main: [to('Split')] },
			Split: { main: [to(afterSplit)] },
			Loop: { main: [[], to(NODE)] },
			[NODE]: { main: isTool ? [to('Loop'), to('Loop')] : [to('After'), to('Failed')] },
		},
	};
}

function nodeOf(name: string, type: string, more: Partial<Node> = {}): Node {
	return { id: name, name, type, typeVersion: 1, position: [0, 0], parameters: {}, ...more };
}

function to(node: string) {
	return [{ node, type: 'main' as const, index: 0 }];
}
