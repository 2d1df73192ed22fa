import type { INodeProperties } from 'n8n-workflow';

import { Workchat } from '../../nodes/Workchat/Workchat.node';
import { eventually, widthOf } from './editor';
import { takePicture } from './picture';
import { useEditor, useN8n } from './setup';

const here = useN8n();
const opened = useEditor(here);

const { properties } = new Workchat().description;
const HOW = ['Credential', 'Resource', 'Operation'];

/** The node's own description of a field, of the operation that is open. */
function described(name: string, operation: string): INodeProperties {
	const isOf = ({ displayOptions }: INodeProperties) =>
		displayOptions?.show?.operation?.includes(operation);
	const found = properties.find((property) => property.name === name && isOf(property));
	if (!found) throw new Error(`There is no field ${name}`);
	return found;
}

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

/** Each field has to explain itself: beside its label, or below it. */
async function expectHelp(operation: string, names: string[]): Promise<void> {
	const { editor } = opened;
	for (const name of names) {
		const { description, hint } = described(name, operation);
		if (description) expect(await editor.help(name)).toBe(description);
		else expect(await editor.field(name).innerText()).toContain(hint ?? 'some help');
	}
}

/** Adds every option there is; each has to explain itself. */
async function expectOptions(operation: string): Promise<void> {
	const { editor } = opened;
	const options = described('options', operation).options as INodeProperties[];
	for (const { name, displayName, description } of options) {
		await editor.see('collection-parameter-add').click();
		await editor.page.getByRole('option', { name: displayName, exact: true }).click();
		await editor.label(name).waitFor();
		expect(await editor.help(name)).toBe(description);
	}
	expect(await editor.see('collection-parameter-add').isVisible()).toBe(false);
}

test('Send Feed Video shows its fields, with help', async () => {
	const { editor } = opened;
	await add('Send a feed video');
	await takePicture(editor.page, 'send-feed-video');
	const before = [...HOW, 'Recipient ID', 'Instance GUID', 'Specify Feed Video'];
	const after = ['Simplify', 'Options'];
	await eventually(async () =>
		expect(await editor.labels()).toEqual([
			...before,
			'Channel Name',
			'Channel URL',
			'Cover URL',
			'Encode Data',
			'Head Image URL',
			'Feed ID',
			'Feed No',
			'Username',
			...after,
		]),
	);
	await expectHelp('sendFeedVideo', ['instanceGuid', 'toId', 'specifyFeedVideo', 'simplify']);
	await editor.page.getByText('The service does not explain these fields').waitFor();

	await editor.choose('specifyFeedVideo', 'From Input Item');
	await eventually(async () => expect(await editor.labels()).toEqual([...before, ...after]));
	await editor.choose('specifyFeedVideo', 'Using JSON');
	await eventually(async () =>
		expect(await editor.labels()).toEqual([...before, 'Feed Video', ...after]),
	);
	await expectHelp('sendFeedVideo', ['feedVideo']);
	await expectOptions('sendFeedVideo');
});

test('Download File shows its fields, with help', async () => {
	const { editor } = opened;
	await add('Download a file');
	await takePicture(editor.page, 'download-file');
	const before = [...HOW, 'Instance GUID', 'Specify File'];
	const after = ['Output', 'Put Output File in Field', 'Simplify', 'Options'];
	const keys = ['File AES Key', 'File Auth Key'];
	await eventually(async () =>
		expect(await editor.labels()).toEqual([
			...before,
			...keys,
			'File Size',
			'File Type',
			'File URL',
			...after,
		]),
	);
	const fields = ['fileAeskey', 'fileAuthkey', 'fileSize', 'fileType', 'fileUrl'];
	await expectHelp('download', ['instanceGuid', 'specifyFile', ...fields]);
	await expectHelp('download', ['output', 'binaryPropertyName', 'simplify']);
	await expectOptions('download');

	await editor.choose('specifyFile', 'Using JSON');
	await eventually(async () => {
		const labels = await editor.labels();
		expect(labels).toContain('File');
		expect(labels).not.toContain('File Size');
	});
	await expectHelp('download', ['file']);
	await editor.choose('output', 'Service Response');
	await eventually(async () =>
		expect(await editor.labels()).not.toContain('Put Output File in Field'),
	);
});
