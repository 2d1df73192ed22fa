import dns from 'node:dns';
import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import tls from 'node:tls';

import { NodeApiError, type INode } from 'n8n-workflow';

import { isOlder } from '../../../../dev/engine/coreVersion';
import { networkFailure } from '../../../../nodes/Workchat/service/failure/networkFailure';
import { selfSigned } from '../../../support/certificate';
import { CONTINUE } from '../../../support/messages';
import { useOwnServer } from '../../../support/ownServer';
import { recipients, resultOf, SEND, workflowOf } from '../../../support/setup';
import { stopClockWhileBusy } from '../../../support/turns';
import { about } from '../../../support/about';

/** A request that is `notSent` is sent again. So this outcome needs a proof that nothing arrived. */

const EARLY = 'Client network socket disconnected before secure TLS connection was established';
const ssl = (reason: string) => `write EPROTO 0:error:${reason}:../deps/openssl:`;
const SSL = ssl('wrong version number');
const CERTIFICATES =
	'CERT_HAS_EXPIRED DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN HOSTNAME_MISMATCH UNABLE_TO_VERIFY_LEAF_SIGNATURE ERR_TLS_CERT_ALTNAME_INVALID';
const LOST = 'ETIMEDOUT ECONNABORTED ECONNRESET EWHATEVER';
const codes = (all: string, outcome: string, transient: boolean) =>
	all.split(' ').map((code): [object, string, boolean] => [{ code }, outcome, transient]);
test.each<[object, string, boolean]>([
	...codes(CERTIFICATES, 'notSent', false),
	...codes(LOST, 'unknown', true),
	[{ name: 'SsrfBlockedIpError' }, 'notSent', false],
	[{ code: 'EPROTO', message: SSL }, 'notSent', false],
	[{ code: 'EPROTO', message: 'read EPROTO: wrong version number' }, 'unknown', true],
	[{ code: 'EHOSTUNREACH', syscall: 'connect' }, 'notSent', true],
	[{ code: 'EHOSTUNREACH', syscall: 'read' }, 'unknown', true],
	[{ code: 'EAI_AGAIN', syscall: 'getaddrinfo' }, 'notSent', true],
	[{ message: 'getaddrinfo ENOTFOUND example.com' }, 'notSent', true],
	[{ code: 'ECONNRESET', message: EARLY }, 'notSent', true],
	[{ request: { socket: { secureConnecting: true } } }, 'notSent', true],
	[{ request: { socket: { secureConnecting: false, _bytesDispatched: 5 } } }, 'unknown', true],
	[{ request: { socket: { _bytesDispatched: 0 } } }, 'notSent', true],
	[{ request: { socket: { _bytesDispatched: null } } }, 'unknown', true],
])('a message whose request fails with %j is reported as %s', (direct, outcome, transient) => {
	const wrapped = { name: 'NodeApiError', cause: { name: 'AxiosError', cause: direct } };
	const together = { cause: { name: 'AggregateError', errors: [direct] } };
	for (const error of [direct, wrapped, together]) {
		expect(networkFailure(error, about)).toMatchObject({ outcome, transient, origin: 'network' });
	}
});

const OF_PROXY = /^Check the proxy in n8n's environment: .*, and whether n8n can reach it\.$/;
test.each<[url: string, message: string, says: string | undefined, advises: RegExp]>([
	['http://a.example/x', 'connect ECONNREFUSED 192.0.2.1:80', undefined, /^Check the Base URL/],
	['https://a.example', 'connect ECONNREFUSED 192.0.2.1:3128', undefined, OF_PROXY],
	['https://a.example', 'getaddrinfo EAI_AGAIN proxy.example', undefined, OF_PROXY],
	['https://a.example', SSL, 'the server does not use https:// there', /^Check the Base URL/],
])('the error of a request to %s explains %s', (url, message, says = message, advises) => {
	const cause = { config: { url }, cause: { message } };
	const failure = networkFailure(cause, { ...about, receiver: undefined });
	const { advice, problem, outcome } = failure;
	expect([problem, outcome]).toEqual([
		`The Workchat service could not be reached: ${says}`,
		'notSent',
	]);
	expect(advice).toMatch(advises);
});
test.each([
	['ETIMEDOUT', 'connect ETIMEDOUT 192.0.2.1:443', 'notSent', /reached: connect ETIMEDOUT 192/],
	['ETIMEDOUT', 'read ETIMEDOUT', 'unknown', /did not answer in time$/],
	['ECONNABORTED', 'timeout of 500ms exceeded', 'unknown', /did not answer in time$/],
	['ECONNRESET', 'socket hang up', 'unknown', /closed the connection/],
	['200', 'stream has been aborted', 'unknown', /closed the connection/],
])(
	'in n8n 1, whose errors have no cause, a message that fails with %s (%s) is reported as %s',
	(...given) => {
		const [code, message, outcome, says] = given;
		const lost = Object.assign(new Error(message), { code }) as never;
		const error = new NodeApiError({} as INode, lost);
		Object.defineProperty(error, 'cause', { value: undefined });
		const failure = networkFailure(error, about);
		expect(failure).toMatchObject({ outcome, transient: true });
		expect(failure.message).toMatch(says);
	},
);

