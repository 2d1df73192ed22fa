import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where the end-to-end tests expect programs, and the Debian packages they come from. */
const packages = {
	'/usr/bin/chromium': 'chromium',
	'/usr/sbin/sshd': 'openssh-server',
	'/usr/bin/redis-server': 'redis-server',
	'/usr/lib/postgresql': 'postgresql',
};

/** Installs the programs that are missing, if this may; tells otherwise how to do it. */
export async function installPrograms(say: (line: string) => void): Promise<void> {
	const missing = Object.entries(packages)
		.filter(([path]) => !existsSync(path))
		.map(([, name]) => name);
	if (missing.length === 0) return;
	const install = ['install', '--yes', '--no-install-recommends', ...missing];
	if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
		throw new Error(`Programs are missing. On Debian: sudo apt-get ${install.join(' ')}`);
	}
	say(`Installing ${missing.join(', ')} …`);
	const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
	await run('apt-get', ['update'], { env, maxBuffer: Infinity });
	await run('apt-get', install, { env, maxBuffer: Infinity });
}
