import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

import { Engine } from '../../dev/engine/engine';
import { INSTANCE, KEY } from './setup';

/** A request as it came. */
interface Received {
	body: Record<string, unknown>;
	key: string;
}

/** A service that answers just as a test says, and an engine whose credential leads to it. */
export interface OwnServer {
	engine: Engine;
	url: string;
	/** All requests since the test began. */
	requests: Received[];
	/** What the engine's credential holds. A test may change it; it is restored after each. */
	credential: Record<string, string>;
	answer(
		this: void,
		received: Received,
		response: ServerResponse,
		request: IncomingMessage,
	): unknown;
}

/** The server of a test file. Unless a test says otherwise, it answers that all went well. */
export function useOwnServer(): OwnServer {
	const own = { requests: [], credential: {} } as unknown as OwnServer;
	const server = createServer(async (request, response) => {
		const body = JSON.parse(String(await buffer(request)) || '{}') as Received['body'];
		const received = { body, key: String(request.headers['x-service-key']) };
		own.requests.push(received);
		await own.answer(received, response, request);
	});
	beforeAll(async () => {
		await new Promise<void>((resolve) => server.listen(0, resolve));
		own.url = `http://localhost:${(server.address() as AddressInfo).port}`;
		own.engine = await Engine.start({ credential: own.credential });
	});
	beforeEach(() => {
		own.requests.length = 0;
		own.answer = (_, response) => json(response, { ok: true, code: 0, request_id: 'svc_1' });
		Object.assign(own.credential, { apiKey: KEY, baseUrl: own.url, defaultInstanceGuid: INSTANCE });
	});
	afterAll(async () => {
		await own.engine.stop();
		server.closeAllConnections();
		server.close();
	});
	return own;
}

export function json(response: ServerResponse, value: unknown, status = 200): void {
	text(response, JSON.stringify(value), status);
}

export function text(response: ServerResponse, body: string, status = 200): void {
	response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}
