import { takePicture } from './picture';
import { useEditor, useN8n } from './setup';

const here = useN8n();
const opened = useEditor(here);

const VIDEO_FIELDS = {
	channelName: 'Channel Name',
	channelUrl: 'Channel URL',
	coverUrl: 'Cover URL',
	encodeData: 'Encode Data',
	headImgUrl: 'Head Image URL',
	feedId: 'Feed ID',
	feedNo: 'Feed No',
	username: 'Username',
};
const FILE_FIELDS = {
	fileAeskey: 'File AES Key',
	fileAuthkey: 'File Auth Key',
	fileSize: 'File Size',
	fileType: 'File Type',
	fileUrl: 'File URL',
};
const HOW = ['Credential', 'Resource', 'Operation', 'Instance GUID'];

/** Adds one of the node's actions to a new workflow, which opens its panel. */
async function add(action: string): Promise<void> {
	const { editor } = opened;
	await editor.searchInNewWorkflow('workchat');
	await editor.offered('Workchat').click();
	await editor.offered(action).click();
	await editor.see('ndv').waitFor();
}

test('a search for "workchat" finds the node with its icon and both of its actions', async () => {
	const { editor } = opened;
	const offered = await editor.searchInNewWorkflow('workchat');
	await editor.offered('Workchat').waitFor();
	expect(await offered.allInnerTexts()).toEqual([
		expect.stringMatching(/^Workchat\s+Send feed videos and download files with Workchat$/),
	]);
	const icon = offered.locator('img').first();
	await icon.waitFor();
	expect(await icon.getAttribute('src')).toContain('/n8n-nodes-workchat/dist/nodes/Workchat/');
	expect(
		await icon.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
	).toBeGreaterThan(0);
	await takePicture(editor.page, 'search');

	await offered.first().click();
	await editor.offered('Send a feed video').waitFor();
	await editor.offered('Download a file').waitFor();
});

test('Send Feed Video shows its fields, with help', async () => {
	const { editor } = opened;
	await add('Send a feed video');
	await takePicture(editor.page, 'send-feed-video');
	const before = [...HOW, 'Recipient ID', 'Specify Feed Video'];
	expect(await editor.labels()).toEqual([
		...before,
		...Object.values(VIDEO_FIELDS),
		'Simplify',
		'Options',
	]);
	for (const name of ['instanceGuid', 'toId', 'specifyFeedVideo', ...Object.keys(VIDEO_FIELDS)]) {
		expect(await editor.help(name)).toMatch(/^\S.{19}/);
	}

	await editor.choose('specifyFeedVideo', 'Using JSON');
	expect(await editor.labels()).toEqual([...before, 'Feed Video', 'Simplify', 'Options']);
	expect(await editor.help('feedVideo')).toContain('channelName');
});

test('Download File shows its fields, with help', async () => {
	const { editor } = opened;
	await add('Download a file');
	await takePicture(editor.page, 'download-file');
	const before = [...HOW, 'Specify File'];
	const after = ['Output', 'Put Output File in Field', 'Simplify', 'Options'];
	expect(await editor.labels()).toEqual([...before, ...Object.values(FILE_FIELDS), ...after]);
	for (const name of ['specifyFile', ...Object.keys(FILE_FIELDS), 'output', 'simplify']) {
		expect(await editor.help(name)).toMatch(/^\S.{9}/);
	}

	await editor.choose('specifyFile', 'Using JSON');
	expect(await editor.labels()).toEqual([...before, 'File', ...after]);
	await editor.choose('output', 'Envelope');
	expect(await editor.labels()).toEqual([...before, 'File', 'Output', 'Simplify', 'Options']);
});

test('the options are those of the operation', async () => {
	const { editor } = opened;
	await add('Send a feed video');
	await editor.see('collection-parameter-add').click();
	expect(await editor.page.getByRole('option').allInnerTexts()).toEqual([
		'Max Concurrency',
		'Max Tries',
		'Request Interval',
		'Resend if Unknown',
		'Timeout',
	]);
});
