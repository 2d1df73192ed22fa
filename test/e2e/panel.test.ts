import { eventually, widthOf } from './editor';
import { takePicture } from './picture';
import { useEditor, useN8n } from './setup';

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

test('a search for "workchat" finds the node with its icon and both of its actions', async () => {
	const { editor } = opened;
	const offered = await editor.searchInNewWorkflow('workchat');
	await eventually(async () =>
		expect(await offered.allInnerTexts()).toEqual([
			// The words of its trigger, as n8n shows the two as one.
			expect.stringMatching(/^Workchat\s+Starts the workflow when Workchat posts a callback$/),
		]),
	);
	const icon = offered.locator('img').first();
	await icon.waitFor();
	expect(await icon.getAttribute('src')).toContain('/n8n-nodes-workchat/dist/nodes/Workchat/');
	expect(await widthOf(icon)).toBeGreaterThan(0);
	await takePicture(editor.page, 'search');

	await editor.openActionsOf('Workchat');
	await editor.offered('Send a feed video').waitFor();
	await editor.offered('Download a file').waitFor();
});

/** Waits until the open panel has these fields, from the top to the bottom. */
const expectLabels = async (labels: string[]) =>
	await eventually(async () => expect(await opened.editor.labels()).toEqual(labels));

test('Send Feed Video shows its fields', async () => {
	const { editor } = opened;
	await add('Send a feed video');
	await takePicture(editor.page, 'send-feed-video');
	const before = [...HOW, 'Recipient ID', 'Instance GUID', 'Specify Feed Video'];
	const after = ['Simplify', 'Options'];
	const urls = ['Channel Name', 'Channel URL', 'Cover URL', 'Encode Data', 'Head Image URL'];
	await expectLabels([...before, ...urls, 'Feed ID', 'Feed No', 'Username', ...after]);
	await editor.page.getByText('The service does not explain these fields').waitFor();
	await editor.choose('specifyFeedVideo', 'From Input Item');
	await expectLabels([...before, ...after]);
	await editor.choose('specifyFeedVideo', 'Using JSON');
	await expectLabels([...before, 'Feed Video', ...after]);
});

test('Download File shows its fields, and all of its options', async () => {
	const { editor } = opened;
	await add('Download a file');
	await takePicture(editor.page, 'download-file');
	const before = [...HOW, 'Instance GUID', 'Specify File'];
	const fields = ['File AES Key', 'File Auth Key', 'File Size', 'File Type', 'File URL'];
	const output = ['Output', 'Put Output File in Field'];
	const after = ['Simplify', 'Options'];
	await expectLabels([...before, ...fields, ...output, ...after]);
	await editor.choose('specifyFile', 'Using JSON');
	await expectLabels([...before, 'File', ...output, ...after]);
	const options = ['File Location', 'File Name', 'Max Concurrency', 'Max File Size (MB)'];
	options.push('Max Tries', 'MIME Type', 'Request Interval (ms)', 'Require Exact Size');
	for (const option of [...options, 'Timeout (ms)']) {
		await editor.see('collection-parameter-add').click();
		await editor.page.getByRole('option', { name: option, exact: true }).click();
	}
	await editor.see('collection-parameter-add').waitFor({ state: 'hidden' });
	await editor.choose('output', 'Service Response');
	await eventually(async () =>
		expect(await editor.labels()).not.toContain('Put Output File in Field'),
	);
});
