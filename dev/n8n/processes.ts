import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import execa, { type ExecaChildProcess, type NodeOptions, type Options } from 'execa';

import { projectRoot } from '../projectRoot';
import type { Duty } from './janitor';
import { endGroup } from './processGroup';

export interface Command extends Pick<Options, 'cwd' | 'env' | 'uid' | 'gid'> {
	file: string;
	args: string[];
	/** The file for its output. */
	log: string;
	/** Whether it is ready to be used. Called until it is. */
	ready: () => Promise<boolean>;
}

/** In milliseconds. */
const READY_WITHIN = 300_000; // for n8n on a busy computer

/** A program that was started, with all processes that it starts itself. */
export class Running {
	private constructor(
		private readonly child: ExecaChildProcess,
		/** Resolves when it has ended. */
		readonly ending: Promise<unknown>,
		private readonly log: string,
	) {}

	static async start({ file, args, log, ready, ...options }: Command) {
		const output = openSync(log, 'a');
		const child = execa(file, args, {
			...options,
			reject: false,
			stdio: ['ignore', output, output],
			detached: true, // a process group of its own, so that all of it can be ended
		});
		closeSync(output);
		const running = new Running(child, child.then(), log);
		await once(child, 'spawn');
		assignToJanitor({ pid: running.pid });
		if (await running.becomesReady(ready)) return running;
		await running.stop();
		const end = running.output.slice(-2000);
		throw new Error(`This program did not start: ${[file, ...args].join(' ')}\n${end}`);
	}

	get pid(): number {
		return this.child.pid as number;
	}

	get ended(): boolean {
		return this.child.exitCode !== null || this.child.signalCode !== null;
	}

	get output(): string {
		return readFileSync(this.log, 'utf8');
	}

	/** Signals this process, not those that it started. Resolves when it has ended. */
	async kill(signal: NodeJS.Signals): Promise<void> {
		this.child.kill(signal, { forceKillAfterTimeout: false });
		await this.ending;
	}

	async stop(): Promise<void> {
		await endGroup(this.pid);
		assignToJanitor({ pid: this.pid, ended: true });
	}

	private async becomesReady(ready: Command['ready']): Promise<boolean> {
		const deadline = Date.now() + READY_WITHIN;
		while (!this.ended && Date.now() < deadline) {
			const isReady = await ready().catch(() => false);
			await wait(100); // another program may have its port, so that it is about to end
			if (isReady) return !this.ended;
		}
		return false;
	}
}

/** For servers that refuse to run as root: lets root start them as Debian's user "nobody". */
export const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** A new folder, which is removed at the end of the run at the latest. */
export async function temporaryFolder(): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'workchat-e2e-'));
	await chmod(folder, 0o755);
	assignToJanitor({ folder });
	return folder;
}

let janitor: ExecaChildProcess | undefined;
/** Detached, as Ctrl-C must not end it. */
const JANITOR: NodeOptions = { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] };

function assignToJanitor(duty: Duty): void {
	if (!janitor?.connected) {
		janitor = execa.node(join(projectRoot, 'build', 'dev', 'n8n', 'janitor.js'), JANITOR);
		janitor.unref();
		janitor.channel?.unref();
	}
	janitor.send(duty);
}
