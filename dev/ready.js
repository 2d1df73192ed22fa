const { spawnSync } = require('node:child_process');
const { existsSync } = require('node:fs');
const { dirname } = require('node:path');

/**
 * The other scripts run this first, so that one command is enough: it installs the project's own packages
 * if they are missing, and builds. With `--install-only`, it leaves the build to Jest, which builds
 * before each run of the tests (test/support/globalSetup.ts).
 */

const root = dirname(__dirname);

/** Fails if the command does. A terminal shows its progress. */
function run(command) {
	const { status } = spawnSync(command, { shell: true, stdio: 'inherit', cwd: root });
	if (status !== 0) throw new Error(`${command} failed`);
}

/** Builds the package into dist/ and the tools into build/, in about a second. */
function build() {
	run('node node_modules/gulp/bin/gulp.js -L');
}

function main() {
	if (!existsSync(`${root}/node_modules/.package-lock.json`)) {
		console.log("Installing the project's packages: 1 GB, a minute or two …");
		run('npm ci --cache dev/n8n/.cache/npm --loglevel=error');
	}
	if (!process.argv.includes('--install-only')) build();
}

module.exports = { build };

if (require.main === module) {
	try {
		main();
	} catch (error) {
		console.error(error.message);
		process.exitCode = 1;
	}
}
