import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { projectRoot } from '../projectRoot';

const run = promisify(execFile);

const TIMES = 15;

/** Milliseconds to load the nodes and the credential, a median; n8n has loaded n8n-workflow by then. */
export async function loadingTime(env: NodeJS.ProcessEnv): Promise<number> {
	const { n8n } = (await import(join(projectRoot, 'package.json'))) as {
		n8n: { nodes: string[]; credentials: string[] };
	};
	const files = [...n8n.nodes, ...n8n.credentials].map((file) => join(projectRoot, file));
	const program = `
		require('n8n-workflow');
		const start = performance.now();
		for (const file of ${JSON.stringify(files)}) require(file);
		console.log(performance.now() - start);
	`;
	const times: number[] = [];
	for (let time = 0; time < TIMES; time++) {
		const { stdout } = await run('node', ['-e', program], { cwd: projectRoot, env });
		times.push(Number(stdout));
	}
	return times.toSorted((a, b) => a - b)[Math.floor(TIMES / 2)] ?? NaN;
}
