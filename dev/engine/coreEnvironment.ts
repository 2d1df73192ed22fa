import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Sets the environment of n8n's engine, which n8n reads while it is loaded. Import this file before
 * anything of n8n's.
 */

/** n8n's user folder, instead of the one in the home folder. */
export const userFolder = mkdtempSync(join(tmpdir(), 'workchat-engine-'));

process.env.N8N_USER_FOLDER = userFolder;
process.env.N8N_ENCRYPTION_KEY = 'engine';
process.env.N8N_LOG_LEVEL ??= 'silent';

/** Loads modules as n8n-core does: its own copies of packages, and its files. */
export const coreRequire = createRequire(require.resolve('n8n-core'));

/** n8n-core's own copy of its service container. Another copy would have none of its services. */
export const { Container } = coreRequire('@n8n/di') as typeof import('@n8n/di');
