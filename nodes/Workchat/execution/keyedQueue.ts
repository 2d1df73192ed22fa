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
	const next = async (): Promise<Task | undefined> => {
		let task = queue.takeReady();
		while (!task) {
			const { done, value } = await source.next();
			if (done) return queue.takeReady();
			if (queue.begin(value)) task = value;
		}
		return task;
	};
	const workers = Array.from({ length: maxConcurrency }, async () => {
		for (let task = await next(); task && !stopSignal.isStopped; task = await next()) {
			await task.run();
			queue.free(task.key);
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
		while (order.length < ended + maxConcurrency) {
			let task = queue.takeReady();
			while (!task && asked < numbered.length) {
				const next = numbered[asked++];
				if (next && queue.begin(next)) task = next;
			}
			if (!task) break;
			order.push(task.index);
		}
		const key = numbered[order[ended] ?? NaN]?.key;
		if (key === undefined) return order;
		queue.free(key);
	}
}

interface Waiting<T> {
	number: number;
	task: T;
}

/**
 * Lets one task of each key begin. A worker that finds none may go: what is left waits for a busy
 * key, and the worker of that key takes it when it frees the key.
 */
class KeyedQueue<T extends Pick<Task, 'key'>> {
	private arrived = 0;
	/** Tasks that wait for their key, by key; a key that is busy has an entry. */
	private readonly waiting = new Map<
		string,
		{ tasks: Array<Waiting<T> | undefined>; first: number }
	>();
	/** Tasks whose key became free; never more than there are workers. */
	private readonly ready: Array<Waiting<T>> = [];

	/** Whether its key is free, and busy from now on. Otherwise the task waits for it. */
	begin(task: T): boolean {
		const number = this.arrived++;
		const waiting = this.waiting.get(task.key);
		waiting?.tasks.push({ number, task });
		if (!waiting) this.waiting.set(task.key, { tasks: [], first: 0 });
		return !waiting;
	}

	free(key: string): void {
		const waiting = this.waiting.get(key);
		const next = waiting?.tasks[waiting.first];
		if (!waiting || !next) {
			this.waiting.delete(key);
			return;
		}
		// Not shift(): that moves all that is left, for every task of a long queue.
		waiting.tasks[waiting.first++] = undefined;
		this.ready.push(next);
	}

	/** Of those whose key became free, the one that came first. */
	takeReady(): T | undefined {
		const earliest = Math.min(...this.ready.map(({ number }) => number));
		const index = this.ready.findIndex(({ number }) => number === earliest);
		return index < 0 ? undefined : this.ready.splice(index, 1)[0]?.task;
	}
}
