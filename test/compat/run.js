const { spawnSync } = require('node:child_process');
const { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } = require('node:fs');
const { dirname, join, relative, sep } = require('node:path');

const { fetchNode } = require('../../build/dev/fetchNode.js');

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
/** Installed, written by commands, or not needed by the tests. */
const LEFT_OUT = [
	...['.git', 'docs', 'node_modules', 'output'],
	...['build/dev/bench', 'dev/bench', 'dev/n8n', 'test/compat', 'test/e2e'],
];
/** What loads the engine: the tests of these, */
const OF_THE_ENGINE = ['test/support/setup.ts', 'test/support/outside/coreEnvironment.js'];
/** but for the tools, and for what the node decides before it asks n8n for anything, and after. */
const NOT_OF_THE_ENGINE = '<rootDir>/test/(dev|unit/(execution|operations))/';

/** Of Jest. */
const options = process.argv.slice(2);

const readJson = (...path) => JSON.parse(readFileSync(join(...path), 'utf8'));

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

function copyProject(copy) {
	rmSync(copy, { recursive: true, force: true });
	mkdirSync(copy);
	const filter = (path) => !LEFT_OUT.includes(relative(root, path).replaceAll(sep, '/'));
	const within = (folder) => readdirSync(join(root, folder)).map((name) => join(folder, name));
	// The folder of the tests piece by piece, as the copy is inside of it.
	for (const entry of [...within('').filter((name) => name !== 'test'), ...within('test')]) {
		if (filter(join(root, entry))) {
			cpSync(join(root, entry), join(copy, entry), { recursive: true, filter });
		}
	}
}

/** That of this process, if it is as old. */
async function nodeOf(version) {
	const isHere = process.versions.node.startsWith(`${version}.`);
	return isHere ? process.execPath : await fetchNode(version);
}

/** Runs jest and counts; a run without results, or that fails all the same, is a failure. */
function test({ node, nodeVersion, coreVersion, folder }) {
	const results = join(folder, 'results.json');
	const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
	// A test that fails may leave a server behind, which would keep jest from ending.
	const always = ['--forceExit', '--json', `--outputFile=${results}`];
	const leftOut = ['--testPathIgnorePatterns', NOT_OF_THE_ENGINE];
	const touching = ['--findRelatedTests', ...OF_THE_ENGINE];
	const { status } = spawnSync(
		node,
		['--experimental-vm-modules', jest, ...options, ...always, ...leftOut, ...touching],
		{
			cwd: folder,
			// engineVersion.test.ts proves that it is these versions that run.
			env: { ...process.env, N8N_CORE_VERSION: coreVersion, NODE_VERSION: nodeVersion },
			stdio: ['ignore', 'inherit', 'inherit'],
		},
	);
	const { testResults = [], ...counts } = existsSync(results) ? readJson(results) : {};
	const { numPassedTests = 0, numFailedTests = 0, numRuntimeErrorTestSuites = 0 } = counts;
	const failed = numFailedTests + numRuntimeErrorTestSuites || Number(status !== 0);
	const skipped = testResults
		.flatMap(({ assertionResults }) => assertionResults)
		.filter((result) => result.status === 'pending')
		.map(({ fullName }) => fullName);
	return { passed: numPassedTests, failed, skipped };
}

/** `--install` only: what takes long and needs no core, so that it can be done beside other things. */
async function installAll() {
	for (const { name, nodeVersion } of VERSIONS) {
		install(join(__dirname, name));
		await nodeOf(nodeVersion);
	}
}

async function main() {
	if (options.includes('--install')) return await installAll();
	const lines = [];
	const total = { passed: 0, failed: 0 };
	for (const { name, nodeVersion } of VERSIONS) {
		const folder = join(__dirname, name);
		const copy = join(folder, 'project');
		const coreVersion = readJson(folder, 'package.json').dependencies['n8n-core'];
		install(folder);
		copyProject(copy);
		const node = await nodeOf(nodeVersion);
		const started = Date.now();
		const { passed, failed, skipped } = test({ node, nodeVersion, coreVersion, folder: copy });
		const seconds = Math.round((Date.now() - started) / 1000);
		lines.push(
			`n8n-core ${coreVersion}, Node.js ${nodeVersion}: ${passed} passed, ${failed} failed, ${skipped.length} skipped (${seconds} s)`,
			...skipped.map((name) => `  skipped: ${name}`),
		);
		total.passed += passed;
		total.failed += failed;
	}
	console.log(`\n${lines.join('\n')}`);
	console.log(`${total.passed} passed, ${total.failed} failed`);
	process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
}

void main();
