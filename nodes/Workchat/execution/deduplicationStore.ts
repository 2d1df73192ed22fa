import { sleep, type ICheckProcessedOptions, type IExecuteFunctions } from 'n8n-workflow';

/** Entries that n8n keeps for a node; it drops the oldest (n8n 2.40, deduplication-helper). */
export const MOST_ENTRIES = 41_000;
const OPTIONS: ICheckProcessedOptions = { mode: 'entries', maxEntries: MOST_ENTRIES };
const SCOPE = 'node';
/** Two executions that write the first entry of a node at the same time: one of them fails. */
const MOST_TRIES = 3;
/** Milliseconds that a call may take; n8n sets no limit of its own. */
const LONGEST_CALL = 10_000;
/** Milliseconds between two looks at the calls under way. */
const LOOK = 500;

interface Question<Answer> {
	entries: string[];
	answer(answer: Answer): void;
	fail(error: unknown): void;
}

export interface Recorded {
	/** Those entries that were there before. */
	known: Set<string>;
	/** Milliseconds that n8n took. */
	took: number;
}

/**
 * n8n's own memory for nodes outside the execution, with one row for each node of a workflow. Every
 * call reads and writes the whole row without a lock (n8n 2.40, deduplication-helper), so calls of
 * one process wait for each other, and what waits goes out together.
 */
export class DeduplicationStore {
	private readonly removals: Array<Question<void>> = [];
	private readonly records: Array<Question<Recorded>> = [];
	private readonly counts: Array<Question<number>> = [];
	private asked: Array<Pick<Question<unknown>, 'fail'>> = [];
	/** When the call under way began, of the monotonic clock. */
	private began = Infinity;

	private constructor(
		private readonly row: string,
		private readonly helpers: IExecuteFunctions['helpers'],
	) {}

	/** One for all executions of a node in this process, while there is anything to ask. */
	static of(context: IExecuteFunctions): DeduplicationStore {
		const row = `${context.getWorkflow().id} ${context.getNode().id}`;
		return busy.get(row) ?? new DeduplicationStore(row, context.helpers);
	}

	/**
	 * How many entries there are. Throws where n8n has no store (n8n-core 2.41.1,
	 * data-deduplication-service).
	 */
	async count(): Promise<number> {
		return await this.ask(this.counts, [], (count) => count);
	}

	/**
	 * Writes entries.
	 * @param read gets the answer before anything else is asked; what it removes, nobody else sees
	 */
	async record<T>(entries: string[], read: (recorded: Recorded) => T): Promise<T> {
		return await this.ask(this.records, entries, read);
	}

	/** Resolves once this and all that was to be removed before is. */
	async remove(entries: string[]): Promise<void> {
		await this.ask(this.removals, entries, () => {});
	}

	get isAwaited(): boolean {
		return [this.asked, this.removals, this.records, this.counts].some(({ length }) => length > 0);
	}

	/** Ends all waits for a call that takes too long. Until it returns, no other may begin. */
	endLateWaits(): void {
		if (performance.now() - this.began < LONGEST_CALL) return;
		const error = new Error('its memory of processed items does not answer');
		for (const line of [this.asked, this.removals, this.records, this.counts]) {
			for (const { fail } of line.splice(0)) fail(error);
		}
	}

	private async ask<Answer, T>(
		line: Array<Question<Answer>>,
		entries: string[],
		read: (answer: Answer) => T,
	): Promise<T> {
		return await new Promise<T>((resolve, reject) => {
			line.push({ entries, answer: (answer) => resolve(read(answer)), fail: reject });
			if (busy.get(this.row) !== this) void this.work();
			void watch();
		});
	}

	private async work(): Promise<void> {
		busy.set(this.row, this);
		// What is asked in this very moment goes along.
		await Promise.resolve();
		while (this.removals.length + this.records.length + this.counts.length > 0) {
			await this.answer(this.removals, async (questions) => await this.removeAll(questions));
			await this.answer(this.records, async (questions) => await this.recordAll(questions));
			await this.answer(this.counts, async (questions) => await this.countFor(questions));
		}
		busy.delete(this.row);
	}

	/** All questions of one kind at once. */
	private async answer<Answer>(
		line: Array<Question<Answer>>,
		call: (questions: Array<Question<Answer>>) => Promise<void>,
	): Promise<void> {
		if (line.length === 0) return;
		const questions = line.splice(0);
		this.asked = [...questions];
		this.began = performance.now();
		for (let tries = 1; this.asked.length > 0; tries++) {
			try {
				await call(questions);
				this.asked = [];
			} catch (error) {
				if (tries === MOST_TRIES) for (const { fail } of this.asked.splice(0)) fail(error);
			}
		}
		this.began = Infinity;
	}

	private async removeAll(questions: Array<Question<void>>): Promise<void> {
		const entries = questions.flatMap((question) => question.entries);
		if (entries.length > 0) await this.helpers.removeProcessed(entries, SCOPE, OPTIONS);
		for (const { answer } of questions) answer();
	}

	private async recordAll(questions: Array<Question<Recorded>>): Promise<void> {
		const began = performance.now();
		const all = [...new Set(questions.flatMap(({ entries }) => entries))];
		const { processed } = await this.helpers.checkProcessedAndRecord(all, SCOPE, OPTIONS);
		const took = performance.now() - began;
		const present = new Set(processed.map(String));
		for (const { entries, answer } of questions) {
			const before = this.removals.length;
			answer({ known: new Set(entries.filter((entry) => present.has(entry))), took });
			// Of what another question asks for at the same time, n8n knows nothing.
			for (const entry of entries) present.add(entry);
			for (const removal of this.removals.slice(before)) {
				for (const entry of removal.entries) present.delete(entry);
			}
		}
	}

	private async countFor(questions: Array<Question<number>>): Promise<void> {
		const count = await this.helpers.getProcessedDataCount(SCOPE, OPTIONS);
		for (const { answer } of questions) answer(count);
	}
}

/** The stores that are asked at present, by their rows. */
const busy = new Map<string, DeduplicationStore>();
let isWatched = false;

async function watch(): Promise<void> {
	if (isWatched) return;
	isWatched = true;
	for (;;) {
		for (const store of busy.values()) store.endLateWaits();
		if (![...busy.values()].some(({ isAwaited }) => isAwaited)) break;
		await sleep(LOOK);
	}
	isWatched = false;
}
