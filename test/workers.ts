import { userFolder } from '../dev/engine/coreEnvironment';

import spawn from 'cross-spawn';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import type { Rows } from '../dev/engine/deduplicationStandIn';
import type { EngineOptions, WorkflowJson } from '../dev/engine/engine';

/** What became of our node in a worker. */
export interface WorkerResult {
	jsons: IDataObject[];
	error?: { message: string; description?: string };
	/** The execution as n8n saves it. */
	saved: string;
}

interface Message {
	id?: number;
	rows?: number;
	method: keyof Rows;
	parameters: [string, string];
	value?: unknown;
	error?: string;
}

/** A process with an engine of its own, as a worker of n8n's queue mode; the rows are kept here. */
export class Worker {
	private commands = 0;
	private readonly waiting = new Map<number, (message: Message) => void>();

	private constructor(
		private readonly child: ChildProcess,
		private readonly rows: () => Rows,
	) {
		child.on('message', (message: Message) => void this.receive(message));
	}

	/** @param number of this worker, for IDs of executions that no other has */
	static async start(
		number: number,
		options: Pick<EngineOptions, 'credential'>,
		rows: () => Rows,
	): Promise<Worker> {
		const env = { ...process.env, TMPDIR: userFolder, TEMP: userFolder };
		const script = join(__dirname, 'processes', 'worker.js');
		const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
		const child = spawn(process.execPath, [script], { env, stdio: [...stdio] });
		const worker = new Worker(child, rows);
		await worker.command('start', { ...options, lastExecution: number * 100_000 });
		return worker;
	}

	async run(workflow: WorkflowJson): Promise<WorkerResult> {
		return (await this.command('run', workflow)) as WorkerResult;
	}

	async retry(workflow: WorkflowJson, saved: string): Promise<WorkerResult> {
		return (await this.command('retry', workflow, saved)) as WorkerResult;
	}

	/** As `kill -9` or the kernel does when memory is short. */
	async kill(): Promise<void> {
		const exited = once(this.child, 'exit');
		this.child.kill('SIGKILL');
		await exited;
	}

	async stop(): Promise<void> {
		if (this.child.exitCode !== null || this.child.signalCode !== null) return;
		await this.command('stop');
		await this.kill();
	}

	private async command(command: string, ...parameters: unknown[]): Promise<unknown> {
		const id = ++this.commands;
		return await new Promise((resolve, reject) => {
			this.waiting.set(id, ({ value, error }) => {
				if (error === undefined) resolve(value);
				else reject(new Error(error));
			});
			this.child.send({ id, command, parameters });
		});
	}

	private async receive(message: Message): Promise<void> {
		if (message.id !== undefined) {
			this.waiting.get(message.id)?.(message);
			this.waiting.delete(message.id);
			return;
		}
		const { rows: answer, method, parameters } = message;
		try {
			this.send({ answer, value: await this.rows()[method](...parameters) });
		} catch (error) {
			this.send({ answer, error: (error as Error).message });
		}
	}

	/** It may have been killed meanwhile. */
	private send(message: object): void {
		if (this.child.connected) this.child.send(message, () => {});
	}
}
