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
	test.each<[string, unknown[]]>([
		['a success', [undefined]],
		['no words', [null, { fileUrl: 'is missing' }]],
		['a field that has "key" in its name', ['authkey is required', 'fileAuthkey is invalid']],
		[
			'such a field in words',
			['File AES key is invalid', 'authorization key of the file is required'],
		],
		['such a field in Chinese', ['文件密钥无效', '文件授权key不能为空']],
		['a word with "key" in it', ['instance_guid "monkey" is not online']],
		['keys of JSON', ["missing required key 'instance_guid'", 'Bad Request: missing key fileUrl']],
		['JSON that cannot be read', ['KeyError: fileUrl', 'invalid JSON: unexpected token }']],
		['what is not allowed', ['"fileUrl" is not allowed to be empty']],
		['an instance that is not logged in', ['instance not logged in', '实例未登录']],
	])('is OK where the service speaks of %s', async (_, said) => {
		for (const words of said) {
			const body = words === undefined ? envelope('success', 0) : envelope(words);
			for (const status of [200, 400]) expect(await pressServed({ status, body })).toEqual(OK);
		}
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
		['HTTP 401', { status: 401, body: HTML }, /the API key \(HTTP 401\)\. .* Check the Base URL/],
		[
			'a code 401 without words',
			{ body: '{"ok":false,"code":401,"request_id":"svc_fake"}' },
			/perhaps does not accept the API key \(code 401, request ID svc_fake\)\./,
		],
		[
			'HTTP 403 with an envelope',
			{ status: 403, body: envelope('not you') },
			/does not allow this with the API key: not you \(code 40002, HTTP 403, request ID svc_fake\)\./,
		],
	])('by %s is an error', async (_, reply, says) => {
		const message = await errorOf(pressServed(reply));
		expect(message).toMatch(says);
		expect(message).toContain('Check the API key in the Workchat credential.');
	});

	test.each([
		['its names', ['x_api_key is missing', 'apikey error', 'X-Service-Key is missing']],
		['what is wrong with it', ['KEY_EXPIRED', 'key disabled', 'key does not match', 'No such key']],
		['more of that', ['the key you sent is not valid', 'auth_key not found', 'unrecognized key']],
		[
			'tokens',
			['invalid token', 'malformed token', 'InvalidToken', 'token 已过期', 'AppKey invalid'],
		],
		['no token', ['token is required', 'No token provided', '缺少token', 'token不能为空']],
		['the other keys, too', ['fileAuthkey is required, and the API key is invalid']],
		['authorization', ['Unauthorized', 'not authorised', 'Authentication required', 'AUTH_FAILED']],
		['permission', ['invalid credentials', 'Forbidden', 'no permission', 'access denied']],
		[
			'a login',
			['please log in', 'session expired', '未登录', '请先登录', '登录超时', '会话已过期'],
		],
		['a key in Chinese', ['无效的密钥', '密匙错误', '密鑰錯誤', '令牌已失效', '凭据无效']],
		['more of that in Chinese', ['密钥校验失败', '密钥不匹配', '密钥已停用', '签名错误']],
		['permission in Chinese', ['鉴权失败', '权限不足', '權限不足']],
	])('in words about %s is an error', async (_, all) => {
		for (const said of all) {
			for (const status of [200, 400]) {
				const message = await errorOf(pressServed({ status, body: envelope(said) }));
				expect(message).toContain(
					`The Workchat service does not accept the API key: ${said} (code 40002, `,
				);
				expect(message).toMatch(CHECK_KEY);
			}
		}
	});
});

describe('an address that is not the service', () => {
	const elsewhere = { location: 'https://other.example.com/path?token=secret-token' };
	const REDIRECT =
		/redirects to https:\/\/other\.example\.com\/path, which is not followed.* use it as the Base URL/;

	test.each<[string, Served, RegExp]>([
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
		/could not be reached\. Check the address and that the service is online/,
	],
	[
		'an unknown host',
		() => 'https://workchat.invalid',
		/has an address that could not be found\. Check the address for typing errors/,
	],
	[
		'https:// to an http port',
		() => sandbox.url.replace('http:', 'https:'),
		/does not speak https\. Check whether .* http:\/\/ instead of https:/,
	],
	[
		'http:// to an https port',
		() => secureUrl.replace('https:', 'http:'),
		/closed the connection .* Check the Base URL/,
	],
	[
		'a self-signed certificate',
		() => secureUrl,
		/has a security certificate that n8n does not trust\. .*renew its certificate/,
	],
])('%s is an error that says what to do', async (_, baseUrl, says) => {
	received.length = 0;
	const message = await errorOf(press({ baseUrl: await baseUrl() }));
	expect(message).toMatch(/^The Workchat service /);
	expect(message).toMatch(says);
	expect([received, sandbox.requests]).toEqual([[], []]);
});

describe('a credential that is not complete', () => {
	const NO_ADDRESS = /is not the address of a service\./;
	const NO_SCHEME = /does not begin with https:\/\/ or http:\/\/\./;
	const NOT_ALLOWED = /characters that are not allowed in an API key\./;
	const LEAVE_OUT = /leave that out of the Base URL/;
	const PASTE_AGAIN = /Paste the API key into the Workchat credential again/;
	const SERVICE = 'https://workchat.example.com';

	test.each([
		['', { baseUrl: '' }, /has no Base URL\./, ENTER_BASE_URL],
		['blank', { baseUrl: ' \n' }, /has no Base URL\./, ENTER_BASE_URL],
		['without scheme', { baseUrl: 'workchat.example.com' }, NO_SCHEME, ENTER_BASE_URL],
		['another scheme', { baseUrl: 'ftp://workchat.example.com' }, NO_SCHEME, ENTER_BASE_URL],
		['no host name', { baseUrl: 'https://work chat' }, NO_ADDRESS, ENTER_BASE_URL],
		['a backslash', { baseUrl: `${SERVICE}\\x` }, NO_ADDRESS, ENTER_BASE_URL],
		['a space', { baseUrl: `${SERVICE}/a b` }, NO_ADDRESS, ENTER_BASE_URL],
		['a tab', { baseUrl: `${SERVICE}/\tx` }, NO_ADDRESS, ENTER_BASE_URL],
		['a query', { baseUrl: `${SERVICE}/?key=${KEY}` }, /goes on with "\?…"\./, LEAVE_OUT],
		[
			'an endpoint',
			{ baseUrl: `${SERVICE}/workchat/files/wx-download` },
			/goes on with "\/workchat\/files\/wx-download"\./,
			LEAVE_OUT,
		],
		['a fragment', { baseUrl: `${SERVICE}/#/login` }, /goes on with "#\/login"\./, LEAVE_OUT],
		['', { apiKey: '' }, /has no API key\./, /enter the API key from the Workchat/],
		['a line break', { apiKey: KEY.replace('-', '\n') }, NOT_ALLOWED, PASTE_AGAIN],
		['quotes of a word processor', { apiKey: `“${KEY}”` }, NOT_ALLOWED, PASTE_AGAIN],
	])('(%s: %j) is an error, and nothing is sent', async (_, credential, says, advises) => {
		const message = await errorOf(press(credential));
		expect(message).toMatch(says);
		expect(message).toMatch(advises);
		expect(sandbox.requests).toHaveLength(0);
	});
});
