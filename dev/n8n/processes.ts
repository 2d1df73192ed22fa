import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, chmod } from 'node:fs/promises';
import { createServer } from 'node:net';
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
	private isToldToEnd = false;

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

	get endedByItself(): boolean {
		return this.ended && !this.isToldToEnd;
	}

	get output(): string {
		return readFileSync(this.command.log, 'utf8');
	}

	/** To this one process, not to those it started; resolves when it has ended. */
	async kill(signal: NodeJS.Signals): Promise<void> {
		this.isToldToEnd = true;
		this.child.kill(signal);
		await this.ending;
	}

	async stop(): Promise<void> {
		this.isToldToEnd = true;
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

/**
 * Below the ports of outgoing connections (from 32768 on in Linux, ip_local_port_range of its
 * ip-sysctl; from 49152 on by RFC 6335 section 6), so that none takes one before a server listens.
 */
const PORTS = { first: 20_000, last: 32_767 };
/** It begins anywhere: other processes, and other test files, count by themselves. */
let lastPort = randomInt(PORTS.first, PORTS.last);

/**
 * Different ports of this machine that nothing listens on. None is given twice: of two n8n that
 * start at the same port, one ends, and seems to be ready as the other one answers.
 */
export async function freePorts(count: number): Promise<number[]> {
	const ports: number[] = [];
	while (ports.length < count) {
		const port = lastPort < PORTS.last ? lastPort + 1 : PORTS.first;
		lastPort = port;
		if (await isFree(port)) ports.push(port);
	}
	return ports;
}

/** Fails if something else uses the port, saying what it is needed for. */
export async function expectFree(port: number, what: string): Promise<void> {
	if (!(await isFree(port)))
		throw new Error(`Port ${port} is needed for ${what}, but in use: stop what runs there.`);
}

async function isFree(port: number): Promise<boolean> {
	const server = createServer().listen(port, '127.0.0.1');
	try {
		await once(server, 'listening');
	} catch {
		return false;
	}
	await once(server.close(), 'close');
	return true;
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
