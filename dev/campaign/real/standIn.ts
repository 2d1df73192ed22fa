import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import type { Line, Plan } from '../plan';
import { LINK } from '../service/downloads';
import { markerOf, Script, type Seen } from '../service/script';
import { SECRETS } from '../service/secrets';
import type { Step } from '../service/step';

/** What the service knows of a plan. */
export class Log extends Script {
	/** Under way. */
	run = 0;
	/** Called once a request has been read, before it is answered. */
	onRequest?: (() => void) | undefined;
}

/** Milliseconds between two parts of a body that comes bit by bit. */
const DRIP = 5;
const TRICKLE = 1;
const TRICKLED_PARTS = 40;
const now = () => performance.now();

/**
 * A service that does to each request what the plan says, over real sockets. It knows nothing of the
 * client's promises: it plays the steps, and writes down what came.
 */
export class StandIn {
	/** Requests for plans that were over. */
	readonly strays: string[] = [];
	/** The last answer that was begun. */
	lastAnswer = '';

	private readonly logs = new Map<string, Log>();
	private readonly open = new Set<Seen>();
	/** Answers that are larger than they look, and the memory of the process before. */
	private readonly swelling = new Map<Seen, number>();
	private readonly ports = {} as Record<Line, number>;
	/** What lies under a TLS connection, by the client's port. */
	private readonly rawSockets = new Map<number, Socket>();

	private constructor() {}

	static async start(tls?: { cert: string; key: string }): Promise<StandIn> {
		const standIn = new StandIn();
		const options = { maxHeaderSize: 256 * 1024, requestTimeout: 0, headersTimeout: 0 };
		const handler = (request: IncomingMessage, response: ServerResponse) =>
			void standIn.onRequest(request, response);
		const plain = await standIn.listen(createServer(options, handler));
		const closing = await standIn.listen(createTcpServer((socket) => socket.destroy()));
		const dead = createTcpServer();
		Object.assign(standIn.ports, {
			http: plain,
			plainPort: plain,
			closes: closing,
			closesTls: closing,
			dead: await standIn.listen(dead),
		});
		await new Promise((resolve) => dead.close(resolve));
		if (tls) {
			const server = createTlsServer({ ...options, ...tls }, handler);
			server.on('connection', (raw: Socket) => {
				const { remotePort = 0 } = raw;
				standIn.rawSockets.set(remotePort, raw);
				raw.once('close', () => standIn.rawSockets.delete(remotePort));
			});
			standIn.ports.https = await standIn.listen(server);
		}
		return standIn;
	}

	baseUrl(line: Line): string {
		const scheme = ['https', 'plainPort', 'closesTls'].includes(line) ? 'https' : 'http';
		return `${scheme}://127.0.0.1:${this.ports[line]}`;
	}

	/** Requests whose end nobody has brought about yet. */
	get openRequests(): number {
		return this.open.size;
	}

	begin(plan: Plan): Log {
		const log = new Log(plan, now);
		for (const { marker } of plan.items) this.logs.set(marker, log);
		return log;
	}

	end({ plan, seen }: Log): void {
		for (const { marker } of plan.items) this.logs.delete(marker);
		this.watchMemory();
		// A client may still unpack what it has long received.
		for (const request of seen) this.swelling.delete(request);
	}

	/** To be called now and then. */
	watchMemory(): void {
		if (this.swelling.size === 0) return;
		const memory = process.memoryUsage.rss();
		for (const [seen, before] of this.swelling) {
			seen.growth = Math.max(seen.growth, memory - before);
		}
	}

	private async listen(server: Server): Promise<number> {
		server.on('connection', (socket: Socket) => socket.on('error', () => {}));
		server.on('tlsClientError', () => {});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		return (server.address() as AddressInfo).port;
	}

