import { join } from 'node:path';

import execa from 'execa';

import { projectRoot } from '../projectRoot';
import { nodeFolder } from './installation';

/**
 * With these n8n loads a package anew whose files change, and tells its open pages: see
 * `setupHotReload` in load-nodes-and-credentials.js of n8n 2.40.7, which server.js calls.
 */
export const RELOADING = { NODE_ENV: 'development', N8N_DEV_RELOAD: 'true' };

/**
 * Puts whatever changes in the sources to where n8n has the package. It has to be built into that
 * folder: n8n forgets only modules below it, and a link leads out of it.
 */
export function followSources(userFolder: string): { stop: () => void } {
	const watcher = execa('gulp', ['watch', '-L'], {
		cwd: projectRoot,
		cleanup: false, // else Ctrl-C ends this process at once, and not what it has to stop
		preferLocal: true,
		env: { DIST: join(nodeFolder(userFolder), 'dist') },
		stdio: ['ignore', 'inherit', 'inherit'],
	});
	return { stop: () => watcher.kill() };
}
