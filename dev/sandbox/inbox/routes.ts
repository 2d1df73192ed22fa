import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { FastifyInstance, FastifyRequest } from 'fastify';

import { projectRoot } from '../../projectRoot';
import { eventsOf } from './events';
import type { Inbox } from './inbox';

const files: Record<string, { name: string; type: string }> = {
	'/': { name: 'page.html', type: 'text/html; charset=utf-8' },
	'/sandbox/inbox/page.css': { name: 'page.css', type: 'text/css; charset=utf-8' },
	'/sandbox/inbox/page.js': { name: 'page.js', type: 'text/javascript; charset=utf-8' },
	'/sandbox/inbox/icon.svg': { name: 'icon.svg', type: 'image/svg+xml' },
};
const EVENTS = '/sandbox/events';

const headers = {
	'cache-control': 'no-store',
	// Covers and head images may come from anywhere, everything else only from here.
	'content-security-policy': [
		"default-src 'none'",
		"script-src 'self'",
		"style-src 'self'",
		"connect-src 'self'",
		'img-src http: https:',
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
	].join('; '),
	'referrer-policy': 'no-referrer',
	'x-content-type-options': 'nosniff',
};

/** The page that shows the inbox. It needs no key. */
export function serveInbox(app: FastifyInstance, inbox: Inbox): void {
	for (const [path, { name, type }] of Object.entries(files)) {
		app.get(path, async (_, reply) => {
			const content = await readFile(join(projectRoot, 'dev', 'sandbox', 'inbox', name));
			return await reply.headers({ ...headers, 'content-type': type }).send(content);
		});
	}
	// HEAD would read a stream that never ends.
	app.get(EVENTS, { exposeHeadRoute: false }, async (request, reply) => {
		const lastId = request.headers['last-event-id'];
		const events = eventsOf(inbox, lastId?.toString());
		return await reply.headers({ ...headers, 'content-type': 'text/event-stream' }).send(events);
	});
}

/** Whether somebody only looks at the inbox, or at what goes with it. */
export function isLook({ method, routeOptions: { url } }: FastifyRequest): boolean {
	return method === 'GET' && (url === '/' || url?.startsWith('/sandbox/') === true);
}
