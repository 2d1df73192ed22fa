import { eventually } from './support/editor';
import { useN8n, withEditor } from './support/setup';

/** A person looks for the node in n8n's editor, and opens its panel. */

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

/** Those of its trigger, as n8n shows the two as one. */
const WORDS = /^Workchat\s+Sends feed videos, downloads files, and starts the workflow when /;

test.each(PANELS)('a search finds the node; "$action" shows its fields', async (panel) => {
	const { editor } = here;
	await editor.goTo('workflow/new');
	await editor.see('canvas-add-button').click();
	await editor.see('node-creator-search-bar').waitFor();
	await editor.page.keyboard.type('workchat');
	const offered = editor.see('item-iterator-item');
	const words = expect.stringMatching(WORDS) as string;
	await eventually(async () => expect(await offered.allInnerTexts()).toEqual([words]));
	const icon = offered.locator('img').first();
	const widthOf = (image: unknown) => (image as { naturalWidth: number }).naturalWidth;
	await eventually(async () => expect(await icon.evaluate(widthOf)).toBeGreaterThan(0));
	expect(await icon.getAttribute('src')).toContain('/n8n-nodes-workchat/dist/nodes/Workchat/');

	await offered.click();
	// Beside its trigger, n8n folds the actions of a new workflow.
	await editor
		.see('node-creator-category-item')
		.filter({ hasText: /^Actions/ })
		.click();
	await offered.getByText(panel.action, { exact: true }).click();
	const labels = editor.see('node-parameters').first().locator('label.n8n-input-label');
	await eventually(async () => {
		const texts = await labels.filter({ visible: true }).allInnerTexts();
		expect(texts.map((label) => label.split('\n')[0]?.trim())).toEqual(panel.labels);
	});
});
