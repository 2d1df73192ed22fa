import type { IDataObject } from 'n8n-workflow';

import type { WorkflowJson } from '../engine/engine';
import { CREDENTIAL, looped, workflowOf } from '../engine/workflows';
import { fieldsInItem } from './parameters';
import type { Plan, PlannedRun } from './plan';

/** The items that reach the node. */
export function inputsOf({ items, inputs, fieldsInItems }: Plan): IDataObject[] {
	return inputs.flatMap((index) => {
		const item = items[index];
		if (!item) return [];
		const { marker, toId, content } = item;
		const fields = fieldsInItems && { body: { row: fieldsInItem(fieldsInItems, item) } };
		return [{ marker, toId, size: content?.length, isDry: item.isDry === true, ...fields }];
	});
}

/** The workflow of a plan as it stands at one of its runs. */
export function workflowAt(plan: Plan, { onError, parameters }: PlannedRun): WorkflowJson {
	const { kind, line, retryOnFail, maxNodeTries } = plan;
	const isTool = kind === 'tool';
	const workflow = workflowOf(inputsOf(plan), parameters, {
		...(isTool && { type: 'n8n-nodes-workchat.workchatTool' }),
		credentials: { workchatApi: { id: line, name: CREDENTIAL } },
		onError,
		...(retryOnFail && { retryOnFail, maxTries: maxNodeTries, waitBetweenTries: 1 }),
	});
	// An agent calls its tool once for each message.
	return isTool ? looped(workflow) : workflow;
}
