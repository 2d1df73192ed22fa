import type { Page } from 'playwright-core';

import { samples } from '../../dev/sandbox/samples';
import { VIDEO } from '../../dev/engine/workflows';
import { Editor, eventually, widthOf } from './editor';
import { atEnd } from './atEnd';
import { serve } from './server';
import { useInstallation } from './setup';

const here = useInstallation();

/** Calls the sandbox as the node does. */
async function call(path: string, body: object): Promise<{ request_id: string }> {
	const response = await fetch(`${here.sandbox.url}/workchat/${path}`, {
		method: 'POST',
		headers: { 'Content-Type': 'application/json', 'X-Service-Key': here.sandbox.key },
		body: JSON.stringify({ instance_guid: 'fake-instance', ...body }),
	});
	return (await response.json()) as { request_id: string };
}

const send = async (toId: string) => await call('messages/send-feed-video', { ...VIDEO, toId });

let browser: Editor;
beforeAll(async () => {
	browser = await Editor.open(here.sandbox.url, here.folder);
	atEnd(async () => await browser.close());
});

const pages: Page[] = [];
// Each keeps a connection, of which Chromium allows six to a server.
afterEach(async () => {
	for (const page of pages.splice(0)) await page.close();
});

async function openPage(): Promise<Page> {
	const page = await browser.newPage();
	pages.push(page);
	await page.goto(here.sandbox.url);
	await page.locator('#connection[data-state=live]').waitFor();
	return page;
}

test("the sandbox's page shows what arrives, and forgets it when told to", async () => {
	const page = await openPage();
	await page.getByText('Nothing has arrived yet…').waitFor();

	const sent = [await send('customer-1'), await send('customer-2'), await send('customer-1')];
	const file = await call('files/wx-download', here.sandbox.fieldsOf(samples.document));
	here.sandbox.misbehave({ kind: 'refuse', code: 123, message: 'example reason' });
	const refused = await send('customer-3');

	await eventually(async () => {
		const messages = await page.locator('#messages').innerText();
		for (const { request_id } of sent) expect(messages).toContain(request_id);
		expect(messages).toContain(VIDEO.channelName);
		expect(messages.match(/customer-1/g)).toHaveLength(1); // one heading for both messages
		expect(messages).not.toContain('customer-3');
		expect(await page.locator('#files').innerText()).toContain(file.request_id);
		const failures = await page.locator('#failures').innerText();
		expect(failures).toContain(refused.request_id);
		expect(failures).toContain('example reason');
		expect(failures).toContain('123');
	});
	const shown = await page.locator('body').innerText();
	for (const secret of [VIDEO.encodeData, here.sandbox.key]) expect(shown).not.toContain(secret);

	await page.getByRole('button', { name: 'Reset sandbox' }).click();
	await page.getByText('Nothing has arrived yet…').waitFor();
	expect(here.sandbox.messages).toEqual([]);
});

test('misbehaviour is chosen on the page, and its failures are counted at the top', async () => {
	const page = await openPage();
	await page.setViewportSize({ width: 390, height: 844 }); // a phone
	await page.getByText('Misbehave', { exact: true }).click();
	await page.getByLabel('How many times').fill('2');
	await page.getByLabel('Only calls for recipient').fill('customer-2');
	const choice = page.getByRole('button', { name: 'HTTP 500' });
	expect(await choice.innerText()).toContain('unknown');
	await choice.click();
	await page.getByText('HTTP 500: next 2 calls to customer-2').waitFor();

	for (const toId of ['customer-1', 'customer-2', 'customer-2', 'customer-2']) await send(toId);
	expect(here.sandbox.messages.map(({ toId }) => toId)).toEqual(['customer-1', 'customer-2']);
	const count = page.getByRole('link', { name: '2 failed calls' });
	await count.waitFor();
	expect((await count.boundingBox())?.y).toBeLessThan(300);
	await count.click();
	await eventually(async () => {
		expect((await page.locator('#failures').boundingBox())?.y).toBeLessThan(844);
	});
});

/** What the page shows of the misbehaviours that are still to come. */
const expectWaiting = async (page: Page, lines: string[]) =>
	await eventually(async () =>
		expect(await page.locator('#waiting li').allInnerTexts()).toEqual(lines),
	);

