import type { StopSignal } from './stopSignal';

export interface Task {
	/** Tasks of one key run one after another, in their order. */
	key: string;
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
		for (;;) {
			const { done, value } = await source.next();
			if (done) return undefined;
			if (queue.begin(value)) return value;
		}
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

/** The indexes of tasks in the order in which they would begin if all of them took the same time. */
export function likelyOrder(tasks: Array<Pick<Task, 'key'>>, maxConcurrency: number): number[] {
	const numbered = tasks.map(({ key }, index) => ({ key, index }));
	const queue = new KeyedQueue<{ key: string; index: number }>();
	const order: number[] = [];
	let asked = 0;
	for (let ended = 0; ; ended++) {
		while (order.length < ended + maxConcurrency && asked < numbered.length) {
			const task = numbered[asked++];
			if (task && queue.begin(task)) order.push(task.index);
		}
		const task = numbered[order[ended] ?? NaN];
		if (!task) return order;
		const next = queue.end(task);
		if (next) order.push(next.index);
	}
}

/** Lets one task of each key run at a time. */
class KeyedQueue<T extends Pick<Task, 'key'>> {
	/** Tasks that wait for their key, by key; a key that is busy has an entry. */
	private readonly waiting = new Map<string, { tasks: Array<T | undefined>; first: number }>();

	/** Whether its key is free, and busy from now on. Otherwise the task waits for it. */
	begin(task: T): boolean {
		const waiting = this.waiting.get(task.key);
		waiting?.tasks.push(task);
		if (!waiting) this.waiting.set(task.key, { tasks: [], first: 0 });
		return !waiting;
	}

	/** Ends a task. The next one of its key begins, if one waits; otherwise the key is free. */
	end({ key }: T): T | undefined {
		const waiting = this.waiting.get(key);
		const next = waiting?.tasks[waiting.first];
		// Not shift(): that moves all that is left, for every task of a long queue.
		if (waiting && next) waiting.tasks[waiting.first++] = undefined;
		else this.waiting.delete(key);
		return next;
	}
}
