import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cp, lstat, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import spawn from 'cross-spawn';

import { installN8n } from '../e2e/installation';
import { projectRoot } from '../sandbox/projectRoot';
import type { Order } from './sandbox';

const run = promisify(execFile);
const MODULES = join(projectRoot, 'e2e', 'node_modules');

/** Runs programs of this folder on the Node.js and the n8n of the end-to-end tests. */
export class Processes {
	private constructor(
		/** The built package beside n8n's modules; whatever the programs write goes into it too. */
		private readonly folder: string,
		private readonly env: NodeJS.ProcessEnv,
	) {}

	static async prepare(say: (line: string) => void): Promise<Processes> {
		await refuseLinkedModules();
		const { env } = await installN8n(say);
		const folder = await mkdtemp(join(tmpdir(), 'workchat-bench-'));
		// What is copied here finds the n8n of the end-to-end tests before the one for development.
		await symlink(MODULES, join(folder, 'node_modules'), 'junction');
		for (const part of ['package.json', 'dist', 'build']) {
			await cp(join(projectRoot, part), join(folder, part), { recursive: true });
		}
		const written = join(folder, 'written');
		await mkdir(written);
		return new Processes(folder, {
			...env,
			NODE_ENV: 'production',
			TMPDIR: written,
			TEMP: written,
		});
	}

	/** Runs a program to its end, and parses what it prints. */
	async result<T>(program: string, ...args: string[]): Promise<T> {
		const path = join(this.folder, 'build', 'bench', program);
		const { stdout } = await run('node', [path, ...args], { env: this.env });
		return JSON.parse(stdout) as T;
	}

	startSandbox(): SandboxProcess {
		return new SandboxProcess(this.env);
	}

	async stop(): Promise<void> {
		await rm(this.folder, { recursive: true, force: true });
	}
}

/** Where npm installs anew, it empties the folder that a link leads to, which is somebody else's. */
async function refuseLinkedModules(): Promise<void> {
	const found = await lstat(MODULES).catch(() => undefined);
	if (found?.isSymbolicLink()) throw new Error(`${MODULES} is a link: remove it, to install n8n`);
}

/** The sandbox has a process of its own, as it would take time and memory from what is measured. */
export class SandboxProcess {
	private readonly child;

	constructor(env: NodeJS.ProcessEnv) {
		const program = join(projectRoot, 'build', 'bench', 'sandbox.js');
		this.child = spawn('node', [program], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
	}

	async ask<T>(order: Order): Promise<T> {
		this.child.send(order);
		const [answer] = await once(this.child, 'message');
		return answer as T;
	}

	stop(): void {
		if (this.child.connected) this.child.disconnect();
	}
}
