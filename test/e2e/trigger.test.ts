import { randomUUID } from 'node:crypto';

import type { INodeParameters } from 'n8n-workflow';

import { CREDENTIAL, DOWNLOAD, nodeOf } from '../../dev/engine/workflows';
import { samples } from '../../dev/sandbox/samples';
import { eventually } from './editor';
import { useEditor, useN8nAlone } from './setup';

const here = useN8nAlone({
	// By default n8n 2.40 makes an isolate for expressions for every callback, needed or not, except
	// for its own Webhook node (`webhookPhaseNeedsIsolate` in live-webhooks.ts).
	N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
});
const opened = useEditor(here);

const AFTER = 'After';
const after = (type = 'n8n-nodes-base.noOp', more = {}) =>
	nodeOf(AFTER, type, { position: [300, 0], ...more });

interface Webhook {
	id: string;
	versionId: string;
	url: string;
	testUrl: string;
}

/** A workflow of a node with a webhook, and one after it. */
async function add(name: string, type: string, parameters: object, next = after()) {
	const webhookId = randomUUID();
	const node = nodeOf(name, type, { webhookId, parameters: parameters as INodeParameters });
	const { id, versionId } = await here.n8n.addWorkflow({
		name,
		nodes: [{ ...node, typeVersion: type.endsWith('.webhook') ? 2.1 : 2 }, next],
		connections: { [name]: { main: [[{ node: AFTER, type: 'main', index: 0 }]] } },
	});
	const path = 'path' in parameters ? String(parameters.path) : `${webhookId}/workchat`;
	const [url, testUrl] = ['webhook', 'webhook-test'].map(
		(kind) => `${here.n8n.url}/${kind}/${path}`,
	);
	return { id, versionId, url, testUrl } as Webhook;
}

async function addTrigger(startOn: string, next = after()): Promise<Webhook> {
	const webhook = await add('Trigger', 'n8n-nodes-workchat.workchatTrigger', { startOn }, next);
	await here.n8n.publish(webhook);
	return webhook;
}

async function post(url: string, body: unknown): Promise<{ status: number; text: string }> {
	const response = await fetch(url, {
		method: 'POST',
		headers: { 'Content-Type': 'application/json' },
		body: typeof body === 'string' ? body : JSON.stringify(body),
	});
	return { status: response.status, text: await response.text() };
}

/** Those of a workflow, when there are so many and all have ended. */
async function executionsOf({ id }: Webhook, count: number) {
	let executions: Awaited<ReturnType<typeof here.n8n.executions>> = [];
	await eventually(async () => {
		executions = await here.n8n.executions(id);
		const ended = executions.filter(({ status }) => ['success', 'error'].includes(status));
		expect(ended).toHaveLength(executions.length);
		expect(ended.length).toBeGreaterThanOrEqual(count);
	}, 1000);
	return executions;
}

async function itemsOf(executionId: string, node = AFTER) {
	const { data } = await here.n8n.execution(executionId);
	return data.resultData.runData[node]?.[0]?.data?.main?.[0] ?? [];
}

const RECEIVED = { status: 200, text: '{"received":true}' };

test('a callback starts the workflow and is answered at once; a probe and broken JSON start nothing', async () => {
	const trigger = await addTrigger('every');
	const probe = await fetch(`${trigger.url}?probe=1`);
	expect([probe.status, await probe.text()]).toEqual([200, RECEIVED.text]);
	expect(probe.headers.get('content-type')).toBe('application/json; charset=utf-8');
	expect((await post(trigger.url, '{"broken":')).status).toBe(422); // by n8n itself

	expect(await post(`${trigger.url}?from=test`, { any: ['thing'] })).toEqual(RECEIVED);
	const [execution] = await executionsOf(trigger, 1);
	expect(await here.n8n.executions(trigger.id)).toHaveLength(1);
	expect(await itemsOf(execution?.id ?? '')).toMatchObject([
		{ json: { body: { any: ['thing'] }, query: { from: 'test' } } },
	]);
});

