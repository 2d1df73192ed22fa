const { spawnSync } = require('node:child_process');
const { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } = require('node:fs');
const { dirname, join, relative, sep } = require('node:path');

/**
 * Runs the tests on other versions of n8n's engine. Each version has a folder here, with its
 * n8n-core and a copy of the built project: there the same code finds another engine, and
 * everything else in the project's own node_modules.
 */

const root = dirname(dirname(__dirname));
/** Installed, written by commands, or not needed by the tests. */
const LEFT_OUT = [
	...['.git', 'docs', 'node_modules', 'output'],
	...['build/dev/bench', 'dev/bench', 'dev/n8n', 'test/compat', 'test/e2e'],
];
/** The sandbox and its page know nothing of n8n. */
const NOT_OF_THE_ENGINE = 'test/(sandbox|inbox|callbacks)\\.test\\.ts$';

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

/** Runs jest in a copy and counts; a run without results, or that fails all the same, is a failure. */
function test(copy, coreVersion, options) {
	const results = join(copy, 'results.json');
	const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
	// A test that fails may leave a server behind, which would keep jest from ending.
	const args = [
		'--forceExit',
		'--json',
		`--outputFile=${results}`,
		'--testPathIgnorePatterns',
		NOT_OF_THE_ENGINE,
	];
	const { status } = spawnSync(
		process.execPath,
		['--experimental-vm-modules', jest, ...options, ...args],
		{
			cwd: copy,
			// test/engineVersion.test.ts proves that it is this version that was loaded.
			env: { ...process.env, N8N_CORE_VERSION: coreVersion },
			stdio: ['ignore', 'inherit', 'inherit'],
		},
	);
	if (!existsSync(results)) return { passed: 0, failed: 1, skipped: [] };

	const { testResults, ...counts } = readJson(results);
	const failed = counts.numFailedTests + counts.numRuntimeErrorTestSuites;
	const skipped = testResults
		.flatMap(({ assertionResults }) => assertionResults)
		.filter((result) => result.status === 'pending')
		.map(({ fullName }) => fullName);
	return { passed: counts.numPassedTests, failed: failed || Number(status !== 0), skipped };
}

function main() {
	const lines = [];
	const total = { passed: 0, failed: 0 };
	const folders = readdirSync(__dirname, { withFileTypes: true })
		.filter((entry) => entry.isDirectory())
		.map(({ name }) => join(__dirname, name));
	for (const folder of folders) {
		const coreVersion = readJson(folder, 'package.json').dependencies['n8n-core'];
		install(folder);
		const copy = join(folder, 'project');
		copyProject(copy);
		const started = Date.now();
		const { passed, failed, skipped } = test(copy, coreVersion, process.argv.slice(2));
		const seconds = Math.round((Date.now() - started) / 1000);
		lines.push(
			`n8n-core ${coreVersion}, Node.js ${process.versions.node}: ${passed} passed, ${failed} failed, ${skipped.length} skipped (${seconds} s)`,
			...skipped.map((name) => `  skipped: ${name}`),
		);
		total.passed += passed;
		total.failed += failed;
	}
	console.log(`\n${lines.join('\n')}`);
	console.log(`${total.passed} passed, ${total.failed} failed`);
	process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
}

main();
