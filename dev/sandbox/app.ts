import { isIP } from 'node:net';

import fastify, { type FastifyError, type FastifyInstance } from 'fastify';

import { refusals } from './inventions';
import { KINDS } from './misbehaviour';
import { respond } from './respond';
import { refusal, success, type SandboxResponse } from './response';
import type { Body, State } from './state';

const customOptions = {
	coerceTypes: false,
	removeAdditional: false,
	allErrors: true,
	verbose: true, // an error then contains the schema with the allowed values
} as const;

/** A server without routes, which reads JSON, checks the key, records requests, and refuses invalid ones. */
export function createApp(state: State, key: string, names: string[]): FastifyInstance {
	const app = fastify({
		bodyLimit: 64 * 1024 * 1024,
		forceCloseConnections: true,
		ajv: { customOptions },
	});
	app.removeContentTypeParser('text/plain'); // any website may send that

	app.addHook('onRequest', async ({ headers }, reply) => {
		if (isOwnName(headers.host, names)) return;
		// RFC 9110, section 15.5.20
		await reply
			.code(421)
			.send('The sandbox does not answer to this host name. Start it with --name and the name.\n');
	});
	addCallHooks(app, state, key);
	app.setNotFoundHandler(
		async (request, reply) => await respond(request, reply, refusal(refusals.noSuchPath)),
	);
	app.setErrorHandler(
		async (error: FastifyError, request, reply) => await respond(request, reply, refusalOf(error)),
	);
	return app;
}

/** Records a call, checks its key, and applies planned misbehaviours, before the call is carried out. */
function addCallHooks(app: FastifyInstance, state: State, key: string): void {
	app.addHook('onRequest', async (request, reply) => {
		const { on, isHidden } = request.routeOptions.config;
		if (isHidden) return;
		state.record(request, reply);
		request.planned = on && state.plan.take(on);
		if (request.planned) return await respond(request, reply, success(null));
		if (on === 'api' && request.headers['x-service-key'] !== key) {
			await respond(request, reply, refusal(refusals.badKey));
		}
	});
	// Before validation, as a call can fail before the service has read it.
	app.addHook('preValidation', async (request, reply) => {
		const { on, isHidden } = request.routeOptions.config;
		if (isHidden) return;
		const body = (request.recorded.body = request.body as Body | undefined);
		request.planned = on && state.plan.take(on, body ?? {});
		if (!request.planned || KINDS[request.planned.misbehaviour.kind].isAccepted) return;
		await respond(request, reply, success(null));
	});
}

/** Names of this computer, also inside a container on it. */
const OWN_NAMES = ['localhost', 'host.docker.internal', 'host.containers.internal'];

/**
 * Whether a `Host` header names this computer. Otherwise, a website could let its own host name resolve to
 * this address, and read the responses (DNS rebinding). It cannot do so with an IP address.
 * @param names other names that are allowed
 */
function isOwnName(host: string | undefined, names: string[]): boolean {
	if (!host) return true;
	const name = host
		.replace(/\.?(?::\d+)?$/, '')
		.replace(/^\[(.*)\]$/, '$1')
		.toLowerCase();
	const known = [...OWN_NAMES, ...names.map((name) => name.toLowerCase())];
	return isIP(name) !== 0 || name.endsWith('.localhost') || known.includes(name);
}

function refusalOf({ validation, statusCode }: FastifyError): SandboxResponse {
	const { badFields, badJson, tooLarge, notJson, crash } = refusals;
	if (validation) return refusal(badFields, validation.map(wordsOf).join(', '));
	const known = [badJson, tooLarge, notJson].find(({ status }) => status === statusCode);
	return refusal(known ?? crash);
}

type Invalid = NonNullable<FastifyError['validation']>[number] & {
	parentSchema?: { properties?: Record<string, { enum?: string[] }> };
};

/** Says which part of a body is invalid, and lists the allowed values. */
function wordsOf({ instancePath, message, params, parentSchema }: Invalid): string {
	const missing = parentSchema?.properties?.[String(params.missingProperty)]?.enum;
	const allowed = (params.allowedValues ?? missing) as string[] | undefined;
	return `body${instancePath} ${message}${allowed ? ` (${allowed.join(', ')})` : ''}`;
}