test('a callback of 1 MB comes whole, and its files are found', async () => {
	const list = Array.from({ length: 100 }, (_, index) => ({
		...here.sandbox.fieldsOf(samples.document),
		fileSize: index + 1,
		filler: 'x'.repeat(10_000),
	}));
	const trigger = await addTrigger('file');
	expect(await post(trigger.url, { content: { list } })).toEqual(RECEIVED);
	expect(await post(trigger.url, { content: 'nothing like a file' })).toEqual(RECEIVED);
	const [execution, ...others] = await executionsOf(trigger, 1);
	expect(others).toEqual([]);
	const items = await itemsOf(execution?.id ?? '');
	expect(items.map(({ json }) => (json.file as { fileSize: number }).fileSize)).toEqual(
		list.map(({ fileSize }) => fileSize),
	);
	expect(items[0]?.json.body).toEqual({ content: { list } });
});

test("the file of the sandbox's callback is downloaded", async () => {
	const download = after('n8n-nodes-workchat.workchat', {
		parameters: { ...DOWNLOAD, specifyFile: 'input' },
		credentials: { workchatApi: { id: '', name: CREDENTIAL } },
	});
	const trigger = await addTrigger('file', download);
	expect(await here.sandbox.postCallback(trigger.url, 'text')).toEqual(RECEIVED);
	expect(await here.sandbox.postCallback(trigger.url, 'file')).toEqual(RECEIVED);
	const [execution] = await executionsOf(trigger, 1);
	const [item] = await itemsOf(execution?.id ?? '');
	const { body } = await here.n8n.binaryData(item?.binary?.data?.id ?? '', 'download');
	// The second sample, as the text was the first callback.
	expect(body).toEqual(samples.smallImage.content);
});

test('the panel says where the Production URL goes; the Test URL works while n8n listens', async () => {
	const { editor } = opened;
	const trigger = await addTrigger('every');
	await editor.openWorkflow(trigger.id);
	await editor.openNode('Trigger');
	const panel = await editor.page.locator('body').innerText();
	expect(panel).toContain("enter it as the callback address in Workchat's console");
	expect(await editor.labels()).toContain('Start On');

	expect((await post(trigger.testUrl, { early: true })).status).toBe(404);
	await editor.page.getByText('Webhook URLs', { exact: true }).click();
	await editor.page.getByText('Production URL', { exact: true }).click();
	await eventually(async () => {
		const urls = (await editor.page.locator('body').innerText()).match(/http\S+\/webhook\/\S+/g);
		// That of the probe is the same, and not shown.
		expect(urls?.map((url) => new URL(url).pathname)).toEqual([new URL(trigger.url).pathname]);
	});

	await editor.page.getByRole('button', { name: 'Test this trigger' }).click();
	await eventually(async () => expect((await fetch(trigger.testUrl)).status).toBe(200));
	expect(await post(trigger.testUrl, { tested: true })).toEqual(RECEIVED);
	await editor.see('output-panel').getByText('tested').first().waitFor();
	await editor.closeNode();
});

const AT_ONCE = 500;
const MINUTES = 60_000;

test(
	`${AT_ONCE} callbacks at once: none is lost`,
	async () => {
		const trigger = await addTrigger('every');
		const content = here.sandbox.fieldsOf(samples.document);
		const responses = await Promise.all(
			Array.from({ length: AT_ONCE }, async (_, number) => {
				return await post(trigger.url, { number, content });
			}),
		);
		expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
		const numbers = new Set<unknown>();
		for (const { id } of await executionsOf(trigger, AT_ONCE)) {
			const [item] = await itemsOf(id);
			numbers.add((item?.json.body as { number: number }).number);
		}
		expect(numbers.size).toBe(AT_ONCE);
	},
	10 * MINUTES,
);
