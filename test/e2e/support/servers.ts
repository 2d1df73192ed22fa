import { once } from 'node:events';
import { chmod, mkdir } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import execa from 'execa';

import { freePorts } from '../../../dev/n8n/ports';
import { Running, UNPRIVILEGED, type Command } from '../../../dev/n8n/processes';
import { atEnd } from './atEnd';
import { postgresBin } from './debian';

/** Servers that run until the tests of the file have ended. */

/** Answers in this process; gives the origin. */
export async function serve(listener: RequestListener): Promise<string> {
	const server = createServer(listener).listen(0, '127.0.0.1');
	await once(server, 'listening');
	atEnd(async () => {
		server.closeAllConnections();
		await once(server.close(), 'close');
	});
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Program extends Pick<Command, 'file' | 'uid' | 'gid'> {
	/** Where it runs, with its log. */
	folder: string;
	args: (port: string) => string[];
	ready: (port: string) => Promise<boolean>;
}

/** Runs a server program on a free port; gives the port. */
async function startProgram({ folder, args, ready, ...program }: Program): Promise<string> {
	const port = String((await freePorts(1))[0]);
	const log = join(folder, 'server.log');
	const command = { ...program, args: args(port), cwd: folder, log };
	const running = await Running.start({ ...command, ready: async () => await ready(port) });
	atEnd(async () => await running.stop());
	return port;
}

/** A Redis that keeps nothing: the settings with which n8n uses it. */
export async function startRedis(parent: string) {
	const folder = join(parent, 'redis');
	await mkdir(folder);
	const port = await startProgram({
		file: 'redis-server',
		folder,
		args: (port) => ['--port', port, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
		ready: async (port) => (await execa('redis-cli', ['-p', port, 'ping'])).stdout === 'PONG',
	});
	return { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: port };
}

/** A PostgreSQL of its own: the settings with which n8n uses it. */
export async function startPostgres(parent: string) {
	const bin = await postgresBin();
	const folder = join(parent, 'postgres'); // its socket goes there
	await mkdir(folder);
	await chmod(folder, 0o777);
	const data = join(folder, 'data');
	const initdb = ['-D', data, '-U', 'n8n', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C'];
	await execa(join(bin, 'initdb'), initdb, { cwd: folder, ...UNPRIVILEGED });

	const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`];
	settings.push('fsync=off'); // nobody needs the data after a crash
	const port = await startProgram({
		file: join(bin, 'postgres'),
		folder,
		args: (port) => ['-D', data, '-p', port, ...settings.flatMap((setting) => ['-c', setting])],
		...UNPRIVILEGED,
		ready: async (port) => !!(await execa(`${bin}/pg_isready`, ['-h', '127.0.0.1', '-p', port])),
	});
	return {
		...{ DB_TYPE: 'postgresdb', DB_POSTGRESDB_HOST: '127.0.0.1', DB_POSTGRESDB_PORT: port },
		...{ DB_POSTGRESDB_USER: 'n8n', DB_POSTGRESDB_DATABASE: 'postgres' }, // initdb makes both
	};
}
