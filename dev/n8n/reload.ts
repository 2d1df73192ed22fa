import { cpSync, existsSync, watch } from 'node:fs';
import { join } from 'node:path';

import spawn from 'cross-spawn';

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
	const target = join(nodeFolder(userFolder), 'dist');
	const tsc = join(projectRoot, 'node_modules', '.bin', 'tsc');
	const compiler = spawn(tsc, ['--watch', '--preserveWatchOutput', '--outDir', target], {
		cwd: projectRoot,
		stdio: ['ignore', 'inherit', 'inherit'],
	});
	const assets = watch(join(projectRoot, 'nodes'), { recursive: true }, (_, name) => {
		const changed = join(projectRoot, 'nodes', name ?? '');
		if (!/\.(svg|json)$/.test(changed) || !existsSync(changed)) return;
		cpSync(changed, join(target, 'nodes', name ?? ''));
	});
	return {
		stop() {
			compiler.kill();
			assets.close();
		},
	};
}
