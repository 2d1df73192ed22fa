import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { json } from 'node:stream/consumers';

import spawn from 'cross-spawn';
import type { INodeExecutionData } from 'n8n-workflow';

import { isOlder } from '../dev/engine/coreVersion';
import { Engine } from '../dev/engine/engine';
import { selfSigned } from '../dev/certificate';
import { INSTANCE, KEY, resultOf, SEND, VIDEO, workflowOf } from './setup';
import { TrustingEngine } from './trusting';
import { within } from './turns';

/** `notSent` means that it may be sent again, so it needs proof that nothing arrived. */

const certificate = selfSigned();
let trusting: TrustingEngine;
let engine: Engine;
const credential = { apiKey: KEY, defaultInstanceGuid: INSTANCE, baseUrl: '' };
beforeAll(async () => {
	trusting = await TrustingEngine.start(certificate.cert);
	engine = await Engine.start({ credential });
});
afterAll(async () => {
	await trusting.stop();
	await engine.stop();
});

function messageWith({ timeout = 5000, encodeData = VIDEO.encodeData }) {
	const parameters = {
		...SEND,
		feedVideo: JSON.stringify({ ...VIDEO, encodeData }),
		options: { maxTries: 1, timeout },
	};
	return workflowOf([{ toId: 'customer' }], parameters, { onError: 'continueRegularOutput' });
}

const errorOf = (items: INodeExecutionData[]) => items[0]?.json.error;
const portOf = (server: Server) => (server.address() as AddressInfo).port;

/** What stands between n8n and the service does something to a connection. */
type Disturbance = (client: Socket) => void;
type Moment =
	| 'at once'
	| 'before the handshake'
	| 'in the handshake'
	| 'in the body'
	| 'afterwards';
type Version = 'TLSv1.2' | 'TLSv1.3';

const TEXT = 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy';
const alert = (level: number, description: number) =>
	Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, level, description]);
const DISTURBANCES: Array<[string, Disturbance]> = [
	['plain text', (client) => client.write(TEXT)],
	['plain text and an end', (client) => client.end(TEXT)],
	['an alert', (client) => client.write(alert(2, 40))],
	['an alert that closes', (client) => client.end(alert(1, 0))],
	['garbage', (client) => client.write(Buffer.alloc(100, 0xa5))],
	['an end', (client) => client.end()],
	['a reset', (client) => client.resetAndDestroy()],
	['silence', () => {}],
];

/** A service that speaks TLS, behind a balancer that disturbs every connection at a moment. */
class Balanced {
	/** Recipients of the messages that came whole. */
	readonly accepted: string[] = [];
	/** Bytes of requests that came out of TLS. */
	heard = 0;
	private readonly service: HttpsServer;
	private readonly balancer = createServer();
	private readonly sockets = new Set<Socket>();
	/** The client behind each connection to the service. */
	private readonly clients = new Map<number, Socket>();

	constructor(
		version: Version,
		private readonly moment: Moment,
		private readonly disturb: Disturbance,
	) {
		this.service = createHttpsServer({ ...certificate, maxVersion: version });
		this.service.on('secureConnection', (socket) =>
			socket.on('data', (part: Buffer) => (this.heard += part.length)),
		);
		this.service.on('request', async (request, response) => {
			const body = (await json(request).catch(() => undefined)) as { toId: string } | undefined;
			if (!body) return;
			this.accepted.push(body.toId);
			const client = this.clients.get(request.socket.remotePort ?? 0);
			if (client && moment === 'afterwards') disturb(client);
			else if (moment !== 'in the body') response.end('{"ok":true,"code":0}');
		});
		this.balancer.on('connection', (client) => void this.join(client));
	}

	async start(): Promise<string> {
		for (const server of [this.service, this.balancer]) {
			server.on('connection', (socket: Socket) => this.own(socket));
			await once(server.listen(0, '127.0.0.1'), 'listening');
		}
		return `https://127.0.0.1:${portOf(this.balancer)}`;
	}

	stop(): void {
		for (const socket of this.sockets) socket.destroy();
		this.service.close();
		this.balancer.close();
	}

	private own(socket: Socket): void {
		this.sockets.add(socket);
		socket.on('error', () => {});
	}

