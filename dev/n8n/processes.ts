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
	/** Where its output goes. */
	log: string;
	/** Says whether it is ready to be used; asked again until it is. */
	ready: () => Promise<boolean>;
}

/** In milliseconds. */
const READY_WITHIN = 300_000; // n8n, on a busy machine

/** A program that was started, with everything it starts in its turn. */
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
			detached: true, // a process group of its own, so that it can be ended as a whole
		});
		closeSync(output);
		const running = new Running(child, child.then(), log);
		await once(child, 'spawn');
		tellJanitor({ pid: running.pid });
		if (await running.becomesReady(ready)) return running;
		await running.stop();
		const told = running.output.slice(-2000);
		throw new Error(`It did not become ready: ${[file, ...args].join(' ')}\n${told}`);
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

	/** To this one process, not to those it started; resolves when it has ended. */
	async kill(signal: NodeJS.Signals): Promise<void> {
		this.child.kill(signal, { forceKillAfterTimeout: false });
		await this.ending;
	}

	async stop(): Promise<void> {
		await endGroup(this.pid);
		tellJanitor({ pid: this.pid, ended: true });
	}

	private async becomesReady(ready: Command['ready']): Promise<boolean> {
		const deadline = Date.now() + READY_WITHIN;
		while (!this.ended && Date.now() < deadline) {
			const isReady = await ready().catch(() => false);
			await wait(100); // it may just have found another program at its address, and be ending
			if (isReady) return !this.ended;
		}
		return false;
	}
}

/** Options for servers that refuse to run as root: Debian's user "nobody" then. */
export const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** A folder of its own that ends with the run at the latest. */
export async function temporaryFolder(): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'workchat-e2e-'));
	await chmod(folder, 0o755);
	tellJanitor({ folder });
	return folder;
}

let janitor: ExecaChildProcess | undefined;
/** Detached, so that Ctrl-C does not end it. */
const JANITOR: NodeOptions = { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] };

function tellJanitor(duty: Duty): void {
	if (!janitor?.connected) {
		janitor = execa.node(join(projectRoot, 'build', 'dev', 'n8n', 'janitor.js'), JANITOR);
		janitor.unref();
		janitor.channel?.unref();
	}
	janitor.send(duty);
}
