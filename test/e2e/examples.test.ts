import { samples } from '../../dev/sandbox/samples';
import { eventually, widthOf } from './support/editor';
import { contentsOf, useN8n, withEditor } from './support/setup';
import { Workflow } from './support/workflow';

/** A person opens the two examples to begin with, and clicks Execute workflow. */

const here = withEditor(useN8n());

const openExample = async (name: 'send-feed-video' | 'download-files') =>
	await here.editor.openWorkflow((await Workflow.import(here, name)).id);

test("the feed video is sent to three, and lands on the sandbox's page", async () => {
	const { editor } = here;
	const page = await editor.browser.newPage();
	await page.setViewportSize({ width: 1200, height: 985 }); // three messages, and no more
	await page.goto(here.sandbox.url);

	await openExample('send-feed-video');
	expect(await editor.execute()).toContain('Workflow executed successfully');
	const everyone = ['customer-1', 'customer-2', 'customer-3'];
	expect(here.sandbox.messages.map(({ toId }) => toId)).toEqual(everyone);

	const cards = page.locator('#messages [data-to-id]');
	await eventually(async () => {
		const all = await cards.all();
		const shown = await Promise.all(all.map(async (card) => await card.getAttribute('data-to-id')));
		expect(shown.sort()).toEqual(everyone);
		expect((await cards.allInnerTexts()).join().match(/svc_\w+/g)).toHaveLength(3);
		for (const card of all) expect(await widthOf(card.locator('img.cover'))).toBeGreaterThan(0);
	});
	await page.close();
});

test('the six files are downloaded, and on disk byte for byte', async () => {
	await openExample('download-files');
	expect(await here.editor.execute()).toContain('Workflow executed successfully');

	const originals = Object.values(samples).map(({ name, content }) => [name, content]);
	expect(await contentsOf(here.files)).toEqual(Object.fromEntries(originals));
});
