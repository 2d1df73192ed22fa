import { readFile } from 'node:fs/promises';

import { NodeHelpers, type INodeTypeDescription } from 'n8n-workflow';

import { EXAMPLES, readExample } from '../../dev/start/readExample';
import { samples } from '../../dev/sandbox/samples';
import { eventually, widthOf } from './editor';
import { takePicture } from './picture';
import { useEditor, useN8n } from './setup';

const here = useN8n();
const opened = useEditor(here);

async function openExample(name: 'send-feed-video' | 'download-files'): Promise<void> {
	const example = await readExample(name, { sandbox: here.sandbox.url, files: here.files });
	const { id } = await here.n8n.addWorkflow(example);
	await opened.editor.openWorkflow(id);
}

test.each(EXAMPLES)(
	'%s comes in with one credential, and n8n knows all its parameters',
	async (name) => {
		const example = await readExample(name, { sandbox: here.sandbox.url, files: here.files });
		// As `npm run n8n` does, but not by the name by which other tests look for their own import.
		await here.n8n.addWorkflow({ ...example, name });
		const response = await fetch(`${here.n8n.url}/types/nodes.json`, {
			headers: { Cookie: here.n8n.session.cookie },
		});
		const types = (await response.json()) as INodeTypeDescription[];
		for (const node of example.nodes) {
			const type = types.find(
				({ name, version }) => name === node.type && [version].flat().includes(node.typeVersion),
			);
			if (!type) throw new Error(`n8n does not know ${node.type} ${node.typeVersion}`);
			// The editor drops what it would not show.
			const shown = NodeHelpers.getNodeParameters(
				type.properties,
				node.parameters,
				true,
				false,
				node,
				type,
			);
			expect(Object.keys(shown ?? {})).toEqual(
				expect.arrayContaining(Object.keys(node.parameters)),
			);
		}
	},
);

test('clicking Execute sends the feed video, which lands in the inbox before the eyes', async () => {
	const { editor } = opened;
	const inbox = await editor.newPage();
	await inbox.setViewportSize({ width: 1200, height: 985 }); // three messages, and no more
	await inbox.goto(here.sandbox.url);
	await inbox.locator('#connection[data-state=live]').waitFor();

	await openExample('send-feed-video');
	expect(await editor.execute()).toContain('Workflow executed successfully');

	const cards = inbox.locator('#messages li[data-to-id]');
	await cards.nth(2).waitFor();
	const shown = await cards.evaluateAll((elements) =>
		elements.map((element) => (element as unknown as { dataset: object }).dataset),
	);
	expect(shown).toHaveLength(3);
	for (const { toId } of here.sandbox.messages) {
		expect(shown).toContainEqual(
			expect.objectContaining({ toId, requestId: expect.stringMatching(/^svc_/) }),
		);
	}
	expect(here.sandbox.messages.map(({ toId }) => toId)).toEqual([
		'customer-1',
		'customer-2',
		'customer-3',
	]);
	await inbox.getByText('3 messages').waitFor();
	const images = await inbox.locator('img.cover, img.head').all();
	expect(images).toHaveLength(6);
	for (const image of images) {
		await eventually(async () => expect(await widthOf(image)).toBeGreaterThan(0));
	}
	expect(await inbox.locator('#messages').innerText()).not.toContain('did not load');
	await takePicture(inbox, 'inbox');
	await inbox.close();

	await editor.openNode('Send Feed Video');
	await eventually(async () => {
		const output = await editor.see('output-panel').innerText();
		expect(output).toContain('3 items');
		expect(output).toContain('svc_');
	});
	await editor.closeNode();
});

test('clicking Execute downloads the files; the panel shows and gives them', async () => {
	const { editor } = opened;
	await openExample('download-files');
	expect(await editor.execute()).toContain('Workflow executed successfully');
	await takePicture(editor.page, 'executed');

	await editor.openNode('Download File');
	const output = editor.see('output-panel');
	await output.getByTestId('radio-button-binary').click();
	const originals = Object.values(samples);
	for (const [index, original] of originals.entries()) {
		const entry = output.getByTestId(`ndv-binary-data_${index}`);
		expect(await entry.innerText()).toContain(original.mimeType);
		const downloading = editor.page.waitForEvent('download');
		await entry.getByTestId('ndv-download-binary-data').click();
		const download = await downloading;
		expect(await readFile(await download.path())).toEqual(original.content);
		expect(await entry.innerText()).toContain(download.suggestedFilename());
	}

	await output.getByTestId('ndv-binary-data_0').getByTestId('ndv-view-binary-data').click();
	const image = output.locator('img');
	await image.waitFor();
	expect(await widthOf(image)).toBeGreaterThan(0);
});
