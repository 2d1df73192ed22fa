import { samples } from '../../dev/sandbox/samples';
import { VIDEO } from '../../dev/engine/workflows';
import { Editor, eventually } from './editor';
import { atEnd } from './atEnd';
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

test("the sandbox's page shows what arrives, and forgets it when told to", async () => {
	const browser = await Editor.open(here.sandbox.url, here.folder);
	atEnd(async () => await browser.close());
	const { page } = browser;
	await browser.goTo('');
	await page.getByText('Nothing has arrived yet…').waitFor();
	await page.locator('#connection[data-state=live]').waitFor();

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
