import type { WorkflowJson } from '../engine/engine';
import { SEND, VIDEO, workflowOf } from '../engine/workflows';

/** How people fill in ten fields: one expression for each, one JSON, or only the two that every way needs. */
export const MAPPINGS = {
	fields: 'field by field',
	json: 'one JSON',
	input: 'From Input Item',
};

export const NODES = {
	workchat: 'Workchat',
	httpRequest: 'HTTP Request',
};

export interface Contender {
	node: keyof typeof NODES;
	mapping: keyof typeof MAPPINGS;
}

/** Of our node: HTTP Request starts all items at once, and its Batching only pauses between starts. */
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

/** An expression for each field: `={{ $json.toId }}`. */
const EXPRESSIONS = Object.fromEntries(
	Object.keys(FIELDS).map((name) => [name, `={{ $json.${name} }}`]),
);
const { instance_guid: instanceGuid, ...expressions } = EXPRESSIONS;
const ROW = '={{ $json }}';

/**
 * The rows go to the contender, under the name of our node.
 * @param service its URL
 */
export function workflowFor(
	{ node, mapping }: Contender,
	rows: number,
	service: string,
): WorkflowJson {
	const ways = { fields: expressions, json: { feedVideo: ROW }, input: {} };
	const options = { maxConcurrency: CONCURRENCY };
	const sending = { ...SEND, ...ways[mapping], instanceGuid, specifyFeedVideo: mapping, options };
	const workflow =
		node === 'workchat'
			? workflowOf([], sending)
			: workflowOf([], requestFor(mapping, service), HTTP_REQUEST);
	const [, items] = workflow.nodes;
	items!.parameters.jsonOutput = listOf(rows);
	return workflow;
}

const HTTP_REQUEST = {
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.5,
	credentials: { httpHeaderAuth: { id: '1', name: HEADER_CREDENTIAL } },
};

function requestFor(mapping: Contender['mapping'], service: string) {
	const parameters = Object.entries(EXPRESSIONS).map(([name, value]) => ({ name, value }));
	return {
		method: 'POST',
		url: `${service}/workchat/messages/send-feed-video`,
		authentication: 'genericCredentialType',
		genericAuthType: 'httpHeaderAuth',
		sendBody: true,
		...(mapping === 'fields'
			? { specifyBody: 'keypair', bodyParameters: { parameters } }
			: { specifyBody: 'json', jsonBody: ROW }),
		options: {},
	};
}

/** An expression, as a workflow that held thousands of rows would weigh on what is measured. */
function listOf(rows: number): string {
	const fields = Object.entries(FIELDS).map(([name, value]) => `${name}: '${value}-' + row`);
	return `={{ { items: Array.from({ length: ${rows} }, (_, row) => ({ ${fields.join(', ')} })) } }}`;
}
