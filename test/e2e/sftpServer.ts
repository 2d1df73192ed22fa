import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { NOBODY } from '../../dev/n8n/processes';
import { startProgram } from './server';

const run = promisify(execFile);

export interface SftpServer {
	/** Where it may write; it knows no other root than the machine's, so paths begin with this. */
	files: string;
	/** The values of n8n's SFTP credential. */
	credential: { host: string; port: number; username: string; privateKey: string };
}

/** OpenSSH for the tests of one file, which serves SFTP alone and logs in by key alone. */
export function useSftpServer(place: { folder: string }): SftpServer {
	const server = {} as SftpServer;
	beforeAll(async () => {
		Object.assign(server, await startSftpServer(join(place.folder, 'sftp')));
	}, 120_000);
	return server;
}

/** Its keys, its log and its files are in `folder`. */
async function startSftpServer(folder: string): Promise<SftpServer> {
	// An sshd that is not root serves its own user only, and asks for no folders of the system.
	const isRoot = process.getuid?.() === 0;
	const username = isRoot ? 'nobody' : userInfo().username;
	const files = join(folder, 'files');
	await mkdir(files, { recursive: true });
	if (isRoot) for (const path of [folder, files]) await chown(path, NOBODY.uid, NOBODY.gid);

	const [hostKey, userKey] = [join(folder, 'host_key'), join(folder, 'user_key')];
	for (const file of [hostKey, userKey]) {
		const keygen = ['-q', '-t', 'ed25519', '-N', '', '-C', 'e2e', '-f', file];
		await run('/usr/bin/ssh-keygen', keygen, isRoot ? NOBODY : {});
	}
	const config = join(folder, 'sshd_config');
	await writeFile(config, configOf({ hostKey, authorizedKeys: `${userKey}.pub` }));

	const port = await startProgram({
		file: '/usr/sbin/sshd',
		folder,
		args: (port) => ['-D', '-e', '-f', config, '-p', port],
		// Else systemd tells sshd of a "nobody" of its own, which is locked.
		env: { ...process.env, SYSTEMD_NSS_BYPASS_SYNTHETIC: '1' },
		unprivileged: true,
		ready: async (port) => await greets(Number(port)),
	});
	const privateKey = await readFile(userKey, 'utf8');
	return { files, credential: { host: '127.0.0.1', port: Number(port), username, privateKey } };
}

const configOf = (the: { hostKey: string; authorizedKeys: string }) => `
ListenAddress 127.0.0.1
HostKey ${the.hostKey}
AuthorizedKeysFile ${the.authorizedKeys}
AuthenticationMethods publickey
PidFile none
# It would refuse keys below a folder that others may write to, such as /tmp.
StrictModes no
UsePAM no
DisableForwarding yes
PermitTTY no
Subsystem sftp internal-sftp
ForceCommand internal-sftp
`;

/** Whether an SSH server speaks there. */
async function greets(port: number): Promise<boolean> {
	const socket = connect(port, '127.0.0.1');
	try {
		const [greeting] = await once(socket, 'data', { signal: AbortSignal.timeout(5000) });
		return String(greeting).startsWith('SSH-2.0');
	} finally {
		socket.destroy();
	}
}
