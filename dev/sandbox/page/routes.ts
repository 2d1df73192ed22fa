import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { FastifyInstance } from 'fastify';

import { projectRoot } from '../../projectRoot';
import { COVER } from '../inventions';
import type { State } from '../state';
import { shownOf } from './shown';

const PAGE = 'dev/sandbox/page';
const PICO = 'node_modules/@picocss/pico/css/pico.sand.min.css';
const files: Record<string, { file: string; type: string }> = {
	'/': { file: `${PAGE}/page.html`, type: 'text/html; charset=utf-8' },
	'/sandbox/page.css': { file: `${PAGE}/page.css`, type: 'text/css; charset=utf-8' },
	'/sandbox/pico.css': { file: PICO, type: 'text/css; charset=utf-8' },
	'/sandbox/page.js': { file: `${PAGE}/page.js`, type: 'text/javascript; charset=utf-8' },
	[COVER]: { file: `${PAGE}/cover.svg`, type: 'image/svg+xml' },
};

const headers = {
	'cache-control': 'no-store',
	// Covers and head images may have any origin, and Pico has its icons in data URIs.
	'content-security-policy':
		"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
		"img-src http: https: data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	'referrer-policy': 'no-referrer',
	'x-content-type-options': 'nosniff',
};

/** Serves the page that shows what the sandbox received. It needs no key. */
export function servePage(app: FastifyInstance, state: State): void {
	const config = { isHidden: true } as const;
	for (const [path, { file, type }] of Object.entries(files)) {
		app.get(path, { config }, async (_, reply) => {
			const content = await readFile(join(projectRoot, file));
			return await reply.headers({ ...headers, 'content-type': type }).send(content);
		});
	}
	app.get(
		'/sandbox/state',
		{ config },
		async (_, reply) => await reply.headers(headers).send(shownOf(state)),
	);
}
