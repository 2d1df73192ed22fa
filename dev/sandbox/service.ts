import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { refusals, sentData } from './inventions';
import { isMessage, operations, type Operation } from './operations';
import type { Planned } from './plan';
import { respond } from './respond';
import { isRefusal, refusal, success, type SandboxResponse } from './response';
import { sampleAt } from './samples';
import { bodyOf } from './schemas';
import type { Body, State } from './state';

/** Does what an operation asks. */
type Perform = (body: Body, base: string) => SandboxResponse;

/** Every operation of the node, at its path. */
export function serveService(app: FastifyInstance, state: State): void {
	const send: Perform = (body) => {
		state.messages.push(body);
		return success(sentData(`sandbox-message-${state.messages.length}`));
	};

	const download: Perform = ({ fileUrl, fileAeskey, fileAuthkey }, base) => {
		const sample = sampleAt(String(fileUrl));
		if (!sample) return refusal(refusals.noSuchFile);
		const isOpen = fileAeskey === sample.aesKey && fileAuthkey === sample.authKey;
		return isOpen ? state.downloads.responseWith(sample, base) : refusal(refusals.badFileKey);
	};

	const performOf = (operation: Operation): Perform => {
		if (operation.path === '/workchat/files/wx-download') return download;
		return isMessage(operation) ? send : () => success({});
	};

	for (const operation of operations) endpoint(app, state, operation, performOf(operation));
}

/** The links that downloads gave. They need no key. */
export function serveFiles(app: FastifyInstance, state: State): void {
	const config = { name: 'Link to a file', on: 'file' as const };
	app.get('/files/:token/*', { config }, async (request, reply) => {
		const [path = ''] = request.url.split('?');
		const file = state.downloads.fileAt(path);
		if (!file) return await respond(request, reply, refusal(refusals.noSuchPath));
		const planned = state.plan.take('file', {});
		request.recorded.isAccepted = planned?.isAccepted ?? true;
		await respond(request, reply, file, planned);
	});
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
			else if (planned) await respond(request, reply, success(null), planned);
		},
	};
	app.post<{ Body: Body }>(operation.path, options, async (request, reply) => {
		const response = perform(request.body, baseOf(request));
		request.recorded.isAccepted = !isRefusal(response);
		await respond(request, reply, response, spoiling.get(request));
	});
}

/** The address at which the sandbox was called. */
export function baseOf({ headers }: FastifyRequest): string {
	return `http://${headers.host}`;
}