	private async join(client: Socket): Promise<void> {
		const { moment, disturb } = this;
		if (moment === 'at once') return disturb(client);
		const upstream = connect(portOf(this.service), '127.0.0.1');
		this.own(upstream);
		await once(upstream, 'connect');
		this.clients.set(upstream.localPort ?? 0, client);
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
			if (moment === 'in the body' && received > 1e6) disturbOnce();
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
const LARGE = 'x'.repeat(5e6);
const cases = (['TLSv1.2', 'TLSv1.3'] as const).flatMap((version) =>
	([...BEFORE, 'afterwards', 'in the body'] as const).flatMap((moment) =>
		DISTURBANCES.map(([what, disturb]) => ({ version, moment, what, disturb })),
	),
);

test.each(cases)('$what $moment of $version', async ({ version, moment, disturb, what }) => {
	const balanced = new Balanced(version, moment, disturb);
	const baseUrl = await balanced.start();
	const isBefore = BEFORE.includes(moment);
	// Some of them leave half a handshake, which only Timeout ends.
	const timeout = isBefore ? 2000 : 5000;
	const message = messageWith({
		timeout: what === 'silence' ? 500 : timeout,
		...(moment === 'in the body' && { encodeData: LARGE }),
	});
	const items = await trusting.run(message, { ...credential, baseUrl });
	balanced.stop();

	expect(balanced.heard > 0).toBe(!isBefore);
	expect(balanced.accepted).toEqual(moment === 'afterwards' ? ['customer'] : expect.anything());
	if (isBefore && isOlder) {
		// Those engines say less of an error.
		expect(errorOf(items)).toMatchObject({ outcome: expect.stringMatching(/notSent|unknown/) });
	} else {
		expect(errorOf(items)).toMatchObject({ outcome: isBefore ? 'notSent' : 'unknown' });
		expect(errorOf(items)).not.toMatchObject({ message: expect.stringContaining('no reason') });
	}
});

test.each([
	['read EHOSTUNREACH', 'EHOSTUNREACH', 'read'],
	['read ENETUNREACH', 'ENETUNREACH', 'read'],
	['read ECONNREFUSED', 'ECONNREFUSED', 'read'],
	['read ECONNRESET', 'ECONNRESET', 'read'],
	['read ENOTFOUND', 'ENOTFOUND', 'read'],
	['write EHOSTUNREACH', 'EHOSTUNREACH', 'write'],
	['write EPROTO', 'EPROTO', 'write'],
	['write EADDRNOTAVAIL', 'EADDRNOTAVAIL', 'write'],
])('%s after a message was accepted: it may have been sent', async (words, code, syscall) => {
	let accepted = 0;
	const sockets: Socket[] = [];
	const keep = (message: unknown) => sockets.push((message as { socket: Socket }).socket);
	const service = createHttpServer((request) => {
		request.resume().on('end', () => {
			accepted++;
			sockets.at(-1)?.destroy(Object.assign(new Error(words), { code, syscall }));
		});
	});
	await once(service.listen(0, '127.0.0.1'), 'listening');
	subscribe('net.client.socket', keep);
	credential.baseUrl = `http://127.0.0.1:${portOf(service)}`;
	const { items } = resultOf(await engine.run(messageWith({})));
	unsubscribe('net.client.socket', keep);
	service.closeAllConnections();
	service.close();
	expect(accepted).toBe(1);
	expect(errorOf(items)).toMatchObject({
		outcome: 'unknown',
		message: 'The Workchat service closed the connection before its answer was complete',
	});
});

test.each([
	['no HTTP', 'nonsense\r\n\r\n'],
	['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx'],
	['a head without an end', `HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(20_000)}`],
])('an answer that is %s: the message may have been sent', async (_, answer) => {
	const service = createServer((socket) => {
		socket.on('error', () => {});
		socket.once('data', () => socket.write(answer));
	});
	await once(service.listen(0, '127.0.0.1'), 'listening');
	credential.baseUrl = `http://127.0.0.1:${portOf(service)}`;
	const { items } = resultOf(await engine.run(messageWith({})));
	service.close();
	expect(errorOf(items)).toMatchObject({
		outcome: 'unknown',
		message: 'The Workchat service gave an answer that cannot be read',
	});
});

/** Listens, but takes no connection, so that its queue of connections runs full. */
const NEVER_ACCEPTS = `
	const server = require('node:net').createServer().listen(0, '127.0.0.1', 1, () => {
		require('node:fs').writeSync(1, String(server.address().port));
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
	});
`;

(isOlder ? test.skip : test)('no connection within Timeout: nothing was sent', async () => {
	const listener = spawn(process.execPath, ['-e', NEVER_ACCEPTS]);
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
	const { items } = resultOf(await engine.run(messageWith({ timeout: 400 })));
	for (const socket of queued) socket.destroy();
	listener.kill('SIGKILL');
	expect(errorOf(items)).toMatchObject({
		outcome: 'notSent',
		message: 'The Workchat service could not be reached',
	});
});
