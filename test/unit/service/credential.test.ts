import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { type IDataObject, type IExecuteFunctions } from 'n8n-workflow';

import { Engine } from '../../../dev/engine/engine';
import { outputOf } from '../../../dev/engine/outputOf';
import { standIns } from '../../../dev/engine/standIns';
import {
	addressOf,
	checkedCredential,
	refuseOtherOrigin,
	shownBaseUrl,
} from '../../../nodes/Workchat/service/credential';
import { INSTANCE, KEY, nodeOf, TRIGGER } from '../../support/setup';

/** Other nodes can use the credential, too: the API key goes to the origin of its Base URL alone. */

const HELPERS = ['httpRequestWithAuthentication', 'requestWithAuthentication'] as const;
type Helper = (typeof HELPERS)[number];

/** What the next run asks for, and of which helper. */
let asked: { helper: Helper; requests: object[] };
const ASKER = 'test.asker';

/** Asks n8n to authenticate requests, as HTTP Request does with a predefined credential type. */
async function ask(this: IExecuteFunctions) {
	const ended: IDataObject[] = [];
	for (const options of asked.requests) {
		const request = structuredClone(options) as never;
		const answer = this.helpers[asked.helper].call(this, 'workchatApi', request);
		ended.push(
			await (answer as Promise<unknown>).then(
				() => ({}),
				(error: Error & { description?: string }) => ({
					refusal: `${error.message} ${error.description}`,
				}),
			),
		);
	}
	return [ended.map((json) => ({ json }))];
}

let engine: Engine;
let service: Recorder;
let other: Recorder;

/** A server that records its requests and redirects those that say where to. */
class Recorder {
	readonly requests: IncomingMessage[] = [];
	private readonly server: Server;

	private constructor() {
		this.server = createServer((request, response) => {
			this.requests.push(request);
			const { searchParams } = new URL(request.url ?? '', 'http://x');
			const [status, location] = [searchParams.get('status'), searchParams.get('to')];
			response.writeHead(Number(status ?? 200), location ? { location } : {}).end('{"ok":true}');
		});
	}

	static async start(): Promise<Recorder> {
		const recorder = new Recorder();
		// For every name of this machine.
		await once(recorder.server.listen(0), 'listening');
		return recorder;
	}

	get port(): number {
		return (this.server.address() as AddressInfo).port;
	}

	stop(): void {
		this.server.close();
		this.server.closeAllConnections();
	}
}

beforeAll(async () => {
	standIns.set(ASKER, {
		description: {
			...standIns.get('n8n-nodes-base.noOp')!.description,
			credentials: [{ name: 'workchatApi', required: true }],
		},
		execute: ask,
	});
	[service, other] = [await Recorder.start(), await Recorder.start()];
	const baseUrl = `http://127.0.0.1:${service.port}/prefix/`;
	engine = await Engine.start({
		credential: { apiKey: KEY, defaultInstanceGuid: INSTANCE, baseUrl },
	});
});
beforeEach(() => {
	for (const { requests } of [service, other]) requests.length = 0;
});
afterAll(async () => {
	for (const server of [service, other]) server.stop();
	standIns.delete(ASKER);
	await engine.stop();
});

/** What each request was refused with, if it was. */
async function refusalsOf(helper: Helper, requests: object[]): Promise<unknown[]> {
	asked = { helper, requests };
	const run = await engine.run({
		name: 'Test',
		nodes: [
			nodeOf(TRIGGER, 'n8n-nodes-base.manualTrigger'),
			nodeOf('Asker', ASKER, { credentials: { workchatApi: { id: '1', name: 'x' } } }),
		],
		connections: { [TRIGGER]: { main: [[{ node: 'Asker', type: 'main', index: 0 }]] } },
	});
	return outputOf(run, 'Asker').map(({ json }) => json.refusal);
}

