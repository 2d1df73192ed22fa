import type { FastifyInstance } from 'fastify';

import { refusals } from './inventions';
import { respond } from './respond';
import { refusal } from './response';
import type { State } from './state';

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
