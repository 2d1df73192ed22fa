const { spawnSync } = require('node:child_process');
const { existsSync } = require('node:fs');

/**
 * What the other scripts begin with, so that one command is enough: installs the project's own
 * packages where that was not done yet, and builds.
 */

function run(command) {
	// A terminal shows npm's own progress.
	const { status } = spawnSync(command, { shell: true, stdio: 'inherit' });
	if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync('node_modules/.package-lock.json')) {
	console.log("Installing the project's packages: 1 GB, a minute or two …");
	run('npm ci --cache dev/n8n/.cache/npm --loglevel=error');
}
run('node node_modules/gulp/bin/gulp.js -L');
