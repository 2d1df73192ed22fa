import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { startProgram } from './server';

const run = promisify(execFile);

/** A Redis of its own that keeps nothing: the settings with which n8n uses it. */
export async function startRedis(place: { folder: string }): Promise<Record<string, string>> {
	const folder = join(place.folder, 'redis');
	await mkdir(folder);
	const port = await startProgram({
		file: 'redis-server',
		folder,
		args: (port) => ['--port', port, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
		ready: async (port) => (await run('redis-cli', ['-p', port, 'ping'])).stdout.trim() === 'PONG',
	});
	return { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: port };
}
