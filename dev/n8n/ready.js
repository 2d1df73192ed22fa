const { execSync } = require('node:child_process');
const { existsSync } = require('node:fs');

/** Installs the project's own packages where that was not done yet, so that one command is enough. */

const WRITTEN_LAST = 'node_modules/.package-lock.json';

if (!existsSync(WRITTEN_LAST)) {
	console.log("Installing the project's packages …");
	execSync('npm ci --cache dev/n8n/.cache/npm --loglevel=error', { stdio: 'inherit' });
}
