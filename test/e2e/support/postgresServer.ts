import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { NOBODY } from '../../../dev/n8n/processes';
import { postgresBin } from './debian';
import { run, startProgram } from './server';

const USER = 'n8n';

/** A PostgreSQL of its own: the settings with which n8n uses it. */
export async function startPostgres(place: { folder: string }) {
	const bin = await postgresBin();
	if (!bin) throw new Error('PostgreSQL is not installed');
	const asRoot = process.getuid?.() === 0;
	const folder = join(place.folder, 'postgres'); // its socket goes there
	const data = join(folder, 'data');
	await mkdir(data, { recursive: true, mode: 0o700 });
	if (asRoot) for (const path of [folder, data]) await chown(path, NOBODY.uid, NOBODY.gid);
	const initdb = ['-D', data, '-U', USER, '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C'];
	await run(join(bin, 'initdb'), initdb, { cwd: folder, ...(asRoot ? NOBODY : {}) });

	const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`];
	settings.push('fsync=off'); // nobody needs the data after a crash
	const port = await startProgram({
		file: join(bin, 'postgres'),
		folder,
		args: (port) => ['-D', data, '-p', port, ...settings.flatMap((setting) => ['-c', setting])],
		unprivileged: true,
		ready: async (port) => {
			await run(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', port]);
			return true;
		},
	});
	return {
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: '127.0.0.1',
		DB_POSTGRESDB_PORT: port,
		DB_POSTGRESDB_USER: USER,
		DB_POSTGRESDB_DATABASE: 'postgres', // initdb makes it
	};
}
