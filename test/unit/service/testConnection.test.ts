import '../../../dev/engine/coreEnvironment';

import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { CredentialTestContext } from 'n8n-core';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { WorkchatApi } from '../../../credentials/WorkchatApi.credentials';
import { stopSshTimer } from '../../../dev/engine/olderVersions';
import { Workchat } from '../../../nodes/Workchat/Workchat.node';
import { startSandbox, type Sandbox } from '../../../dev/sandbox/server';
import { selfSigned } from '../../support/certificate';
import { closedPort } from '../../support/ownServer';
import { KEY } from '../../support/setup';

/** What the server below answers. */
interface Served {
	status?: number;
	headers?: Record<string, string>;
	body?: string;
}

const PROBE = 'POST /workchat/files/wx-download {}';
const HTML = '<!doctype html><title>Sorry</title>';
const OK = {
	status: 'OK',
	message: 'The Workchat service answered and did not refuse the API key',
};
const CHECK_KEY = /Check the API key in the Workchat credential\.$/;
const CHECK_BASE_URL = /Check the Base URL in the Workchat credential, also .* https:.* http:/;
const SERVICE = 'https://workchat.example.com';
const ENTER_KEY = /enter the API key from the Workchat console\.$/;
const ENTER_BASE_URL = /enter the address of the service as Base URL\.$/;

let sandbox: Sandbox;
let served: Served;
/** Method, path and body of what the server below received. */
const received: string[] = [];
const server = createServer((request, response) => {
	void request.toArray().then((chunks: Buffer[]) => {
		received.push(`${request.method} ${request.url} ${Buffer.concat(chunks).toString()}`);
		const { status = 200, headers = {}, body = '' } = served;
		response.writeHead(status, headers).end(body);
	});
});
const secure = createTlsServer(() => void received.push('https'));
let serverUrl: string;
let secureUrl: string;

beforeAll(async () => {
	stopSshTimer();
	sandbox = await startSandbox({ key: KEY });
	serverUrl = `http://127.0.0.1:${await listen(server)}`;
	secure.setSecureContext(await selfSigned());
	secureUrl = `https://localhost:${await listen(secure)}`;
});
beforeEach(() => sandbox.reset());
afterAll(async () => {
	await stop(server);
	await stop(secure);
	await sandbox.stop();
});

async function listen(which: Server): Promise<number> {
	await new Promise<void>((resolve) => which.listen(0, '127.0.0.1', resolve));
	return (which.address() as AddressInfo).port;
}

async function stop(which: Server): Promise<void> {
	await new Promise((resolve) => {
		which.close(resolve);
		which.closeAllConnections();
	});
}

/** What the Test button of a credential shows, by the function that n8n finds for it. */
async function press(credential: ICredentialDataDecryptedObject = {}) {
	const { description, methods } = new Workchat();
	const testedBy = description.credentials?.[0]?.testedBy as keyof typeof methods.credentialTest;
	const data = { apiKey: KEY, baseUrl: sandbox.url, ...credential };
	const result = await methods.credentialTest[testedBy].call(new CredentialTestContext(), {
		id: '1',
		name: 'Workchat account',
		type: 'workchatApi',
		data,
	});
	expect(result.message).not.toContain(KEY);
	return result;
}

async function pressServed(reply: Served) {
	served = reply;
	received.length = 0;
	const result = await press({ baseUrl: serverUrl });
	expect(received).toEqual([PROBE]);
	return result;
}

/** The message of an error. */
async function errorOf(result: ReturnType<typeof press>): Promise<string> {
	const { status, message } = await result;
	expect(status).toBe('Error');
	return message;
}

function envelope(message: unknown, code = 40002): string {
	return JSON.stringify({ ok: code === 0, code, message, request_id: 'svc_fake', data: null });
}

test('nothing but the function of the node tests the credential', () => {
	expect(new WorkchatApi()).not.toHaveProperty('test');
});

