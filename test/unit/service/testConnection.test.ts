import '../../../dev/engine/coreEnvironment';

import { setTimeout as wait } from 'node:timers/promises';

import { CredentialTestContext } from 'n8n-core';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { WorkchatApi } from '../../../credentials/WorkchatApi.credentials';
import { Workchat } from '../../../nodes/Workchat/Workchat.node';
import { useOwnServer } from '../../support/ownServer';
import { KEY } from '../../support/setup';
import { within } from '../../support/turns';

/** The service's response; with `nothing`, it closes the connection. */
type Served = { status?: number; headers?: Record<string, string>; body?: string } | 'nothing';

const PROBE = ['POST', '/workchat/files/wx-download', KEY, 'application/json', '2'];
const OK = {
	status: 'OK',
	message: 'The Workchat service answered and did not refuse the API key',
};
const CHECK_KEY = /Check the API key in the Workchat credential\.$/;
const CHECK_BASE_URL = /Check the Base URL in the Workchat credential, also .* https:.* http:/;
const SERVICE = 'https://workchat.example.com';
const ENTER_KEY = /enter the API key from the Workchat console\.$/;
const ENTER_BASE_URL = /enter the address of the service as Base URL\.$/;

const own = useOwnServer();
afterEach(() => jest.restoreAllMocks());

/** The result of the credential's Test button. */
async function testCredential(credential: ICredentialDataDecryptedObject) {
	const { description, methods } = new Workchat();
	const testedBy = description.credentials?.[0]?.testedBy as keyof typeof methods.credentialTest;
	const result = await methods.credentialTest[testedBy].call(new CredentialTestContext(), {
		id: '1',
		name: 'Workchat account',
		type: 'workchatApi',
		data: { apiKey: KEY, baseUrl: own.url, ...credential },
	});
	expect(result.message).not.toContain(KEY);
	return result;
}

async function testServed(served: Served, credential: ICredentialDataDecryptedObject = {}) {
	const received: unknown[] = [];
	own.answer = ({ key }, response, { method, url, headers, socket }) => {
		received.push([method, url, key, headers['content-type'], headers['content-length']]);
		if (served === 'nothing') return void socket.destroy();
		response.writeHead(served.status ?? 200, served.headers).end(served.body);
	};
	const result = await testCredential(credential);
	const { apiKey } = credential;
	expect(received).toEqual([PROBE.with(2, typeof apiKey === 'number' ? String(apiKey) : KEY)]);
	return result;
}

/** The message of an error. */
async function errorOf(result: ReturnType<typeof testCredential>): Promise<string> {
	const { status, message } = await result;
	expect(status).toBe('Error');
	return message;
}

const envelope = (message: unknown, code = 40002) =>
	JSON.stringify({ ok: code === 0, code, message, request_id: 'svc_fake', data: null });

test('the credential has no test of its own beside the one of the node', () => {
	expect(new WorkchatApi()).not.toHaveProperty('test');
});

test('a valid credential passes, also with pasted invisible characters', async () => {
	const body = envelope('the API key is authorized', 0);
	expect(await testServed({ body })).toEqual(OK);
	const baseUrl = ` \u2060${own.url.replace('http', 'HTTP')}\u00ad/// `;
	expect(await testServed({ body }, { apiKey: Number.MAX_SAFE_INTEGER })).toEqual(OK);
	const pasted = { apiKey: `\u200b ${KEY}\ufeff\r\n`, baseUrl };
	expect(await testServed({ body }, pasted)).toEqual(OK);
});

// Refusals for the missing fields of the test request prove nothing about the key.
const ABOUT_FIELDS = `fileAuthkey is invalid | File AES key is invalid | KeyError: fileUrl
	| instance_guid "monkey" is not online | missing required key 'instance_guid'
	| "fileUrl" is not allowed to be empty | invalid JSON: unexpected token } | 参数验证失败
	| file url expired | instance access denied | 请先登录控制台获取 instance_guid
	| log in to the console to get a fileUrl`;
test.each(ABOUT_FIELDS.split(/\s*\| /))(
	'a key passes if the service only says %j',
	async (said) => {
		const body = envelope(said);
		for (const status of [200, 400, 401, 403, 404])
			expect(await testServed({ status, body })).toEqual(OK);
	},
);

