import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

import type { FastifyReply } from 'fastify';

import type { Arrival } from './inbox/shown';
import type { Refusal } from './inventions';
import type { Planned } from './misbehaviour';

/** A response before it goes out. */
export interface SandboxResponse {
	status: number;
	headers: Record<string, string>;
	body: Buffer | Readable;
	/** What its envelope says, if it has one. */
	said?: { requestId: string; code: number; message: string };
	/** What the call brought. */
	arrival?: Arrival;
}

/** The service's envelope, with a fresh `request_id`. */
export function envelope(
	status: number,
	code: number,
	message: string,
	data: unknown,
): SandboxResponse {
	const requestId = `svc_${randomUUID().replaceAll('-', '')}`;
	const body = { ok: code === 0, code, message, request_id: requestId, data };
	return { ...json(status, body), said: { requestId, code, message } };
}

export function success(data: unknown): SandboxResponse {
	return envelope(200, 0, 'success', data);
}

export function refusal({ status, code, message }: Refusal, details?: string): SandboxResponse {
	return envelope(status, code, details ? `${message}: ${details}` : message, null);
}

function json(status: number, value: object): SandboxResponse {
	return text(status, 'application/json; charset=utf-8', JSON.stringify(value));
}

function text(status: number, contentType: string, body: string): SandboxResponse {
	return { status, headers: { 'content-type': contentType }, body: Buffer.from(body) };
}

export async function send(
	reply: FastifyReply,
	{ status, headers, body }: SandboxResponse,
): Promise<void> {
	await reply.code(status).headers(headers).send(body);
}

/** What goes out if such misbehaviour is planned, at best. */
export function spoilt(planned: Planned, response: SandboxResponse): SandboxResponse {
	switch (planned.kind) {
		case 'httpError':
			return httpError(planned);
		case 'refuse':
			return envelope(200, planned.code, planned.message, null);
		case 'html':
			return text(200, 'text/html', '<!doctype html><title>Sorry</title>');
		case 'empty':
			return { status: 200, headers: {}, body: Buffer.alloc(0) };
		case 'invalidJson':
			return text(200, 'application/json', '{"ok":true,"code":0,');
		case 'noRequestId':
			return json(200, { ok: true, code: 0, message: 'success', data: null });
		case 'redirect':
			return { status: 307, headers: { location: planned.location }, body: Buffer.alloc(0) };
		default:
			return response;
	}
}

/** Sends the response as badly as planned. */
export async function sendBadly(
	reply: FastifyReply,
	planned: Planned,
	response: SandboxResponse,
): Promise<void> {
	switch (planned.kind) {
		case 'delay':
			await wait(planned.milliseconds, undefined, { ref: false });
			return await send(reply, response);
		case 'hang':
			return void reply.hijack();
		case 'dropBeforeReading':
		case 'dropAfterAccepting':
			reply.hijack();
			return void reply.raw.socket?.destroy();
		case 'truncate':
			await sendHalf(reply, response);
			return void reply.raw.socket?.destroy();
		case 'stall':
			return await sendHalf(reply, response);
		default:
			return await send(reply, response);
	}
}

function httpError(planned: Planned & { kind: 'httpError' }): SandboxResponse {
	const { status, retryAfter, hasEnvelope = true } = planned;
	const response = hasEnvelope
		? envelope(status, status * 100, `HTTP ${status} as told`, null)
		: text(status, 'text/html', `<!doctype html><title>${status}</title>`);
	if (retryAfter !== undefined) response.headers['retry-after'] = retryAfter;
	return response;
}

/** Announces the whole body and sends half of it. */
async function sendHalf(
	reply: FastifyReply,
	{ status, headers, body }: SandboxResponse,
): Promise<void> {
	const whole = Buffer.isBuffer(body) ? body : Buffer.concat(await body.toArray());
	reply.hijack();
	reply.raw.writeHead(status, { ...headers, 'content-length': whole.length });
	await new Promise<void>((resolve) => {
		reply.raw.write(whole.subarray(0, Math.ceil(whole.length / 2)), () => resolve());
	});
}
