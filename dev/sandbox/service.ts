import type { FastifyInstance, FastifyRequest } from 'fastify';

import { refusals, sentData } from './inventions';
import { isMessage, operations, type Operation } from './operations';
import { respond } from './respond';
import { isRefusal, refusal, success, type SandboxResponse } from './response';
import { samples } from './samples';
import { bodyOf } from './schemas';
import type { Body, State } from './state';

/** Carries out a call. */
type Perform = (body: Body, base: string) => SandboxResponse;

/** Serves every operation of the node at its path. */
export function serveService(app: FastifyInstance, state: State): void {
	const send: Perform = (body) => {
		state.messages.push(body);
		return success(sentData(`sandbox-message-${state.messages.length}`));
	};

	const download: Perform = ({ fileUrl, fileAeskey, fileAuthkey }, base) => {
		const sample = Object.values(samples).find(({ path }) => String(fileUrl).endsWith(path));
		if (!sample) return refusal(refusals.noSuchFile);
		const { fields } = sample;
		const isOpen = fileAeskey === fields.fileAeskey && fileAuthkey === fields.fileAuthkey;
		return isOpen ? state.downloads.responseWith(sample, base) : refusal(refusals.badFileKey);
	};

	const performOf = (operation: Operation): Perform => {
		if (operation.path === '/workchat/files/wx-download') return download;
		return isMessage(operation) ? send : () => success({});
	};

	for (const operation of operations) {
		const perform = performOf(operation);
		const config = { name: operation.name, on: 'api' as const };
		const schema = { body: bodyOf(operation) };
		app.post<{ Body: Body }>(operation.path, { config, schema }, async (request, reply) => {
			const response = perform(request.body, baseOf(request));
			request.recorded.isAccepted = !isRefusal(response);
			await respond(request, reply, response);
		});
	}
}

/** Serves the links in the responses to downloads. They need no key. */
export function serveFiles(app: FastifyInstance, state: State): void {
	const config = { name: 'Link to a file', on: 'file' as const };
	app.get('/files/:token/*', { config }, async (request, reply) => {
		const file = state.downloads.fileAt(request.url);
		request.recorded.isAccepted = file !== undefined;
		await respond(request, reply, file ?? refusal(refusals.noSuchPath));
	});
}

/** The sandbox's origin, as the caller wrote it. */
export function baseOf({ headers }: FastifyRequest): string {
	return `http://${headers.host}`;
}
