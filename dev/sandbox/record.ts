import type { IncomingHttpHeaders } from 'node:http';

import type { FastifyReply, FastifyRequest } from 'fastify';

/** A request as it arrived, and what became of it. */
export interface RecordedRequest {
	method: string;
	/** Path and query. */
	url: string;
	headers: IncomingHttpHeaders;
	/** The exact text of a JSON body. */
	rawBody?: string;
	body?: Record<string, unknown>;
	/** As people know it: of an operation, or of what else is served. */
	name?: string;
	/** Of the clock on the wall, in ISO 8601. */
	at: string;
	/** Milliseconds of the monotonic clock; `endedAt` when the reply was out or the connection gone. */
	startedAt: number;
	endedAt?: number;
	/** Whether the sandbox did what was asked. */
	isAccepted: boolean;
	/** Once it is made. */
	answer?: Answer;
}

/** What the caller gets to know: neither status nor envelope where no whole response goes out. */
export interface Answer {
	status?: number;
	requestId?: string;
	code?: number;
	message?: string;
	/** The file that came with it, and how. */
	gave?: string;
	/** What the sandbox was told to do to the call. */
	told?: string;
	isFailure: boolean;
}

/** Every request that a sandbox received, in order of arrival. */
export class RequestRecord {
	readonly requests: RecordedRequest[] = [];
	private readonly byRequest = new WeakMap<FastifyRequest, RecordedRequest>();

	add(request: FastifyRequest, reply: FastifyReply): void {
		const { method, url, headers, routeOptions } = request;
		const entry: RecordedRequest = {
			method,
			url,
			headers,
			name: routeOptions.config?.name,
			at: new Date().toISOString(),
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
}
