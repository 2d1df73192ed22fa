import { join } from 'node:path';

import execa from 'execa';

import { projectRoot } from '../../dev/projectRoot';
import { installN8n } from '../../dev/n8n/installation';
import { temporaryFolder } from '../../dev/n8n/processes';

test("the stand-in of n8n's memory answers as n8n's own does", async () => {
	const { bin, env } = await installN8n(() => {});
	const folder = await temporaryFolder();
	const program = join(projectRoot, 'test', 'e2e', 'deduplicationCases.js');
	const { stdout } = await execa('node', [program, join(bin('n8n'), '..', '..', 'n8n')], {
		cwd: folder,
		env: { ...env, NODE_ENV: 'production', N8N_USER_FOLDER: folder },
	});
	const { own, standIn } = JSON.parse(stdout.slice(stdout.lastIndexOf('\n')));
	expect(standIn).toEqual(own);
});
