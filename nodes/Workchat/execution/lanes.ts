import type { Halt } from './halt';

export interface Job {
	/** Jobs of one lane run one after another, in their order. */
	lane: string;
	run(): Promise<void>;
}

/** Runs jobs in their order, up to `maxConcurrency` at a time, and at most one of each lane. */
export async function runInLanes(jobs: Job[], maxConcurrency: number, halt: Halt): Promise<void> {
	const queue = new LaneQueue(jobs);
	const workers = Array.from({ length: Math.min(maxConcurrency, jobs.length) }, async () => {
		for (let job = queue.take(); job && !halt.isReached; job = queue.take()) {
			await job.run();
			queue.release(job.lane);
		}
	});
	await Promise.all(workers);
}

/**
 * Hands out each lane's jobs one at a time. A worker that finds none may go: what is left waits for
 * a busy lane, and the worker of that lane takes it when it releases the lane.
 */
class LaneQueue {
	private next = 0;
	/** Indexes of jobs that wait for their lane, by lane; a lane that is busy has an entry. */
	private readonly waiting = new Map<string, number[]>();
	/** Indexes of jobs whose lane became free; never more than there are workers. */
	private readonly ready: number[] = [];

	constructor(private readonly jobs: Job[]) {}

	take(): Job | undefined {
		const index = this.ready.length > 0 ? this.earliestReady() : this.nextInFreeLane();
		return index === undefined ? undefined : this.jobs[index];
	}

	release(lane: string): void {
		const index = this.waiting.get(lane)?.shift();
		if (index === undefined) this.waiting.delete(lane);
		else this.ready.push(index);
	}

	private earliestReady(): number | undefined {
		const earliest = this.ready.indexOf(Math.min(...this.ready));
		return this.ready.splice(earliest, 1)[0];
	}

	private nextInFreeLane(): number | undefined {
		while (this.next < this.jobs.length) {
			const index = this.next++;
			const lane = this.jobs[index]?.lane ?? '';
			const waiting = this.waiting.get(lane);
			if (!waiting) {
				this.waiting.set(lane, []);
				return index;
			}
			waiting.push(index);
		}
		return undefined;
	}
}
