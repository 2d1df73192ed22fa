import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve, sep } from 'node:path';

import execa, { type Options } from 'execa';

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
	/** Path of the Node.js that installed it: relative within n8n's folder, which may be moved. */
	node: string;
}

/**
 * Installs n8n as its lock says, in the project's folder: some minutes the first time, nothing when
 * it is there already.
 */
export async function installN8n(say: (line: string) => void): Promise<Installation> {
	const modules = join(HOME, 'node_modules');
	const stampFile = join(modules, '.complete.json');
	const cache = join(HOME, '.cache');
	const env: NodeJS.ProcessEnv = {
		...process.env,
		npm_config_cache: join(cache, 'npm'),
		npm_config_devdir: join(cache, 'node-gyp'),
		npm_config_fund: 'false',
		npm_config_loglevel: 'error',
		npm_config_jobs: 'max',
	};
	const lock = createHash('sha256')
		.update(await readFile(join(HOME, 'package-lock.json')))
		.digest('hex');
	const stamp: Stamp | undefined = existsSync(stampFile)
		? JSON.parse(await readFile(stampFile, 'utf8'))
		: undefined;
	const isInstalled = stamp?.lock === lock;
	const known = isInstalled ? resolve(HOME, stamp.node) : '';
	const node = existsSync(known) ? known : await newNode(env, say);
	env.PATH = [dirname(node), process.env.PATH].join(delimiter);
	if (!isInstalled) {
		say('Installing n8n into dev/n8n: about 4 GB with what npm caches, some minutes once.');
		// With peers, whatever the project's own setting is: n8n's Extract from File needs one of them.
		// A terminal shows npm's own progress.
		const quietly: Options = { cwd: HOME, env, stdio: ['ignore', 'ignore', 'inherit'] };
		const npmCi = ['ci', '--no-audit', '--no-legacy-peer-deps'];
		await withTime(say, execa('npm', npmCi, quietly));
		say('Building its SQLite for this machine …');
		const rebuild = ['rebuild', 'sqlite3', '--ignore-scripts=false'];
		await withTime(say, execa('npm', rebuild, quietly));
	}
	if (node !== known) {
		const told: Stamp = { lock, node: node.replace(HOME + sep, '') };
		await writeFile(stampFile, JSON.stringify(told));
	}
	return { env, bin: (name) => join(modules, '.bin', name) };
}

/** The path of a Node.js that n8n runs on: this one, or one that npm fetches. */
async function newNode(env: NodeJS.ProcessEnv, say: (line: string) => void): Promise<string> {
	if (Number(process.versions.node.split('.')[0]) >= OLDEST_NODE) return process.execPath;
	say(`n8n needs Node.js ${OLDEST_NODE}: looking for it in the project, else fetching it …`);
	return await withTime(say, fetchNode(NODE, env));
}

/** Says every ten seconds how long it has taken, so that nobody thinks it hangs. */
export async function withTime<T>(say: (line: string) => void, work: Promise<T>): Promise<T> {
	let seconds = 0;
	const clock = setInterval(() => say(`  ${(seconds += 10)} s …`), 10_000);
	return await work.finally(() => clearInterval(clock));
}

/**
 * The path of a Node.js of this version, which npm fetches where it has not yet.
 * @param env npm's settings
 */
export async function fetchNode(version: string, env?: NodeJS.ProcessEnv): Promise<string> {
	const npx = ['--yes', `node@${version}`, '--print', 'process.execPath'];
	const { stdout } = await execa('npx', npx, {
		env: { ...env, npm_config_ignore_scripts: 'false' }, // a script of it fetches the program
	});
	return stdout;
}

/**
 * Puts the package into n8n's folder for community packages, as n8n does it: from the packed
 * tarball, and without its dev and peer dependencies.
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
