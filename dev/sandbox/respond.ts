import { setTimeout as wait } from 'node:timers/promises';

import type { FastifyReply, FastifyRequest } from 'fastify';

import { KINDS, type Kind } from './misbehaviour';
import { isRefusal, send, type SandboxResponse } from './response';

/** Every response to a call goes this way, so that the record holds what the caller hears. */
export async function respond(
	{ planned, recorded }: FastifyRequest,
	reply: FastifyReply,
	proper: SandboxResponse,
): Promise<void> {
	const told = planned?.told;
	const { instead, breakOff }: Kind = told ? KINDS[told.kind] : {};
	const response = told && instead ? instead(told) : proper;
	recorded.answer = {
		...(!breakOff && { status: response.status, ...response.said }),
		told,
		gave: proper.gave,
		isFailure: (told !== undefined && told.kind !== 'delay') || isRefusal(response),
	};
	if (told?.kind === 'delay') await wait(told.milliseconds, undefined, { ref: false });
	await (breakOff ?? send)(reply, response);
}
