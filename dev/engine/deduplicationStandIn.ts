import {
	sleep,
	type DeduplicationItemTypes,
	type ICheckProcessedContextData,
	type ICheckProcessedOptions,
	type IDataDeduplicator,
	type IExecuteFunctions,
	type INode,
} from 'n8n-workflow';

type Operation = 'find' | 'insert' | 'update';

/** Faults of a process that reads and writes rows. */
export interface Faults {
	/** Milliseconds of each read or write. It happens after half of them. */
	latency?: number;
	/** Called before each read or write. If it throws or waits, so does n8n. */
	before?: (operation: Operation) => unknown;
	/** The same, after the read or write has succeeded or failed. */
	after?: (operation: Operation) => unknown;
}

/** The row of calls that name no node. */
export const ANY_ROW = 'workflow n:node';
const ANY_NODE = { workflow: { id: 'workflow', active: true }, node: { id: 'node' } as INode };

type Helpers = Pick<
	IExecuteFunctions['helpers'],
	'checkProcessedAndRecord' | 'removeProcessed' | 'getProcessedDataCount'
>;

/**
 * A stand-in for one process's access to n8n's deduplication store. Like n8n's own (n8n 2.41,
 * deduplication-helper), it reads a whole row and writes it back a little later, without a lock. If two
 * processes do so at the same time, one of them loses its update. It stores entries as text, not as hashes.
 * test/e2e/deduplication.test.ts compares its answers with n8n's.
 */
export class DeduplicationStandIn implements IDataDeduplicator {
	/** All calls, in order. */
	readonly calls: Array<'check' | 'remove' | 'count'> = [];

	/**
	 * @param workflowId the only workflow that it answers; tests that have ended may still call it
	 * @param rows by workflow and node
	 */
	constructor(
		private readonly faults: Faults = { latency: 0 },
		private readonly workflowId?: string,
		private readonly rows = new Map<string, string[]>(),
	) {}

	/** Another process's access to the same rows. */
	beside(faults: Faults): DeduplicationStandIn {
		return new DeduplicationStandIn(faults, this.workflowId, this.rows);
	}

	async checkProcessedAndRecord(
		items: DeduplicationItemTypes[],
		_scope: string,
		about: ICheckProcessedContextData,
		{ maxEntries = Infinity }: ICheckProcessedOptions,
	) {
		const id = this.called('check', about);
		const row = await this.find(id);
		const newest = (entries: string[]) => entries.slice(Math.max(0, entries.length - maxEntries));
		if (!row) {
			await this.during('insert', () => {
				if (this.rows.has(id)) throw new Error('UNIQUE constraint failed: processed_data');
				this.rows.set(id, newest(items.map(String)));
			});
			return { new: items, processed: [] };
		}
		const before = new Set(row);
		const isKnown = (item: DeduplicationItemTypes) => before.has(String(item));
		const unknown = items.filter((item) => !isKnown(item));
		await this.update(id, newest([...row, ...unknown.map(String)]));
		return { new: unknown, processed: items.filter(isKnown) };
	}

	async removeProcessed(
		items: DeduplicationItemTypes[],
		_scope: string,
		about: ICheckProcessedContextData,
	) {
		const id = this.called('remove', about);
		const row = await this.find(id);
		if (!row) return;
		const left = [...row];
		for (const item of items) {
			const index = left.indexOf(String(item));
			if (index >= 0) left.splice(index, 1);
		}
		await this.update(id, left);
	}

	async getProcessedDataCount(_scope: string, about: ICheckProcessedContextData) {
		return (await this.find(this.called('count', about)))?.length ?? 0;
	}

	async clearAllProcessedItems() {
		throw new Error('The node has no reason to clear its row');
	}

	/** The helpers of an execution, for any node. */
	helpersFor(about: ICheckProcessedContextData = ANY_NODE): Helpers {
		return {
			checkProcessedAndRecord: async (items, scope, options) =>
				await this.checkProcessedAndRecord(items, scope, about, options),
			removeProcessed: async (items, scope) => await this.removeProcessed(items, scope, about),
			getProcessedDataCount: async (scope) => await this.getProcessedDataCount(scope, about),
		};
	}

	/** The entries of all rows, in the order in which they were written. */
	entries(): string[] {
		return [...this.rows.values()].flat();
	}

	/** Removes these entries from each row, as another process does. */
	remove(entries: string[]): void {
		for (const [id, row] of this.rows) {
			const left = row.filter((entry) => !entries.includes(entry));
			this.rows.set(id, left);
		}
	}

	/** @returns the ID of the row */
	private called(call: 'check' | 'remove' | 'count', about: ICheckProcessedContextData): string {
		const { workflow, node } = about;
		if (this.workflowId && workflow.id !== this.workflowId)
			// The error of n8n-core without a store (2.41.1, data-deduplication-service).
			throw new Error('Manager needs to initialized before use');
		this.calls.push(call);
		return `${workflow.id} n:${node?.id}`;
	}

	private async find(id: string) {
		return await this.during('find', () => this.rows.get(id));
	}

	private async update(id: string, row: string[]) {
		await this.during('update', () => this.rows.has(id) && this.rows.set(id, row));
	}

	private async during<T>(operation: Operation, act: () => T): Promise<T> {
		const { latency, before, after } = this.faults;
		const pass = async () => latency !== undefined && (await sleep(latency / 2));
		await before?.(operation);
		await pass();
		try {
			return act();
		} finally {
			await after?.(operation);
			await pass();
		}
	}
}
