import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { installNode, type Installation } from './installation';
import { freePorts } from './ports';
import { Running } from './processes';

interface N8nOptions {
	installation: Installation;
	/** n8n's user folder, which also contains its log. */
	folder: string;
	/** By default any free port. */
	port?: number;
	/** More settings. */
	env?: Record<string, string>;
}

/** Starts n8n's main process, or a worker, with the packed node. */
export async function startN8n(
	command: 'start' | 'worker',
	{ installation, folder, port, env }: N8nOptions,
): Promise<{ url: string; process: Running }> {
	await mkdir(join(folder, 'tmp'), { recursive: true });
	await installNode(folder, installation);
	const [broker = 0, free = 0] = await freePorts(2);
	const url = `http://127.0.0.1:${port ?? free}`;
	const process = await Running.start({
		file: installation.bin('n8n'),
		args: command === 'worker' ? ['worker', '--concurrency=5'] : ['start'],
		cwd: folder,
		env: {
			...installation.env,
			...SETTINGS,
			HOME: folder,
			TMPDIR: join(folder, 'tmp'),
			N8N_USER_FOLDER: folder,
			N8N_RESTRICT_FILE_ACCESS_TO: filesOf(folder),
			N8N_PORT: String(port ?? free),
			QUEUE_HEALTH_CHECK_PORT: String(port ?? free),
			N8N_RUNNERS_BROKER_PORT: String(broker),
			...env,
		},
		log: join(folder, `${command}.log`),
		ready: async () =>
			(await fetch(`${url}/healthz/readiness`, { signal: AbortSignal.timeout(5000) })).ok,
	});
	return { url, process };
}

/** The folder that nodes may read and write. */
export const filesOf = (folder: string) => join(folder, 'files');

const SETTINGS = {
	NODE_ENV: 'production', // jest sets it to "test"
	N8N_LISTEN_ADDRESS: '127.0.0.1',
	N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
	N8N_SECURE_COOKIE: 'false',
	N8N_ENCRYPTION_KEY: 'only-for-trying-out',
	// By default, n8n answers 503 if its database does not respond for 5 s, as on a busy computer.
	DB_PING_TIMEOUT_MS: '60000',
	// Without requests to the Internet.
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
	N8N_DISABLED_MODULES: 'mcp-registry', // it sends requests to n8n's own server (n8n 2.41)
	N8N_COMMUNITY_PACKAGES_PREVENT_LOADING: 'false',
	QUEUE_HEALTH_CHECK_ACTIVE: 'true',
	GENERIC_TIMEZONE: 'Etc/UTC', // n8n's editor rejects a plain UTC
};
