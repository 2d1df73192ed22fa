import { execFile } from 'node:child_process';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { postgresBin } from './debian';
import { freePorts, NOBODY, Running } from '../../dev/n8n/processes';

const run = promisify(execFile);

const USER = 'n8n';

/** A PostgreSQL of its own in an empty folder, and the settings with which n8n uses it. */
export async function startPostgres(
	folder: string,
): Promise<{ process: Running; env: Record<string, string> }> {
	const bin = await postgresBin();
	if (!bin) throw new Error('PostgreSQL is not installed');
	const asRoot = process.getuid?.() === 0;
	const data = join(folder, 'data');
	await mkdir(data, { recursive: true, mode: 0o700 });
	if (asRoot) {
		await chown(folder, NOBODY.uid, NOBODY.gid); // its socket goes there
		await chown(data, NOBODY.uid, NOBODY.gid);
	}
	const initdb = ['-D', data, '-U', USER, '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C'];
	await run(join(bin, 'initdb'), initdb, { cwd: folder, ...(asRoot ? NOBODY : {}) });

	const [port = 0] = await freePorts(1);
	const settings = {
		listen_addresses: '127.0.0.1',
		port: String(port),
		unix_socket_directories: folder,
		fsync: 'off', // nobody needs the data after a crash
	};
	const server = await Running.start({
		file: join(bin, 'postgres'),
		args: [
			'-D',
			data,
			...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
		],
		cwd: folder,
		unprivileged: true,
		log: join(folder, 'postgres.log'),
		ready: async () => {
			await run(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]);
			return true;
		},
	});
	return {
		process: server,
		env: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(port),
			DB_POSTGRESDB_USER: USER,
			DB_POSTGRESDB_DATABASE: 'postgres', // initdb makes it
		},
	};
}
