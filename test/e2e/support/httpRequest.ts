import type { INodeParameters } from 'n8n-workflow';

import { nodeOf, TRIGGER } from '../../../dev/engine/workflows';
import { serve } from './servers';
import type { Here } from './setup';
import { BY_HAND, chainOf } from './workflow';

const KEY = 'fake-key-of-base-url';

/** What a version of n8n's HTTP Request may do with our credential: the key goes to Base URL alone. */
export function testHttpRequest(here: Here, typeVersion: number): void {
	const name = `Of HTTP Request ${typeVersion}`;
	/** The origin of Base URL, and another. */
	let own: string;
	let other: string;
	/** The URL and the key of each request that came to either. */
	let arrivals: string[];
	beforeEach(() => (arrivals = []));
	const listen = async () =>
		await serve(({ url = '', headers }, response) => {
			arrivals.push(`http://${headers.host}${url} ${String(headers['x-service-key'])}`);
			const next = `${other}/from-elsewhere`;
			if (url === '/to') response.writeHead(302, { Location: next });
			else response.setHeader('Content-Type', 'application/json');
			response.end(JSON.stringify({ next }));
		});
	beforeAll(async () => {
		[own, other] = [await listen(), await listen()];
		const values = { apiKey: KEY, baseUrl: `${own}/base/` };
		await here.n8n.addCredential('workchatApi', name, values);
	});

	/** How it ended, and in what words. */
	async function request(url: string, options: object = {}) {
		const authentication = 'predefinedCredentialType';
		const parameters = { url, authentication, nodeCredentialType: 'workchatApi', options };
		const request = nodeOf('Request', 'n8n-nodes-base.httpRequest', {
			typeVersion,
			parameters: parameters as INodeParameters,
			credentials: { workchatApi: { id: '1', name } },
		});
		const { id } = await here.n8n.addWorkflow(chainOf(name, BY_HAND, request));
		const { status, data, saved } = await here.n8n.run(id, TRIGGER);
		expect(saved).not.toContain(KEY);
		const { message = '', description } = data.resultData.error ?? {};
		return [status, `${message} ${description}`];
	}

	test('the key goes to any path where Base URL is, and nothing elsewhere', async () => {
		expect(await request(`${own}/any/path?page=2`)).toContain('success');
		const refused = ['error', expect.stringContaining('Base URL')];
		expect(await request(`${other}/path`)).toEqual(refused);
		expect(await request(`${own}@${new URL(other).host}/path`)).toEqual(refused);
		expect(arrivals).toEqual([`${own}/any/path?page=2 ${KEY}`]);
	});

	// Older versions follow redirects when told, in ways of their own, and know no pages.
	const ways: Array<[string, object]> = [];
	const redirect = { redirect: { followRedirects: true, maxRedirects: 5 } };
	if (typeVersion >= 3) ways.push(['/to', { redirect }]);
	const nextPage = {
		...{ paginationMode: 'responseContainsNextURL', nextURL: '={{ $response.body.next }}' },
		...{ limitPagesFetched: true, maxRequests: 2 },
	};
	if (typeVersion >= 4) ways.push(['/to', {}], ['/next', { pagination: { pagination: nextPage } }]);
	if (ways.length === 0) return;
	test('nothing follows a redirect, or the address of a next page, to elsewhere', async () => {
		for (const [path, options] of ways)
			expect(await request(own + path, options)).toContain('error');
		expect(arrivals).toEqual(ways.map(([path]) => `${own}${path} ${KEY}`));
	});
}
