import type { StopSignal } from './stopSignal';

interface Keyed {
	/** Tasks of one key run one after another, in their order. */
	key: string;
}

export interface Task extends Keyed {
	run(): Promise<void>;
}

/**
 * Runs tasks in their order, up to `maxConcurrency` at a time, and at most one of each key. Asks for
 * the next task when there is a worker for it.
 */
export async function runTasks(
	tasks: AsyncIterable<Task>,
	maxConcurrency: number,
	stopSignal: StopSignal,
): Promise<void> {
	const source = tasks[Symbol.asyncIterator]();
	const queue = new KeyedQueue<Task>();
	/** The next task whose key is free. */
	const next = async (): Promise<Task | undefined> => {
		while (!stopSignal.isStopped) {
			const { done, value } = await source.next();
			if (done) break;
			if (queue.begin(value)) return value;
		}
		return undefined;
	};
	const workers = Array.from({ length: maxConcurrency }, async () => {
		let task = await next();
		while (task && !stopSignal.isStopped) {
			await task.run();
			task = queue.end(task) ?? (await next());
		}
	});
	await Promise.all(workers);
}

/** Tasks in the order in which they would begin if all of them took the same time. */
export function likelyOrder<T extends Keyed>(tasks: T[], maxConcurrency: number): T[] {
	const queue = new KeyedQueue<T>();
	const order: T[] = [];
	const source = tasks.values();
	for (let ended = 0; ; ended++) {
		while (order.length < ended + maxConcurrency) {
			const { done, value } = source.next();
			if (done) break;
			if (queue.begin(value)) order.push(value);
		}
		const task = order[ended];
		if (!task) return order;
		const next = queue.end(task);
		if (next) order.push(next);
	}
}

/** Lets one task of each key run at a time. */
class KeyedQueue<T extends Keyed> {
	/** The last task of each key that is busy. */
	private readonly last = new Map<string, T>();
	/** What follows a task under its key. No `WeakMap`: of a long chain, collecting garbage takes long. */
	private readonly followers = new Map<T, T>();

	/** Whether its key is free, and busy from now on. Otherwise the task waits for it. */
	begin(task: T): boolean {
		const last = this.last.get(task.key);
		this.last.set(task.key, task);
		if (last) this.followers.set(last, task);
		return !last;
	}

	/** Ends a task. The next one of its key begins, if one waits; otherwise the key is free. */
	end(task: T): T | undefined {
		const next = this.followers.get(task);
		if (next) this.followers.delete(task);
		else this.last.delete(task.key);
		return next;
	}
}
