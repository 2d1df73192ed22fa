import { rm } from 'node:fs/promises';

import { endGroup } from './processGroup';

/**
 * Ends the processes that a run started, and removes its folders, even if the run is killed. It is a
 * process of its own. When the run ends, the channel between them closes.
 */
export type Duty = { pid: number; ended?: true } | { folder: string };

const pids = new Set<number>();
const folders = new Set<string>();

process.on('message', (duty: Duty) => {
	if ('folder' in duty) folders.add(duty.folder);
	else if (duty.ended) pids.delete(duty.pid);
	else pids.add(duty.pid);
});

process.on('disconnect', () => void cleanUp());

async function cleanUp(): Promise<void> {
	await Promise.all([...pids].map(endGroup));
	for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
