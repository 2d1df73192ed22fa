import type { INodeCredentialTestResult, INodeParameters } from 'n8n-workflow';

import { CREDENTIAL, NODE, nodeOf, SEND, TRIGGER, workflowOf } from '../../dev/engine/workflows';
import { endsOf } from './support/messages';
import { serve } from './support/servers';
import { useN8n, withEditor } from './support/setup';
import { BY_HAND, chainOf } from './support/workflow';

/** A person enters the credential, has n8n test it, and uses it in our node and in HTTP Request. */

const here = withEditor(useN8n());

/** Opens the credential's dialog, changes the key, saves; gives the test's result, which it shows. */
async function saveWith(key: string) {
	const { editor } = here;
	const tested = async () =>
		await editor.page.waitForResponse((response) => response.url().endsWith('/credentials/test'));
	await editor.goTo('home/credentials');
	const testedOnOpening = tested();
	await editor.see('resources-list-item').filter({ hasText: CREDENTIAL }).click();
	await testedOnOpening;

	await editor.see('parameter-input-apiKey').locator('input').fill(key);
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
	expect((await saveWith(here.sandbox.key)).status).toBe('OK');
	const urls = here.sandbox.requests.map(({ url }) => url);
	expect(new Set(urls)).toEqual(new Set(['/workchat/files/wx-download']));
});

test('a wrong key: the dialog says so, without it', async () => {
	const { status, message } = await saveWith('fake-wrong-key');
	expect(status).toBe('Error');
	expect(message).toMatch(/service does not accept the API key.*svc_/s);
	expect(message).not.toContain('fake-wrong-key');
	expect(here.sandbox.messages).toEqual([]);
});

test('a key by expression: each message leaves with the key of its item, and none without one', async () => {
	const { url: baseUrl, requests } = here.sandbox;
	const credential = { apiKey: '={{ $json.key }}', baseUrl, defaultInstanceGuid: 'fake-instance' };
	await here.n8n.addCredential('workchatApi', 'By expression', credential);
	const keys = ['fake-key-a', here.sandbox.key, 'fake-key-b', undefined];
	const items = keys.map((key, index) => ({ toId: `customer-${index + 1}`, key }));
	const workflow = workflowOf(items, SEND, {
		credentials: { workchatApi: { id: '1', name: 'By expression' } },
		onError: 'continueRegularOutput',
	});
	const { id } = await here.n8n.addWorkflow(workflow);
	const ends = endsOf(await here.n8n.run(id, TRIGGER), NODE);
	expect(ends).toEqual(['rejected', 'sent', 'rejected', 'notSent']);
	expect(requests.map(({ headers }) => headers['x-service-key'])).toEqual(keys.slice(0, 3));
});

const KEY = 'fake-key-of-base-url';
const OTHERS = 'Of HTTP Request';
/** The origin of Base URL, and another. */
let own: string;
let other: string;
/** The URL and the key of each request that came to either. */
let arrivals: string[];
beforeEach(() => (arrivals = []));
beforeAll(async () => {
	const listen = async () =>
		await serve(({ url = '', headers }, response) => {
			arrivals.push(`http://${headers.host}${url} ${String(headers['x-service-key'])}`);
			const next = `${other}/from-elsewhere`;
			if (url === '/to') response.writeHead(302, { Location: next });
			else response.setHeader('Content-Type', 'application/json');
			response.end(JSON.stringify({ next }));
		});
	[own, other] = [await listen(), await listen()];
	const values = { apiKey: KEY, baseUrl: `${own}/base/` };
	await here.n8n.addCredential('workchatApi', OTHERS, values);
});

/** How HTTP Request ended, and in what words. */
async function request(typeVersion: number, url: string, options: object = {}) {
	const authentication = 'predefinedCredentialType';
	const parameters = { url, authentication, nodeCredentialType: 'workchatApi', options };
	const node = nodeOf('Request', 'n8n-nodes-base.httpRequest', {
		typeVersion,
		parameters: parameters as INodeParameters,
		credentials: { workchatApi: { id: '1', name: OTHERS } },
	});
	const { id } = await here.n8n.addWorkflow(chainOf(OTHERS, BY_HAND, node));
	const { status, data, saved } = await here.n8n.run(id, TRIGGER);
	expect(saved).not.toContain(KEY);
	const { message = '', description } = data.resultData.error ?? {};
	return [status, `${message} ${description}`];
}

const nextPage = {
	...{ paginationMode: 'responseContainsNextURL', nextURL: '={{ $response.body.next }}' },
	...{ limitPagesFetched: true, maxRequests: 2 },
};
/** Ways to elsewhere, and since when. Older versions follow redirects only when told, and know no pages. */
const WAYS: Array<[since: number, path: string, options: object]> = [
	[3, '/to', { redirect: { redirect: { followRedirects: true, maxRedirects: 5 } } }],
	[4, '/to', {}],
	[4, '/next', { pagination: { pagination: nextPage } }],
];
// The version that n8n takes today, and the older ones that differ.
test.each([2, 3, 4.2, 4.5])(
	"n8n's HTTP Request %s sends the key to any path where Base URL is, and to nowhere else",
	async (version) => {
		expect(await request(version, `${own}/any/path?page=2`)).toContain('success');
		const refused = ['error', expect.stringContaining('Base URL')];
		expect(await request(version, `${other}/path`)).toEqual(refused);
		expect(await request(version, `${own}@${new URL(other).host}/path`)).toEqual(refused);
		const ways = WAYS.filter(([since]) => version >= since);
		for (const [, path, options] of ways)
			expect(await request(version, own + path, options)).toContain('error');
		const paths = ['/any/path?page=2', ...ways.map(([, path]) => path)];
		expect(arrivals).toEqual(paths.map((path) => `${own}${path} ${KEY}`));
	},
);
