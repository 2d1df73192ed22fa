import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import type { Page } from 'playwright-core';

import { NODE, SEND, VIDEO, workflowOf } from '../../../dev/engine/workflows';
import { projectRoot } from '../../../dev/projectRoot';
import { callbackKinds } from '../../../dev/sandbox/callbackKinds';
import { eventually } from '../support/editor';
import { customers } from '../support/messages';
import { useN8n, withEditor } from '../support/setup';
import { tableOf } from '../support/tables';
import { click, Workflow } from '../support/workflow';

/** Takes the pictures of the documents: see CONTRIBUTING. A look at each of them is the test. */

/** Under the host name for which the browser has the login. */
const here = withEditor(useN8n(async () => ({ N8N_HOST: '127.0.0.1' })));
const COVER =
	'<svg xmlns="http://www.w3.org/2000/svg" width="72" height="96"><rect width="72" height="96" fill="#259b53"/><path d="M26 32v32l26-16z" fill="#fff"/></svg>';
const pathOf = (name: string) => join(projectRoot, 'docs', name);

test('the canvas after a second click: everyone is skipped', async () => {
	const { editor } = here;
	const { id } = await Workflow.import(here, 'send-feed-video');
	await click(here, id);
	await editor.page.setViewportSize({ width: 1280, height: 680 });
	await editor.openWorkflow(id);
	await editor.see('execute-workflow-button').click();
	await editor.see('canvas-node-status-success').nth(4).waitFor();
	await editor.page.locator('.el-notification__closeBtn').click();
	await editor.page.keyboard.press('1'); // fits the workflow to the window
	await editor.page.waitForTimeout(1000); // until it has
	await editor.page.screenshot({ path: pathOf('skipped.png') });
});

test('the panel of Send Feed Video', async () => {
	const { editor } = here;
	const fields = { ...VIDEO, encodeData: 'fake-encode-data' };
	const parameters = { ...SEND, ...fields, specifyFeedVideo: 'fields', feedVideo: undefined };
	const workflow = workflowOf([{ toId: 'customer-1' }], parameters);
	const { id } = await here.n8n.addWorkflow(workflow);
	await editor.page.setViewportSize({ width: 1000, height: 1430 });
	await editor.goTo(`workflow/${id}/${NODE}`); // where the node's name is its ID
	await editor.see('parameter-input-toId').waitFor();
	await editor.page.waitForTimeout(1000); // until it stands still
	const clip = { x: 290, y: 66, width: 421, height: 1310 }; // between n8n's input and output
	await editor.page.screenshot({ path: pathOf('send-feed-video.png'), clip });
});

test('the page of a campaign: its question on a desktop, its progress on a phone', async () => {
	const whatComesIn = await (await Workflow.import(here, 'what-comes-in')).publish();
	const cover = createServer((_, response) =>
		response.setHeader('Content-Type', 'image/svg+xml').end(COVER),
	).listen(0, '127.0.0.1');
	await once(cover, 'listening');
	const coverUrl = `http://127.0.0.1:${(cover.address() as AddressInfo).port}/cover.svg`;
	const video = { number: 1, time: Date.now() / 1000, coverUrl, files: [] };
	await whatComesIn.post(callbackKinds.ownFeedVideo(video));
	const videos = async () => await (await tableOf(here, 'feed-videos')).rows();
	await eventually(async () => expect(await videos()).toHaveLength(1));
	await (await tableOf(here, 'feed-videos')).edit(1, { name: 'Spring offer' });
	const campaign = await (await Workflow.import(here, 'campaign')).publish();
	const page = await here.editor.browser.newPage();
	await page.setViewportSize({ width: 1400, height: 900 });
	await page.goto(`${here.n8n.url}/form/${campaign.webhookId}`);
	await page.getByRole('button', { name: 'Allow access' }).click();
	await page.locator('[name=field-0]').fill('spring-offer');
	const ids = customers(...Array.from({ length: 40 }, (_, at) => at + 1));
	const buffer = Buffer.from(['toId', ...ids, '合计'].join('\r\n'));
	await page
		.locator('[name=field-1]')
		.setInputFiles({ name: 'spring.csv', mimeType: 'text/csv', buffer });
	await page.locator('[name=field-4]').fill('myself');
	await page.locator('#submit-btn').click();
	await page.getByRole('button', { name: 'Send to 40 people' }).waitFor();
	await page.getByText('Details').click();
	await takeMain(page, 'campaign.png');
	await page.setViewportSize({ width: 390, height: 800 });
	await page.getByRole('button', { name: 'Send to 40 people' }).click();
	await page.getByText(/^[1-9]\d* of 40$/).waitFor();
	await takeMain(page, 'campaign-progress.png');
	cover.close();
	cover.closeAllConnections();
});

async function takeMain(page: Page, name: string): Promise<void> {
	await page.waitForTimeout(1500); // for the cover, and for what moves
	await page.locator('#campaign').screenshot({ path: pathOf(name) });
}
