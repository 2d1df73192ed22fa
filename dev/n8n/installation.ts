import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import execa from 'execa';

import { projectRoot } from '../projectRoot';

/** The n8n that is installed here. */
export interface Installation {
	/** Its environment, in which `node` is new enough, and npm writes only into the project. */
	env: NodeJS.ProcessEnv;
	/** The path to a command of an installed package. */
	bin: (name: string) => string;
}

type Say = (line: string) => void;

export const { installN8n, withTime } = createRequire(__filename)(
	join(projectRoot, 'dev', 'n8n', 'install.js'),
) as {
	installN8n: (say: Say) => Promise<Installation>;
	withTime: <T>(say: Say, work: Promise<T>) => Promise<T>;
};

/**
 * Installs the package into n8n's folder for community packages, as n8n does: from the packed tarball,
 * without development and peer dependencies.
 */
export async function installNode(userFolder: string, { env }: Installation): Promise<void> {
	const target = nodeFolder(userFolder);
	await rm(target, { recursive: true, force: true });
	await mkdir(target, { recursive: true });

	const folder = await mkdtemp(join(userFolder, 'packed-'));
	const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
	const { stdout } = await execa('npm', pack, { cwd: projectRoot, env });
	await execa('tar', ['-xzf', join(folder, stdout), '-C', target, '--strip-components=1']);
	await rm(folder, { recursive: true });

	const file = join(target, 'package.json');
	const packageJson = JSON.parse(await readFile(file, 'utf8'));
	delete packageJson.devDependencies;
	delete packageJson.peerDependencies;
	await writeFile(file, JSON.stringify(packageJson, null, 2));
}

/** The folder of the package in n8n. */
export const nodeFolder = (userFolder: string) =>
	join(userFolder, '.n8n', 'nodes', 'node_modules', 'n8n-nodes-workchat');
