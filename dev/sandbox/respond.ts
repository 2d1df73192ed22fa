import type { FastifyReply, FastifyRequest } from 'fastify';

import { failureOf, heardOf } from './inbox/arrivals';
import type { Planned } from './misbehaviour';
import { send, sendBadly, spoilt, type SandboxResponse } from './response';
import type { State } from './state';

/** Every response to a call goes this way, so that the inbox gets to know of it. */
export async function respond(
	{ inbox }: State,
	request: FastifyRequest,
	reply: FastifyReply,
	proper: SandboxResponse,
	planned?: Planned,
): Promise<void> {
	const response = planned ? spoilt(planned, proper) : proper;
	const requestId = heardOf(response, planned).said?.requestId ?? '';
	const { arrival } = proper;
	if (arrival?.section === 'messages') inbox.add('messages', { ...arrival.entry, requestId });
	if (arrival?.section === 'files') inbox.add('files', { ...arrival.entry, requestId });
	const failure = failureOf(request, response, planned);
	if (failure) inbox.add('failures', failure);
	await (planned ? sendBadly(reply, planned, response) : send(reply, response));
}
