import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { eventually } from './editor';
import { isKept, takePicture } from './picture';
import { serve } from './server';
import { useEditor, useN8n } from './setup';

const here = useN8n();
const opened = useEditor(here);

const KEY = 'fake-key-of-other-endpoints';
const CREDENTIAL = 'Workchat, other endpoints';

/** A service with an endpoint that the node does not know. */
const requests: Array<{ url?: string; headers: IncomingHttpHeaders; body: unknown }> = [];
let baseUrl: string;
beforeAll(async () => {
	const listener = async (request: IncomingMessage, response: ServerResponse) => {
		const { url, headers } = request;
		requests.push({ url, headers, body: JSON.parse(await text(request)) });
		const envelope = { ok: true, code: 0, message: 'success', request_id: 'svc_1', data: {} };
		response.setHeader('Content-Type', 'application/json').end(JSON.stringify(envelope));
	};
	// In a picture, the port of a sandbox that was started by hand.
	const { origin } = await serve((...both) => void listener(...both), isKept ? 4010 : 0);
	baseUrl = origin;
	await here.n8n.addCredential('workchatApi', CREDENTIAL, { apiKey: KEY, baseUrl });
});

test.each(['resource', 'operation'])(
	'Custom API Call as %s sends the user on to HTTP Request',
	async (parameter) => {
		const { editor } = opened;
		await editor.searchInNewWorkflow('workchat');
		await editor.openActionsOf('Workchat');
		await editor.offered('Send feed video').click();
		await editor.see('ndv').waitFor();
		await editor.choose(parameter, 'Custom API Call');
		await editor.page.getByText('Use the HTTP Request node to make a custom API call.').waitFor();
		await editor.page.getByText('Workchat auth for you').waitFor();
	},
);

test('HTTP Request with the Workchat credential calls any endpoint, filled in by hand', async () => {
	const { editor } = opened;
	await editor.searchInNewWorkflow('http request');
	await editor.offered('HTTP Request').click();
	await editor.see('ndv').waitFor();

	await editor.choose('method', 'POST');
	await editor.see('parameter-input-url').locator('input, [contenteditable]').first().click();
	await editor.page.keyboard.type(`${baseUrl}/another/endpoint`);
	await editor.choose('authentication', 'Predefined Credential Type');
	await editor.choose('nodeCredentialType', 'Workchat API');
	await editor.see('node-credentials-select').click();
	await editor.page.getByRole('option', { name: CREDENTIAL }).click();
	await editor.see('parameter-input-sendBody').locator('[role=switch], .el-switch').first().click();
	await editor.choose('specifyBody', 'Using JSON');
	await editor
		.see('parameter-input-jsonBody')
		.locator('[contenteditable]')
		.first()
		.fill('{ "a": 1 }');
	await editor.see('node-execute-button').click();

	await eventually(async () =>
		expect(await editor.see('output-panel').innerText()).toContain('svc_1'),
	);
	expect(requests).toEqual([
		{
			url: '/another/endpoint',
			headers: expect.objectContaining({ 'x-service-key': KEY }),
			body: { a: 1 },
		},
	]);
	await takePicture(editor.page, 'other-endpoints', 1000);
});