	private async onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const startedAt = now();
		const body = await text(request).catch(() => '');
		if (!request.complete) return;
		const marker = markerOf(request.url ?? '', body);
		const log = this.logs.get(marker);
		if (!log) {
			this.strays.push(marker);
			response.destroy();
			return;
		}
		const isLink = request.method === 'GET';
		const hasKey = request.headers['x-service-key'] === SECRETS.apiKey;
		const { seen, end } = log.hear(marker, { run: log.run, isLink, hasKey, startedAt });
		const { step } = seen;
		this.open.add(seen);
		const ended = (by: 'service' | 'client') => {
			end(by);
			this.open.delete(seen);
		};
		if (step.ending === 'bomb') this.swelling.set(seen, process.memoryUsage.rss());
		request.socket.once('close', () => ended('client'));
		log.onRequest?.();

		if (step.delay) await sleep(step.delay);
		this.lastAnswer = `plan ${log.plan.number}, ${step.label}`;
		const link = `${this.baseUrl('http')}/file/${marker}`;
		this.play(withLink(step, link), request.socket, response, () => ended('service'));
	}

	private play(step: Step, socket: Socket, response: ServerResponse, ended: () => void): void {
		const { status = 200, headers = {}, ending } = step;
		const body = Buffer.from(step.body ?? '');
		const half = body.subarray(0, Math.ceil(body.length / 2));
		const destroyed = () => {
			ended();
			socket.destroy();
		};
		switch (ending) {
			case 'whole':
				response.writeHead(status, { ...headers, 'content-length': body.length });
				ended();
				response.end(body);
				return;
			case 'trickle':
				response.writeHead(status, headers);
				void this.trickle(body, response, ended);
				return;
			case 'drop':
				return destroyed();
			case 'dropAfterHead':
				response.writeHead(status, headers).flushHeaders();
				setTimeout(destroyed, 1);
				return;
			case 'half':
			case 'stall':
				response.writeHead(status, { ...headers, 'content-length': body.length });
				response.write(half, () => ending === 'half' && setTimeout(destroyed, 1));
				return;
			case 'silent':
				return;
			case 'drip': {
				response.writeHead(status, headers);
				const timer = setInterval(() => response.write(' '), DRIP);
				socket.once('close', () => clearInterval(timer));
				return;
			}
			case 'upgrade':
				socket.write(
					'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
				);
				return;
			case 'garbage':
				ended();
				socket.end('this is no HTTP\r\n\r\n');
				return;
			case 'bomb':
				response.writeHead(status, { ...headers, 'content-encoding': 'gzip' });
				response.end(bomb(), ended);
				return;
			case 'plainIntoTls': {
				const raw = this.rawSockets.get(socket.remotePort ?? 0);
				ended();
				if (!raw) socket.destroy();
				else raw.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n');
			}
		}
	}

	private async trickle(body: Buffer, response: ServerResponse, ended: () => void): Promise<void> {
		const size = Math.ceil(body.length / TRICKLED_PARTS);
		for (let at = 0; at < body.length && !response.destroyed; at += size) {
			response.write(body.subarray(at, at + size));
			await sleep(TRICKLE);
		}
		ended();
		response.end();
	}
}

function withLink(step: Step, link: string): Step {
	const { body, headers } = step;
	const location = headers?.location?.replace(LINK, link);
	return {
		...step,
		...(typeof body === 'string' && { body: body.replaceAll(LINK, link) }),
		...(location && { headers: { ...headers, location } }),
	};
}

const MEMBER_BYTES = 10_000_000;
const BOMB_BYTES = 300_000_000;
let packed: Buffer | undefined;

/** An envelope that is nearly all white space: gzip may be put together of many parts. */
function bomb(): Buffer {
	if (!packed) {
		const spaces = gzipSync(Buffer.alloc(MEMBER_BYTES, ' '));
		const members = Array.from({ length: BOMB_BYTES / MEMBER_BYTES }, () => spaces);
		packed = Buffer.concat([...members, gzipSync('{"ok":true,"code":0}')]);
	}
	return packed;
}