const ABOUT_KEY = `x_api_key is missing | X-Service-Key is missing | key disabled, key not valid
	| No such key | invalid token | token is required | Unauthorized | AUTHENTICATION_FAILED
	| Forbidden | session expired | please log in | 无效的密钥 | 未授权 | 未登录 | 请先登录 | 签名验证失败
	| apikey错误 | 身份验证失败`;
test.each(ABOUT_KEY.split(/\s*\| /))('a key does not pass if the service says %j', async (said) => {
	for (const status of [200, 400]) {
		const message = await errorOf(testServed({ status, body: envelope(said) }));
		expect(message).toContain(`The Workchat service refused: ${said} (code 40002, `);
		expect(message).toMatch(CHECK_KEY);
	}
});

test.each<[string, Served, RegExp, RegExp]>([
	['a code 401', { body: envelope(undefined, 401) }, /accept the API key \(code 401/, CHECK_KEY],
	['an echo of it', { status: 401, body: envelope(`no ${KEY}`) }, /refused: no \*\*\*/, CHECK_KEY],
	['HTTP 403 and words', { status: 403, body: envelope('no') }, /refused: no/, CHECK_KEY],
	['HTTP 404', { status: 404, body: '{"error":"no"}' }, /this address: no/, CHECK_BASE_URL],
	['a closed connection', 'nothing', /closed the connection .* Check the Base URL/, CHECK_BASE_URL],
	[
		'a redirect that is not followed',
		{ status: 308, headers: { location: '/x?token=secret-token' }, body: envelope('success', 0) },
		/redirects to \/x\. The redirect was not followed/,
		/use it as the Base URL in the Workchat credential\.$/,
	],
])('the dialog shows an error with advice after %s', async (_, reply, says, advises) => {
	const message = await errorOf(testServed(reply));
	expect(message).toMatch(says);
	expect(message).toMatch(advises);
	expect(message).not.toContain('secret-token');
});

test.each([
	['body', 'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n'],
	['head', 'HTTP/1.1 200 OK\r\nX: '],
])('the dialog does not wait for ever for a %s that never ends', async (_, beginning) => {
	const clock = performance.now.bind(performance);
	let requestedAt = Infinity;
	// So that 15 seconds are over in a moment, once the request has come.
	jest
		.spyOn(performance, 'now')
		.mockImplementation(() => clock() + 100 * Math.max(0, clock() - requestedAt));
	own.answer = async (__, { socket }) => {
		requestedAt = clock();
		for (socket!.write(beginning); !socket!.closed; await wait(20)) socket!.write(' ');
	};
	const message = await errorOf(within(500, testCredential({})));
	expect(message).toMatch(/did not answer in time\. Check the Base URL/);
});

test.each([
	[{ baseUrl: ' \n\u200b' }, /The Base URL is missing\./],
	[{ baseUrl: 'workchat.example.com' }, /does not begin with https:\/\/ or http:\/\/\./],
	[{ baseUrl: 'https://:' }, /is not the address of a service\./],
	[{ baseUrl: 'https：//example.com' }, /contains "：", which is not allowed in a URL\./],
	[{ baseUrl: "'https://example.com'" }, /contains "'", which/],
	[{ baseUrl: `${SERVICE}/a b` }, /contains " ", which/],
	[{ baseUrl: `${SERVICE}/?key=${KEY}` }, /has to end before "\?"\./],
	[{ baseUrl: `${SERVICE}/workchat/files/wx-download` }, /has to end before "\/workchat\/files"\./],
	[{ apiKey: '\ufeff' }, /has no API key\./],
	[{ apiKey: `"${KEY}"` }, /is in quotes\./],
	[{ apiKey: `“${KEY}”` }, /is in quotes\./],
	[{ apiKey: KEY.replace('-', '\n') }, /contains characters that cannot be sent\./],
])('the dialog refuses %j, and nothing is sent', async (credential, says) => {
	const message = await errorOf(testCredential(credential));
	expect(message).toMatch(says);
	expect(message).toMatch('apiKey' in credential ? ENTER_KEY : ENTER_BASE_URL);
	expect(own.requests).toEqual([]);
});
