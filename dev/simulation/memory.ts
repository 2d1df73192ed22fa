import { ANY_ROW, DeduplicationStandIn } from '../engine/deduplicationStandIn';
import type { Chance } from './chance';
import type { Clock, SimulatedProcess } from './clock';
import type { PlannedMemory } from './plan';

/** Milliseconds between reading and writing that the node allows for, with little work in between. */
const LONGEST_GAP = 100;
/** Milliseconds until a late write lands. */
const LATE = 11_000;

/**
 * n8n's memory, with the faults of a plan. What a process does for it waits while the process
 * stands still; what the process has told the database is done all the same.
 */
export class SimulatedMemory {
	/** Calls that failed, or took longer than the node waits. */
	troubles = 0;
	/** Writes of a row that another process had changed long since: nothing can be done about those. */
	stalls = 0;
	isHealthy = false;
	private readonly rows: DeduplicationStandIn;
	private lastWriter: SimulatedProcess | undefined;
	private lastWritten = 0;

	constructor(
		private readonly clock: Clock,
		private readonly chance: Chance,
		private readonly plan: PlannedMemory,
	) {
		const rows = new Map<string, string[]>(plan.hasRow ? [[ANY_ROW, []]] : []);
		this.rows = new DeduplicationStandIn({}, undefined, rows);
	}

	of(process: SimulatedProcess): DeduplicationStandIn {
		const { clock, plan } = this;
		let readAt = 0;
		return this.rows.beside({
			before: async (operation) => {
				await clock.sleep(this.delay(), process);
				if (operation === 'find') {
					this.fail(plan.failsBefore);
					readAt = clock.now;
					return;
				}
				const isLate = !this.isHealthy && this.chance.happens(plan.late);
				if (isLate) this.troubles++;
				if (!this.isHealthy) await clock.sleep(plan.work, process);
				await clock.sleep((isLate ? LATE : 0) + this.delay());
				const isForeign = this.lastWriter !== process && this.lastWritten > readAt;
				if (isForeign && clock.now - readAt > LONGEST_GAP + plan.work) this.stalls++;
				this.lastWriter = process;
				this.lastWritten = clock.now;
			},
			after: async (operation) => {
				if (operation === 'find') return;
				await clock.sleep(this.delay(), process);
				this.fail(plan.failsAfter);
			},
		});
	}

	private delay(): number {
		if (this.isHealthy) return 1;
		const { latency, slow } = this.plan;
		return this.chance.next() * latency * (this.chance.happens(slow) ? 100 : 1);
	}

	private fail(probability: number): void {
		const { outage } = this.plan;
		const { now } = this.clock;
		const isOut = outage && outage.at <= now && now < outage.at + outage.lasts;
		if (this.isHealthy || (!isOut && !this.chance.happens(probability))) return;
		this.troubles++;
		throw new Error('database is locked');
	}
}
