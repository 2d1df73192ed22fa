import { execFileSync, execSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Packs what npm would publish, and unpacks it. Both are gone when the process ends. */
export function pack() {
	const folder = mkdtempSync(join(tmpdir(), 'n8n-nodes-workchat-'));
	process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
	execSync(`npm pack --silent --pack-destination "${folder}"`);
	const tarball = join(folder, readdirSync(folder)[0]);
	execFileSync('tar', ['-xzf', tarball, '-C', folder]);
	return { tarball, content: join(folder, 'package') };
}
