import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { messageArrival } from './inbox/arrivals';
import { doneData, refusals, sentData, type Refusal } from './inventions';
import type { Planned } from './misbehaviour';
import { operations, type Operation } from './operations';
import { respond } from './respond';
import { refusal, success, type SandboxResponse } from './response';
import { decrypted, encrypted, sampleAt } from './samples';
import { bodyOf } from './schemas';
import type { Body, State } from './state';

/** Does what an operation asks. */
type Perform = (body: Body, operation: Operation, base: string) => SandboxResponse | Refusal;

/** Every operation of the node, at its path. */
export function serveService(app: FastifyInstance, state: State): void {
	const { downloads, messages } = state;

	const send: Perform = (body, operation) => {
		messages.push(body);
		const response = success(sentData(`sandbox-message-${messages.length}`));
		return { ...response, arrival: messageArrival(body, operation) };
	};

	const download: Perform = (body, _, base) => {
		const sample = sampleAt(String(body.fileUrl));
		if (!sample) return refusals.noSuchFile;
		const opened = decrypted(encrypted(sample), String(body.fileAeskey));
		if (!opened?.equals(sample.content) || body.fileAuthkey !== sample.authKey) {
			return refusals.badFileKey;
		}
		const { delivery } = downloads;
		const entry = { fileType: Number(body.fileType), name: sample.name, delivery };
		return { ...downloads.responseWith(sample, base), arrival: { section: 'files', entry } };
	};

	const performOf = ({ path, fields }: Operation): Perform => {
		if (path === '/workchat/files/wx-download') return download;
		const isMessage = fields.some(({ name }) => name === 'toId');
		return isMessage ? send : () => success(doneData());
	};

	for (const operation of operations) endpoint(app, state, operation, performOf(operation));
}

function endpoint(
	app: FastifyInstance,
	state: State,
	operation: Operation,
	perform: Perform,
): void {
	/** Calls that are done, but badly answered. */
	const spoiling = new WeakMap<FastifyRequest, Planned>();
	const options = {
		config: { name: operation.name, on: 'api' as const },
		schema: { body: bodyOf(operation) },
		// Before validation, as that would not be the first to fail in life.
		preValidation: async (request: FastifyRequest, reply: FastifyReply) => {
			const planned = state.plan.take('api', request.body as Body);
			if (planned?.isAccepted) spoiling.set(request, planned);
			else if (planned) await respond(state, request, reply, success(null), planned);
		},
	};
	app.post<{ Body: Body }>(operation.path, options, async (request, reply) => {
		const result = perform(request.body, operation, baseOf(request));
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
