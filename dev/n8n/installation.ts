import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve, sep } from 'node:path';

import execa from 'execa';

import { fetchNode } from '../fetchNode';
import { projectRoot } from '../projectRoot';

/** n8n's own folder: its package.json, its lock, and all that is installed from them. */
const HOME = join(projectRoot, 'dev', 'n8n');
const OLDEST_NODE = 24; // n8n 2.40 runs on nothing older
const NODE = '24.21.0'; // what is fetched where the present one is too old

/** n8n as it is installed here. */
export interface Installation {
	/** The environment in which it runs: `node` is new enough, and npm writes into the project only. */
	env: NodeJS.ProcessEnv;
	/** The path to a command of an installed package. */
	bin: (name: string) => string;
}

/** What is left in `node_modules` when it is complete. */
interface Stamp {
	/** Digest of the lock it was installed from. */
	lock: string;
	/** The Node.js it was installed with: from n8n's folder, if it is in there, as that may be moved. */
	node: string;
}

/**
 * Installs n8n as its lock says, in the project's folder: some minutes the first time, nothing when
 * it is there already.
 */
export async function installN8n(say: (line: string) => void, home = HOME): Promise<Installation> {
	const modules = join(home, 'node_modules');
	const stampFile = join(modules, '.complete.json');
	const cache = join(home, '.cache');
	const env: NodeJS.ProcessEnv = {
		...process.env,
		npm_config_cache: join(cache, 'npm'),
		npm_config_devdir: join(cache, 'node-gyp'),
		npm_config_fund: 'false',
		npm_config_jobs: 'max',
	};
	const lock = createHash('sha256')
		.update(await readFile(join(home, 'package-lock.json')))
		.digest('hex');
	const stamp = await readStamp(stampFile);
	const isInstalled = stamp?.lock === lock;
	const known = isInstalled ? resolve(home, stamp.node) : '';
	const node = existsSync(known) ? known : await newNode(env, say);
	env.PATH = [dirname(node), process.env.PATH].join(delimiter);
	if (!isInstalled) {
		say('Installing n8n into dev/n8n: about 4 GB with what npm caches, some minutes once.');
		// With peers, whatever the project's own setting is: n8n's Extract from File needs one of them.
		await npm(['ci', '--no-audit', '--no-legacy-peer-deps'], home, env, say);
		say('Building its SQLite for this machine …');
		await npm(['rebuild', 'sqlite3', '--ignore-scripts=false'], home, env, say);
	}
	if (node !== known) {
		const told: Stamp = { lock, node: node.replace(home + sep, '') };
		await writeFile(stampFile, JSON.stringify(told));
	}
	return { env, bin: (name) => join(modules, '.bin', name) };
}

async function readStamp(file: string): Promise<Stamp | undefined> {
	return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Stamp) : undefined;
}

/** The path of a Node.js that n8n runs on: this one, or one that npm fetches. */
async function newNode(env: NodeJS.ProcessEnv, say: (line: string) => void): Promise<string> {
	if (Number(process.versions.node.split('.')[0]) >= OLDEST_NODE) return process.execPath;
	say(`n8n needs Node.js ${OLDEST_NODE}: looking for it in the project, else fetching it …`);
	return await fetchNode(NODE, env);
}

/** Shows that it is alive: npm itself says nothing for minutes. */
async function npm(
	args: string[],
	home: string,
	env: NodeJS.ProcessEnv,
	say: (line: string) => void,
) {
	const started = Date.now();
	const alive = setInterval(() => {
		say(`  … ${((Date.now() - started) / 1000).toFixed(0)} s`);
	}, 10_000);
	const child = execa('npm', [...args, '--loglevel=error'], { cwd: home, env, stdout: 'ignore' });
	await child.finally(() => clearInterval(alive));
}

/**
 * Puts the package into n8n's folder for community packages, as n8n does it: from the packed
 * tarball, and without the dependencies that are not for running.
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

/** Where n8n has the package. */
export const nodeFolder = (userFolder: string) =>
	join(userFolder, '.n8n', 'nodes', 'node_modules', 'n8n-nodes-workchat');