describe('a credential that works', () => {
	test.each<[string, (url: string) => ICredentialDataDecryptedObject]>([
		['as it should be', () => ({})],
		['with trailing slashes', (url) => ({ baseUrl: `${url}///` })],
		['with spaces around the Base URL', (url) => ({ baseUrl: ` ${url} ` })],
		['with the scheme in capitals', (url) => ({ baseUrl: url.replace('http', 'HTTP') })],
		['with spaces around the key', () => ({ apiKey: ` ${KEY} ` })],
		['with a line break after the key', () => ({ apiKey: `${KEY}\r\n` })],
	])('is OK %s, and does nothing', async (_, credential) => {
		expect(await press(credential(sandbox.url))).toEqual(OK);
		const requests = sandbox.requests.map(({ method, url, rawBody }) => [method, url, rawBody]);
		expect(requests.map((request) => request.join(' '))).toEqual([PROBE]);
		expect(sandbox.requests[0]).toMatchObject({
			isAccepted: false,
			headers: { 'x-service-key': KEY, 'content-type': 'application/json' },
		});
		expect(sandbox.messages).toHaveLength(0);
	});

	// Words about the fields of the request, which has none, say nothing of the key.
	test.each([
		[undefined],
		['fileAuthkey is invalid'],
		['File AES key is invalid'],
		['instance_guid "monkey" is not online'],
		["missing required key 'instance_guid'"],
		['KeyError: fileUrl'],
		['"fileUrl" is not allowed to be empty'],
		['invalid JSON: unexpected token }'],
	])('is OK where the service says %j of the empty request', async (said) => {
		const body = said === undefined ? envelope('success', 0) : envelope(said);
		for (const status of [200, 400]) expect(await pressServed({ status, body })).toEqual(OK);
	});
});

