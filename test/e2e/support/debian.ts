import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import execa from 'execa';

/** Where the end-to-end tests expect programs, and the Debian packages they come from. */
const packages = {
	'/usr/bin/chromium-headless-shell': 'chromium-headless-shell',
	'/usr/bin/redis-server': 'redis-server',
};

/** Installs the programs that are missing, if this may; tells otherwise how to do it. */
export async function installPrograms(say: (line: string) => void): Promise<void> {
	const all = { ...packages, [`${await postgresBin()}/initdb`]: 'postgresql' };
	const missing = Object.entries(all).flatMap(([path, name]) => (existsSync(path) ? [] : name));
	if (missing.length === 0) return;
	const install = ['install', '--yes', '--no-install-recommends', ...missing];
	if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
		throw new Error(`Programs are missing. On Debian: sudo apt-get ${install.join(' ')}`);
	}
	say(`Installing ${missing.join(', ')} …`);
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
