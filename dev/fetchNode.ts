import execa from 'execa';

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
