import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import execa from 'execa';

/** Debian's, of programs that the end-to-end tests run. */
const PACKAGES = ['chromium-headless-shell', 'redis-server', 'postgresql'];

/** Installs the programs where one is missing; only root may. */
export async function installPrograms(say: (line: string) => void): Promise<void> {
	const programs = ['/usr/bin/chromium-headless-shell', '/usr/bin/redis-server'];
	programs.push(join(await postgresBin(), 'initdb'));
	if (programs.every((path) => existsSync(path))) return;
	const install = ['install', '--yes', '--no-install-recommends', ...PACKAGES];
	say(`apt-get ${install.join(' ')} …`);
	// At runlevel 1 none of them starts a service of its own.
	const env = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
	await execa('apt-get', ['update'], { env });
	await execa('apt-get', install, { env });
}

/** The folder of PostgreSQL's programs: Debian gives each version its own, off the PATH. */
export async function postgresBin(): Promise<string> {
	const versions = await readdir('/usr/lib/postgresql').catch(() => []);
	const bins = versions.map((version) => join('/usr/lib/postgresql', version, 'bin'));
	return bins.find((bin) => existsSync(join(bin, 'initdb'))) ?? ''; // clients have no server
}
