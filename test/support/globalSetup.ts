import { createRequire } from 'node:module';
import { join, sep } from 'node:path';

import { projectRoot } from '../../dev/projectRoot';
import useTemporaryFolder from './temporaryFolder';

const load = createRequire(__filename);
const { build } = load(join(projectRoot, 'dev', 'ready.js')) as { build: () => void };
const DIST = join(projectRoot, 'dist') + sep;

/** Jest calls this before each run, in watch mode too. */
export default function globalSetup(): void {
	buildSources();
	useTemporaryFolder();
}

/** Lets the tests run the sources as they are now, and not an older build. */
export function buildSources(): void {
	build();
	// Jest may run tests in this process, which still holds the package of the run before.
	for (const file of Object.keys(load.cache)) if (file.startsWith(DIST)) delete load.cache[file];
}
