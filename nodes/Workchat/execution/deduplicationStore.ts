import type { ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';

/** Entries that n8n keeps for a node; beyond that it drops the oldest. */
export const MOST_ENTRIES = 40_000;
const OPTIONS: ICheckProcessedOptions = { mode: 'entries', maxEntries: MOST_ENTRIES };
const SCOPE = 'node';
/** Two executions that write the first entry of a node at the same time: one of them fails. */
const MOST_TRIES = 3;

interface Pending<T> {
	entries: string[];
	resolve(result: T): void;
	reject(error: unknown): void;
}

/**
 * n8n's own memory for nodes outside the execution, with one row for each node of a workflow. Every
 * call reads and writes the whole row without a lock (n8n 2.40, deduplication-helper), so calls of
 * one process wait for each other, and what waits goes out together.
 */
export class DeduplicationStore {
	private readonly records: Array<Pending<Set<string>>> = [];
	private readonly removals: Array<Pending<void>> = [];
	private isBusy = false;

	private constructor(private readonly helpers: IExecuteFunctions['helpers']) {}

	/** One store for all executions of a node in this process. */
	static of(context: IExecuteFunctions): DeduplicationStore {
		const row = `${context.getWorkflow().id} ${context.getNode().id}`;
		const store = stores.get(row)?.deref() ?? new DeduplicationStore(context.helpers);
		stores.set(row, new WeakRef(store));
		return store;
	}

	/** How many entries there are. Throws where n8n has no store. */
	async count(): Promise<number> {
		return await this.helpers.getProcessedDataCount(SCOPE, OPTIONS);
	}

	/** Writes entries; gives those that were there already. */
	async record(entries: string[]): Promise<Set<string>> {
		return await new Promise((resolve, reject) => {
			this.records.push({ entries, resolve, reject });
			void this.work();
		});
	}

	async remove(entries: string[]): Promise<void> {
		if (entries.length === 0) return;
		await new Promise<void>((resolve, reject) => {
			this.removals.push({ entries, resolve, reject });
			void this.work();
		});
	}

	private async work(): Promise<void> {
		if (this.isBusy) return;
		this.isBusy = true;
		// What is asked for in this very moment goes along.
		await Promise.resolve();
		while (this.records.length + this.removals.length > 0) {
			await this.removePending(this.removals.splice(0));
			await this.recordPending(this.records.splice(0));
		}
		this.isBusy = false;
	}

	private async removePending(pending: Array<Pending<void>>): Promise<void> {
		if (pending.length === 0) return;
		const entries = pending.flatMap((one) => one.entries);
		await settled(pending, async () => {
			await this.helpers.removeProcessed(entries, SCOPE, OPTIONS);
			return () => undefined;
		});
	}

	private async recordPending(pending: Array<Pending<Set<string>>>): Promise<void> {
		if (pending.length === 0) return;
		const entries = [...new Set(pending.flatMap((one) => one.entries))];
		await settled(pending, async () => {
			const { processed } = await this.helpers.checkProcessedAndRecord(entries, SCOPE, OPTIONS);
			// Of what two ask for at the same time, n8n knows nothing: the first one has it.
			const known = new Set(processed.map(String));
			return (one) => {
				const before = new Set(one.entries.filter((entry) => known.has(entry)));
				for (const entry of one.entries) known.add(entry);
				return before;
			};
		});
	}
}

const stores = new Map<string, WeakRef<DeduplicationStore>>();

/** One call for all that is pending. */
async function settled<T>(
	pending: Array<Pending<T>>,
	call: () => Promise<(one: Pending<T>) => T>,
): Promise<void> {
	for (let tries = 1; ; tries++) {
		try {
			const resultOf = await call();
			for (const one of pending) one.resolve(resultOf(one));
			return;
		} catch (error) {
			if (tries < MOST_TRIES) continue;
			for (const { reject } of pending) reject(error);
			return;
		}
	}
}
