import { VIDEO } from '../../dev/engine/workflows';
import { eventually, widthOf } from './support/editor';
import { takePicture } from './support/picture';
import { useEditor, useN8n } from './support/setup';

/** A person looks for the node in n8n's editor, fills in its panel, and gives it to an AI agent. */

const here = useN8n();
const opened = useEditor(here);

const HOW = ['Credential', 'Resource', 'Operation'];

/** Adds one of the node's actions to a new workflow, which opens its panel. */
async function add(action: string): Promise<void> {
	const { editor } = opened;
	await editor.searchInNewWorkflow('workchat');
	await editor.openActionsOf('Workchat');
	await editor.offered(action).click();
	await editor.see('ndv').waitFor();
}

/** Waits until the open panel has these fields, from the top to the bottom. */
const expectLabels = async (labels: string[]) =>
	await eventually(async () => expect(await opened.editor.labels()).toEqual(labels));

/** Adds these options, one after another, after which there are no more. */
async function expectOptions(options: string[]): Promise<void> {
	const { editor } = opened;
	const adding = editor.see('collection-parameter-add');
	for (const option of options) {
		await adding.click();
		await editor.page.getByRole('option', { name: option, exact: true }).click();
	}
	await adding.waitFor({ state: 'hidden' });
}

test('a search for "workchat" finds the node, with its icon and both of its actions', async () => {
	const { editor } = opened;
	const offered = await editor.searchInNewWorkflow('workchat');
	await eventually(async () =>
		expect(await offered.allInnerTexts()).toEqual([
			// The words of its trigger, as n8n shows the two as one.
			expect.stringMatching(
				/^Workchat\s+Sends feed videos, downloads files, and starts the workflow when .* callback$/,
			),
		]),
	);
	const icon = offered.locator('img').first();
	await eventually(async () => expect(await widthOf(icon)).toBeGreaterThan(0));
	expect(await icon.getAttribute('src')).toContain('/n8n-nodes-workchat/dist/nodes/Workchat/');
	await takePicture(editor.page, 'search');
	await editor.openActionsOf('Workchat');
	await editor.offered('Send feed video').waitFor();
	await editor.offered('Download file').waitFor();
});

test('Send Feed Video shows its fields, as each way to specify it needs them, and its options', async () => {
	const { editor } = opened;
	await add('Send feed video');
	await takePicture(editor.page, 'send-feed-video', 1420);
	const before = [...HOW, 'Recipient ID', 'Instance GUID', 'Specify Feed Video'];
	const after = ['Simplify', 'Options'];
	const urls = ['Channel Name', 'Channel URL', 'Cover URL', 'Encode Data', 'Head Image URL'];
	await expectLabels([...before, ...urls, 'Feed ID', 'Feed No', 'Username', ...after]);
	await editor.choose('specifyFeedVideo', 'From Input Item');
	await expectLabels([...before, ...after]);
	const names = Object.keys(VIDEO).join(', ');
	await editor.page.getByText(`Each item needs these fields, at any depth: ${names}.`).waitFor();
	await editor.choose('specifyFeedVideo', 'Using JSON');
	await expectLabels([...before, 'Feed Video', ...after]);
	await expectOptions([
		...['Dry Run', 'Max Concurrency', 'Max Tries', 'Request Interval (ms)'],
		...['Resend if Unknown', 'Send Once Key', 'Timeout (ms)'],
	]);
});

test('Download File shows its fields, as each output needs them, and its options', async () => {
	const { editor } = opened;
	await add('Download file');
	await takePicture(editor.page, 'download-file', 1200);
	const before = [...HOW, 'Instance GUID', 'Specify File'];
	const fields = ['File AES Key', 'File Auth Key', 'File Size', 'File Type', 'File URL'];
	const field = 'Put Output File in Field';
	const after = ['Simplify', 'Options'];
	await expectLabels([...before, ...fields, 'Output', field, ...after]);
	await editor.choose('specifyFile', 'Using JSON');
	await expectLabels([...before, 'File', 'Output', field, ...after]);
	await expectOptions([
		...['Dry Run', 'File Location', 'File Name', 'Max Concurrency', 'Max File Size (MB)'],
		...['Max Tries', 'MIME Type', 'Request Interval (ms)', 'Require Exact Size', 'Timeout (ms)'],
	]);
	await editor.choose('output', 'Service Response');
	await eventually(async () => expect(await editor.labels()).not.toContain(field));
});

test('an AI agent is offered the node as a tool, whose fields the model can fill', async () => {
	const { editor } = opened;
	await editor.searchInNewWorkflow('AI Agent');
	await editor.offered('AI Agent').click();
	await editor.closeNode();
	await editor
		.see('canvas-node-input-handle')
		.filter({ hasText: 'Tool' })
		.getByTestId('canvas-handle-plus')
		.click();
	await editor.search('workchat');
	await editor.offered('Workchat Tool').click();
	await editor.see('ndv').waitFor();
	const recipient = editor.field('toId');
	await recipient.hover();
	await recipient.getByTestId('from-ai-override-button').click();
	expect(await editor.see('fromAI-override-field').innerText()).toContain(
		'Defined automatically by the model',
	);
});
