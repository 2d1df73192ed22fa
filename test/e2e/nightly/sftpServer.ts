import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { NOBODY } from '../../../dev/n8n/processes';
import { startProgram } from '../support/server';

const run = promisify(execFile);

/** OpenSSH for SFTP alone, by key alone: where it may write, and the values of n8n's credential. */
export async function startSftp(place: { folder: string }) {
	const folder = join(place.folder, 'sftp');
	// An sshd that is not root serves its own user only, and asks for no folders of the system.
	const isRoot = process.getuid?.() === 0;
	const username = isRoot ? 'nobody' : userInfo().username;
	const files = join(folder, 'files');
	await mkdir(files, { recursive: true });
	if (isRoot) for (const path of [folder, files]) await chown(path, NOBODY.uid, NOBODY.gid);

	const [hostKey, userKey] = [join(folder, 'host_key'), join(folder, 'user_key')] as const;
	for (const file of [hostKey, userKey]) {
		const keygen = ['-q', '-t', 'ed25519', '-N', '', '-C', 'e2e', '-f', file];
		await run('/usr/bin/ssh-keygen', keygen, isRoot ? NOBODY : {});
	}
	const config = join(folder, 'sshd_config');
	await writeFile(config, configOf(hostKey, `${userKey}.pub`));
	const port = await startProgram({
		file: '/usr/sbin/sshd',
		folder,
		args: (port) => ['-D', '-e', '-f', config, '-p', port],
		// Else systemd tells sshd of a "nobody" of its own, which is locked.
		env: { ...process.env, SYSTEMD_NSS_BYPASS_SYNTHETIC: '1' },
		unprivileged: true,
		ready: async (port) => {
			const socket = connect(Number(port), '127.0.0.1');
			await once(socket, 'connect');
			return Boolean(socket.destroy());
		},
	});
	const privateKey = await readFile(userKey, 'utf8');
	return { files, credential: { host: '127.0.0.1', port: Number(port), username, privateKey } };
}

/** It would refuse keys below a folder that others may write to, such as /tmp, if it were strict. */
const configOf = (hostKey: string, authorizedKeys: string) => `
ListenAddress 127.0.0.1
HostKey ${hostKey}
AuthorizedKeysFile ${authorizedKeys}
AuthenticationMethods publickey
PidFile none
StrictModes no
UsePAM no
Subsystem sftp internal-sftp
ForceCommand internal-sftp
`;
