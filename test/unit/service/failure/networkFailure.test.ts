import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { json } from 'node:stream/consumers';

import execa from 'execa';
import { NodeApiError, type INode } from 'n8n-workflow';

import { isOlder } from '../../../../dev/engine/coreVersion';
import { Engine, type WorkflowJson } from '../../../../dev/engine/engine';
import { startSandbox } from '../../../../dev/sandbox/server';
import { networkFailure } from '../../../../nodes/Workchat/service/failure/networkFailure';
import { selfSigned } from '../../../support/certificate';
import { closedPort } from '../../../support/ownServer';
import {
	INSTANCE,
	KEY,
	recipients,
	resultOf,
	SEND,
	VIDEO,
	workflowOf,
} from '../../../support/setup';
import { TrustingEngine } from '../../../support/trusting';
import { within } from '../../../support/turns';
import { wording } from '../../../support/wording';

test.each<[string, object, string, boolean]>([
	['CERT_HAS_EXPIRED', {}, 'notSent', false],
	['ERR_TLS_CERT_ALTNAME_INVALID', {}, 'notSent', false],
	['EHOSTUNREACH', { syscall: 'connect' }, 'notSent', true],
	['EHOSTUNREACH', { syscall: 'read' }, 'unknown', true],
	['EAI_AGAIN', { syscall: 'getaddrinfo' }, 'notSent', true],
	['EAI_AGAIN', {}, 'unknown', true],
	['ETIMEDOUT', {}, 'unknown', true],
	['ECONNABORTED', {}, 'unknown', true],
	['ECONNRESET', {}, 'unknown', true],
	[
		'ECONNRESET',
		{ message: 'Client network socket disconnected before secure TLS connection was established' },
		'notSent',
		true,
	],
	['EPIPE', {}, 'unknown', true],
	['EPROTO', { syscall: 'read', message: 'EPROTO: wrong version number' }, 'unknown', true],
	['EWHATEVER', {}, 'unknown', true],
])('%s %j is %s', (code, more, outcome, transient) => {
	const direct = { code, ...more };
	const wrapped = { name: 'NodeApiError', cause: { name: 'AxiosError', cause: direct } };
	const together = { cause: { name: 'AggregateError', errors: [direct] } };
	for (const error of [direct, wrapped, together]) {
		expect(networkFailure(error, wording)).toMatchObject({ outcome, transient });
	}
});

test.each([
	[
		'ETIMEDOUT',
		'connect ETIMEDOUT 192.0.2.1:443',
		'notSent',
		/could not be reached: connect ETIMEDOUT 192.0.2.1:443$/,
	],
	['ETIMEDOUT', 'read ETIMEDOUT', 'unknown', /did not answer in time$/],
	['ECONNRESET', 'socket hang up', 'unknown', /closed the connection/],
	['200', 'stream has been aborted', 'unknown', /closed the connection/],
])(
	'%s (%s) of an error whose cause is lost, as in n8n 1, is %s',
	(code, message, outcome, says) => {
		const error = new NodeApiError(
			{} as INode,
			Object.assign(new Error(message), { code }) as never,
		);
		Object.defineProperty(error, 'cause', { value: undefined });
		const failure = networkFailure(error, wording);
		expect(failure).toMatchObject({ outcome, transient: true });
		expect(failure.message).toMatch(says);
	},
);

test('an address that n8n forbids was not called', () => {
	const cause = { name: 'SsrfBlockedIpError', message: 'The request was blocked' };
	const failure = networkFailure({ cause }, wording);
	expect(failure.message).toBe('The service could not be reached: The request was blocked');
	expect(failure).toMatchObject({ outcome: 'notSent', transient: false });
});

/** `notSent` means that it may be sent again, so it needs proof that nothing arrived. */

let certificate: { key: string; cert: string };
let trusting: TrustingEngine;
let engine: Engine;
const credential = { apiKey: KEY, defaultInstanceGuid: INSTANCE, baseUrl: '' };
beforeAll(async () => {
	certificate = await selfSigned();
	trusting = await TrustingEngine.start(certificate.cert);
	engine = await Engine.start({ credential });
});
afterAll(async () => {
	await trusting.stop();
	await engine.stop();
});

function messages(
	count: number,
	{ encodeData = VIDEO.encodeData, ...options }: { encodeData?: string; [option: string]: unknown },
) {
	const feedVideo = JSON.stringify({ ...VIDEO, encodeData });
	const parameters = { ...SEND, feedVideo, options: { maxTries: 1, ...options } };
	return workflowOf(recipients(count), parameters, { onError: 'continueRegularOutput' });
}

const errorsOf = async (workflow: WorkflowJson) =>
	resultOf(await engine.run(workflow)).items.map((item) => item.json.error);
const portOf = (server: Server) => (server.address() as AddressInfo).port;
async function listen<T extends Server>(server: T): Promise<T> {
	await once(server.listen(0, '127.0.0.1'), 'listening');
	return server;
}
/** What comes of so many messages to a service that listens on this machine. */
async function errorsFrom(service: Server, count: number, options = {}) {
	credential.baseUrl = `http://127.0.0.1:${portOf(await listen(service))}`;
	const errors = await errorsOf(messages(count, options));
	service.close();
	return errors;
}

