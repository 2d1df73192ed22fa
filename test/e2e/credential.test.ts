import type { INodeCredentialTestResult, INodeParameters } from 'n8n-workflow';

import { CREDENTIAL, nodeOf, TRIGGER } from '../../dev/engine/workflows';
import { freePorts } from '../../dev/n8n/ports';
import { serve, type Place } from './server';
import { useEditor, useN8n } from './setup';

const here = useN8n();
const opened = useEditor(here);

/** Something that answers every request with a web page. */
let website: Place;
beforeAll(async () => {
	website = await serve((_, response) => {
		response.setHeader('Content-Type', 'text/html').end('<!doctype html><h1>Welcome</h1>');
	});
});

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
	['a website', async () => website.origin, 'answered with a web page'],
	['no address', async () => 'workchat.example.com', 'Base URL'],
])('%s', async (_, baseUrl, message) => {
	expect(await saveWith('baseUrl', await baseUrl())).toEqual({
		status: 'Error',
		message: expect.stringContaining(message),
	});
	expect(here.sandbox.messages).toEqual([]);
});

describe.each([2, 3, 4.2, 4.5])(
	"n8n's HTTP Request node %s with this credential",
	(typeVersion) => {
		const NAME = 'Used elsewhere';
		const KEY = 'fake-key-of-base-url';
		/** The place of Base URL, and another. */
		let own: Witness;
		let other: Witness;
		beforeAll(async () => {
			[own, other] = [await openWitness(), await openWitness()];
			const baseUrl = `${own.origin}/base/`;
			await here.n8n.addCredential('workchatApi', `${NAME} ${typeVersion}`, {
				apiKey: KEY,
				baseUrl,
			});
		});
		beforeEach(() => {
			for (const { arrivals } of [own, other]) arrivals.length = 0;
		});

		async function request(url: string, options: object = {}) {
			const { id } = await here.n8n.addWorkflow({
				name: 'HTTP Request',
				nodes: [
					nodeOf(TRIGGER, 'n8n-nodes-base.manualTrigger'),
					nodeOf('Request', 'n8n-nodes-base.httpRequest', {
						typeVersion,
						parameters: {
							url,
							authentication: 'predefinedCredentialType',
							nodeCredentialType: 'workchatApi',
							options: options as INodeParameters,
						},
						credentials: { workchatApi: { id: '1', name: `${NAME} ${typeVersion}` } },
					}),
				],
				connections: { [TRIGGER]: { main: [[{ node: 'Request', type: 'main', index: 0 }]] } },
			});
			const { status, data, saved } = await here.n8n.run(id, TRIGGER);
			expect(saved).not.toContain(KEY);
			const { message = '', description } = data.resultData.error ?? {};
			return { status, words: `${message} ${description}` };
		}

		test('sends the key to any path where Base URL is', async () => {
			expect(await request(`${own.origin}/any/path?page=2`)).toMatchObject({ status: 'success' });
			expect(own.arrivals).toEqual([{ url: '/any/path?page=2', key: KEY }]);
		});

		test('sends nothing elsewhere, and says why', async () => {
			for (const url of [
				`${other.origin}/path`,
				`http://localhost:${own.port}/path`,
				`https://127.0.0.1:${own.port}/path`,
				`${own.origin}@127.0.0.1:${other.port}/path`,
				`${other.origin}\\@127.0.0.1:${own.port}/path`,
			]) {
				expect([url, await request(url)]).toEqual([
					url,
					{ status: 'error', words: expect.stringContaining('Base URL') },
				]);
				expect([...own.arrivals, ...other.arrivals]).toEqual([]);
			}
		});

		// Versions before 3 follow none unless told, in a way of their own.
		const follow = { redirect: { redirect: { followRedirects: true, maxRedirects: 5 } } };
		const choices = typeVersion < 3 ? [] : typeVersion < 4 ? [follow] : [follow, {}];
		if (choices.length > 0)
			test.each(choices)('does not follow a redirect to elsewhere: %j', async (options) => {
				const { status } = await request(`${own.origin}/to/${other.port}`, options);
				expect(other.arrivals).toEqual([]);
				expect(own.arrivals).toEqual([{ url: `/to/${other.port}`, key: KEY }]);
				expect(status).toBe('error');
			});

		if (typeVersion >= 4)
			test('sends nothing to a next page that is elsewhere', async () => {
				const pagination = {
					paginationMode: 'responseContainsNextURL',
					nextURL: '={{ $response.body.next }}',
					limitPagesFetched: true,
					maxRequests: 2,
				};
				const path = `/next/${other.port}`;
				const { status, words } = await request(own.origin + path, { pagination: { pagination } });
				expect(own.arrivals).toEqual([{ url: path, key: KEY }]);
				expect(other.arrivals).toEqual([]);
				expect(status).toBe('error');
				expect(words).toContain('Base URL');
			});
	},
);

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
