import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const packageFile = join(dirname(require.resolve('n8n-core')), '..', 'package.json');

/** The version of the n8n-core that is loaded here. */
export const coreVersion = (JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string })
	.version;

/** n8n 1 and 2.0, from which the engine of newer versions differs in a few ways. */
export const isOlder = /^(1|2\.0)\./.test(coreVersion);
