import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import { CREDENTIAL } from '../test/workflows';
import { freePorts } from './processes';
import { useEditor, useN8n } from './setup';

const here = useN8n();
const opened = useEditor(here);

/** Something that answers every request with a web page. */
let website: Server;
beforeAll(async () => {
	website = createServer((_, response) => {
		response.setHeader('Content-Type', 'text/html').end('<!doctype html><h1>Welcome</h1>');
	}).listen(0, '127.0.0.1');
	await once(website, 'listening');
});
afterAll(async () => await once(website.close(), 'close'));

/** Opens the credential's dialog, changes a field, saves, and gives what the dialog says then. */
async function saveWith(field: 'apiKey' | 'baseUrl', value: string): Promise<string> {
	const { editor } = opened;
	const tested = async () =>
		await editor.page.waitForResponse((response) => response.url().endsWith('/credentials/test'));
	await editor.goTo('home/credentials');
	const testedOnOpening = tested();
	await editor.see('resources-list-item').filter({ hasText: CREDENTIAL }).click();
	await testedOnOpening;

	await editor.see(`parameter-input-${field}`).locator('input').fill(value);
	const testedOnSaving = tested();
	await editor.see('credential-save-button').click();
	const { data } = await (await testedOnSaving).json();
	const container = editor.see('node-credentials-config-container');
	if (data.status === 'OK') {
		await editor.see('credentials-config-container-test-success').waitFor();
	} else {
		await container.getByText('More details').click();
	}
	return await container.innerText();
}

test('the right key: success, and no message is sent', async () => {
	expect(await saveWith('apiKey', here.sandbox.key)).toContain('Connection tested successfully');
	expect(here.sandbox.messages).toEqual([]);
	const urls = here.sandbox.requests.map(({ url }) => url);
	expect(new Set(urls)).toEqual(new Set(['/workchat/files/wx-download']));
});

test('a wrong key', async () => {
	const said = await saveWith('apiKey', 'a-wrong-one');
	expect(said).toContain('The Workchat service does not accept the API key');
	expect(said).toContain('Check the API key');
	expect(said).toContain('svc_');
	expect(said).not.toContain('a-wrong-one');
	await saveWith('apiKey', here.sandbox.key);
});

test.each([
	[
		'an address where nothing listens',
		async () => `http://127.0.0.1:${(await freePorts(1))[0]}`,
		'could not be reached',
	],
	['a wrong path', async () => `${here.sandbox.url}/elsewhere`, 'does not know this address'],
	[
		'a website',
		async () => `http://127.0.0.1:${(website.address() as AddressInfo).port}`,
		'answered with a web page',
	],
	['no address', async () => 'workchat.example.com', 'Base URL'],
])('%s', async (_, baseUrl, message) => {
	expect(await saveWith('baseUrl', await baseUrl())).toContain(message);
	expect(here.sandbox.messages).toEqual([]);
});
