import { VIDEO } from '../../dev/engine/workflows';
import { eventually, widthOf } from './editor';
import { takePicture } from './picture';
import { useEditor, useN8n } from './setup';

const here = useN8n();
const opened = useEditor(here);

const trimmed = (text: string) => text.trim();

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
			expect.stringMatching(
				/^Workchat\s+Sends feed videos, downloads files, and starts the workflow when .* callback$/,
			),
		]),
	);
	const icon = offered.locator('img').first();
	await icon.waitFor();
	expect(await icon.getAttribute('src')).toContain('/n8n-nodes-workchat/dist/nodes/Workchat/');
	expect(await widthOf(icon)).toBeGreaterThan(0);
	await takePicture(editor.page, 'search');

	await editor.openActionsOf('Workchat');
	await editor.offered('Send feed video').waitFor();
	await editor.offered('Download file').waitFor();
});

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

test('Send Feed Video shows its fields, and all of its options', async () => {
	const { editor } = opened;
	await add('Send feed video');
	await takePicture(editor.page, 'send-feed-video', 1420);
	const before = [...HOW, 'Recipient ID', 'Instance GUID', 'Specify Feed Video'];
	const after = ['Simplify', 'Options'];
	const urls = ['Channel Name', 'Channel URL', 'Cover URL', 'Encode Data', 'Head Image URL'];
	await expectLabels([...before, ...urls, 'Feed ID', 'Feed No', 'Username', ...after]);
	await editor.page.getByText('The service does not say where to get these fields').waitFor();
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

test('Download File shows its fields, and all of its options', async () => {
	const { editor } = opened;
	await add('Download file');
	await takePicture(editor.page, 'download-file', 1200);
	const before = [...HOW, 'Instance GUID', 'Specify File'];
	const fields = ['File AES Key', 'File Auth Key', 'File Size', 'File Type', 'File URL'];
	const output = ['Output', 'Put Output File in Field'];
	const after = ['Simplify', 'Options'];
	await expectLabels([...before, ...fields, ...output, ...after]);
	const fileType = editor.see('parameter-input-fileType').locator('input');
	expect(await fileType.inputValue()).toBe('');
	await fileType.click();
	const types = ['Large Image (1)', 'Small Image (2)', 'Video or Image Thumbnail (3)'];
	await eventually(async () =>
		expect((await editor.page.getByRole('option').allInnerTexts()).map(trimmed)).toEqual([
			...types,
			...['Video (4)', 'File or Voice File (5)'],
		]),
	);
	await editor.page.keyboard.press('Escape');
	await editor.choose('specifyFile', 'Using JSON');
	await expectLabels([...before, 'File', ...output, ...after]);
	await expectOptions([
		...['Dry Run', 'File Location', 'File Name', 'Max Concurrency', 'Max File Size (MB)'],
		...['Max Tries', 'MIME Type', 'Request Interval (ms)', 'Require Exact Size', 'Timeout (ms)'],
	]);
	await editor.choose('output', 'Service Response');
	await eventually(async () =>
		expect(await editor.labels()).not.toContain('Put Output File in Field'),
	);
});
