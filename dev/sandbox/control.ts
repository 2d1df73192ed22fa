import type { FastifyInstance } from 'fastify';

import type { DownloadResponse } from './downloads';
import type { CallbackKind } from './inventions';
import { menu } from './menu';
import type { Misbehaviour } from './misbehaviour';
import type { Schedule } from './plan';
import { send, success } from './response';
import { callbackBody, downloadResponseBody, misbehaveBody, resetBody } from './schemas';
import { baseOf } from './service';
import type { State } from './state';

/** What the sandbox can be told over HTTP; it is no part of the service. */
export function serveControl(app: FastifyInstance, state: State): void {
	const order = <Told>(name: string, body: object, obey: (told: Told) => void) => {
		app.post(`/sandbox/${name}`, { schema: { body } }, async (request, reply) => {
			obey(request.body as Told);
			await send(reply, success(null));
		});
	};

	app.get('/sandbox/misbehave', async (_, reply) => await send(reply, success(menu)));
	order('misbehave', misbehaveBody, (told: Misbehaviour & Schedule) => {
		const { times, on, toId, isAccepted, ...misbehaviour } = told;
		state.plan.add(misbehaviour, { times, on, toId, isAccepted });
	});
	order('answer-downloads', downloadResponseBody, (told: DownloadResponse) => {
		state.downloads.response = told;
	});
	order('reset', resetBody, () => state.clear());

	app.post('/sandbox/callbacks', { schema: { body: callbackBody } }, async (request, reply) => {
		const { url, kind } = request.body as { url: string; kind: CallbackKind | 'again' };
		await send(reply, success(await state.callbacks.post(url, kind, baseOf(request))));
	});
}
