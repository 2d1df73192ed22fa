import { sleep } from 'n8n-workflow';

/** Milliseconds in which what comes is gathered. */
const GATHERING = 100;
const MOST_TRIES = 3;

interface Job<T> {
	what: T;
	/** It is done, or given up. */
	end(): void;
}

/** Does a thing for many at once that come one by one. What fails goes along with the next, or the end. */
export class Batches<T> {
	private working: Promise<unknown> = Promise.resolve();
	private waiting: Array<Job<T>> = [];
	private failed: Array<Job<T>> = [];

	/**
	 * @param act tells whether it is done: others may have overwritten it. Rejects where n8n does not answer
	 * @param most at once, at present
	 */
	constructor(
		private readonly act: (some: T[]) => Promise<boolean>,
		private readonly most: () => number,
	) {}

	/** Gives up what n8n could not do. */
	forget(): void {
		for (const { end } of this.failed.splice(0)) end();
	}

	/** Resolves once it is done for these, or given up. */
	async add(some: T[]): Promise<void> {
		if (some.length === 0) return;
		if (this.waiting.length === 0) void sleep(GATHERING).then(async () => await this.work());
		const job = async (what: T) =>
			await new Promise<void>((end) => this.waiting.push({ what, end }));
		await Promise.all(some.map(job));
	}

	/** Resolves once it is done for all that came, or has failed again. */
	async close(): Promise<void> {
		await this.work();
		await this.work();
	}

	/** Resolves once all is done that is under way, whoever began it. */
	private async work(): Promise<void> {
		const all = [...this.failed.splice(0), ...this.waiting.splice(0)];
		while (all.length > 0) {
			this.working = Promise.all([this.working, this.workOn(all.splice(0, this.most()))]);
		}
		await this.working;
	}

	private async workOn(jobs: Array<Job<T>>): Promise<void> {
		const some = jobs.map(({ what }) => what);
		if (!(await this.isDone(some).catch(() => false))) this.failed.push(...jobs);
		else for (const { end } of jobs) end();
	}

	private async isDone(some: T[]): Promise<boolean> {
		for (let tries = 1; tries <= MOST_TRIES; tries++) if (await this.act(some)) return true;
		return false;
	}
}
