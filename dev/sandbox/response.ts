import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';

import type { FastifyReply } from 'fastify';

import type { Refusal } from './inventions';

/** A response that has not been sent yet. */
export interface SandboxResponse {
	status: number;
	headers: Record<string, string>;
	body: Buffer | Readable;
	/** From its envelope, if it has one. */
	envelope?: { requestId: string; code: number; message: string };
	/** The name of the file in it, and where the file is. */
	file?: string;
}

/** A response with the service's envelope and a new `request_id`. */
export function envelope(status: number, code: number, message: string, data: unknown) {
	const requestId = `svc_${randomUUID().replaceAll('-', '')}`;
	const body = { ok: code === 0, code, message, request_id: requestId, data };
	return { ...json(status, body), envelope: { requestId, code, message } };
}

export function success(data: unknown): SandboxResponse {
	return envelope(200, 0, 'success', data);
}

export function refusal({ status, code, message }: Refusal, details?: string): SandboxResponse {
	return envelope(status, code, details ? `${message}: ${details}` : message, null);
}

export function isRefusal({ envelope }: SandboxResponse): boolean {
	return envelope !== undefined && envelope.code !== 0;
}

export function json(status: number, value: object): SandboxResponse {
	return text(status, 'application/json; charset=utf-8', JSON.stringify(value));
}

export function text(status: number, contentType: string, body: string): SandboxResponse {
	return { status, headers: { 'content-type': contentType }, body: Buffer.from(body) };
}

export async function send(reply: FastifyReply, { status, headers, body }: SandboxResponse) {
	await reply.code(status).headers(headers).send(body);
}
