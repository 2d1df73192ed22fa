import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The checkout this runs in, be it from the sources or from `build`. */
export const projectRoot = findRoot(__dirname);

function findRoot(directory: string): string {
	return existsSync(join(directory, 'package.json')) ? directory : findRoot(dirname(directory));
}
