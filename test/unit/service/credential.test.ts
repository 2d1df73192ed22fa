import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { type IDataObject, type IExecuteFunctions } from 'n8n-workflow';

import { Engine } from '../../../dev/engine/engine';
import { outputOf } from '../../../dev/engine/outputOf';
import { standIns } from '../../../dev/engine/standIns';
import { INSTANCE, KEY, nodeOf, resultOf, SEND, TRIGGER, workflowOf } from '../../support/setup';

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

type Options = Partial<Record<'url' | 'uri' | 'baseURL', unknown>> & Record<string, unknown>;
/** @param a the service, @param b another host */
type Case = [string, (a: string, b: string) => Options];

const ELSEWHERE: Case[] = [
	['another port', (_, b) => ({ url: `http://${b}/x` })],
	['another name of the same machine', (a) => ({ url: `http://localhost:${a.split(':')[1]}/x` })],
	['another scheme', (a) => ({ url: `https://${a}/x` })],
	['an address in IPv6', (a) => ({ url: `http://[::ffff:127.0.0.1]:${a.split(':')[1]}/x` })],
	['no scheme', (_, b) => ({ url: `//${b}/x` })],
	['no scheme below the Base URL', (a, b) => ({ baseURL: `http://${a}`, url: `//${b}/x` })],
	['a scheme with three slashes', (a, b) => ({ baseURL: `http://${a}`, url: `http:///${b}/x` })],
	['a scheme without a slash', (_, b) => ({ url: `http:${b}/x` })],
	['the service as user info', (a, b) => ({ url: `http://${a}@${b}/x` })],
	['a backslash after the service', (a, b) => ({ url: `http://${a}\\@${b}/x` })],
	['a backslash after another host', (a, b) => ({ url: `http://${b}\\@${a}/x` })],
	['a tab between slashes', (a, b) => ({ baseURL: `http://${a}`, url: `/\t/${b}/x` })],
	['a space before slashes', (a, b) => ({ baseURL: `http://${a}`, url: ` //${b}/x` })],
	['a null before the URL', (a, b) => ({ baseURL: `http://${a}`, url: `\0http://${b}/x` })],
	['a space before the URL', (_, b) => ({ url: ` http://${b}/x` })],
	['another base for the service', (a, b) => ({ baseURL: `http://${b}`, url: `http://${a}/x` })],
	['another URL below', (a, b) => ({ baseURL: `http://${a}`, url: `http://${b}/x` })],
	['another base alone', (_, b) => ({ baseURL: `http://${b}` })],
	['another uri beside the url', (a, b) => ({ url: `http://${a}/x`, uri: `http://${b}/x` })],
	['a url that is null beside another uri', (_, b) => ({ url: null, uri: `http://${b}/x` })],
	['a list', (_, b) => ({ url: [`http://${b}/x`] })],
	['a path alone', () => ({ url: '/x' })],
	['an empty URL', () => ({ url: '' })],
	['a proxy', (a, b) => ({ url: `http://${a}/x`, proxy: `http://${b}` })],
	[
		'a proxy in parts',
		(a, b) => ({
			url: `http://${a}/x`,
			proxy: { host: '127.0.0.1', port: Number(b.split(':')[1]) },
		}),
	],
	['another Host', (a) => ({ url: `http://${a}/x`, headers: { Host: 'example.com' } })],
	['a Host with user info', (a, b) => ({ url: `http://${a}/x`, headers: { HOST: `${b}@${a}` } })],
	['several Hosts', (a, b) => ({ url: `http://${a}/x`, headers: { Host: [a, b] } })],
	['a longer port', (a) => ({ url: `http://${a}1/x` })],
];

