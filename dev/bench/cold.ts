import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { projectRoot } from '../projectRoot';
import { spreadOf, type Spread } from './report';

const run = promisify(execFile);

/** What the package costs before it does anything. */
export interface Cold {
	/** To load the node and the credential; n8n itself has loaded n8n-workflow by then. */
	requireMilliseconds: Spread;
	tarballBytes: number;
	unpackedBytes: number;
	files: number;
}

const TIMES = 15;

export async function measureCold(env: NodeJS.ProcessEnv): Promise<Cold> {
	const times: number[] = [];
	for (let time = 0; time < TIMES; time++) times.push(await requireTime(env));
	const pack = ['pack', '--dry-run', '--json', '--ignore-scripts'];
	const { stdout } = await run('npm', pack, { cwd: projectRoot, env });
	const [{ size, unpackedSize, entryCount }] = JSON.parse(stdout);
	return {
		requireMilliseconds: spreadOf(times),
		tarballBytes: size,
		unpackedBytes: unpackedSize,
		files: entryCount,
	};
}

/** In a process that has loaded nothing of it yet. */
async function requireTime(env: NodeJS.ProcessEnv): Promise<number> {
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
	const { stdout } = await run('node', ['-e', program], { cwd: projectRoot, env });
	return Number(stdout);
}
