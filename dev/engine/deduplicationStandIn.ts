import { createHash } from 'node:crypto';

import {
	sleep,
	type DeduplicationItemTypes,
	type ICheckProcessedContextData,
	type ICheckProcessedOptions,
	type IDataDeduplicator,
} from 'n8n-workflow';

/** Where the rows are: with several processes, in one of them. Each row is the JSON of its hashes. */
export interface Rows {
	find(id: string): Promise<string | undefined>;
	/** Throws where there is a row already. */
	insert(id: string, row: string): Promise<void>;
	update(id: string, row: string): Promise<void>;
}

/**
 * A stand-in for what n8n remembers for nodes. Like n8n's own (n8n 2.40, deduplication-helper) it
 * reads a whole row and writes it back a little later, without a lock: of two that do so at the same
 * moment, one loses what it wrote.
 */
export class DeduplicationStandIn implements IDataDeduplicator {
	/** The calls that came, in their order. */
	readonly calls: Array<'check' | 'remove' | 'clear' | 'count'> = [];
	/** What was to be written: of the rows only n8n's hashes can be read. */
	private readonly texts = new Map<string, string>();

	/** @param workflowId of the only one that it answers: earlier ones may still ask */
	constructor(
		private readonly rows: Rows,
		private readonly workflowId?: string,
	) {}

	async checkProcessedAndRecord(
		items: DeduplicationItemTypes[],
		_scope: string,
		about: ICheckProcessedContextData,
		{ maxEntries = Infinity }: ICheckProcessedOptions,
	) {
		const id = this.called('check', about);
		for (const item of items) this.texts.set(hashOf(item), item.toString());
		const row = await this.rows.find(id);
		if (row === undefined) {
			await this.rows.insert(id, JSON.stringify(newest(items.map(hashOf), maxEntries)));
			return { new: items, processed: [] };
		}
		const hashes = hashesOf(row);
		const before = new Set(hashes);
		const isKnown = (item: DeduplicationItemTypes) => before.has(hashOf(item));
		const unknown = items.filter((item) => !isKnown(item));
		const all = [...hashes, ...unknown.map(hashOf)];
		await this.rows.update(id, JSON.stringify(newest(all, maxEntries)));
		return { new: unknown, processed: items.filter(isKnown) };
	}

	async removeProcessed(
		items: DeduplicationItemTypes[],
		_scope: string,
		about: ICheckProcessedContextData,
	) {
		const id = this.called('remove', about);
		const row = await this.rows.find(id);
		if (row === undefined) return;
		const hashes = hashesOf(row);
		for (const item of items) {
			const index = hashes.indexOf(hashOf(item));
			if (index >= 0) hashes.splice(index, 1);
		}
		await this.rows.update(id, JSON.stringify(hashes));
	}

	async getProcessedDataCount(_scope: string, about: ICheckProcessedContextData) {
		const row = await this.rows.find(this.called('count', about));
		return row === undefined ? 0 : hashesOf(row).length;
	}

	/** The entries of some hashes, as far as they were written here. */
	textsOf(hashes: string[]): string[] {
		return hashes.flatMap((hash) => this.texts.get(hash) ?? []);
	}

	async clearAllProcessedItems() {
		this.calls.push('clear');
		throw new Error('The node has no reason to forget everything');
	}

	/** @returns the ID of the row */
	private called(call: 'check' | 'remove' | 'count', about: ICheckProcessedContextData): string {
		const { workflow, node } = about;
		if (this.workflowId && workflow.id !== this.workflowId)
			// As n8n-core says where it has no memory (2.41.1, data-deduplication-service).
			throw new Error('Manager needs to initialized before use');
		this.calls.push(call);
		return `${workflow.id} n:${node?.id}`;
	}
}

type Operation = 'find' | 'insert' | 'update';

/** Rows in this process, which take a while to be read and written. */
export class MemoryRows implements Rows {
	private readonly rows = new Map<string, string>();

	/**
	 * @param latency milliseconds that a read or a write takes
	 * @param before called before each: where it throws, so does n8n; where it waits, so does n8n
	 * @param after the same, once it was done
	 */
	constructor(
		private readonly latency: () => number = () => 0,
		private readonly before: (operation: Operation) => unknown = () => {},
		private readonly after: (operation: Operation) => unknown = () => {},
	) {}

	async find(id: string) {
		return await this.during('find', () => this.rows.get(id));
	}

	async insert(id: string, row: string) {
		await this.during('insert', () => {
			if (this.rows.has(id)) throw new Error('UNIQUE constraint failed: processed_data');
			this.rows.set(id, row);
		});
	}

	async update(id: string, row: string) {
		await this.during('update', () => this.rows.has(id) && this.rows.set(id, row));
	}

	/** Writes so many more entries into each row, of which nobody knows. */
	fill(count: number): void {
		const more = Array.from({ length: count }, (_, index) => hashOf(`filler ${index}`));
		for (const [id, row] of this.rows)
			this.rows.set(id, JSON.stringify([...hashesOf(row), ...more]));
	}

	/** Takes these entries away from each row, as another process does. */
	remove(entries: string[]): void {
		const gone = new Set(entries.map(hashOf));
		for (const [id, row] of this.rows)
			this.rows.set(id, JSON.stringify(hashesOf(row).filter((hash) => !gone.has(hash))));
	}

	/** The entries of all rows, in the order in which they were written. */
	hashes(): string[] {
		return [...this.rows.values()].flatMap(hashesOf);
	}

	private async during<T>(operation: Operation, act: () => T): Promise<T> {
		await this.before(operation);
		const latency = this.latency();
		await sleep(latency / 2);
		const result = act();
		await this.after(operation);
		await sleep(latency / 2);
		return result;
	}
}

function hashesOf(row: string): string[] {
	return JSON.parse(row) as string[];
}

function hashOf(item: DeduplicationItemTypes): string {
	return createHash('md5').update(item.toString()).digest('base64');
}

function newest(hashes: string[], count: number): string[] {
	return hashes.slice(Math.max(0, hashes.length - count));
}
