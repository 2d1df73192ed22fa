import { sleep } from 'n8n-workflow';

/** Milliseconds in which what comes is gathered. */
const GATHERING = 100;
const MOST_TRIES = 3;

/** Does a thing for many at once that come one by one. What fails goes along with the next, or the end. */
export class Batches<T> {
	private last: Promise<void> = Promise.resolve();
	private waiting: T[] = [];
	private failed: T[] = [];

	/**
	 * @param act tells whether it is done: others may have overwritten it. Rejects where n8n does not answer
	 * @param most at once, at present
	 */
	constructor(
		private readonly act: (some: T[]) => Promise<boolean>,
		private readonly most: () => number,
	) {}

	/** Resolves once it is done for these, or has failed. */
	async add(some: T[]): Promise<void> {
		if (some.length === 0) return;
		if (this.waiting.length === 0) this.last = this.workLater(this.last);
		this.waiting.push(...some);
		await this.last;
	}

	/** Whether there is something that n8n could not do yet. */
	get hasFailed(): boolean {
		return this.failed.length > 0;
	}

	/** Resolves once it is done for all that came, or has failed. */
	async close(): Promise<void> {
		await this.work();
		await this.last;
		await this.work();
	}

	private async work(): Promise<void> {
		const all = [...this.failed.splice(0), ...this.waiting.splice(0)];
		const parts: Array<Promise<void>> = [];
		while (all.length > 0) parts.push(this.workOn(all.splice(0, this.most())));
		await Promise.all(parts);
	}

	private async workOn(some: T[]): Promise<void> {
		if (!(await this.isDone(some).catch(() => false))) this.failed.push(...some);
	}

	private async workLater(last: Promise<void>): Promise<void> {
		await sleep(GATHERING);
		await Promise.all([last, this.work()]);
	}

	private async isDone(some: T[]): Promise<boolean> {
		for (let tries = 1; tries <= MOST_TRIES; tries++) if (await this.act(some)) return true;
		return false;
	}
}
