import { createRequire } from 'node:module';

/** As n8n-core itself requires: its own copies of packages, and its files. */
export const coreRequire = createRequire(require.resolve('n8n-core'));

/** n8n-core's own copy of its service container: any other copy knows none of its services. */
export const { Container } = coreRequire('@n8n/di') as typeof import('@n8n/di');
