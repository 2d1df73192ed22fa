import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { credentialOf } from '../../../dev/sandbox/credentialOf';
import { CREDENTIAL } from '../../../dev/engine/workflows';
import { atEnd } from './atEnd';
import { startN8n } from '../../../dev/n8n/n8n';
import { N8nClient } from '../../../dev/n8n/n8nClient';
import { startPostgres } from './postgresServer';
import type { Running } from '../../../dev/n8n/processes';
import { startProgram } from './server';
import { useInstallation, type Here } from './setup';

const run = promisify(execFile);

/** A worker of n8n's queue mode, known by what it logs. */
export class Worker {
	constructor(readonly process: Running) {}

	/** The IDs of the executions it took from the queue. */
	get begun(): string[] {
		const lines = this.process.output.matchAll(/Worker started execution (\d+)/g);
		return [...lines].map(([, id = '']) => id);
	}
}

export interface QueueMode extends Omit<Here, 'files'> {
	/** Two workers that are up, new ones if need be. */
	twoWorkers(): Promise<[Worker, Worker]>;
}

/** n8n's main process with a database and a queue of its own; it leaves the work to workers. */
export function useQueueMode(settings: Record<string, string>): QueueMode {
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
		env = { EXECUTIONS_MODE: 'queue', ...servers, ...settings };
		atEnd(async () => void (await Promise.all(n8ns.map(async (n8n) => await n8n.stop()))));
		here.n8n = await N8nClient.open((await start('start', 'main')).url);
		await here.n8n.addCredential('workchatApi', CREDENTIAL, credentialOf(here.sandbox));
	}, 180_000);
	// A worker that is missing shows nowhere else: the other one does all the work.
	afterEach(() => {
		const ended = n8ns.filter((n8n) => n8n.endedByItself).map(({ output }) => output.slice(-2000));
		expect(ended).toEqual([]);
	});
	return here;
}

/** A Redis of its own that keeps nothing: the settings with which n8n uses it. */
async function startRedis(place: { folder: string }): Promise<Record<string, string>> {
	const folder = join(place.folder, 'redis');
	await mkdir(folder);
	const port = await startProgram({
		file: 'redis-server',
		folder,
		args: (port) => ['--port', port, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
		ready: async (port) => (await run('redis-cli', ['-p', port, 'ping'])).stdout.trim() === 'PONG',
	});
	return { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: port };
}
