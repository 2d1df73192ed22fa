import { once } from 'node:events';
import { join } from 'node:path';

import spawn from 'cross-spawn';

import { projectRoot } from '../projectRoot';

/** A program of this folder in a process of its own. It ends when this one does, however that is. */
export class Child {
	private readonly child;
	private readonly failed: Promise<never>;

	/** @param program its path below `bench` */
	constructor(program: string, env: NodeJS.ProcessEnv, ...args: string[]) {
		const path = join(projectRoot, 'build', 'dev', 'bench', program);
		this.child = spawn('node', [path, ...args], {
			env,
			stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
		});
		this.failed = once(this.child, 'exit').then(() => {
			throw new Error(`${program} ended`);
		});
		this.failed.catch(() => {}); // when nothing is asked of it any more, that is as it should be
	}

	get pid(): number {
		return this.child.pid as number;
	}

	async ask<Answer>(order: object | string): Promise<Answer> {
		const answer = once(this.child, 'message');
		this.child.send(order);
		const [message] = await Promise.race([answer, this.failed]);
		return message as Answer;
	}

	/** Resolves when it has ended. */
	async stop(): Promise<void> {
		if (this.child.connected) this.child.disconnect();
		await this.failed.catch(() => {});
	}
}

/** In the program itself: does what is asked, one order after another, and ends when told to. */
export function answerOrders<Order>(answer: (order: Order) => Promise<unknown>): void {
	process.on('message', (order: Order) => {
		void answer(order).then((result) => process.send?.(result));
	});
	process.once('disconnect', () => process.exit());
}