/** What stands between n8n and the service does something to a connection. */
type Disturbance = (client: Socket) => void;
type Moment =
	| 'at once'
	| 'before the handshake'
	| 'in the handshake'
	| 'in the body'
	| 'afterwards';
const VERSIONS = ['TLSv1.2', 'TLSv1.3'] as const;

const TEXT = 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy';
const alert = (level: number, description: number) =>
	Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, level, description]);
const DISTURBANCES: Disturbance[] = [
	(client) => client.write(TEXT),
	(client) => client.end(TEXT),
	(client) => client.write(alert(2, 40)),
	(client) => client.end(alert(1, 0)),
	(client) => client.write(Buffer.alloc(100, 0xa5)),
	(client) => client.end(),
	(client) => client.resetAndDestroy(),
	() => {},
];

/** A service of each version of TLS, behind a balancer that disturbs each connection in its way at a moment. */
class Balanced {
	/** Recipients of the messages that came whole. */
	readonly accepted: string[] = [];
	/** Bytes of requests that came out of TLS. */
	heard = 0;
	private readonly services: Server[];
	private readonly balancer = createServer();
	private readonly sockets = new Set<Socket>();
	/** What is done to the client behind each connection to the service. */
	private readonly disturbances = new Map<number, () => void>();
	private connections = 0;

	constructor(private readonly moment: Moment) {
		this.services = VERSIONS.map((maxVersion) => {
			const service = createHttpsServer({ ...certificate, maxVersion });
			service.on('secureConnection', (socket) =>
				socket.on('data', (part: Buffer) => (this.heard += part.length)),
			);
			return service.on('request', async (request, response) => {
				const body = (await json(request).catch(() => undefined)) as { toId: string } | undefined;
				if (!body) return;
				this.accepted.push(body.toId);
				if (moment === 'afterwards') this.disturbances.get(request.socket.remotePort ?? 0)?.();
				else if (moment !== 'in the body') response.end('{"ok":true,"code":0}');
			});
		});
		this.balancer.on('connection', (client) => void this.join(client));
	}

	async start(): Promise<string> {
		for (const server of [...this.services, this.balancer]) {
			server.on('connection', (socket: Socket) => this.own(socket));
			await listen(server);
		}
		return `https://127.0.0.1:${portOf(this.balancer)}`;
	}

	stop(): void {
		for (const socket of this.sockets) socket.destroy();
		for (const service of this.services) service.close();
		this.balancer.close();
	}

	private own(socket: Socket): void {
		this.sockets.add(socket);
		socket.on('error', () => {});
	}

	private async join(client: Socket): Promise<void> {
		const { moment } = this;
		const kind = this.connections++ % (DISTURBANCES.length * VERSIONS.length);
		const disturb = DISTURBANCES[kind % DISTURBANCES.length]!;
		const service = this.services[Math.floor(kind / DISTURBANCES.length)]!;
		if (moment === 'at once') return disturb(client);
		const upstream = connect(portOf(service), '127.0.0.1');
		this.own(upstream);
		await once(upstream, 'connect');
		this.disturbances.set(upstream.localPort ?? 0, () => disturb(client));
		let isDisturbed = false;
		let received = 0;
		const disturbOnce = () => {
			if (!isDisturbed) disturb(client);
			isDisturbed = true;
		};
		client.on('data', (part) => {
			received += part.length;
			upstream.write(part);
			if (moment === 'before the handshake') disturbOnce();
			if (moment === 'in the body' && received > 300_000) disturbOnce();
		});
		upstream.on('data', (part: Buffer) => {
			if (moment === 'in the handshake') {
				if (!isDisturbed) client.write(part.subarray(0, 60));
				disturbOnce();
			} else if (moment !== 'before the handshake') {
				client.write(part);
			}
		});
	}
}

const BEFORE: Moment[] = ['at once', 'before the handshake', 'in the handshake'];
const LARGE = 'x'.repeat(1e6);

test.each([...BEFORE, 'afterwards', 'in the body'] as const)('disturbed %s', async (moment) => {
	const count = DISTURBANCES.length * VERSIONS.length;
	const balanced = new Balanced(moment);
	const baseUrl = await balanced.start();
	const isBefore = BEFORE.includes(moment);
	// Some leave half a handshake, or an answer without an end, which only Timeout ends.
	const workflow = messages(count, {
		timeout: isBefore ? 500 : 2000,
		maxConcurrency: isBefore ? count : 4,
		...(moment === 'in the body' && { encodeData: LARGE }),
	});
	const items = await trusting.run(workflow, { ...credential, baseUrl });
	balanced.stop();

	expect(balanced.heard > 0).toBe(!isBefore);
	if (moment !== 'in the body') {
		expect(balanced.accepted).toHaveLength(moment === 'afterwards' ? count : 0);
	}
	expect(items).toHaveLength(count);
	// Older engines say less of an error.
	const outcome = !isBefore
		? 'unknown'
		: isOlder
			? expect.stringMatching(/notSent|unknown/)
			: 'notSent';
	const message = expect.stringMatching(isBefore && isOlder ? '' : /^(?!.*no reason)/) as string;
	expect(items.map(({ json }) => json.error)).toMatchObject(
		items.map(() => ({ outcome, message })),
	);
});

