import { setTimeout as wait } from 'node:timers/promises';

import type { FastifyReply, FastifyRequest } from 'fastify';

import { KINDS, type Kind } from './misbehaviour';
import { isRefusal, send, type SandboxResponse } from './response';

/** Sends and records the response to a call: the proper one, or what a misbehaviour makes of it. */
export async function respond(
	{ planned, recorded }: FastifyRequest,
	reply: FastifyReply,
	proper: SandboxResponse,
): Promise<void> {
	const misbehaviour = planned?.misbehaviour;
	const { instead, breakOff }: Kind = misbehaviour ? KINDS[misbehaviour.kind] : {};
	const response = misbehaviour && instead ? instead(misbehaviour) : proper;
	recorded.answer = {
		...(!breakOff && { status: response.status, ...response.envelope }),
		simulated: misbehaviour,
		file: proper.file,
		isFailure: (misbehaviour !== undefined && misbehaviour.kind !== 'delay') || isRefusal(response),
	};
	if (misbehaviour?.kind === 'delay') {
		const { milliseconds, until } = misbehaviour;
		const delay = wait(milliseconds, undefined, { ref: false });
		await Promise.race([delay, until ?? delay]);
	}
	await (breakOff ?? send)(reply, response);
}
