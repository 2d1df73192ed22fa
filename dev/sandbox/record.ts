import type { IncomingHttpHeaders } from 'node:http';

import type { FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
	interface FastifyRequest {
		recorded: RecordedRequest;
	}
}

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
	/** In ISO 8601. */
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
interface Answer {
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

export function record(request: FastifyRequest, reply: FastifyReply): RecordedRequest {
	const { method, url, headers, routeOptions } = request;
	request.recorded = {
		method,
		url,
		headers,
		name: routeOptions.config?.name,
		at: new Date().toISOString(),
		startedAt: performance.now(),
		isAccepted: false,
	};
	reply.raw.once('close', () => (request.recorded.endedAt = performance.now()));
	return request.recorded;
}
