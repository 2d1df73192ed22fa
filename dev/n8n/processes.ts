import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, chmod } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import spawn from 'cross-spawn';

import { projectRoot } from '../projectRoot';
import type { Duty } from './janitor';
import { endGroup } from './processGroup';

export interface Command {
	file: string;
	args: string[];
	cwd: string;
	env?: NodeJS.ProcessEnv;
	/** Some servers refuse to run as root: this runs them as the user "nobody" then. */
	unprivileged?: boolean;
	/** Where its output goes. */
	log: string;
	/** Says whether it is ready to be used; asked again until it is. */
	ready: () => Promise<boolean>;
	/** In milliseconds. */
	readyWithin?: number;
}

/** A program that was started, with everything it starts in its turn. */
export class Running {
	private constructor(
		private readonly child: ChildProcess,
		/** Resolves when it has ended. */
		readonly ending: Promise<unknown>,
		private readonly command: Command,
	) {}

	static async start(command: Command): Promise<Running> {
		const log = openSync(command.log, 'a');
		const child = spawn(command.file, command.args, {
			cwd: command.cwd,
			env: command.env ?? process.env,
			detached: true, // a process group of its own, so that it can be ended as a whole
			stdio: ['ignore', log, log],
			...(command.unprivileged && process.getuid?.() === 0 ? NOBODY : {}),
		});
		closeSync(log);
		await once(child, 'spawn');
		const ending = once(child, 'exit');
		const running = new Running(child, ending, command);
		tellJanitor({ pid: running.pid });
		const isReady = await running.becomesReady();
		if (isReady) return running;
		await running.stop();
		const line = [command.file, ...command.args].join(' ');
		throw new Error(`It did not become ready: ${line}\n${running.output.slice(-2000)}`);
	}

	get pid(): number {
		return this.child.pid as number;
	}

	get ended(): boolean {
		return this.child.exitCode !== null || this.child.signalCode !== null;
	}

	get output(): string {
		return readFileSync(this.command.log, 'utf8');
	}

	/** To this one process, not to those it started; resolves when it has ended. */
	async kill(signal: NodeJS.Signals): Promise<void> {
		this.child.kill(signal);
		await this.ending;
	}

	async stop(): Promise<void> {
		await endGroup(this.pid);
		tellJanitor({ pid: this.pid, ended: true });
	}

	private async becomesReady(): Promise<boolean> {
		const { ready, readyWithin = 60_000 } = this.command;
		const deadline = Date.now() + readyWithin;
		while (!this.ended && Date.now() < deadline) {
			const isReady = await ready().catch(() => false);
			await wait(100); // it may just have found another program at its address, and be ending
			if (isReady) return !this.ended;
		}
		return false;
	}
}

/** Debian's user without rights; its IDs are the same everywhere. */
export const NOBODY = { uid: 65534, gid: 65534 };

/** A folder of its own that ends with the run at the latest. */
export async function temporaryFolder(): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'workchat-e2e-'));
	await chmod(folder, 0o755);
	tellJanitor({ folder });
	return folder;
}

export async function removeFolder(folder: string): Promise<void> {
	await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Different ports of this machine that nothing listens on. */
export async function freePorts(count: number): Promise<number[]> {
	const servers = await Promise.all(
		Array.from({ length: count }, async () => {
			const server = createServer().listen(0, '127.0.0.1');
			await once(server, 'listening');
			return server;
		}),
	);
	const ports = servers.map((server) => (server.address() as AddressInfo).port);
	await Promise.all(servers.map((server) => once(server.close(), 'close')));
	return ports;
}

/** Fails if something else uses the port, saying what it is needed for. */
export async function expectFree(port: number, what: string): Promise<void> {
	const server = createServer().listen(port, '127.0.0.1');
	const isFree = await once(server, 'listening').then(
		() => true,
		() => false,
	);
	if (!isFree)
		throw new Error(`Port ${port} is needed for ${what}, but in use: stop what runs there.`);
	await once(server.close(), 'close');
}

/** Whether an address answers with a 2xx. */
export async function answers(url: string): Promise<boolean> {
	return (await fetch(url, { signal: AbortSignal.timeout(5000) })).ok;
}

let janitor: ChildProcess | undefined;

function tellJanitor(duty: Duty): void {
	if (!janitor?.connected) {
		const program = join(projectRoot, 'build', 'dev', 'n8n', 'janitor.js');
		janitor = spawn(process.execPath, [program], {
			detached: true, // Ctrl-C is not meant for it
			stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
		});
		janitor.unref();
		janitor.channel?.unref();
	}
	janitor.send(duty);
}
