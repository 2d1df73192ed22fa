import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectRoot } from '../projectRoot';

/** The environment in which a process writes down when its event loop stands still. */
export function watchedForStandstill(folder: string): Record<string, string> {
	const probe = join(projectRoot, 'build', 'dev', 'bench', 'standstillProbe.js');
	return { STANDSTILL_FOLDER: folder, NODE_OPTIONS: `--require ${probe}` };
}

/**
 * The longest one of a process, in milliseconds, as far as it lies within a time of the wall clock:
 * the nodes before may have begun it.
 */
export function longestStandstill(folder: string, pid: number, from: number, to: number): number {
	const file = join(folder, String(pid));
	const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
	const within = lines.map((line) => {
		const [end = 0, length = 0] = line.split(' ').map(Number);
		return Math.min(end, to) - Math.max(end - length, from);
	});
	return within.reduce((most, length) => Math.max(most, length), 0);
}