/** Of a service at `a`, and another host `b`. */
const [a, b] = ['127.0.0.1:81', 'b.example:82'];
const below = (url: string) => ({ baseURL: `http://${a}`, url });
const ELSEWHERE: object[] = [
	{ url: `http://${b}/x` },
	{ url: 'http://localhost:81/x' },
	{ url: 'http://[::ffff:127.0.0.1]:81/x' },
	{ url: `http://${a}1/x` },
	{ url: `https://${a}/x` },
	{ url: `//${b}/x` },
	below(`//${b}/x`),
	below(`http:///${b}/x`),
	below(`http://${b}/x`),
	below(`/\t/${b}/x`),
	below(` //${b}/x`),
	below(`\0http://${b}/x`),
	{ url: `http:${b}/x` },
	{ url: `http://${a}@${b}/x` },
	{ url: `http://${a}\\@${b}/x` },
	{ url: `http://${b}\\@${a}/x` },
	{ url: ` http://${b}/x` },
	{ baseURL: `http://${b}`, url: `http://${a}/x` },
	{ baseURL: `http://${b}` },
	{ url: `http://${a}/x`, uri: `http://${b}/x` },
	{ url: null, uri: `http://${b}/x` },
	{ url: [`http://${b}/x`] },
	{ url: '/x' },
	{ url: '' },
	{ url: `blob:http://${a}/x` },
	{ url: `http://${a}/x`, proxy: `http://${b}` },
	{ url: `http://${a}/x`, proxy: { host: '127.0.0.1', port: 82 } },
	{ url: `http://${a}/x`, headers: { Host: 'example.com' } },
	{ url: `http://${a}/x`, headers: { ' HOST ': `${b}@${a}` } },
	{ url: `http://${a}/x`, headers: { Host: [a, b] } },
];
const OWN: object[] = [
	{ url: `http://${a}/x` },
	{ url: `http://${a}/prefix/x?y=z#w` },
	{ url: `HTTP://${a}/x` },
	{ url: 'http://0x7f.1:81/x' },
	{ url: `http://somebody:else@${a}/x` },
	below('/x'),
	below(`http://${a}/x`),
	{ baseURL: `http://${a}/x` },
	{ uri: `http://${a}/x` },
	{ url: `http://${a}/x`, headers: { host: a } },
	{ url: `http://${a}/x`, headers: { Host: undefined } },
	{ url: `http://${a}/x?name=a b` },
	{ url: `http://${a}/x`, proxy: false },
	{ url: `http://${a}/@${b}/x` },
	{ url: `http://${a}/?to=http://${b}/` },
];
const isRefused = (baseUrl: string, request: object) => {
	try {
		refuseOtherOrigin(request, { apiKey: KEY, baseUrl });
		return false;
	} catch (error) {
		expect((error as Error).message).toMatch(/^The Workchat API key is sent to \S+ only/);
		return true;
	}
};
test.each(ELSEWHERE.map((request) => [request]))('%j is refused', (request) => {
	expect(isRefused(`http://${a}/prefix`, request)).toBe(true);
});
test.each(OWN.map((request) => [request]))('%j goes to the service', (request) => {
	expect(isRefused(`http://${a}/prefix`, request)).toBe(false);
});
test.each([
	['https://example.com', 'https://example.com:443/x', true],
	['https://example.com:443/', 'https://EXAMPLE.com/x', true],
	['http://example.com:80', 'http://example.com/x', true],
	['https://bücher.example', 'https://xn--bcher-kva.example/x', true],
	['https://example.com', 'https://example.com./x', false],
	['https://example.com', 'http://example.com/x', false],
	['https://example.com', 'https://www.example.com/x', false],
	['https://example.com', 'https://\u0435xample.com/x', false],
	['https://example.com', 'https://example.com%2eexample.net/x', false],
])('with the Base URL %s, %s is its own: %p', (baseUrl, url, isOwn) => {
	expect(isRefused(baseUrl, { url })).toBe(!isOwn);
});

/** With every option that says to follow a redirect. */
const FOLLOWING = {
	method: 'GET',
	disableFollowRedirect: false,
	followRedirect: true,
	followAllRedirects: true,
	maxRedirects: 5,
	sendCredentialsOnCrossOriginRedirect: true,
};

describe.each(HELPERS)('%s', (helper) => {
	test('what goes to the service is sent with the key, and what goes elsewhere is not', async () => {
		const [ours, others] = [service, other].map(({ port }) => `http://127.0.0.1:${port}/x`);
		const requests = [{ url: ours }, { url: others }, { baseURL: others, url: ours }];
		const refused = expect.stringContaining(`sent to http://127.0.0.1:${service.port} only`);
		expect(await refusalsOf(helper, requests)).toEqual([undefined, refused, refused]);
		expect(service.requests.map(({ headers }) => headers['x-service-key'])).toEqual([KEY]);
		expect(other.requests).toEqual([]);
	});

	test.each([301, 303, 307])('a redirect by %i is not followed', async (status) => {
		const to = `http://127.0.0.1:${other.port}/x`;
		const url = `http://127.0.0.1:${service.port}/?status=${status}&to=${to}`;
		const post = { method: 'POST', body: { x: 1 }, url };
		await refusalsOf(helper, [{ method: 'GET', url }, post, { ...FOLLOWING, url }]);
		expect(service.requests).toHaveLength(3);
		expect(other.requests).toEqual([]);
	});
});

test.each([
	['https://me:secret@example.com/a/', 'https://example.com/a', 'https://me:secret@example.com/a'],
	['HTTPS://EXAMPLE.com:443', 'HTTPS://EXAMPLE.com:443', 'https://example.com/'],
])('the address %s is shown as %s, and is the same as %s', (baseUrl, shown, address) => {
	const credential = checkedCredential({ apiKey: KEY, baseUrl });
	expect([shownBaseUrl(credential), addressOf(credential)]).toEqual([shown, address]);
});
