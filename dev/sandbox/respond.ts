import { setTimeout as wait } from 'node:timers/promises';

import type { FastifyReply, FastifyRequest } from 'fastify';

import { nameOf } from './menu';
import { KINDS, type Kind } from './misbehaviour';
import type { Planned } from './plan';
import { isRefusal, send, type SandboxResponse } from './response';

/** Every response to a call goes this way, so that the record holds what the caller hears. */
export async function respond(
	request: FastifyRequest,
	reply: FastifyReply,
	proper: SandboxResponse,
	planned?: Planned,
): Promise<void> {
	const told = planned?.told;
	const { instead, breakOff }: Kind = told ? KINDS[told.kind] : {};
	const response = told && instead ? instead(told) : proper;
	const isJustLate = told?.kind === 'delay' && planned?.isAccepted;
	request.recorded.answer = {
		...(!breakOff && { status: response.status, ...response.said }),
		told: told && nameOf(told),
		gave: proper.gave,
		isFailure: (told !== undefined && !isJustLate) || isRefusal(response),
	};
	if (told?.kind === 'delay') await wait(told.milliseconds, undefined, { ref: false });
	await (breakOff ?? send)(reply, response);
}
