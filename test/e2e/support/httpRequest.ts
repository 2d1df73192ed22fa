import type { INodeParameters } from 'n8n-workflow';

import { nodeOf, TRIGGER } from '../../../dev/engine/workflows';
import { serve } from './servers';
import type { Here } from './setup';

const KEY = 'fake-key-of-base-url';

/** What a version of n8n's HTTP Request may do with our credential: the key goes to Base URL alone. */
export function testHttpRequest(here: Here, typeVersion: number): void {
	const name = `Of HTTP Request ${typeVersion}`;
	/** The origin of Base URL, and another; of each request that came there, its path and key. */
	let own: string;
	let other: string;
	let arrivals: Record<'own' | 'other', string[]>;
	beforeEach(() => (arrivals = { own: [], other: [] }));
	const listen = async (where: 'own' | 'other') =>
		await serve(({ url = '', headers }, response) => {
			arrivals[where].push(`${url} ${String(headers['x-service-key'])}`);
			const next = `${other}/from-elsewhere`;
			if (url === '/to') response.writeHead(302, { Location: next });
			else response.setHeader('Content-Type', 'application/json');
			response.end(JSON.stringify({ next }));
		});
	beforeAll(async () => {
		[own, other] = [await listen('own'), await listen('other')];
		const values = { apiKey: KEY, baseUrl: `${own}/base/` };
		await here.n8n.addCredential('workchatApi', name, values);
	});

	async function request(url: string, options: object = {}) {
		const authentication = 'predefinedCredentialType';
		const parameters = { url, authentication, nodeCredentialType: 'workchatApi', options };
		const { id } = await here.n8n.addWorkflow({
			name,
			nodes: [
				nodeOf(TRIGGER, 'n8n-nodes-base.manualTrigger'),
				nodeOf('Request', 'n8n-nodes-base.httpRequest', {
					typeVersion,
					parameters: parameters as INodeParameters,
					credentials: { workchatApi: { id: '1', name } },
				}),
			],
			connections: { [TRIGGER]: { main: [[{ node: 'Request', type: 'main', index: 0 }]] } },
		});
		const { status, data, saved } = await here.n8n.run(id, TRIGGER);
		expect(saved).not.toContain(KEY);
		const { message = '', description } = data.resultData.error ?? {};
		return { status, words: `${message} ${description}` };
	}

	test('the key goes to any path where Base URL is, and nothing elsewhere', async () => {
		expect(await request(`${own}/any/path?page=2`)).toMatchObject({ status: 'success' });
		const refused = { status: 'error', words: expect.stringContaining('Base URL') as string };
		expect(await request(`${other}/path`)).toEqual(refused);
		expect(await request(`${own}@${new URL(other).host}/path`)).toEqual(refused);
		expect(arrivals).toEqual({ own: [`/any/path?page=2 ${KEY}`], other: [] });
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
		for (const [path, options] of ways) {
			expect((await request(own + path, options)).status).toBe('error');
		}
		expect(arrivals).toEqual({ own: ways.map(([path]) => `${path} ${KEY}`), other: [] });
	});
}