test('all misbehaviours that are still to come are listed, on each page, until they have come', async () => {
	const [page, other] = [await openPage(), await openPage()];
	await page.getByText('Misbehave', { exact: true }).click();
	await page.getByRole('button', { name: 'Refuse' }).click();
	await page.getByLabel('How many times').fill('2');
	await page.getByRole('button', { name: 'Expired link, HTTP 404' }).click();
	await page.getByRole('button', { name: 'Expired link, HTTP 410' }).click();
	const links = ['Expired link, HTTP 404: next 2 links', 'Expired link, HTTP 410: next 2 links'];
	for (const each of [page, other]) {
		await expectWaiting(each, ['Refuse: next 1 call', ...links]);
	}

	await send('customer-1');
	await expectWaiting(other, links);
	const link = here.sandbox.fieldsOf(samples.document).fileUrl;
	const statuses = [];
	for (let left = 4; left > 0; left--) statuses.push((await fetch(link)).status);
	expect(statuses).toEqual([404, 404, 410, 410]);
	await expectWaiting(other, []);
});

test('what is to be done stands above all that has arrived', async () => {
	const page = await openPage();
	for (let index = 0; index < 100; index++) await send(`customer-${index}`);
	await page.getByRole('link', { name: '100 messages' }).waitFor();
	await eventually(async () => expect(await page.locator('#messages li').count()).toBe(100));
	await page.setViewportSize({ width: 1400, height: 900 });
	for (const name of ['Misbehave', 'Post a callback']) {
		const box = await page.getByText(name, { exact: true }).boundingBox();
		expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThan(900);
	}
});

test('a cover that does not load makes room for a sample, and is said to', async () => {
	const page = await openPage();
	const own = `${here.sandbox.url}/sandbox/covers/1.svg`;
	await call('messages/send-feed-video', { ...VIDEO, coverUrl: own, toId: 'with-cover' });
	await call('messages/send-feed-video', { ...VIDEO, coverUrl: 'http://127.0.0.1:9/', toId: 'no' });
	const cards = page.locator('#messages li');
	await eventually(async () => {
		for (const index of [0, 1]) {
			expect(await widthOf(cards.nth(index).locator('img.cover'))).toBeGreaterThan(0);
		}
		expect(await cards.nth(0).innerText()).toContain('sample');
	});
	expect(await cards.nth(1).innerText()).not.toContain('sample');
});

/** An address for callbacks, and the bodies that came there. */
async function receiver(): Promise<{ url: string; bodies: string[] }> {
	const bodies: string[] = [];
	const { origin } = await serve(async (request, response) => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk);
		bodies.push(Buffer.concat(chunks).toString());
		response.writeHead(202).end('thank you');
	});
	return { url: `${origin}/webhook`, bodies };
}

test('a callback is posted by a button, which says what came back', async () => {
	const { url, bodies } = await receiver();
	const page = await openPage();
	await page.getByText('Post a callback').click();
	await page.getByLabel('To the webhook').fill(url);
	await page.getByRole('button', { name: 'A feed video' }).click();
	await page.getByText('HTTP 202: thank you').waitFor();
	expect(bodies.join()).toContain('"feedVideo"');

	await page.getByLabel('To the webhook').fill('nonsense');
	await page.getByRole('button', { name: 'A file' }).click();
	await page.getByText('body/url must match').waitFor();
});

test('a callback can hold three files, and be posted again as it was', async () => {
	const { url, bodies } = await receiver();
	const page = await openPage();
	await page.getByText('Post a callback').click();
	await page.getByLabel('To the webhook').fill(url);
	const again = page.getByRole('button', { name: 'The last one again' });
	await again.click();
	await page.getByText('No response: no callback was posted yet').waitFor();

	for (const button of ['A text', 'Three files']) {
		await page.getByRole('button', { name: button }).click();
		await page.getByText('HTTP 202').waitFor();
	}
	await again.click();
	await again.click();
	await eventually(async () => expect(bodies).toHaveLength(4));
	const [text, files, ...repeated] = bodies;
	expect(text).not.toEqual(files);
	expect(JSON.parse(files ?? '').callback.content.files).toHaveLength(3);
	expect(repeated).toEqual([files, files]);
});
