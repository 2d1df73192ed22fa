import type { FastifyInstance } from 'fastify';

import type { DownloadResponse } from './downloads';
import type { Misbehaviour, Schedule } from './misbehaviour';
import { send, success } from './response';
import { downloadResponseBody, misbehaveBody, resetBody } from './schemas';
import type { State } from './state';

/** What the sandbox can be told over HTTP; it is no part of the service. */
export function serveControl(app: FastifyInstance, state: State): void {
	const order = <Told>(name: string, body: object, obey: (told: Told) => void) => {
		app.post(`/sandbox/${name}`, { schema: { body } }, async (request, reply) => {
			obey(request.body as Told);
			await send(reply, success(null));
		});
	};

	order('misbehave', misbehaveBody, (told: Misbehaviour & Schedule) => {
		const { times, on, isAccepted, ...misbehaviour } = told;
		state.plan.add(misbehaviour, { times, on, isAccepted });
	});
	order('answer-downloads', downloadResponseBody, (told: DownloadResponse) => {
		state.downloads.response = told;
	});
	order('reset', resetBody, () => state.clear());
}
