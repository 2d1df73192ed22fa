const { spawnSync } = require('node:child_process');
const { existsSync } = require('node:fs');

/** Installs the project's own packages where that was not done yet, so that one command is enough. */

const WRITTEN_LAST = 'node_modules/.package-lock.json';

if (!existsSync(WRITTEN_LAST)) {
	console.log("Installing the project's packages: 1 GB, a minute or two …");
	const npm = 'npm ci --cache dev/n8n/.cache/npm --loglevel=error';
	// A terminal shows npm's own progress.
	const { status } = spawnSync(npm, { shell: true, stdio: 'inherit' });
	if (status !== 0) process.exit(status ?? 1);
}
console.log('Building the node …');
