import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { refusals } from './inventions';
import { respond } from './respond';
import { refusal, type SandboxResponse } from './response';
import { encrypted, samples } from './samples';
import type { State } from './state';

/** The links that downloads gave, and the encrypted files. They need no key. */
export function serveFiles(app: FastifyInstance, state: State): void {
	const serve = async (request: FastifyRequest, reply: FastifyReply, file: SandboxResponse) => {
		const planned = state.plan.take('file', {});
		state.record.of(request).isAccepted = planned?.isAccepted ?? true;
		await respond(state, request, reply, file, planned);
	};

	const config = { name: 'Link to a file', on: 'file' as const };
	app.get('/files/:token/*', { config }, async (request, reply) => {
		const [path = ''] = request.url.split('?');
		const file = state.downloads.fileAt(path);
		if (file) return await serve(request, reply, file);
		await respond(state, request, reply, refusal(refusals.noSuchPath));
	});

	for (const sample of Object.values(samples)) {
		app.get(
			sample.path,
			{ config: { ...config, name: 'Encrypted file' } },
			async (request, reply) => {
				const headers = { 'content-type': 'application/octet-stream' };
				await serve(request, reply, { status: 200, headers, body: encrypted(sample) });
			},
		);
	}
}
