import type { Draw } from '../draw';
import type { Clock, SimulatedProcess } from './clock';
import type { PlannedMemory } from '../plan';

const MOST_ENTRIES = 41_000;
/** Milliseconds between reading and writing that the node allows for. */
const LONGEST_GAP = 100;
/** Milliseconds until a late write lands. */
const LATE = 11_000;

/**
 * n8n's memory for a node: every call reads the row and writes it back a little later, without a lock
 * (n8n 2.40, deduplication-helper). Everything that a process does for it waits where that stands
 * still; what it has told the database is done all the same.
 */
export class SimulatedMemory {
	row: string[] | undefined;
	/** Calls that failed, or took longer than the node waits. */
	troubles = 0;
	/** Writes of a row that another process had changed long since: nothing can be done about those. */
	stalls = 0;
	isHealthy = false;
	private lastWriter: SimulatedProcess | undefined;
	private lastWritten = 0;

	constructor(
		private readonly clock: Clock,
		private readonly draw: Draw,
		private readonly plan: PlannedMemory,
	) {}

	/** The helpers of an execution in a process. */
	helpersOf(process: SimulatedProcess) {
		return {
			checkProcessedAndRecord: async (entries: string[]) => {
				let processed: string[] = [];
				await this.change(process, (row) => {
					const present = new Set(row);
					processed = entries.filter((entry) => present.has(entry));
					return [...row, ...new Set(entries.filter((entry) => !present.has(entry)))];
				});
				return { new: [], processed };
			},
			removeProcessed: async (entries: string[]) => {
				const removed = new Set(entries);
				await this.change(process, (row) => row.filter((entry) => !removed.has(entry)));
			},
			getProcessedDataCount: async () => {
				await this.wait(process);
				this.fail(this.plan.failsBefore);
				return this.row?.length ?? 0;
			},
		};
	}

	private async change(process: SimulatedProcess, act: (row: string[]) => string[]): Promise<void> {
		await this.wait(process);
		this.fail(this.plan.failsBefore);
		const before = this.row;
		const readAt = this.clock.now;
		const after = act(before ?? []).slice(-MOST_ENTRIES);
		const isLate = !this.isHealthy && this.draw.chance(this.plan.late);
		if (isLate) this.troubles++;
		await this.wait(process);
		await new Promise<void>((resolve, reject) => {
			this.clock.after((isLate ? LATE : 0) + this.delay(), undefined, () => {
				const isTaken = before === undefined && this.row !== undefined;
				const isForeign = this.lastWriter !== process && this.lastWritten > readAt;
				if (isForeign && this.clock.now - readAt > LONGEST_GAP) this.stalls++;
				if (!isTaken) {
					this.row = after;
					this.lastWriter = process;
					this.lastWritten = this.clock.now;
				}
				this.clock.after(this.delay(), process, () =>
					isTaken ? reject(new Error('UNIQUE constraint failed')) : resolve(),
				);
			});
		});
		this.fail(this.plan.failsAfter);
	}

	private async wait(process: SimulatedProcess): Promise<void> {
		await this.clock.sleep(this.delay(), process);
	}

	private delay(): number {
		const { latency, slow } = this.plan;
		if (this.isHealthy) return 1;
		return this.draw.next() * latency * (this.draw.chance(slow) ? 100 : 1);
	}

	private fail(probability: number): void {
		const { outage } = this.plan;
		const { now } = this.clock;
		const isOut = outage && outage.from <= now && now < outage.to;
		if (this.isHealthy || (!isOut && !this.draw.chance(probability))) return;
		this.troubles++;
		throw new Error('database is locked');
	}
}