const OWN: Case[] = [
	['another path', (a) => ({ url: `http://${a}/x` })],
	['a path below the Base URL', (a) => ({ url: `http://${a}/prefix/x?y=z#w` })],
	['upper case', (a) => ({ url: `HTTP://${a}/x` })],
	['another way to write the address', (a) => ({ url: `http://0x7f.1:${a.split(':')[1]}/x` })],
	['a path below a base', (a) => ({ baseURL: `http://${a}`, url: '/x' })],
	['a base alone', (a) => ({ baseURL: `http://${a}/x` })],
	['a URL and its base', (a) => ({ baseURL: `http://${a}`, url: `http://${a}/x` })],
	['a uri', (a) => ({ uri: `http://${a}/x` })],
	['its own Host', (a) => ({ url: `http://${a}/x`, headers: { host: a } })],
	['no Host at all', (a) => ({ url: `http://${a}/x`, headers: { Host: undefined } })],
	['a space in the query', (a) => ({ url: `http://${a}/x?name=a b` })],
	['no proxy', (a) => ({ url: `http://${a}/x`, proxy: false })],
	['an @ in the path', (a, b) => ({ url: `http://${a}/@${b}/x` })],
	['another address in the query', (a, b) => ({ url: `http://${a}/?to=http://${b}/` })],
];

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
	const addresses = () => [`127.0.0.1:${service.port}`, `127.0.0.1:${other.port}`] as const;
	const requestsOf = (cases: Case[]) =>
		cases.map(([, optionsOf]) => ({
			method: 'POST',
			body: { x: 1 },
			...optionsOf(...addresses()),
		}));

	test('what goes elsewhere is refused, and nobody gets the key', async () => {
		const refusals = await refusalsOf(helper, requestsOf(ELSEWHERE));
		const refusal = expect.stringContaining(
			`The Workchat API key is sent to http://127.0.0.1:${service.port} only`,
		) as unknown;
		expect(refusals.map((text, index) => [ELSEWHERE[index]?.[0], text])).toEqual(
			ELSEWHERE.map(([name]) => [name, refusal]),
		);
		expect([...service.requests, ...other.requests].map(({ url }) => url)).toEqual([]);
	});

	test('what goes to the service is sent with the key', async () => {
		const isKnown = (request: object) =>
			helper === 'requestWithAuthentication' || 'url' in request || !('uri' in request);
		const requests = requestsOf(OWN).filter(isKnown);
		expect(await refusalsOf(helper, requests)).toEqual(requests.map(() => undefined));
		expect(service.requests.map(({ headers }) => headers['x-service-key'])).toEqual(
			requests.map(() => KEY),
		);
		expect(other.requests).toEqual([]);
	});

	test.each([301, 302, 303, 307, 308])('a redirect by %i is not followed', async (status) => {
		const [a, b] = addresses();
		const url = `http://${a}/?status=${status}&to=http://${b}/x`;
		const post = { method: 'POST', body: { x: 1 }, url };
		await refusalsOf(helper, [{ method: 'GET', url }, post, { ...FOLLOWING, url }]);
		expect(service.requests).toHaveLength(3);
		expect(other.requests).toEqual([]);
	});
});

describe('a Base URL', () => {
	test.each<[string, (a: string) => string]>([
		['in upper case', (a) => `HTTP://${a}`],
		['with user info', (a) => `http://somebody:secret@${a}`],
		['with a path', (a) => `http://${a}/prefix/`],
		['with another way to write the address', (a) => `http://0x7f.1:${a.split(':')[1]}`],
	])('%s is the address of our own requests', async (_, baseUrlOf) => {
		const baseUrl = baseUrlOf(`127.0.0.1:${service.port}`);
		const credential = { apiKey: KEY, defaultInstanceGuid: INSTANCE, baseUrl };
		const ours = await Engine.start({ credential });
		const { error } = resultOf(await ours.run(workflowOf([{ toId: 'customer' }], SEND)));
		expect(service.requests.map(({ headers }) => headers['x-service-key'])).toEqual([KEY]);
		// Its answer is no envelope, but it came.
		expect(error?.message).toMatch(/instead of a Workchat answer/);
	});
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
	['https://example.com', 'blob:https://example.com/x', false],
])('with the Base URL %s, %s is its own: %p', async (baseUrl, url, isOwn) => {
	const { credentialsHelper } = engine;
	const authenticated = credentialsHelper.authenticate({ apiKey: KEY, baseUrl }, 'workchatApi', {
		url,
	});
	if (isOwn)
		await expect(authenticated).resolves.toMatchObject({ url, disableFollowRedirect: true });
	else await expect(authenticated).rejects.toThrow('The Workchat API key is sent to');
});
