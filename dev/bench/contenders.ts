import type { INode, INodeParameters } from 'n8n-workflow';

import type { WorkflowJson } from '../engine/engine';
import { NODE, SEND, VIDEO, workflowOf } from '../engine/workflows';

/** How people fill in ten fields: one expression for each, one JSON, or only the two that every way needs. */
export const MAPPINGS = {
	fields: 'field by field',
	json: 'one JSON',
	input: 'From Input Item',
};
type Mapping = keyof typeof MAPPINGS;

export const NODES = {
	workchat: 'Workchat',
	httpRequest: 'HTTP Request',
	smallest: 'smallest node',
};

export interface Contender {
	node: keyof typeof NODES;
	mapping: Mapping;
}

/** Of all but HTTP Request, which starts all items at once: its Batching only pauses between starts. */
export const CONCURRENCY = 50;

/** Each node in each way that it knows. */
export const CONTENDERS = Object.keys(MAPPINGS).flatMap((mapping) =>
	Object.keys(NODES)
		.map((node) => ({ node, mapping }) as Contender)
		.filter(({ node }) => node !== 'httpRequest' || mapping !== 'input'),
);

export const HEADER_CREDENTIAL = 'Header Auth account';

const FIELDS = { instance_guid: 'fake-instance-guid', toId: 'customer', ...VIDEO };

/** What is to arrive for a row. All ten fields differ from row to row, so no two have one recipient. */
export const messageOf = (row: number) =>
	Object.fromEntries(Object.entries(FIELDS).map(([name, value]) => [name, `${value}-${row}`]));

/**
 * The rows go to the contender, under the name of our node.
 * @param service its URL
 */
export function workflowFor(
	{ node, mapping }: Contender,
	rows: number,
	service: string,
): WorkflowJson {
	const steps: Record<string, Partial<INode>> = {
		Items: { parameters: { mode: 'raw', jsonOutput: listOf(rows), options: {} } },
		[NODE]: STEPS[node](mapping, service),
	};
	const { nodes, ...workflow } = workflowOf([], {});
	return { ...workflow, nodes: nodes.map((each) => ({ ...each, ...steps[each.name] })) };
}

/** An expression, as a workflow that held thousands of rows would weigh on what is measured. */
function listOf(rows: number): string {
	const fields = Object.entries(FIELDS).map(([name, value]) => `${name}: '${value}-' + row`);
	return `={{ { items: Array.from({ length: ${rows} }, (_, row) => ({ ${fields.join(', ')} })) } }}`;
}

/** An expression for each field: `={{ $json.toId }}`. */
const EXPRESSIONS = Object.fromEntries(
	Object.keys(FIELDS).map((name) => [name, `={{ $json.${name} }}`]),
);
const ROW = '={{ $json }}';

const STEPS: Record<Contender['node'], (mapping: Mapping, service: string) => Partial<INode>> = {
	workchat(mapping) {
		const { instance_guid: instanceGuid, ...expressions } = EXPRESSIONS;
		const ways = { fields: expressions, json: { feedVideo: ROW }, input: {} };
		const options = { maxConcurrency: CONCURRENCY };
		const given = { ...SEND, ...ways[mapping], instanceGuid, specifyFeedVideo: mapping, options };
		return { parameters: given };
	},

	httpRequest(mapping, service) {
		const pairs = Object.entries(EXPRESSIONS).map(([name, value]) => ({ name, value }));
		const body: INodeParameters =
			mapping === 'fields'
				? { specifyBody: 'keypair', bodyParameters: { parameters: pairs } }
				: { specifyBody: 'json', jsonBody: ROW };
		return {
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.5,
			credentials: { httpHeaderAuth: { id: '1', name: HEADER_CREDENTIAL } },
			parameters: {
				method: 'POST',
				url: `${service}/workchat/messages/send-feed-video`,
				authentication: 'genericCredentialType',
				genericAuthType: 'httpHeaderAuth',
				sendBody: true,
				...body,
				options: {},
			},
		};
	},

	smallest(mapping) {
		const values = { ...EXPRESSIONS, mapping, feedVideo: ROW, maxConcurrency: CONCURRENCY };
		return { type: 'CUSTOM.smallest', parameters: values };
	},
};
