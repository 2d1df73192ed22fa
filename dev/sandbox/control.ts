import type { FastifyInstance } from 'fastify';

import type { DownloadResponse } from './downloads';
import { deliveries } from './inventions';
import { callbackKinds, type CallbackKind } from './callbackKinds';
import { menu } from './menu';
import { KINDS, type Misbehaviour } from './misbehaviour';
import type { Schedule } from './plan';
import { send, success } from './response';
import { objectOf, text } from './schemas';
import { baseOf } from './service';
import type { State } from './state';

const misbehaveBody = {
	...objectOf({
		kind: { enum: Object.keys(KINDS) },
		status: { type: 'integer', minimum: 400, maximum: 599 },
		retryAfter: text,
		hasEnvelope: { type: 'boolean' },
		code: { type: 'integer' },
		message: text,
		milliseconds: { type: 'integer', minimum: 0 },
		times: { type: 'integer', minimum: 1 },
		on: { enum: ['api', 'file'] },
		toId: text,
	}),
	required: ['kind'],
	allOf: Object.entries(KINDS).map(([kind, { needs = [] }]) => ({
		if: { properties: { kind: { const: kind } }, required: ['kind'] },
		then: { required: needs },
	})),
};
const downloadsBody = objectOf({ as: { enum: ['body', ...Object.keys(deliveries)] } });
const kinds = [...Object.keys(callbackKinds), 'again'];
const url = { type: 'string', pattern: '^https?://' };
const callbackBody = {
	...objectOf({ kind: { enum: kinds }, url, senderId: text, text }),
	required: ['kind', 'url'],
};

/** Serves the orders that the sandbox takes over HTTP. The Workchat service has nothing like it. */
export function serveControl(app: FastifyInstance, state: State): void {
	const offer = (name: string, choices: () => object | Promise<object>) =>
		app.get(`/sandbox/${name}`, { config: { isHidden: true } }, async (_, reply) => {
			await send(reply, success(await choices()));
		});
	offer('misbehave', () => menu);
	offer('callbacks', () => kinds);
	offer('webhooks', async () => await state.webhooks());

	const order = <Body>(
		name: string,
		body: object,
		obey: (body: Body, base: string) => Promise<object> | void,
	) => {
		app.post(`/sandbox/${name}`, { schema: { body } }, async (request, reply) => {
			const data = await obey(request.body as Body, baseOf(request));
			await send(reply, success(data ?? null));
		});
	};
	order(
		'misbehave',
		misbehaveBody,
		({ times, on, toId, ...misbehaviour }: Misbehaviour & Schedule) => {
			state.plan.add(misbehaviour, { times, on, toId });
		},
	);
	order('answer-downloads', downloadsBody, (response: DownloadResponse) => {
		state.downloads.response = response;
	});
	type Callback = { kind: CallbackKind | 'again'; url: string };
	order('callbacks', callbackBody, async ({ kind, url, ...more }: Callback, base) => {
		return await state.callbacks.post(url, kind, base, more);
	});
	order('reset', objectOf({}), () => state.clear());
}
