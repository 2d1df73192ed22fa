import { ANY_ROW, DeduplicationStandIn } from '../engine/deduplicationStandIn';
import type { Chance } from './chance';
import type { Clock, SimulatedProcess } from './clock';
import type { PlannedStore } from './plan';

/** Milliseconds between a read and a write that the node tolerates, apart from n8n's own work. */
const MAX_GAP = 100;
/** Milliseconds by which a write is late. */
const LATE = 11_000;

/**
 * n8n's deduplication store, with the faults of a plan. A paused process makes no calls, but a write that
 * is already on its way to the database is done.
 */
export class SimulatedStore {
	/** Calls that failed, or that took longer than the node waits. */
	failures = 0;
	/** Writes of a row that another process had changed long before. No node can prevent these. */
	staleWrites = 0;
	isHealthy = false;
	private readonly rows: DeduplicationStandIn;
	private lastWriter: SimulatedProcess | undefined;
	private lastWritten = 0;

	constructor(
		private readonly clock: Clock,
		private readonly chance: Chance,
		private readonly plan: PlannedStore,
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
				if (isLate) this.failures++;
				if (!this.isHealthy) await clock.sleep(plan.work, process);
				await clock.sleep((isLate ? LATE : 0) + this.delay());
				const isForeign = this.lastWriter !== process && this.lastWritten > readAt;
				if (isForeign && clock.now - readAt > MAX_GAP + plan.work) this.staleWrites++;
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
		this.failures++;
		throw new Error('database is locked');
	}
}
