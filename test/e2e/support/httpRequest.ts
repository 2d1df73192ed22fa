import type { INodeParameters } from 'n8n-workflow';

import { nodeOf, TRIGGER } from '../../../dev/engine/workflows';
import { serve, type Place } from './server';
import type { Here } from './setup';

const KEY = 'fake-key-of-base-url';

interface Witness extends Place {
	/** Requests, and connections that did not speak HTTP. It sends on from `/to/` and `/next/`. */
	arrivals: Array<{ url: string; key: unknown }>;
}

async function openWitness(): Promise<Witness> {
	const arrivals: Witness['arrivals'] = [];
	const place = await serve(({ url = '', headers }, response) => {
		arrivals.push({ url, key: headers['x-service-key'] });
		const [, way, port] = /^\/(to|next)\/(\d+)$/.exec(url) ?? [];
		const next = `http://127.0.0.1:${port}/from-elsewhere`;
		if (way === 'to') response.writeHead(302, { Location: next });
		else response.setHeader('Content-Type', 'application/json');
		response.end(way === 'next' ? JSON.stringify({ next }) : '{"ok":true}');
	});
	place.server.on('clientError', (_, socket) => {
		arrivals.push({ url: 'no HTTP', key: undefined });
		socket.destroy();
	});
	return { ...place, arrivals };
}

/** What a version of n8n's HTTP Request may do with our credential: the key goes to Base URL alone. */
export function testHttpRequest(here: Here, typeVersion: number): void {
	const name = `Of HTTP Request ${typeVersion}`;
	/** The place of Base URL, and another. */
	let own: Witness;
	let other: Witness;
	beforeAll(async () => {
		[own, other] = [await openWitness(), await openWitness()];
		const values = { apiKey: KEY, baseUrl: `${own.origin}/base/` };
		await here.n8n.addCredential('workchatApi', name, values);
	});
	beforeEach(() => {
		for (const { arrivals } of [own, other]) arrivals.length = 0;
	});

	async function request(url: string, options: object = {}) {
		const parameters = {
			url,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'workchatApi',
			options: options as INodeParameters,
		};
		const credentials = { workchatApi: { id: '1', name } };
		const type = 'n8n-nodes-base.httpRequest';
		const { id } = await here.n8n.addWorkflow({
			name,
			nodes: [
				nodeOf(TRIGGER, 'n8n-nodes-base.manualTrigger'),
				nodeOf('Request', type, { typeVersion, parameters, credentials }),
			],
			connections: { [TRIGGER]: { main: [[{ node: 'Request', type: 'main', index: 0 }]] } },
		});
		const { status, data, saved } = await here.n8n.run(id, TRIGGER);
		expect(saved).not.toContain(KEY);
		const { message = '', description } = data.resultData.error ?? {};
		return { status, words: `${message} ${description}` };
	}

	test('the key goes to any path where Base URL is', async () => {
		expect(await request(`${own.origin}/any/path?page=2`)).toMatchObject({ status: 'success' });
		expect(own.arrivals).toEqual([{ url: '/any/path?page=2', key: KEY }]);
	});

	test('nothing goes elsewhere, and the error says why', async () => {
		for (const url of [
			`${other.origin}/path`,
			`http://localhost:${own.port}/path`,
			`https://127.0.0.1:${own.port}/path`,
			`${own.origin}@127.0.0.1:${other.port}/path`,
			`${other.origin}\\@127.0.0.1:${own.port}/path`,
		]) {
			const refused = { status: 'error', words: expect.stringContaining('Base URL') as string };
			expect([url, await request(url)]).toEqual([url, refused]);
			expect([...own.arrivals, ...other.arrivals]).toEqual([]);
		}
	});

	const follow = { redirect: { redirect: { followRedirects: true, maxRedirects: 5 } } };
	const pagination = {
		paginationMode: 'responseContainsNextURL',
		nextURL: '={{ $response.body.next }}',
		limitPagesFetched: true,
		maxRequests: 2,
	};
	// Older versions follow redirects in a way of their own, or only when told, and know no pages.
	const ways: Array<['to' | 'next', object]> = [];
	if (typeVersion >= 3) ways.push(['to', follow]);
	if (typeVersion >= 4) ways.push(['to', {}], ['next', { pagination: { pagination } }]);
	test.each(ways.length > 0 ? ways : [['to', {}]])(
		'nothing follows to elsewhere, by the path "%s" with the options %j',
		async (way, options) => {
			const { status } = await request(`${own.origin}/${way}/${other.port}`, options);
			expect(other.arrivals).toEqual([]);
			expect(own.arrivals).toEqual([{ url: `/${way}/${other.port}`, key: KEY }]);
			if (ways.length > 0) expect(status).toBe('error');
		},
	);
}
