import type { INode, INodeParameters } from 'n8n-workflow';

import type { WorkflowJson } from '../../engine/engine';
import { DOWNLOAD, NODE, SEND, workflowOf } from '../../engine/workflows';
import type { DownloadWork, Mapping, N8nContenderName, SendWork, Target, Work } from '../work';
import { INSTANCE, MESSAGE, PATHS, RECIPIENT } from './message';

/** The node whose output is the result. */
export const LAST = 'After';

/** Beside the usual one: the service at the other end of a line. */
export const FAR_CREDENTIAL = 'Far Workchat account';

/** What differs from the usual workflow, by the names of the nodes. */
type Steps = Record<string, Partial<INode>>;

const STEPS = { workchat: ourSteps, httpRequest: httpRequestSteps, floor: floorSteps };

/** An expression makes the items, as a workflow that held 50,000 would weigh on what is measured. */
export function workflowFor(name: N8nContenderName, work: Work, target: Target): WorkflowJson {
	const list = `Array.from({ length: ${work.items} }, (_, index) => (${itemOf(work, target)}))`;
	const parameters = { mode: 'raw', jsonOutput: `={{ { items: ${list} } }}`, options: {} };
	const steps: Steps = { Items: { parameters }, ...STEPS[name](work, target) };
	const { nodes, ...workflow } = workflowOf([], {});
	return { ...workflow, nodes: nodes.map((node) => ({ ...node, ...steps[node.name] })) };
}

/** The work as a user sets up our node for it. */
function ourSteps(work: Work): Steps {
	const options = {
		maxConcurrency: work.concurrency ?? work.items,
		...(work.kind === 'send' && work.hasKey ? { sendOnceKey: 'spring-offer' } : {}),
	};
	const parameters = work.kind === 'download' ? DOWNLOAD : { ...SEND, ...mapped(work) };
	const step: Partial<INode> = { parameters: { ...parameters, options } };
	if (work.kind === 'send' && work.continues) step.onError = 'continueRegularOutput';
	if (work.kind === 'send' && work.roundTrip) {
		step.credentials = { workchatApi: { id: '1', name: FAR_CREDENTIAL } };
	}
	return { [NODE]: step };
}

/** An expression for each of its fields: `={{ $json.toId }}`. */
const EXPRESSIONS = Object.fromEntries(
	Object.keys(MESSAGE).map((name) => [name, `={{ $json.${name} }}`]),
);
const ALWAYS = { toId: '={{ $json.toId }}', instanceGuid: EXPRESSIONS.instance_guid };

function mapped({ mapping }: SendWork): INodeParameters {
	const ways: Record<Mapping, INodeParameters> = {
		fields: { ...EXPRESSIONS, ...ALWAYS, specifyFeedVideo: 'fields' },
		json: { ...ALWAYS, feedVideo: '={{ $json }}' },
		input: { ...ALWAYS, specifyFeedVideo: 'input' },
	};
	return mapping ? ways[mapping] : {};
}

/** The smallest node, for messages only. */
function floorSteps(work: Work): Steps {
	if (work.kind === 'download') throw new Error('The smallest node downloads nothing');
	const parameters = {
		...EXPRESSIONS,
		toId: ALWAYS.toId,
		mapping: work.mapping ?? 'json',
		feedVideo: work.mapping === 'json' ? '={{ $json }}' : SEND.feedVideo,
		maxConcurrency: work.concurrency ?? work.items,
		...(work.mapping ? {} : { instance_guid: INSTANCE }),
	};
	return { [NODE]: { type: 'CUSTOM.smallest', parameters } };
}

/**
 * The work as a user sets up HTTP Request for it. It has no concurrency to set. A file takes a
 * second node, unless the answer is the file itself.
 */
function httpRequestSteps(work: Work, target: Target): Steps {
	const steps: Steps = { [NODE]: requestOf(work, target) };
	if (work.kind === 'download' && work.as !== 'body') steps[LAST] = FILE_OF[work.as];
	return steps;
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
	return {
		...HTTP_REQUEST,
		credentials: { httpHeaderAuth: { id: '1', name: 'Header Auth account' } },
		parameters: {
			method: 'POST',
			url: url + PATHS[work.kind],
			authentication: 'genericCredentialType',
			genericAuthType: 'httpHeaderAuth',
			sendBody: true,
			...(work.kind === 'send' ? messageBody(work) : fileBody()),
			options: work.kind === 'send' ? batching(work) : responseOptions(work),
		},
	};
}

function messageBody({ mapping }: SendWork): INodeParameters {
	if (mapping === 'fields') {
		const fields = { ...EXPRESSIONS, toId: ALWAYS.toId };
		const parameters = Object.entries(fields).map(([name, value]) => ({ name, value }));
		return { specifyBody: 'keypair', bodyParameters: { parameters } };
	}
	const message = JSON.stringify({ ...MESSAGE, toId: '{{ $json.toId }}' }, null, 2);
	return { specifyBody: 'json', jsonBody: mapping ? '={{ $json }}' : `=${message}` };
}

function fileBody(): INodeParameters {
	const file = `{{ { instance_guid: '${INSTANCE}', ...$json } }}`;
	return { specifyBody: 'json', jsonBody: `=${file}` };
}

function batching({ batchSize }: SendWork): INodeParameters {
	return batchSize ? { batching: { batch: { batchSize, batchInterval: 1 } } } : {};
}

function responseOptions({ as }: DownloadWork): INodeParameters {
	return as === 'body' ? AS_FILE : {};
}

/** The code that makes one item. */
function itemOf(work: Work, { file }: Target): string {
	if (work.kind === 'download') return JSON.stringify(file);
	const differing = { ...(work.mapping ? MESSAGE : {}), toId: RECIPIENT };
	const fields = Object.entries(differing).map(([name, value]) => `${name}: '${value}-' + index`);
	return `{ ${fields.join(', ')} }`;
}
