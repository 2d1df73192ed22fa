import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The environment in which n8n's engine runs here, and its way in. n8n reads the environment while it
 * is loaded: import this before anything of n8n's.
 */

/** n8n's own folder, instead of one in the home folder. */
export const userFolder = mkdtempSync(join(tmpdir(), 'workchat-engine-'));

process.env.N8N_USER_FOLDER = userFolder;
process.env.N8N_ENCRYPTION_KEY = 'engine';
process.env.N8N_LOG_LEVEL ??= 'silent';

/** As n8n-core itself requires: its own copies of packages, and its files. */
export const coreRequire = createRequire(require.resolve('n8n-core'));

/** n8n-core's own copy of its service container: any other copy knows none of its services. */
export const { Container } = coreRequire('@n8n/di') as typeof import('@n8n/di');
