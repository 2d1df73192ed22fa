import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { DeduplicationStore } from './deduplicationStore';

/**
 * What is known of a message before it is sent.
 * - `free`: nobody sent it or is sending it: it is ours now.
 * - `sent`: it was sent.
 * - `claimed`: it may have been sent: somebody claimed it, and how that ended is not known.
 */
export type Claim = 'free' | 'sent' | 'claimed';

/**
 * Milliseconds until an entry that another worker overwrote at the same moment is seen to be gone:
 * with 100, no claim of 300 was lost on two workers with PostgreSQL; with 20, some were (n8n 2.40).
 */
const UNTIL_CERTAIN = 100;
/** A claim that is overwritten time and again is nobody's. */
const MOST_TRIES = 10;

/**
 * The messages that executions of this node sent, in n8n's deduplication store. A message has two
 * entries: one since it was claimed, one for as long as it is open how it ended. So whatever is cut
 * off leaves it open, and never sent: asking n8n for an entry writes it (checkProcessedAndRecord),
 * and it is the entry of the open ones that may then stand there wrongly for a moment.
 */
export class Journal {
	private readonly store: DeduplicationStore;
	/** Removals under way, which have to be done before the run ends. */
	private readonly pending = new Set<Promise<unknown>>();

	constructor(context: IExecuteFunctions) {
		this.store = DeduplicationStore.of(context);
	}

	/** Claims messages, each under all its keys; what one of them is known under, it is. */
	async claim(messages: string[][]): Promise<Claim[]> {
		const claims = messages.map((): Claim => 'free');
		const indexesOfFree = () => [...claims.keys()].filter((index) => claims[index] === 'free');
		for (let tries = 1; tries <= MOST_TRIES; tries++) {
			const marker = crypto.randomUUID();
			const indexes = indexesOfFree();
			const asked = indexes.map((index) => messages[index] ?? []);
			const known = await this.store.record([marker, ...entriesOf(asked)]);
			for (const index of indexes) claims[index] = claimBy(messages[index] ?? [], known);
			const others = indexes.filter((index) => claims[index] !== 'free');
			await this.store.remove(
				wronglyWritten(
					others.map((index) => messages[index] ?? []),
					known,
				),
			);
			// Whoever wrote at the same moment had read the row without our entries, and wrote it so.
			const isCertain = indexesOfFree().length === 0 || (await this.isKept(marker));
			this.later(this.store.remove([marker]));
			if (isCertain) return claims;
		}
		return claims.map((claim) => (claim === 'free' ? 'claimed' : claim));
	}

	private async isKept(marker: string): Promise<boolean> {
		await sleep(UNTIL_CERTAIN);
		return (await this.store.record([marker])).has(marker);
	}

	/** Keeps that messages were sent. */
	markSent(keys: string[]): void {
		this.later(this.store.remove(keys.map(openEntry)));
	}

	/** Lets go of messages that were certainly not sent. */
	release(keys: string[]): void {
		this.later(this.store.remove([...keys, ...keys.map(openEntry)]));
	}

	/** Resolves once all is written. */
	async close(): Promise<void> {
		while (this.pending.size > 0) await Promise.all(this.pending);
	}

	private later(removal: Promise<unknown>): void {
		// An entry that could not be removed leaves its message open: nothing is sent for that.
		const settled = removal.catch(() => {}).finally(() => this.pending.delete(settled));
		this.pending.add(settled);
	}
}

/** Written where a message is claimed, and removed once it is known how that ended. */
function openEntry(key: string): string {
	return `${key} open`;
}

function entriesOf(messages: string[][]): string[] {
	return messages.flatMap((keys) => keys.flatMap((key) => [key, openEntry(key)]));
}

function claimBy(keys: string[], known: Set<string>): Claim {
	const claimed = keys.filter((key) => known.has(key));
	if (claimed.length === 0) return 'free';
	return claimed.every((key) => known.has(openEntry(key))) ? 'claimed' : 'sent';
}

/** What asking wrote of messages that are not ours. */
function wronglyWritten(messages: string[][], known: Set<string>): string[] {
	return entriesOf(messages).filter((entry) => !known.has(entry));
}
