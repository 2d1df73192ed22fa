import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';

import type { FastifyReply, FastifyRequest } from 'fastify';

/** A request as it arrived, and when. */
export interface RecordedRequest {
	/** 1 for the first request that the sandbox received. */
	order: number;
	method: string;
	/** Path and query. */
	url: string;
	headers: IncomingHttpHeaders;
	/** The exact text of a JSON body. */
	rawBody?: string;
	body?: Record<string, unknown>;
	/** Requests of one TCP connection share this number. */
	connection: number;
	/** Milliseconds of the monotonic clock; `endedAt` when the reply was out or the connection gone. */
	startedAt: number;
	endedAt?: number;
	/** Whether the sandbox did what was asked. */
	isAccepted: boolean;
}

/** Every request that a sandbox received, in order of arrival. */
export class RequestRecord {
	readonly requests: RecordedRequest[] = [];
	private readonly byRequest = new WeakMap<FastifyRequest, RecordedRequest>();
	private readonly connections = new WeakMap<Socket, number>();
	private lastConnection = 0;

	add(request: FastifyRequest, reply: FastifyReply): void {
		const entry: RecordedRequest = {
			order: this.requests.length + 1,
			method: request.method,
			url: request.url,
			headers: request.headers,
			connection: this.numberOf(request.raw.socket),
			startedAt: performance.now(),
			isAccepted: false,
		};
		reply.raw.once('close', () => (entry.endedAt = performance.now()));
		this.byRequest.set(request, entry);
		this.requests.push(entry);
	}

	of(request: FastifyRequest): RecordedRequest {
		const entry = this.byRequest.get(request);
		if (!entry) throw new Error('The request was not recorded');
		return entry;
	}

	clear(): void {
		this.requests.length = 0;
	}

	private numberOf(socket: Socket): number {
		const known = this.connections.get(socket) ?? ++this.lastConnection;
		this.connections.set(socket, known);
		return known;
	}
}
