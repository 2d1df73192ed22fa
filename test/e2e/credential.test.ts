import { json } from 'node:stream/consumers';

import type { INodeCredentialTestResult } from 'n8n-workflow';

import { CREDENTIAL, NODE, SEND, TRIGGER, workflowOf } from '../../dev/engine/workflows';
import { testHttpRequest } from './support/httpRequest';
import { endsOf } from './support/messages';
import { serve } from './support/servers';
import { useEditor, useN8n } from './support/setup';

/** A person enters the credential, has n8n test it, and uses it in our node and in HTTP Request. */

const here = useN8n();
const opened = useEditor(here);

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

test('the right key is tested with a download, and no message is sent', async () => {
	expect((await saveWith('apiKey', here.sandbox.key)).status).toBe('OK');
	const urls = here.sandbox.requests.map(({ url }) => url);
	expect(new Set(urls)).toEqual(new Set(['/workchat/files/wx-download']));
});

test.each([
	['a wrong key', 'apiKey', 'fake-wrong-key', /service does not accept the API key.*svc_/s],
	['an address where nothing listens', 'baseUrl', 'http://127.0.0.1:9', /could not be reached/],
	['no address', 'baseUrl', 'workchat.example.com', /Base URL/],
] as const)('%s: the dialog says so, without the key', async (_, field, value, words) => {
	const { status, message } = await saveWith(field, value);
	expect(status).toBe('Error');
	expect(message).toMatch(words);
	expect(message).not.toContain('fake-wrong-key');
	expect(message).not.toContain(here.sandbox.key);
	expect(here.sandbox.messages).toEqual([]);
});

test('a key by expression: each message leaves with the key of its item, and none without one', async () => {
	const sent: object[] = [];
	const baseUrl = await serve(async (request, response) => {
		const { toId } = (await json(request)) as { toId: string };
		sent.push({ toId, key: request.headers['x-service-key'] });
		const envelope = { ok: true, code: 0, message: '', request_id: 'svc_example', data: {} };
		response.setHeader('Content-Type', 'application/json').end(JSON.stringify(envelope));
	});
	const credential = { apiKey: '={{ $json.key }}', baseUrl, defaultInstanceGuid: 'fake-instance' };
	await here.n8n.addCredential('workchatApi', 'By expression', credential);
	const items = ['a', 'b', 'a', 'c'].map((tenant, index) => ({
		toId: `customer-${index + 1}`,
		key: `fake-key-${tenant}`,
	}));
	const workflow = workflowOf([...items, { toId: 'without-a-key' }], SEND, {
		credentials: { workchatApi: { id: '1', name: 'By expression' } },
		onError: 'continueRegularOutput',
	});
	const { id } = await here.n8n.addWorkflow(workflow);
	const execution = await here.n8n.run(id, TRIGGER);
	expect(endsOf(execution, NODE)).toEqual([...items.map(() => 'sent'), 'notSent']);
	expect(sent).toEqual(items);
});

describe("n8n's HTTP Request with this credential", () => testHttpRequest(here, 4.5));
