import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { samples } from '../../dev/sandbox/samples';
import { readExample } from '../../dev/start/readExample';
import { eventually, widthOf } from './support/editor';
import { useEditor, useN8n } from './support/setup';

/** A person opens the two examples to begin with, and clicks Execute workflow. */

const here = useN8n();
const opened = useEditor(here);

async function openExample(name: 'send-feed-video' | 'download-files'): Promise<void> {
	const example = await readExample(name, { sandbox: here.sandbox.url, files: here.files });
	const { id } = await here.n8n.addWorkflow(example);
	await opened.editor.openWorkflow(id);
}

test("the feed video is sent to three, and lands on the sandbox's page", async () => {
	const { editor } = opened;
	const page = await editor.browser.newPage();
	await page.setViewportSize({ width: 1200, height: 985 }); // three messages, and no more
	await page.goto(here.sandbox.url);

	await openExample('send-feed-video');
	expect(await editor.execute()).toContain('Workflow executed successfully');
	const everyone = ['customer-1', 'customer-2', 'customer-3'];
	expect(here.sandbox.messages.map(({ toId }) => toId)).toEqual(everyone);

	const cards = page.locator('#messages li[data-to-id]');
	await eventually(async () => {
		const all = await cards.all();
		const shown = await Promise.all(all.map(async (card) => await card.getAttribute('data-to-id')));
		expect(shown.sort()).toEqual(everyone);
		expect((await cards.allInnerTexts()).join().match(/svc_\w+/g)).toHaveLength(3);
		for (const card of all) expect(await widthOf(card.locator('img.cover'))).toBeGreaterThan(0);
	});
	await page.close();
});

test('the six files are downloaded, listed with their types, and on disk byte for byte', async () => {
	const { editor } = opened;
	await openExample('download-files');
	expect(await editor.execute()).toContain('Workflow executed successfully');

	const originals = Object.values(samples);
	expect(new Set(await readdir(here.files))).toEqual(new Set(originals.map(({ name }) => name)));
	for (const { name, content } of originals) {
		expect(await readFile(join(here.files, name))).toEqual(content);
	}
	await editor.openNode('Download File');
	const output = editor.see('output-panel');
	await output.getByTestId('radio-button-binary').click();
	for (const [index, { mimeType }] of originals.entries()) {
		expect(await output.getByTestId(`ndv-binary-data_${index}`).innerText()).toContain(mimeType);
	}
});
