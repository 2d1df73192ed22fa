import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A folder of its own for n8n, which reads and writes there. n8n looks for it while it is loaded:
 * import this before anything of n8n's.
 */
export const userFolder = mkdtempSync(join(tmpdir(), 'workchat-engine-'));

process.env.N8N_USER_FOLDER = userFolder;
process.env.N8N_ENCRYPTION_KEY = 'engine';
