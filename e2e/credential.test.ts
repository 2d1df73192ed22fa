import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import type { INodeCredentialTestResult } from 'n8n-workflow';

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

/** Opens the credential's dialog, changes a field, saves; gives the test's result, which it shows. */
async function saveWith(field: 'apiKey' | 'baseUrl', value: string) {
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
	const { data } = (await (await testedOnSaving).json()) as { data: INodeCredentialTestResult };
	if (data.status === 'OK') {
		await editor.see('credentials-config-container-test-success').waitFor();
	} else {
		await editor.page.getByText('More details').click();
		await editor.page.getByText(data.message, { exact: false }).waitFor();
	}
	return data;
}

test('the right key: success, and no message is sent', async () => {
	expect((await saveWith('apiKey', here.sandbox.key)).status).toBe('OK');
	expect(here.sandbox.messages).toEqual([]);
	const urls = here.sandbox.requests.map(({ url }) => url);
	expect(new Set(urls)).toEqual(new Set(['/workchat/files/wx-download']));
});

test('a wrong key', async () => {
	const { status, message } = await saveWith('apiKey', 'a-wrong-one');
	expect(status).toBe('Error');
	expect(message).toContain('The Workchat service does not accept the API key');
	expect(message).toContain('Check the API key');
	expect(message).toContain('svc_');
	expect(message).not.toContain('a-wrong-one');
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
	expect(await saveWith('baseUrl', await baseUrl())).toEqual({
		status: 'Error',
		message: expect.stringContaining(message),
	});
	expect(here.sandbox.messages).toEqual([]);
});
