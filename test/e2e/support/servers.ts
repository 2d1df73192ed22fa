import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, readdir } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import execa from 'execa';

import { freePorts } from '../../../dev/n8n/ports';
import { Running, temporaryFolder, UNPRIVILEGED, type Command } from '../../../dev/n8n/processes';
import { atEnd } from './atEnd';

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

/** Runs a server program in a folder of its own, with its log. */
async function startProgram(cwd: string, program: Omit<Command, 'log'>): Promise<void> {
	const running = await Running.start({ ...program, cwd, log: join(cwd, 'server.log') });
	atEnd(async () => await running.stop());
}

const freePort = async () => String((await freePorts(1))[0]);

/** A Redis that keeps nothing: the settings with which n8n uses it. */
export async function startRedis() {
	const port = await freePort();
	await startProgram(await temporaryFolder(), {
		file: 'redis-server',
		args: ['--port', port, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
		ready: async () => (await execa('redis-cli', ['-p', port, 'ping'])).stdout === 'PONG',
	});
	return { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: port };
}

/** A PostgreSQL of its own: the settings with which n8n uses it. */
export async function startPostgres() {
	// Debian gives each version a folder of its own, off the PATH; clients have no server.
	const versions = await readdir('/usr/lib/postgresql');
	const bins = versions.map((version) => join('/usr/lib/postgresql', version, 'bin'));
	const bin = bins.find((each) => existsSync(join(each, 'initdb')))!;
	const folder = await temporaryFolder(); // its socket goes there
	await chmod(folder, 0o777);
	const data = join(folder, 'data');
	const initdb = ['-D', data, '-U', 'n8n', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C'];
	await execa(join(bin, 'initdb'), initdb, { cwd: folder, ...UNPRIVILEGED });

	const port = await freePort();
	const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`];
	settings.push('fsync=off'); // nobody needs the data after a crash
	await startProgram(folder, {
		file: join(bin, 'postgres'),
		args: ['-D', data, '-p', port, ...settings.flatMap((setting) => ['-c', setting])],
		...UNPRIVILEGED,
		ready: async () => !!(await execa(`${bin}/pg_isready`, ['-h', '127.0.0.1', '-p', port])),
	});
	return {
		...{ DB_TYPE: 'postgresdb', DB_POSTGRESDB_HOST: '127.0.0.1', DB_POSTGRESDB_PORT: port },
		...{ DB_POSTGRESDB_USER: 'n8n', DB_POSTGRESDB_DATABASE: 'postgres' }, // initdb makes both
	};
}
