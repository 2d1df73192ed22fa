import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';

import execa from 'execa';

import { NOBODY } from '../../../dev/n8n/processes';
import { fieldsOf, samples } from '../../../dev/sandbox/samples';
import { startProgram } from '../support/servers';
import { contentsOf, useN8n } from '../support/setup';
import { Workflow } from '../support/workflow';

const here = useN8n();

/** OpenSSH for SFTP alone, by key alone; resolves to the values of n8n's credential. */
async function startSftp(folder: string) {
	// An sshd that is not root serves its own user only, and asks for no folders of the system.
	const isRoot = process.getuid?.() === 0;
	await mkdir(folder);
	if (isRoot) await chown(folder, NOBODY.uid, NOBODY.gid);
	for (const file of ['host_key', 'user_key']) {
		const keygen = ['-q', '-t', 'ed25519', '-N', '', '-C', 'e2e', '-f', join(folder, file)];
		await execa('/usr/bin/ssh-keygen', keygen, isRoot ? NOBODY : {});
	}
	const settings = [
		...['ListenAddress 127.0.0.1', 'PidFile none', 'UsePAM no', 'Subsystem sftp internal-sftp'],
		...[`HostKey ${folder}/host_key`, `AuthorizedKeysFile ${folder}/user_key.pub`],
		'StrictModes no', // it would refuse keys below a folder that others may write to, such as /tmp
	];
	await writeFile(join(folder, 'config'), settings.join('\n'));
	const port = await startProgram({
		file: '/usr/sbin/sshd',
		folder,
		args: (port) => ['-D', '-e', '-f', join(folder, 'config'), '-p', port],
		// Else systemd tells sshd of a "nobody" of its own, which is locked.
		env: { ...process.env, SYSTEMD_NSS_BYPASS_SYNTHETIC: '1' },
		unprivileged: true,
		ready: async (port) => (await execa('ssh-keyscan', ['-p', port, '127.0.0.1'])).stdout !== '',
	});
	const privateKey = await readFile(join(folder, 'user_key'), 'utf8');
	const username = isRoot ? 'nobody' : userInfo().username;
	return { host: '127.0.0.1', port: Number(port), username, privateKey };
}

test('save files from callbacks: by SFTP, each file byte for byte', async () => {
	const folder = join(here.folder, 'sftp');
	await here.n8n.addCredential('sftp', 'SFTP account', await startSftp(folder));
	const fileName = '{{ $execution.id }}-{{ $itemIndex + 1 }}-{{ $binary.data.fileName }}';
	const recipe = await Workflow.import(here, 'save-files-from-callbacks', {
		'Save to Disk': { disabled: true },
		'Save by SFTP': {
			disabled: false,
			parameters: { path: `=${folder}/files/${fileName}` },
			credentials: { sftp: { id: null, name: 'SFTP account' } },
		},
		'Download File': { parameters: { instanceGuid: 'any', options: {} } },
	});
	here.sandbox.answerDownloads({ as: 'link' });
	const all = Object.values(samples);
	await (await recipe.publish()).post(all.map((sample) => fieldsOf(sample, here.sandbox.url)));
	const [execution] = await recipe.ended(1);
	expect(execution?.status).toBe('success');
	const files = all.map(({ name, content }, index) => [
		`${execution?.id}-${index + 1}-${name}`,
		content,
	]);
	expect(await contentsOf(join(folder, 'files'))).toEqual(Object.fromEntries(files));
});
