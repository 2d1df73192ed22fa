import { isIP } from 'node:net';

import fastify, { type FastifyError, type FastifyInstance } from 'fastify';

import { refusals } from './inventions';
import { isLook } from './page/routes';
import type { Schedule } from './plan';
import { record } from './record';
import { respond } from './respond';
import { refusal, success, type SandboxResponse } from './response';
import type { Body, State } from './state';

declare module 'fastify' {
	/** Of a route that callers of the service use. */
	interface FastifyContextConfig {
		name?: string;
		on?: Schedule['on'];
	}
}

/** A server without routes: it reads JSON, asks for the key, records, and answers what goes wrong. */
export function createApp(state: State, key: string, names: string[]): FastifyInstance {
	const app = fastify({
		bodyLimit: 64 * 1024 * 1024,
		forceCloseConnections: true,
		// A path that cannot be decoded, or with too long a part, reaches no hook.
		frameworkErrors: async (_, request, reply) => {
			state.requests.push(record(request, reply));
			await respond(request, reply, refusal(refusals.noSuchPath));
		},
		ajv: {
			customOptions: {
				coerceTypes: false,
				removeAdditional: false,
				allErrors: true,
				verbose: true, // an error then has the schema that names what is allowed
			},
		},
	});

	app.removeAllContentTypeParsers();
	app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
		request.recorded.rawBody = String(text);
		try {
			done(null, (request.recorded.body = JSON.parse(String(text)) as Body));
		} catch {
			done(Object.assign(new Error(), { statusCode: refusals.badJson.status }));
		}
	});

	app.addHook('onRequest', async ({ headers }, reply) => {
		if (isOwnName(headers.host, names)) return;
		// RFC 9110, section 15.5.20
		await reply.code(421).send('The sandbox has no such name: start it with --name.\n');
	});
	app.addHook('onRequest', async (request, reply) => {
		if (isLook(request)) return;
		state.requests.push(record(request, reply));
		const { on } = request.routeOptions.config;
		const planned = on && state.plan.take(on);
		if (planned) return await respond(request, reply, success(null), planned);
		if (on === 'api' && request.headers['x-service-key'] !== key) {
			await respond(request, reply, refusal(refusals.badKey));
		}
	});
	app.setNotFoundHandler(
		async (request, reply) => await respond(request, reply, refusal(refusals.noSuchPath)),
	);
	app.setErrorHandler(
		async (error: FastifyError, request, reply) => await respond(request, reply, refusalOf(error)),
	);
	return app;
}

/** Names of this machine, also for a container on it. */
const OWN_NAMES = ['localhost', 'host.docker.internal', 'host.containers.internal'];

/**
 * Whether a `Host` header means this machine. A page of any site may lead its own name here, and then
 * read all that is answered (DNS rebinding); an address it cannot choose.
 * @param names further ones
 */
function isOwnName(host: string | undefined, names: string[]): boolean {
	if (!host) return true;
	const name = host
		.replace(/\.?(?::\d+)?$/, '')
		.replace(/^\[(.*)\]$/, '$1')
		.toLowerCase();
	const known = [...OWN_NAMES, ...names.map((further) => further.toLowerCase())];
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

/** What is wrong with a body, and what it may be instead. */
function wordsOf({ instancePath, message, params, parentSchema }: Invalid): string {
	const missing = parentSchema?.properties?.[String(params.missingProperty)]?.enum;
	const allowed = (params.allowedValues ?? missing) as string[] | undefined;
	return `body${instancePath} ${message}${allowed ? ` (${allowed.join(', ')})` : ''}`;
}
