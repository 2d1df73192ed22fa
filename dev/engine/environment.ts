import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The environment in which n8n's engine runs here. n8n reads it while it is loaded: import this
 * before anything of n8n's.
 */

/** n8n's own folder, instead of one in the home folder. */
export const userFolder = mkdtempSync(join(tmpdir(), 'workchat-engine-'));

process.env.N8N_USER_FOLDER = userFolder;
process.env.N8N_ENCRYPTION_KEY = 'engine';
process.env.N8N_LOG_LEVEL ??= 'silent';