test('a connection that is lost after a message was accepted: it may have been sent', async () => {
	const losses = ['read EHOSTUNREACH', 'read ECONNREFUSED', 'read ENOTFOUND', 'write EPROTO'];
	let accepted = 0;
	const sockets: Socket[] = [];
	const keep = (message: unknown) => sockets.push((message as { socket: Socket }).socket);
	const service = createHttpServer((request) => {
		request.resume().on('end', () => {
			const message = losses[accepted++]!;
			const [syscall, code] = message.split(' ');
			sockets.at(-1)?.destroy(Object.assign(new Error(message), { code, syscall }));
		});
	});
	subscribe('net.client.socket', keep);
	const errors = await errorsFrom(service, losses.length);
	unsubscribe('net.client.socket', keep);
	service.closeAllConnections();
	expect(accepted).toBe(losses.length);
	const lost = (said: string) => ({
		outcome: 'unknown',
		message: `The Workchat service gave no answer that n8n can read: ${said}`,
	});
	expect(errors).toMatchObject(losses.map(lost));
});

test('an answer that cannot be read: the message may have been sent', async () => {
	const answers = [
		'nonsense\r\n\r\n',
		'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
		`HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(20_000)}`,
	];
	let answered = 0;
	const service = createServer((socket) => {
		socket.on('error', () => {});
		socket.once('data', () => socket.write(answers[answered++]!));
	});
	const errors = await errorsFrom(service, answers.length);
	const message = /^The Workchat service gave no answer that n8n can read: Parse Error: /;
	const unread = { outcome: 'unknown', message: expect.stringMatching(message) as string };
	expect(errors).toMatchObject(answers.map(() => unread));
});

/** Listens, but takes no connection, so that its queue of connections runs full. */
const NEVER_ACCEPTS = `
	const server = require('node:net').createServer().listen(0, '127.0.0.1', 1, () => {
		require('node:fs').writeSync(1, String(server.address().port));
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
	});
`;

(isOlder ? test.skip : test)('no connection within Timeout: nothing was sent', async () => {
	const listener = execa(process.execPath, ['-e', NEVER_ACCEPTS]);
	const port = Number(await once(listener.stdout!, 'data'));
	const queued: Socket[] = [];
	for (;;) {
		const socket = connect(port, '127.0.0.1');
		socket.on('error', () => {});
		queued.push(socket);
		await within(50, once(socket, 'connect')).catch(() => {});
		if (socket.connecting) break;
	}
	credential.baseUrl = `http://127.0.0.1:${port}`;
	const [error] = await errorsOf(messages(1, { timeout: 400 }));
	for (const socket of queued) socket.destroy();
	listener.kill('SIGKILL');
	expect(error).toMatchObject({
		outcome: 'notSent',
		message: 'The Workchat service could not be reached',
	});
});

/** Waits until the next connection that anybody opens in this process is closed. */
async function firstConnectionClosed(): Promise<void> {
	await new Promise<void>((resolve) => {
		const onSocket = (message: unknown) => {
			unsubscribe('net.client.socket', onSocket);
			(message as { socket: Socket }).socket.once('close', () => resolve());
		};
		subscribe('net.client.socket', onSocket);
	});
}

test.each<[string, (sandbox: string) => string | Promise<string>, RegExp]>([
	[
		'refused connection',
		async () => `http://127.0.0.1:${await closedPort()}`,
		/: connect ECONNREFUSED 127\.0\.0\.1:\d+$/,
	],
	['unknown host', () => 'http://nobody.invalid', /: getaddrinfo ENOTFOUND nobody\.invalid$/],
	[
		'https where the service speaks http',
		(sandbox) => sandbox.replace('http:', 'https:'),
		/: write EPROTO .*wrong version number/,
	],
])('%s: certainly not sent', async (_, baseUrlOf, says) => {
	const sandbox = await startSandbox({ key: KEY });
	credential.baseUrl = await baseUrlOf(sandbox.url);
	const [error] = await errorsOf(messages(1, {}));
	expect(error).toMatchObject({
		outcome: 'notSent',
		message: expect.stringMatching(says),
		description: expect.stringMatching(/right one of https:\/\/ and http:\/\//),
	});
	expect(sandbox.requests).toEqual([]);
	await sandbox.stop();
});

test('a service that comes up between two tries gets the message, once', async () => {
	const port = await closedPort();
	// Slashes at its end do no harm.
	credential.baseUrl = `http://127.0.0.1:${port}///`;
	const refused = firstConnectionClosed();
	const running = engine.begin(messages(1, { maxTries: 5 }));
	await refused;
	const late = await startSandbox({ key: KEY, port });
	const { items } = resultOf(await running.finished);
	expect(items[0]?.json).toMatchObject({ code: 0 });
	expect(late.requests.map(({ url }) => url)).toEqual(['/workchat/messages/send-feed-video']);
	await late.stop();
});
