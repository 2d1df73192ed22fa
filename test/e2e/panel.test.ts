import { eventually, widthOf } from './support/editor';
import { useN8n, withEditor } from './support/setup';

/** A person looks for the node in n8n's editor, fills in its panel, and gives it to an AI agent. */

const here = withEditor(useN8n());

/** The panels as they open, their labels from top to bottom, as docs/options.md has them. */
const PANELS = [
	{
		action: 'Send feed video',
		labels: [
			...['Credential', 'Resource', 'Operation', 'Recipient ID', 'Instance GUID'],
			...['Specify Feed Video', 'Channel Name', 'Channel URL', 'Cover URL', 'Encode Data'],
			...['Head Image URL', 'Feed ID', 'Feed No', 'Username', 'Simplify', 'Options'],
		],
	},
	{
		action: 'Download file',
		labels: [
			...['Credential', 'Resource', 'Operation', 'Instance GUID', 'Specify File', 'File AES Key'],
			...['File Auth Key', 'File Size', 'File Type', 'File URL', 'Output'],
			...['Put Output File in Field', 'Simplify', 'Options'],
		],
	},
];

test('a search for "workchat" finds the node, with its icon and both of its actions', async () => {
	const { editor } = here;
	const offered = await editor.searchInNewWorkflow('workchat');
	// The words of its trigger, as n8n shows the two as one.
	const words = /^Workchat\s+Sends feed videos, downloads files, and starts the workflow when /;
	await eventually(async () =>
		expect(await offered.allInnerTexts()).toEqual([expect.stringMatching(words)]),
	);
	const icon = offered.locator('img').first();
	await eventually(async () => expect(await widthOf(icon)).toBeGreaterThan(0));
	expect(await icon.getAttribute('src')).toContain('/n8n-nodes-workchat/dist/nodes/Workchat/');
	await editor.openActionsOf('Workchat');
	for (const { action } of PANELS) await editor.offered(action).waitFor();
});

test.each(PANELS)('"$action" shows its fields', async ({ action, labels }) => {
	const { editor } = here;
	await editor.searchInNewWorkflow('workchat');
	await editor.openActionsOf('Workchat');
	await editor.offered(action).click();
	await eventually(async () => expect(await editor.labels()).toEqual(labels));
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
