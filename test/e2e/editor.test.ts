import type { INodeCredentialTestResult } from 'n8n-workflow';

import { CREDENTIAL, NODE, nodeOf, SEND, TRIGGER, workflowOf } from '../../dev/engine/workflows';
import { eventually } from './support/editor';
import { endsOf } from './support/messages';
import { useN8n, withEditor } from './support/setup';

/**
 * A person enters the credential, has n8n test it, and uses it in the node; looks for the node in n8n's
 * editor, and gives it to an AI agent.
 */

const here = withEditor(useN8n());

/** Opens the credential, enters a key and saves. Returns the result of n8n's test, which the dialog shows. */
async function saveWith(key: string) {
	const { editor } = here;
	const tested = async () =>
		await editor.page.waitForResponse((response) => response.url().endsWith('/credentials/test'));
	await editor.goTo('home/credentials');
	const testedOnOpening = tested();
	await editor.see('resources-list-item').filter({ hasText: CREDENTIAL }).click();
	await testedOnOpening;

	await editor.see('parameter-input-apiKey').locator('input').fill(key);
	const testedOnSaving = tested();
	await editor.see('credential-save-button').click();
	const { data } = (await (await testedOnSaving).json()) as { data: INodeCredentialTestResult };
	if (data.status === 'OK') {
		await editor.see('credentials-config-container-test-success').waitFor();
	} else {
		await editor.page.getByText('More details').click();
		await editor.page.getByText(data.message, { exact: false }).waitFor();
	}
	return data;
}

test('n8n tests the right key with a download, and sends no message', async () => {
	expect((await saveWith(here.sandbox.key)).status).toBe('OK');
	const urls = here.sandbox.requests.map(({ url }) => url);
	expect(new Set(urls)).toEqual(new Set(['/workchat/files/wx-download']));
});

test('with a wrong key, the dialog says that the service does not accept it, and does not show it', async () => {
	const { status, message } = await saveWith('fake-wrong-key');
	expect(status).toBe('Error');
	expect(message).toMatch(
		/service refused: API key is missing or not valid.*svc_.*Check the API key/s,
	);
	expect(message).not.toContain('fake-wrong-key');
	expect(here.sandbox.messages).toEqual([]);
});

test('a key by expression: each message leaves with the key of its item, and none without one', async () => {
	const { url: baseUrl, requests } = here.sandbox;
	const credential = { apiKey: '={{ $json.key }}', baseUrl, defaultInstanceGuid: 'fake-instance' };
	await here.n8n.addCredential('workchatApi', 'By expression', credential);
	const keys = ['fake-key-a', here.sandbox.key, 'fake-key-b', undefined];
	const items = keys.map((key, index) => ({ toId: `customer-${index + 1}`, key }));
	const workflow = workflowOf(items, SEND, {
		credentials: { workchatApi: { id: '1', name: 'By expression' } },
		onError: 'continueRegularOutput',
	});
	const { id } = await here.n8n.addWorkflow(workflow);
	const ends = endsOf(await here.n8n.run(id, TRIGGER), NODE);
	expect(ends).toEqual(['rejected', 'sent', 'rejected', 'notSent']);
	expect(requests.map(({ headers }) => headers['x-service-key'])).toEqual(keys.slice(0, 3));
});

test('a search for "workchat" finds the node, with its icon and both of its actions', async () => {
	const { editor } = here;
	const offered = await editor.searchInNewWorkflow('workchat');
	// The words of its trigger, as n8n shows the two as one.
	const words = /^Workchat\s+Sends feed videos, downloads files, and starts the workflow when /;
	await eventually(async () =>
		expect(await offered.allInnerTexts()).toEqual([expect.stringMatching(words)]),
	);
	const icon = offered.locator('img').first();
	const isLoaded = async () =>
		await icon.evaluate((image) => Number((image as { naturalWidth?: number }).naturalWidth) > 0);
	await eventually(async () => expect(await isLoaded()).toBe(true));
	expect(await icon.getAttribute('src')).toContain('/n8n-nodes-workchat/dist/nodes/Workchat/');
	await editor.offered('Workchat').click();
	// Beside its trigger, n8n folds the actions of a new workflow.
	const actions = editor.see('node-creator-category-item').filter({ hasText: /^Actions/ });
	await actions.click();
	for (const action of ['Send feed video', 'Download file']) await editor.offered(action).waitFor();
});

test('the canvas shows what a node does, in the words of its panel', async () => {
	const { editor, n8n } = here;
	const trigger = nodeOf('Trigger', 'n8n-nodes-workchat.workchatTrigger', { typeVersion: 2 });
	const send = nodeOf('Send', 'n8n-nodes-workchat.workchat', { parameters: SEND });
	const nodes = [trigger, { ...send, position: [400, 0] as [number, number] }];
	const { id } = await n8n.addWorkflow({ name: 'Subtitles', nodes, connections: {} });
	await editor.openWorkflow(id);
	const shown = async () => (await editor.see('canvas-node').allInnerTexts()).join('\n');
	await eventually(async () => expect(await shown()).toMatch(/Every Callback[^]*Send Feed Video/));
});

test('an AI agent is offered the node as a tool, whose fields the model can fill', async () => {
	const { editor } = here;
	await editor.searchInNewWorkflow('AI Agent');
	await editor.offered('AI Agent').click();
	await editor.see('ndv-close-button').click();
	const input = editor.see('canvas-node-input-handle').filter({ hasText: 'Tool' });
	await input.getByTestId('canvas-handle-plus').click();
	await editor.search('workchat');
	await editor.offered('Workchat Tool').click();
	const label = editor.page.locator('label[for="toId"]');
	const recipient = editor.see('parameter-item').filter({ has: label });
	await recipient.hover();
	await recipient.getByTestId('from-ai-override-button').click();
	const filled = editor.see('fromAI-override-field');
	expect(await filled.innerText()).toContain('Defined automatically by the model');
});

test.each([
	['en-US', 'Simulate a failure', /[\u4e00-\u9fff]/],
	['zh-CN', '模拟故障', /([a-z]+ ){3}[a-z]+/i],
])("the sandbox's page is in the browser's language alone: %s", async (locale, words, other) => {
	const page = await here.editor.browser.newPage();
	await page.addInitScript(`Object.defineProperty(navigator, 'language', { value: '${locale}' })`);
	await page.goto(here.sandbox.url);
	for (const panel of await page.locator('summary').all()) await panel.click();
	await page.locator('#misbehave .buttons button').last().waitFor();
	const shown = await page.locator('body').innerText();
	expect(shown).toContain(words);
	expect(shown).not.toMatch(other);
	await page.close();
});
