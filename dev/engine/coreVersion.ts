import { createRequire } from 'node:module';

const { version } = createRequire(__filename)('n8n-core/package.json') as { version: string };

/** The version of the n8n-core that is loaded here. */
export const coreVersion = version;

/** n8n 1 and 2.0, from which the engine of newer versions differs in a few ways. */
export const isOlder = /^(1|2\.0)\./.test(coreVersion);
