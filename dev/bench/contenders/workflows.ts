import type { INode, INodeParameters } from 'n8n-workflow';

import type { WorkflowJson } from '../../engine/engine';
import { DOWNLOAD, NODE, SEND, workflowOf } from '../../engine/workflows';
import type { Target, Work } from '../work';
import { INSTANCE, MESSAGE, PATHS, RECIPIENT } from './message';

/** The node whose output is the result. */
export const LAST = 'After';

export const workflowFor = { workchat: ourWorkflow, httpRequest: httpRequestWorkflow };

/** The work as a user sets up our node for it. */
function ourWorkflow(work: Work, target: Target): WorkflowJson {
	const parameters = work.kind === 'send' ? SEND : DOWNLOAD;
	const options = { maxConcurrency: work.concurrency ?? work.items };
	return withItems(workflowOf([], { ...parameters, options }), work, target);
}

/**
 * The work as a user sets up HTTP Request for it. It has no concurrency to set. A file takes a
 * second node, unless the answer is the file itself.
 */
function httpRequestWorkflow(work: Work, target: Target): WorkflowJson {
	const steps: Record<string, Partial<INode>> = { [NODE]: requestOf(work, target) };
	if (work.kind === 'download' && work.as !== 'body') steps[LAST] = FILE_OF[work.as];
	const { nodes, ...workflow } = withItems(workflowOf([], {}), work, target);
	return { ...workflow, nodes: nodes.map((node) => ({ ...node, ...steps[node.name] })) };
}

const HTTP_REQUEST = { type: 'n8n-nodes-base.httpRequest', typeVersion: 4.5 };
const AS_FILE = { response: { response: { responseFormat: 'file' } } };

/** Makes a file of an answer that only leads to it. */
const FILE_OF: Record<'link' | 'base64', Partial<INode>> = {
	link: { ...HTTP_REQUEST, parameters: { url: '={{ $json.data.url }}', options: AS_FILE } },
	base64: {
		type: 'n8n-nodes-base.convertToFile',
		typeVersion: 1.1,
		parameters: { operation: 'toBinary', sourceProperty: 'data.content' },
	},
};

function requestOf(work: Work, { url }: Target): Partial<INode> {
	const message = JSON.stringify({ ...MESSAGE, toId: '{{ $json.toId }}' }, null, 2);
	const file = `{{ { instance_guid: '${INSTANCE}', ...$json } }}`;
	return {
		...HTTP_REQUEST,
		credentials: { httpHeaderAuth: { id: '1', name: 'Header Auth account' } },
		parameters: {
			method: 'POST',
			url: url + PATHS[work.kind],
			authentication: 'genericCredentialType',
			genericAuthType: 'httpHeaderAuth',
			sendBody: true,
			specifyBody: 'json',
			jsonBody: `=${work.kind === 'send' ? message : file}`,
			options: optionsOf(work),
		},
	};
}

function optionsOf(work: Work): INodeParameters {
	if (work.kind === 'download') return work.as === 'body' ? AS_FILE : {};
	const { batchSize } = work;
	return batchSize ? { batching: { batch: { batchSize, batchInterval: 1 } } } : {};
}

/** An expression makes the items, as a workflow that held 50,000 would weigh on what is measured. */
function withItems(workflow: WorkflowJson, work: Work, { file }: Target): WorkflowJson {
	const item = work.kind === 'send' ? `{ toId: '${RECIPIENT}' + index }` : JSON.stringify(file);
	const list = `Array.from({ length: ${work.items} }, (_, index) => (${item}))`;
	const parameters = { mode: 'raw', jsonOutput: `={{ { items: ${list} } }}`, options: {} };
	const nodes = workflow.nodes.map((node) =>
		node.name === 'Items' ? { ...node, parameters } : node,
	);
	return { ...workflow, nodes };
}
