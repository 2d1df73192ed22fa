import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * The path of a Node.js of this version, which npm fetches where it has not yet.
 * @param env npm's settings
 */
export async function fetchNode(version: string, env = process.env): Promise<string> {
	const npx = ['--yes', `node@${version}`, '--print', 'process.execPath'];
	const { stdout } = await run('npx', npx, {
		env: { ...env, npm_config_ignore_scripts: 'false' }, // a script of it fetches the program
	});
	return stdout.trim();
}
