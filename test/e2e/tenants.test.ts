import { json } from 'node:stream/consumers';

import { outputOf } from '../../dev/engine/outputOf';
import { NODE, SEND, TRIGGER, workflowOf } from '../../dev/engine/workflows';
import type { NodeSettings } from '../../dev/engine/workflows';
import { serve } from './server';
import { useN8n } from './setup';

const here = useN8n();

/** What left n8n: for whom, with which key, and to which of the two services. */
interface Sent {
	toId: string;
	key: string;
	service: string;
}

/** Two services that take every key. */
let services: string[];
let sent: Sent[];
beforeAll(async () => {
	services = await Promise.all([service('first'), service('second')]);
});
beforeEach(() => (sent = []));

async function service(name: string): Promise<string> {
	const { origin } = await serve(async (request, response) => {
		const { toId } = (await json(request)) as Sent;
		sent.push({ toId, key: String(request.headers['x-service-key']), service: name });
		const envelope = { ok: true, code: 0, message: '', request_id: 'svc_example', data: {} };
		response.setHeader('Content-Type', 'application/json').end(JSON.stringify(envelope));
	});
	return origin;
}

let credentials = 0;

/** Sends one message for each item, with a credential of these values. */
async function send(
	items: Array<Record<string, unknown>>,
	credential: { apiKey: string; baseUrl: string },
	settings: NodeSettings = {},
) {
	const name = `Tenants ${++credentials}`;
	await here.n8n.addCredential('workchatApi', name, {
		defaultInstanceGuid: 'fake-instance-guid',
		...credential,
	});
	const workflow = workflowOf(items, SEND, settings);
	const node = workflow.nodes.find((candidate) => candidate.name === NODE);
	if (node) node.credentials = { workchatApi: { id: '1', name } };
	const { id } = await here.n8n.addWorkflow(workflow);
	return await here.n8n.run(id, TRIGGER);
}

const ITEMS = ['a', 'b', 'a', 'c', 'b', 'a'].map((tenant, index) => ({
	toId: `customer-${index + 1}`,
	key: `fake-key-${tenant}`,
	service: index % 2 ? 'second' : 'first',
}));

test.each([
	'={{ $json.key }}',
	'={{ $input.item.json.key }}',
	"={{ $('Split').item.json.key }}",
	"={{ 'fake-key-' + $json.key.at(-1) }}",
])(
	'each message leaves with the key of its item, for the service of its item: %s',
	async (apiKey) => {
		const [first, second] = services;
		const items = ITEMS.map((item) => ({
			...item,
			url: item.service === 'first' ? first : second,
		}));
		const { status } = await send(items, { apiKey, baseUrl: '={{ $json.url }}' });
		expect(status).toBe('success');
		expect(sent).toEqual(ITEMS);
	},
);

test.each(['fake-key-c', "={{ $('Items').first().json.items[3].key }}"])(
	'one key for all: %s',
	async (apiKey) => {
		const [baseUrl = ''] = services;
		const { status } = await send(ITEMS, { apiKey, baseUrl });
		expect(status).toBe('success');
		expect(sent).toEqual(ITEMS.map((item) => ({ ...item, key: 'fake-key-c', service: 'first' })));
	},
);

test('an item without a key fails alone, and leaves with the key of no other', async () => {
	const [baseUrl = ''] = services;
	const items = ITEMS.map(({ toId, key }, index) => (index === 2 ? { toId } : { toId, key }));
	const execution = await send(
		items,
		{ apiKey: '={{ $json.key }}', baseUrl },
		{ onError: 'continueRegularOutput' },
	);
	expect(execution.status).toBe('success');
	expect(sent.map(({ toId, key }) => ({ toId, key }))).toEqual(items.filter(({ key }) => key));
	const output = outputOf(execution, NODE).map(({ json: { error } }) => error);
	expect(output).toEqual(
		items.map(({ key }) => (key ? undefined : expect.objectContaining({ outcome: 'notSent' }))),
	);
});
