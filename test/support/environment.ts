import { url } from 'node:inspector';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

import type { Circus } from '@jest/types';
import { TestEnvironment } from 'jest-environment-node';

/** Timers, servers, connections, processes: what keeps a process from ending. */
const OPEN = /^(Timeout|TCP|TLS|Process)/;
/** Milliseconds. */
const TURN = 20;
/** Turns. Nothing can end n8n's `sleep`; after a run the node looks at n8n's memory for 8 s. */
const PATIENCE = 450;

/** One for each worker of Jest's; none where a debugger may hold the tests. */
const watchdog = url() ? undefined : new Worker(join(__dirname, 'watchdog.js'));
watchdog?.unref();
setInterval(() => watchdog?.postMessage(undefined), 1000).unref();

/** Waits at the end of a test file until nothing that it opened is left, or fails it. */
export default class extends TestEnvironment {
	/** Jest's own, where it runs a file without a worker. */
	private readonly openBefore = open();
	private readonly file: string;

	constructor(...given: ConstructorParameters<typeof TestEnvironment>) {
		super(...given);
		this.file = given[1].testPath;
		watchdog?.postMessage(this.file);
	}

	override async setup(): Promise<void> {
		await super.setup();
		// For test/support/outside/: the real `require`, which loads a module once for each worker.
		this.global.requireOutside = createRequire(__filename);
	}

	async handleTestEvent(event: Circus.Event, { unhandledErrors }: Circus.State): Promise<void> {
		if (event.name === 'test_start') watchdog?.postMessage(`${this.file}: ${event.test.name}`);
		if (event.name !== 'run_finish') return;
		for (let turn = 0; turn < PATIENCE && this.leftOpen().length > 0; turn++) await wait(TURN);
		const left = this.leftOpen().join(', ');
		if (left) unhandledErrors.push(new Error(`The tests left open: ${left}`));
	}

	private leftOpen(): string[] {
		const left = open();
		for (const resource of this.openBefore) {
			const index = left.indexOf(resource);
			if (index >= 0) left.splice(index, 1);
		}
		return left;
	}
}

function open(): string[] {
	return process.getActiveResourcesInfo().filter((resource) => OPEN.test(resource));
}
