import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { freePorts, Running } from '../../dev/n8n/processes';

const run = promisify(execFile);

/** A Redis of its own that keeps nothing, and the settings with which n8n uses it. */
export async function startRedis(
	folder: string,
): Promise<{ process: Running; env: Record<string, string> }> {
	await mkdir(folder, { recursive: true });
	const [free = 0] = await freePorts(1);
	const port = String(free);
	const server = await Running.start({
		file: 'redis-server',
		args: ['--port', port, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
		cwd: folder,
		log: join(folder, 'redis.log'),
		ready: async () => (await run('redis-cli', ['-p', port, 'ping'])).stdout.trim() === 'PONG',
	});
	return {
		process: server,
		env: { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: port },
	};
}