const round: { cause?: object } = {};
round.cause = round;
test.each(['text', undefined, null, 5, {}, round])(
	'a message is reported as unknown if its error proves nothing: case %#',
	(error) => {
		const message = 'The service sent a response that n8n cannot read: no reason';
		expect(networkFailure(error, about)).toMatchObject({ outcome: 'unknown', message });
	},
);

test.each([
	['timeout', 'did not answer in time', /^Ask the recipient, and raise the 'Timeout/],
	['cancel', 'was still working when the execution was stopped', /^Ask the recipient\.$/],
] as const)(
	'after a %s, the error says so, and whether the message may have been sent',
	(why, words, advises) => {
		const failure = networkFailure({ code: 'ERR_CANCELED' }, about, why);
		expect(failure).toMatchObject({ outcome: 'unknown', transient: why === 'timeout' });
		expect(failure.message).toBe(`The service ${words}`);
		expect(failure.advice).toMatch(advises);
		const before = networkFailure({ syscall: 'connect', message: 'canceled' }, about, why);
		const message = 'The service could not be reached';
		// The receiver may be the server of a link, so there is no advice about the Base URL.
		const advice = 'Check whether n8n can reach it.';
		expect(before).toMatchObject({ outcome: 'notSent', message, advice });
	},
);

const own = useOwnServer();
let certificate: { key: string; cert: string };
beforeAll(async () => {
	certificate = await selfSigned();
	// The only certificate that n8n trusts. (NODE_EXTRA_CA_CERTS works only if set at the start.)
	const { createSecureContext } = tls;
	jest
		.spyOn(tls, 'createSecureContext')
		.mockImplementation((options) => createSecureContext({ ...options, ca: certificate.cert }));
});
afterAll(() => jest.restoreAllMocks());
beforeAll(stopClockWhileBusy);

/** Sends messages to this address and returns their errors. */
async function sendTo(baseUrl: string, options: object = {}, count = 1) {
	own.credential.baseUrl = baseUrl;
	const parameters = { ...SEND, options: { maxTries: 1, ...options } };
	const run = await own.engine.run(workflowOf(recipients(count), parameters, CONTINUE));
	const { items } = resultOf(run);
	return items.map((item) => item.json.error as { outcome: string } | undefined);
}

const TEXT = 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy';
const alert = (level: number, description: number) =>
	Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, level, description]);
/** What a proxy or firewall between n8n and the service may do to a connection. */
const DISTURBANCES: Array<(client: Socket) => void> = [
	(client) => client.write(TEXT),
	(client) => client.end(TEXT),
	(client) => client.write(alert(2, 40)),
	(client) => client.end(alert(1, 0)),
	(client) => client.write(Buffer.alloc(100, 0xa5)),
	(client) => client.end(),
	(client) => client.resetAndDestroy(),
	() => {},
];
const COUNT = DISTURBANCES.length;

test.each([true, false])(
	'a message whose connection breaks is reported as unknown, or as not sent if it breaks in the TLS handshake: %p',
	async (isBefore) => {
		const clients: Socket[] = [];
		let requests = 0;
		const service = isBefore
			? createServer()
			: createHttpsServer({ ...certificate, keepAlive: false }, (request) => {
					const { remotePort } = request.socket;
					const client = clients.find((each) => each.remotePort === remotePort)!;
					request.resume().on('end', () => DISTURBANCES[requests++ % COUNT]!(client));
				});
		service.on('connection', (client: Socket) => {
			const disturb = DISTURBANCES[clients.length % COUNT]!;
			clients.push(client.on('error', () => {}));
			if (isBefore) client.once('data', () => disturb(client));
		});
		await once(service.listen(0, '127.0.0.1'), 'listening');
		const baseUrl = `https://127.0.0.1:${(service.address() as AddressInfo).port}`;
		// Some leave an incomplete handshake, or no response, so that only Timeout ends the request.
		const options = { timeout: isBefore ? 500 : 2000, maxConcurrency: COUNT };
		const errors = await sendTo(baseUrl, options, COUNT);
		for (const client of clients) client.destroy();
		service.close();
		expect(requests).toBe(isBefore ? 0 : COUNT);
		// Older versions of n8n report fewer facts of an error.
		const before = isOlder ? (expect.stringMatching(/notSent|unknown/) as string) : 'notSent';
		const outcomes = errors.map((error) => error?.outcome);
		expect(outcomes).toEqual(Array(COUNT).fill(isBefore ? before : 'unknown'));
	},
);

(isOlder ? test.skip : test)(
	'without a connection within Timeout, the error says that nothing was sent',
	async () => {
		// A DNS server that does not answer.
		const lookup = jest.spyOn(dns, 'lookup').mockReturnValue(undefined as never);
		const [error] = await sendTo('http://example.com', { timeout: 400 });
		lookup.mockRestore();
		const message = 'The Workchat service could not be reached';
		expect(error).toMatchObject({ outcome: 'notSent', message });
	},
);

test('if no server listens, the error says that nothing was sent', async () => {
	const message = expect.stringMatching(/ECONNREFUSED/) as string;
	const description = expect.stringMatching(
		/ was not sent\. Check the Base URL in the Workchat/,
	) as string;
	const errors = await sendTo('http://127.0.0.1:2');
	expect(errors).toMatchObject([{ outcome: 'notSent', message, description }]);
});
