import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Gives a run of the tests a temporary folder of its own, and takes it away with all that they
 * left in it: a worker of Jest's may be ended before it can tidy up.
 */
export default function useTemporaryFolder(): void {
	const folder = mkdtempSync(join(tmpdir(), 'workchat-test-'));
	process.env.TMPDIR = process.env.TEMP = folder;
	process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}
