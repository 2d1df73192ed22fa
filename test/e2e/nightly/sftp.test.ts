import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { fieldsOf, samples } from '../../../dev/sandbox/samples';
import { useN8n } from '../support/setup';
import { Workflow } from '../support/workflow';
import { startSftp } from './sftpServer';

const here = useN8n();

test('save files from callbacks: by SFTP, each file byte for byte', async () => {
	const { files, credential } = await startSftp(here);
	await here.n8n.addCredential('sftp', 'SFTP account', credential);
	const recipe = await Workflow.import(here, 'save-files-from-callbacks', {
		'Save to Disk': () => ({ disabled: true }),
		'Save by SFTP': ({ parameters }) => ({
			disabled: false,
			parameters: { ...parameters, path: String(parameters.path).replace('/files/', `${files}/`) },
			credentials: { sftp: { id: null, name: 'SFTP account' } },
		}),
	});
	await recipe.publish();
	const all = Object.values(samples);
	await recipe.post(all.map((sample) => fieldsOf(sample, here.sandbox.url)));
	const [{ id, status } = { id: '', status: 'error' }] = await recipe.ended(1);
	expect(status).toBe('success');
	const names = all.map(({ name }, index) => `${id}-${index + 1}-${name}`);
	expect(new Set(await readdir(files))).toEqual(new Set(names));
	for (const [index, { content }] of all.entries()) {
		expect(await readFile(join(files, names[index]!))).toEqual(content);
	}
});
