import type { StopSignal } from './stopSignal';

export interface Task {
	/** Tasks of one key run one after another, in their order. */
	key: string;
	run(): Promise<void>;
}

/** Runs tasks in their order, up to `maxConcurrency` at a time, and at most one of each key. */
export async function runTasks(
	tasks: Task[],
	maxConcurrency: number,
	stopSignal: StopSignal,
): Promise<void> {
	const queue = new KeyedQueue(tasks);
	const next = () => tasks[queue.take() ?? NaN];
	const workers = Array.from({ length: Math.min(maxConcurrency, tasks.length) }, async () => {
		for (let task = next(); task && !stopSignal.isStopped; task = next()) {
			await task.run();
			queue.release(task.key);
		}
	});
	await Promise.all(workers);
}

/** The indexes of tasks in the order in which they would begin if all of them took the same time. */
export function likelyOrder(tasks: Array<Pick<Task, 'key'>>, maxConcurrency: number): number[] {
	const queue = new KeyedQueue(tasks);
	const order: number[] = [];
	for (let ended = 0; ; ended++) {
		while (order.length < ended + maxConcurrency) {
			const index = queue.take();
			if (index === undefined) break;
			order.push(index);
		}
		const key = tasks[order[ended] ?? NaN]?.key;
		if (key === undefined) return order;
		queue.release(key);
	}
}

/**
 * Hands out each key's tasks one at a time. A worker that finds none may go: what is left waits for
 * a busy key, and the worker of that key takes it when it releases the key.
 */
class KeyedQueue {
	private next = 0;
	/** Indexes of tasks that wait for their key, by key; a key that is busy has an entry. */
	private readonly waiting = new Map<string, { indexes: number[]; first: number }>();
	/** Indexes of tasks whose key became free; never more than there are workers. */
	private readonly ready: number[] = [];

	constructor(private readonly tasks: Array<Pick<Task, 'key'>>) {}

	/** The index of a task. */
	take(): number | undefined {
		return this.ready.length > 0 ? this.earliestReady() : this.nextOfFreeKey();
	}

	release(key: string): void {
		const waiting = this.waiting.get(key);
		// Not shift(): that moves all that is left, for every task of a long queue.
		const index = waiting?.indexes[waiting.first++];
		if (index === undefined) this.waiting.delete(key);
		else this.ready.push(index);
	}

	private earliestReady(): number | undefined {
		const earliest = this.ready.indexOf(Math.min(...this.ready));
		return this.ready.splice(earliest, 1)[0];
	}

	private nextOfFreeKey(): number | undefined {
		while (this.next < this.tasks.length) {
			const index = this.next++;
			const key = this.tasks[index]?.key ?? '';
			const waiting = this.waiting.get(key);
			if (!waiting) {
				this.waiting.set(key, { indexes: [], first: 0 });
				return index;
			}
			waiting.indexes.push(index);
		}
		return undefined;
	}
}