describe('a key that is refused', () => {
	test('is an error that says so', async () => {
		expect(await errorOf(press({ apiKey: 'another' }))).toMatch(
			/^The Workchat service does not accept the API key: API key is missing or not valid \(code 40101, HTTP 401, request ID svc_\w+\)\. Check the API key in the Workchat credential\.$/,
		);
		expect(sandbox.requests).toHaveLength(1);
	});

	test.each<[string, Served, RegExp]>([
		['a code 401', { body: envelope(undefined, 401) }, /does not accept the API key \(code 401,/],
		[
			'HTTP 403 with an envelope',
			{ status: 403, body: envelope('not you') },
			/does not allow this with the API key: not you \(code 40002, HTTP 403, request ID svc_fake\)\./,
		],
		['HTTP 401 without words', { status: 401 }, /does not accept the API key \(HTTP 401\)\./],
	])('by %s is an error', async (_, reply, says) => {
		const message = await errorOf(pressServed(reply));
		expect(message).toMatch(says);
		expect(message).toMatch(CHECK_KEY);
	});

	test.each([
		['x_api_key is missing'],
		['X-Service-Key is missing'],
		['key disabled, key not valid'],
		['No such key'],
		['invalid token'],
		['token is required'],
		['fileAuthkey is required, and the API key is invalid'],
		['Unauthorized'],
		['AUTHENTICATION_FAILED'],
		['Forbidden'],
		['session expired'],
		['please log in'],
		['无效的密钥'],
		['未授权'],
		['未登录'],
		['签名错误'],
	])('in the words %j is an error', async (said) => {
		for (const status of [200, 400]) {
			const message = await errorOf(pressServed({ status, body: envelope(said) }));
			expect(message).toContain(
				`The Workchat service does not accept the API key: ${said} (code 40002, `,
			);
			expect(message).toMatch(CHECK_KEY);
		}
	});
});

describe('an address that is not the service', () => {
	const elsewhere = { location: 'https://other.example.com/path?token=secret-token' };
	const REDIRECT =
		/redirects to https:\/\/other\.example\.com\/path, which is not followed.* use it as the Base URL/;

	test.each<[string, Served, RegExp]>([
		['HTTP 401 with a page', { status: 401, body: HTML }, /a web page came instead \(HTTP 401\)\./],
		['HTTP 404', { status: 404, body: HTML }, /does not know this address \(HTTP 404\)\./],
		[
			'HTTP 404 with an envelope',
			{ status: 404, body: envelope('no such path') },
			/does not know this address: no such path \(code 40002, HTTP 404, /,
		],
		['an HTML page', { body: HTML }, /a web page instead of a Workchat answer/],
		['JSON that is no envelope', { body: '{"status":"up"}' }, /something else instead of a Work/],
	])('(%s) is an error about the Base URL', async (_, reply, says) => {
		const message = await errorOf(pressServed(reply));
		expect(message).toMatch(says);
		expect(message).toMatch(CHECK_BASE_URL);
	});

	test.each<[string, Served]>([
		['301', { status: 301, headers: elsewhere }],
		['302 with an envelope', { status: 302, headers: elsewhere, body: envelope('success', 0) }],
	])('(redirect %s) is an error that names the target', async (_, reply) => {
		const message = await errorOf(pressServed(reply));
		expect(message).toMatch(REDIRECT);
		expect(message).not.toContain('secret-token');
	});

	test('a redirect is not followed', async () => {
		const { message } = await pressServed({
			status: 308,
			headers: { location: `${serverUrl}/x?y` },
		});
		expect(message).toContain(`redirects to ${serverUrl}/x, which`);
	});
});

test.each<[string, () => string | Promise<string>, RegExp]>([
	[
		'a closed port',
		async () => `http://127.0.0.1:${await closedPort()}`,
		/could not be reached: connect ECONNREFUSED/,
	],
	['an unknown host', () => 'https://workchat.invalid', /could not be reached: getaddrinfo/],
	[
		'https:// to an http port',
		() => sandbox.url.replace('http:', 'https:'),
		/could not be reached: .*wrong version number.* right one of https:/,
	],
	[
		'http:// to an https port',
		() => secureUrl.replace('https:', 'http:'),
		/closed the connection .* Check the Base URL/,
	],
	['a self-signed certificate', () => secureUrl, /could not be reached: self-signed certificate/],
])('%s is an error that says what to do', async (_, baseUrl, says) => {
	received.length = 0;
	const message = await errorOf(press({ baseUrl: await baseUrl() }));
	expect(message).toMatch(/^The Workchat service /);
	expect(message).toMatch(says);
	expect([received, sandbox.requests]).toEqual([[], []]);
});

test.each([
	[{ baseUrl: '' }, /has no Base URL\./],
	[{ baseUrl: ' \n\u200b' }, /has no Base URL\./],
	[{ baseUrl: 'workchat.example.com' }, /does not begin with https:\/\/ or http:\/\/\./],
	[{ baseUrl: 'https://work chat' }, /is not the address of a service\./],
	[{ baseUrl: `${SERVICE}\\x` }, /is not the address of a service\./],
	[{ baseUrl: `${SERVICE}/a b` }, /is not the address of a service\./],
	[{ baseUrl: `${SERVICE}/\tx` }, /holds U\+0009, an invisible character\./],
	[{ baseUrl: `${SERVICE}/\u00a0x` }, /holds U\+00A0, an invisible character\./],
	[{ baseUrl: `${SERVICE}/?key=${KEY}` }, /alone: it goes on with "\?"\./],
	[{ baseUrl: `${SERVICE}/workchat/files/wx-download` }, /goes on with "\/workchat\/files"\./],
	[{ baseUrl: `${SERVICE}/#/login` }, /goes on with "#"\./],
	[{ apiKey: '\ufeff' }, /has no API key\./],
	[{ apiKey: 5 as never }, /has no API key\./],
	[{ apiKey: KEY.replace('-', '\n') }, /holds U\+000A, an invisible character\./],
	[{ apiKey: `“${KEY}”` }, /holds characters that cannot be sent\./],
])('%j is not complete: an error, and nothing is sent', async (credential, says) => {
	const message = await errorOf(press(credential));
	expect(message).toMatch(says);
	expect(message).toMatch('apiKey' in credential ? ENTER_KEY : ENTER_BASE_URL);
	expect(sandbox.requests).toHaveLength(0);
});

test('what the eye does not see around key and address does no harm', async () => {
	const credential = { apiKey: `\u200b${KEY}\ufeff `, baseUrl: `\u2060${sandbox.url}\u00ad/` };
	expect(await press(credential)).toEqual(OK);
});
