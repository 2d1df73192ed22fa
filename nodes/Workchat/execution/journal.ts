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
/** A row so long that n8n takes a while to write it needs as many times that. */
const CALLS_UNTIL_CERTAIN = 8;
/** Calls that tell how long that is: one alone may just have met a busy process. */
const RECENT_CALLS = 9;
const MOST_UNWANTED = 30;
/** What is removed last is removed again. */
const REPEATS = 2;
/** Milliseconds before that, so that two workers do not go on in step. */
const LONGEST_PAUSE = 30;
/** A claim that is overwritten time and again is nobody's. */
const MOST_TRIES = 10;

/**
 * The messages that executions of this node sent, in n8n's deduplication store. A message has two
 * entries: one since it was claimed, one for as long as it is open how it ended. So whatever is cut
 * off leaves it open, and never sent: asking n8n for an entry writes it (checkProcessedAndRecord in
 * n8n 2.40, deduplication-helper),
 * and it is the entry of the open ones that may then stand there wrongly for a moment.
 */
export class Journal {
	/** To be gone for good: removed again with whatever follows, as another worker may write it back. */
	private unwanted: string[] = [];
	/** Milliseconds that n8n took for the latest calls. */
	private recent: number[] = [];

	constructor(private readonly context: IExecuteFunctions) {}

	/** How many entries there are. Throws where n8n has no store. */
	async count(): Promise<number> {
		return await this.store.count();
	}

	/** Claims messages, each under all its keys: what one of them is known under, it is. */
	async claim(messages: string[][]): Promise<Claim[]> {
		const marker = crypto.randomUUID();
		const claims = messages.map((): Claim => 'free');
		for (let tries = 1; claims.includes('free'); tries++) {
			if (tries > MOST_TRIES) return claims.map((claim) => (claim === 'free' ? 'claimed' : claim));
			const free = messages.filter((_, index) => claims[index] === 'free');
			const entries = [marker, ...free.flatMap(entriesOf)];
			const wait = await this.store.record(entries, ({ known, took }) => {
				// Whoever wrote at the same moment had read the row without our entries, and wrote it so.
				if (known.has(marker)) return 0;
				for (const [index, keys] of messages.entries()) {
					if (claims[index] === 'free') claims[index] = claimBy(keys, known);
				}
				const wrong = wronglyOpen(free.flat(), known);
				if (wrong.length > 0) this.remove(wrong);
				this.recent = [...this.recent, took].slice(-RECENT_CALLS);
				return Math.max(UNTIL_CERTAIN, CALLS_UNTIL_CERTAIN * median(this.recent));
			});
			if (wait === 0) break;
			if (claims.includes('free')) await sleep(wait);
		}
		this.unwanted.push(marker);
		return claims;
	}

	/** Keeps that a message was sent. */
	markSent(keys: string[]): void {
		this.remove(keys.map(openEntry));
	}

	/** Lets go of a message that was certainly not sent. */
	release(keys: string[]): void {
		// Once only: a moment later they may be somebody else's.
		this.store.remove(entriesOf(keys)).catch(() => {});
	}

	/** Resolves once all is written. */
	async close(): Promise<void> {
		for (let repeat = 1; repeat <= REPEATS; repeat++) {
			await sleep(Math.random() * LONGEST_PAUSE);
			await this.store.remove(this.unwanted).catch(() => {});
		}
	}

	private get store(): DeduplicationStore {
		return DeduplicationStore.of(this.context);
	}

	/** What cannot be removed leaves its message open: nothing is sent for that. */
	private remove(entries: string[]): void {
		this.unwanted = [...this.unwanted, ...entries].slice(-MOST_UNWANTED);
		this.store.remove(this.unwanted).catch(() => {});
	}
}

function median(values: number[]): number {
	const sorted = values.toSorted((one, other) => one - other);
	return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Written where a message is claimed, and removed once it is known how that ended. */
function openEntry(key: string): string {
	return `${key} open`;
}

/** In this order, so that of both it is the claim that n8n drops first (see MOST_ENTRIES). */
function entriesOf(keys: string[]): string[] {
	return keys.flatMap((key) => [key, openEntry(key)]);
}

function claimBy(keys: string[], known: Set<string>): Claim {
	const isOpen = (key: string) => known.has(openEntry(key));
	if (keys.some((key) => known.has(key) && !isOpen(key))) return 'sent';
	return keys.some(isOpen) ? 'claimed' : 'free';
}

/** What asking wrote of messages that were sent. */
function wronglyOpen(keys: string[], known: Set<string>): string[] {
	return keys
		.filter((key) => known.has(key))
		.map(openEntry)
		.filter((entry) => !known.has(entry));
}
