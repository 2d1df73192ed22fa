import type { WorkflowJson } from '../engine/engine';
import { SEND, VIDEO, workflowOf } from '../engine/workflows';

/** Our node's alone: HTTP Request starts all items at once; its Batching only pauses in between. */
export const CONCURRENCY = 50;

export const HEADER_CREDENTIAL = 'Header Auth account';

const FIELDS = { instance_guid: 'fake-instance-guid', toId: 'customer', ...VIDEO };

/** What is to arrive for a row. All ten fields differ from row to row, so no two have one recipient. */
export const messageOf = (row: number) =>
	Object.fromEntries(Object.entries(FIELDS).map(([name, value]) => [name, `${value}-${row}`]));

/** An expression for each field: `={{ $json.toId }}`. */
const EXPRESSIONS = Object.fromEntries(
	Object.keys(FIELDS).map((name) => [name, `={{ $json.${name} }}`]),
);
const PAIRS = Object.entries(EXPRESSIONS).map(([name, value]) => ({ name, value }));
const { instance_guid: instanceGuid, ...expressions } = EXPRESSIONS;
const ROW = '={{ $json }}';

function ours(specifyFeedVideo: string, more: object): WorkflowJson {
	const options = { maxConcurrency: CONCURRENCY };
	return workflowOf([], { ...SEND, ...more, instanceGuid, specifyFeedVideo, options });
}

/** Under the name of our node. */
function httpRequest(service: string, body: object): WorkflowJson {
	const parameters = {
		method: 'POST',
		url: `${service}/workchat/messages/send-feed-video`,
		authentication: 'genericCredentialType',
		genericAuthType: 'httpHeaderAuth',
		sendBody: true,
		...body,
		options: {},
	};
	return workflowOf([], parameters, {
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.5,
		credentials: { httpHeaderAuth: { id: '1', name: HEADER_CREDENTIAL } },
	});
}

/**
 * Each node, in each way that it knows to fill in ten fields: one expression for each, one JSON, or
 * only the two that every way needs.
 * @param service its URL
 */
export const contenders = (service: string) => ({
	'Workchat, field by field': ours('fields', expressions),
	'HTTP Request, field by field': httpRequest(service, {
		specifyBody: 'keypair',
		bodyParameters: { parameters: PAIRS },
	}),
	'Workchat, one JSON': ours('json', { feedVideo: ROW }),
	'HTTP Request, one JSON': httpRequest(service, { specifyBody: 'json', jsonBody: ROW }),
	'Workchat, From Input Item': ours('input', {}),
});

/** Has so many rows made by an expression, as a workflow that held them would weigh on what is measured. */
export function giveRows({ nodes: [, items] }: WorkflowJson, rows: number): void {
	const fields = Object.entries(FIELDS).map(([name, value]) => `${name}: '${value}-' + row`);
	const list = `Array.from({ length: ${rows} }, (_, row) => ({ ${fields.join(', ')} }))`;
	items!.parameters.jsonOutput = `={{ { items: ${list} } }}`;
}
