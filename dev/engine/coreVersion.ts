import { createRequire } from 'node:module';

const { version } = createRequire(__filename)('n8n-core/package.json') as { version: string };

/** The version of the n8n-core that is loaded here. */
export const coreVersion = version;

/** Whether it is n8n 1 or 2.0, whose engines differ from newer ones in a few ways. */
export const isOlder = /^(1|2\.0)\./.test(coreVersion);
