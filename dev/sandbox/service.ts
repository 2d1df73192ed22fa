import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { messageArrival } from './inbox/arrivals';
import { refusals, sentData, type Refusal } from './inventions';
import type { Planned } from './misbehaviour';
import { respond } from './respond';
import { refusal, success, type SandboxResponse } from './response';
import { decrypted, encrypted, sampleAt } from './samples';
import { downloadBody, sendFeedVideoBody } from './schemas';
import type { Body, State } from './state';

/** The two endpoints that the service documents. */
export function serveService(app: FastifyInstance, state: State): void {
	const { downloads, messages } = state;

	endpoint(app, state, '/workchat/messages/send-feed-video', sendFeedVideoBody, (body) => {
		messages.push(body);
		const response = success(sentData(`sandbox-message-${messages.length}`));
		return { ...response, arrival: messageArrival(body) };
	});

	endpoint(app, state, '/workchat/files/wx-download', downloadBody, (body, base) => {
		const sample = sampleAt(String(body.fileUrl));
		if (!sample) return refusals.noSuchFile;
		const opened = decrypted(encrypted(sample), String(body.fileAeskey));
		if (!opened?.equals(sample.content) || body.fileAuthkey !== sample.authKey) {
			return refusals.badFileKey;
		}
		const { delivery } = downloads;
		const entry = { fileType: Number(body.fileType), name: sample.name, delivery };
		return { ...downloads.responseWith(sample, base), arrival: { section: 'files', entry } };
	});
}

/** @param accept gets the address at which the sandbox was called, too */
function endpoint(
	app: FastifyInstance,
	state: State,
	path: string,
	body: object,
	accept: (body: Body, base: string) => SandboxResponse | Refusal,
): void {
	/** Calls that are done, but badly answered. */
	const spoiling = new WeakMap<FastifyRequest, Planned>();
	// Before validation, as that would not be the first to fail in life.
	const preValidation = async (request: FastifyRequest, reply: FastifyReply) => {
		const planned = state.plan.take('api', request.body as Body);
		if (planned?.isAccepted) spoiling.set(request, planned);
		else if (planned) await respond(state, request, reply, success(null), planned);
	};
	app.post<{ Body: Body }>(path, { schema: { body }, preValidation }, async (request, reply) => {
		const result = accept(request.body, baseOf(request));
		const isRefused = 'code' in result;
		state.record.of(request).isAccepted = !isRefused;
		const response = isRefused ? refusal(result) : result;
		await respond(state, request, reply, response, spoiling.get(request));
	});
}

/** The address at which the sandbox was called. */
export function baseOf({ headers }: FastifyRequest): string {
	return `http://${headers.host}`;
}
