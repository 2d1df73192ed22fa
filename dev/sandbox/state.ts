import type { IncomingHttpHeaders } from 'node:http';

import type { FastifyReply, FastifyRequest } from 'fastify';

import { Callbacks } from './callbacks';
import { ChatModel } from './chatModel';
import { Downloads } from './downloads';
import type { Misbehaviour } from './misbehaviour';
import { Plan, type Planned, type Target } from './plan';

declare module 'fastify' {
	interface FastifyRequest {
		recorded: RecordedRequest;
		/** The misbehaviour that its response shows. */
		planned?: Planned;
	}
	/** Of a route. Those of the service have a name. */
	interface FastifyContextConfig {
		name?: string;
		on?: Target;
		/** Calls of it are neither recorded nor shown. */
		isHidden?: true;
	}
}

/** Of a workflow in n8n: its production webhook, or the one for tests. */
export interface Webhook {
	name: string;
	url: string;
	isTest: boolean;
}

export type Body = Record<string, unknown>;

/** A request, and its response. */
export interface RecordedRequest {
	method: string;
	/** Path and query. */
	url: string;
	headers: IncomingHttpHeaders;
	body?: Body;
	/** The display name of its operation or route. */
	name?: string;
	/** In milliseconds since 1970, with fractions, so that no two calls have the same. */
	at: number;
	/** When the response was complete or the connection was closed. */
	endedAt?: number;
	/** Whether the sandbox carried it out. */
	isAccepted: boolean;
	/** What the caller receives. Without a complete response, there is neither status nor envelope. */
	answer?: {
		status?: number;
		requestId?: string;
		code?: number;
		message?: string;
		/** The name of the file in it, and where the file is. */
		file?: string;
		/** The misbehaviour that was planned for the call. */
		simulated?: Misbehaviour;
		isFailure: boolean;
	};
}

/** Everything that a sandbox knows, in memory. */
export class State {
	/** Bodies of the accepted messages, in the order of acceptance. */
	readonly messages: Body[] = [];
	/** In order of arrival. */
	readonly requests: RecordedRequest[] = [];
	plan = new Plan();
	downloads = new Downloads();
	callbacks = new Callbacks();
	chatModel = new ChatModel();
	/** The known webhooks that callbacks can be posted to. */
	webhooks: () => Promise<Webhook[]> = async () => await Promise.resolve([]);

	clear(): void {
		this.messages.length = 0;
		this.requests.length = 0;
		this.plan = new Plan();
		this.downloads = new Downloads();
		this.callbacks = new Callbacks();
		this.chatModel = new ChatModel();
	}

	record(request: FastifyRequest, reply: FastifyReply): void {
		const { method, url, headers, routeOptions } = request;
		const name = routeOptions.config?.name;
		const at = performance.timeOrigin + performance.now();
		request.recorded = { method, url, headers, name, at, isAccepted: false };
		reply.raw.once('close', () => (request.recorded.endedAt = Date.now()));
		this.requests.push(request.recorded);
	}
}
