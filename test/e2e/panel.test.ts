import { eventually } from './support/editor';
import { useN8n, withEditor } from './support/setup';

/** A person looks for the node in n8n's editor, and gives it to an AI agent. */

const here = withEditor(useN8n());

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
