import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The root folder of the checkout, for code in the sources and in `build`. */
export const projectRoot = findRoot(__dirname);

function findRoot(directory: string): string {
	return existsSync(join(directory, 'package.json')) ? directory : findRoot(dirname(directory));
}
