const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { existsSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

/**
 * What the other scripts begin with, so that one command is enough: installs the project's own
 * packages where that was not done yet, and builds unless `dist` and `build` are of these sources.
 */

const INSTALLED_LAST = 'node_modules/.package-lock.json';
const BUILT = ['dist/workchat.js', 'build/dev/start/run.js'];
const SOURCES = ['credentials', 'dev', 'nodes'];
const SETTINGS = ['gulpfile.js', 'package.json', 'tsconfig.json', 'tsconfig.tools.json'];
/** In `build`, as building takes it away: what is half built does not count. */
const STAMP = 'build/sources.sha256';

function run(command) {
	// A terminal shows npm's own progress.
	const { status } = spawnSync(command, { shell: true, stdio: 'inherit' });
	if (status !== 0) process.exit(status ?? 1);
}

/** Without what is installed or kept there by programs. */
function filesIn(folder) {
	return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
		const path = join(folder, entry.name);
		if (entry.name === 'node_modules' || entry.name.startsWith('.')) return [];
		return entry.isDirectory() ? filesIn(path) : path;
	});
}

function digestOfSources() {
	const digest = createHash('sha256');
	for (const file of [...SETTINGS, INSTALLED_LAST, ...SOURCES.flatMap(filesIn)]) {
		digest.update(`${file}\0`).update(readFileSync(file));
	}
	return digest.digest('hex');
}

const isBuiltFrom = (digest) =>
	BUILT.every((file) => existsSync(file)) &&
	existsSync(STAMP) &&
	readFileSync(STAMP, 'utf8') === digest;

if (!existsSync(INSTALLED_LAST)) {
	console.log("Installing the project's packages: 1 GB, a minute or two …");
	run('npm ci --cache dev/n8n/.cache/npm --loglevel=error');
}
const digest = digestOfSources();
if (!isBuiltFrom(digest)) {
	console.log('Building …');
	run('npm run --silent build && npm run --silent build:tools');
	writeFileSync(STAMP, digest);
}
