import { join } from 'node:path';

import { credentialOf } from '../../dev/sandbox/credentialOf';
import { CREDENTIAL } from '../../dev/engine/workflows';
import { atEnd } from './atEnd';
import { startN8n } from '../../dev/n8n/n8n';
import { N8nClient } from '../../dev/n8n/n8nClient';
import { startPostgres } from './postgresServer';
import type { Running } from '../../dev/n8n/processes';
import { startRedis } from './redisServer';
import { useInstallation, type Here } from './setup';

/** A worker of n8n's queue mode, known by what it logs. */
export class Worker {
	constructor(readonly process: Running) {}

	/** The IDs of the executions it took from the queue. */
	get begun(): string[] {
		return this.logged(/Worker started execution (\d+)/g);
	}

	get finished(): string[] {
		return this.logged(/Worker finished execution (\d+)/g);
	}

	get underWay(): string[] {
		const finished = new Set(this.finished);
		return this.begun.filter((id) => !finished.has(id));
	}

	private logged(line: RegExp): string[] {
		return [...this.process.output.matchAll(line)].map(([, id = '']) => id);
	}
}

export interface QueueMode extends Omit<Here, 'files'> {
	/** The main process's address, where webhooks are called. */
	url: string;
	/** Two workers that are up, new ones if need be. */
	twoWorkers(): Promise<[Worker, Worker]>;
}

/**
 * A job may end before n8n's main process waits for it (enqueueExecution in workflow-runner.js of
 * n8n 2.40.7). Bull finds such a one again only while Redis keeps it, which by default it does not:
 * a busy main process then never answers the call, though the execution succeeded.
 */
const FINISHED_JOBS = {
	N8N_EXECUTIONS_QUEUE_KEEP_LAST_COMPLETED: '1000',
	N8N_EXECUTIONS_QUEUE_KEEP_LAST_FAILED: '1000',
};

/** n8n's main process with a database and a queue of its own; it leaves the work to workers. */
export function useQueueMode(settings: Record<string, string> = {}): QueueMode {
	const here = useInstallation() as QueueMode;
	const n8ns: Running[] = [];
	let env: Record<string, string>;
	let workers: Worker[] = [];
	let lastNumber = 0;

	const start = async (command: 'start' | 'worker', name: string) => {
		const { installation, folder } = here;
		const started = await startN8n(command, { installation, folder: join(folder, name), env });
		n8ns.push(started.process);
		return started;
	};
	const startWorker = async () =>
		new Worker((await start('worker', `worker-${++lastNumber}`)).process);
	here.twoWorkers = async () => {
		const [one, other] = workers.filter(({ process }) => !process.ended);
		const two = await Promise.all([one ?? startWorker(), other ?? startWorker()]);
		workers = two;
		return two;
	};

	beforeAll(async () => {
		const servers = { ...(await startPostgres(here)), ...(await startRedis(here)) };
		env = { EXECUTIONS_MODE: 'queue', ...FINISHED_JOBS, ...servers, ...settings };
		atEnd(async () => void (await Promise.all(n8ns.map(async (n8n) => await n8n.stop()))));
		here.url = (await start('start', 'main')).url;
		here.n8n = await N8nClient.open(here.url);
		await here.n8n.addCredential('workchatApi', CREDENTIAL, credentialOf(here.sandbox));
	}, 180_000);
	// A worker that is missing shows nowhere else: the other one does all the work.
	afterEach(() => {
		const ended = n8ns.filter((n8n) => n8n.endedByItself).map(({ output }) => output.slice(-2000));
		expect(ended).toEqual([]);
	});
	return here;
}
