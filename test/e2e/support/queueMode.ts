import { join } from 'node:path';

import { CREDENTIAL } from '../../../dev/engine/workflows';
import { startN8n } from '../../../dev/n8n/n8n';
import { N8nClient } from '../../../dev/n8n/n8nClient';
import type { Running } from '../../../dev/n8n/processes';
import { credentialOf } from '../../../dev/sandbox/credentialOf';
import { atEnd } from './atEnd';
import { startPostgres, startRedis } from './servers';
import { useInstallation, type Here } from './setup';

export interface QueueMode extends Omit<Here, 'files'> {
	workers: Running[];
}

/** Whether this worker took the execution from the queue, by what it logs. */
export const hasBegun = (worker: Running, id: string): boolean =>
	worker.output.includes(`Worker started execution ${id} `);

/** n8n's main process with a database and a queue of its own; it leaves the work to two workers. */
export function useQueueMode(settings: Record<string, string>): QueueMode {
	const here = useInstallation() as QueueMode;
	const n8ns: Running[] = [];
	let env: Record<string, string>;

	const start = async (command: 'start' | 'worker', name: string) => {
		const folder = join(here.folder, name);
		const started = await startN8n(command, { ...here, folder, env });
		n8ns.push(started.process);
		return started;
	};

	beforeAll(async () => {
		const servers = { ...(await startPostgres(here.folder)), ...(await startRedis(here.folder)) };
		env = { EXECUTIONS_MODE: 'queue', ...servers, ...settings };
		atEnd(async () => void (await Promise.all(n8ns.map(async (n8n) => await n8n.stop()))));
		here.n8n = await N8nClient.open((await start('start', 'main')).url);
		await here.n8n.addCredential('workchatApi', CREDENTIAL, credentialOf(here.sandbox));
		const workers = ['worker-1', 'worker-2'].map(async (name) => await start('worker', name));
		here.workers = (await Promise.all(workers)).map(({ process }) => process);
	});
	return here;
}
