const { spawnSync } = require('node:child_process');
const { cpSync, existsSync, readFileSync, rmSync } = require('node:fs');
const { dirname, join } = require('node:path');

const { fetchNode } = require('../../dev/n8n/install.js');

/**
 * Runs the tests that touch n8n's engine on two older versions of it, each with a Node.js that n8n asks
 * for there; today's n8n runs in `npm run e2e`. A version has a folder here, with its n8n-core and a
 * copy of the built project: there the same code finds another engine, and everything else in the
 * project's own node_modules. What Jest noted stays there, too: results.json.
 */

const root = dirname(dirname(__dirname));
/** `engines` of n8n: Node.js 22.22 in 2.30, 20.19 in 1.122. */
const VERSIONS = [
	{ name: 'n8n-2.0', nodeVersion: '22' },
	{ name: 'n8n-1', nodeVersion: '20' },
];
/** What the tests need beside the packages. */
const COPIED = [
	...['package.json', 'jest.config.js', 'tsconfig.json', 'tsconfig.check.json', 'examples'],
	...['build', 'dist', 'credentials', 'nodes', 'test/engine', 'test/support', 'test/unit'],
	...['dev/engine', 'dev/projectRoot.ts', 'dev/sandbox', 'dev/start'],
];
/** What loads the engine: the tests of these, */
const OF_THE_ENGINE = ['test/support/setup.ts', 'test/support/outside/coreEnvironment.js'];
/** but for the tools, and for what the node decides before it asks n8n for anything, and after. */
const NOT_OF_THE_ENGINE = '<rootDir>/test/(dev|unit/(execution|operations))/';

/** Jest's. */
const options = process.argv.slice(2);

/** Unless the folder has just what its lock says. */
function install(folder) {
	const lock = join(folder, 'package-lock.json');
	const installed = join(folder, 'node_modules', 'installed.json');
	if (existsSync(installed) && readFileSync(lock).equals(readFileSync(installed))) return;
	const npm = 'npm ci --ignore-scripts --legacy-peer-deps --no-audit --no-fund --loglevel=error';
	const { status } = spawnSync(npm, { cwd: folder, shell: true, stdio: 'inherit' });
	if (status !== 0) throw new Error(`${npm} failed in ${folder}`);
	cpSync(lock, installed);
}

/** That of this process, if it is as old. */
async function nodeOf(version) {
	const isHere = process.versions.node.startsWith(`${version}.`);
	return isHere ? process.execPath : await fetchNode(version);
}

/** @returns whether all went well */
async function testOn({ name, nodeVersion }) {
	const folder = join(__dirname, name);
	const copy = join(folder, 'project');
	install(folder);
	rmSync(copy, { recursive: true, force: true });
	for (const path of COPIED) cpSync(join(root, path), join(copy, path), { recursive: true });

	const coreVersion = require(join(folder, 'package.json')).dependencies['n8n-core'];
	console.log(`\nn8n-core ${coreVersion}, Node.js ${nodeVersion}:`);
	const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
	// A test that fails may leave a server behind, which would keep jest from ending.
	const always = ['--forceExit', '--json', `--outputFile=${join(copy, 'results.json')}`];
	// The copy comes built, and Jest is not to build it again.
	const setup = ['--globalSetup', '<rootDir>/test/support/temporaryFolder.ts'];
	const leftOut = ['--testPathIgnorePatterns', NOT_OF_THE_ENGINE];
	const touching = ['--findRelatedTests', ...OF_THE_ENGINE];
	const { status } = spawnSync(
		await nodeOf(nodeVersion),
		['--experimental-vm-modules', jest, ...options, ...always, ...setup, ...leftOut, ...touching],
		{
			cwd: copy,
			// engineVersion.test.ts proves that it is these versions that run.
			env: { ...process.env, N8N_CORE_VERSION: coreVersion, NODE_VERSION: nodeVersion },
			stdio: ['ignore', 'inherit', 'inherit'],
		},
	);
	return status === 0;
}

async function main() {
	for (const version of VERSIONS) if (!(await testOn(version))) process.exitCode = 1;
}

void main();
