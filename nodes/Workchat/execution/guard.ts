import type { IExecuteFunctions } from 'n8n-workflow';

import { Failure, messageOf } from '../service/failure';
import { Claims } from './claims';
import { MOST_ENTRIES } from './deduplicationStore';
import { guardedMessages, type GuardedMessage } from './guardedMessages';
import { Journal } from './journal';
import { likelyOrder } from './keyedQueue';
import type { Ledger } from './ledger';
import type { Operation, Output, RunSettings } from './operation';
import type { Item } from './prepare';
import type { StopSignal } from './stopSignal';

/** Messages of which n8n keeps all entries, even where every one of them is left open. */
const MOST_KEYS = 20_000;
/** Fewest that are claimed ahead: a claim takes longer than a message. */
const FEWEST_AHEAD = 10;

/** What an item is to do about its message. */
export type Verdict =
	| { mayPerform: true; earlier?: Failure }
	| { mayPerform: false; result: Output | Failure };

/** What came of opening a guard, for the items that need one. */
interface Opened {
	itemIndexes: number[];
	guard?: Guard;
	/** Where they cannot be guarded, and may not go out without. */
	failure?: Failure;
	/** What the user should know of it, without a final period. */
	remark?: string;
}

/**
 * Keeps a message from being sent by two executions: by two Retries of the same failed one, or by
 * any two under the same Send Once Key.
 */
export class Guard {
	private constructor(
		private readonly messages: Map<number, GuardedMessage>,
		private readonly claims: Claims,
		/** How many entries there were before. */
		private readonly present: number,
		private readonly original: string | undefined,
	) {}

	/** Guards those items that the ledger knows nothing of, if other executions can know of any. */
	static async open(
		context: IExecuteFunctions,
		operation: Operation,
		settings: RunSettings,
		ledger: Ledger,
		items: Item[],
		stopSignal: StopSignal,
	): Promise<Opened> {
		const messages = await guardedMessages(operation, settings, ledger, items, stopSignal);
		const itemIndexes = [...messages.keys()];
		if (messages.size === 0) return { itemIndexes };
		const all = [...messages.values()];
		const isKeyed = all.some(({ sendOnceKey }) => sendOnceKey !== undefined);
		const count = new Set(all.map(({ name }) => name)).size;
		if (isKeyed && count > MOST_KEYS) return { itemIndexes, failure: tooManyKeys(count) };
		const journal = new Journal(context);
		try {
			const present = await journal.count();
			const claims = claimsOf(journal, all, settings.maxConcurrency);
			return { itemIndexes, guard: new Guard(messages, claims, present, ledger.original) };
		} catch (error) {
			return isKeyed
				? { itemIndexes, failure: noStore(error) }
				: { itemIndexes, remark: NO_STORE_FOR_RETRY };
		}
	}

	/** What the user should know of what n8n keeps, without a final period. */
	get remark(): string | undefined {
		return this.present + this.claims.written > MOST_ENTRIES ? DROPPED : undefined;
	}

	/** Claims the message of an item, and waits until that is certain. */
	async admit(itemIndex: number, repeatsUnknown: boolean): Promise<Verdict> {
		const message = this.messages.get(itemIndex);
		if (!message) return { mayPerform: true };
		try {
			const claim = await this.claims.take(message);
			if (claim === 'free') return { mayPerform: true };
			if (claim === 'sent') return { mayPerform: false, result: this.sentBefore(message) };
			const failure = this.inDoubt(message);
			return repeatsUnknown
				? { mayPerform: true, earlier: failure }
				: { mayPerform: false, result: failure };
		} catch (error) {
			return { mayPerform: false, result: noStore(error) };
		}
	}

	/** Keeps how an item that was admitted ended; `undefined` where it was not begun. */
	settle(itemIndex: number, result: Output | Failure | undefined): void {
		const message = this.messages.get(itemIndex);
		if (!message) return;
		if (!result) this.claims.release(message);
		else if (!(result instanceof Failure)) this.claims.markSent(message);
		else if (result.outcome === 'unknown') this.claims.markUnknown(message);
		else this.claims.release(message);
	}

	/** Lets go of what was not begun, and waits until all is written. */
	async close(): Promise<void> {
		await this.claims.close();
	}

	private sentBefore({ sendOnceKey }: GuardedMessage): Output | Failure {
		if (sendOnceKey !== undefined) {
			const reason = 'This recipient got a message with this Send Once Key before';
			return { json: { skipped: true, reason, sendOnceKey } };
		}
		return new Failure(`Another retry of ${this.originalName} sent this message: see there`, {
			outcome: 'unknown',
			origin: 'n8n',
			advice: 'This retry did not send it again.',
		});
	}

	private inDoubt({ sendOnceKey }: GuardedMessage): Failure {
		return new Failure(
			sendOnceKey === undefined
				? `Another retry of ${this.originalName} sent this message, or tried to: see there`
				: `A message with the Send Once Key "${sendOnceKey}" was begun for this recipient before, and how that ended is not known`,
			{
				outcome: 'unknown',
				origin: 'n8n',
				advice:
					'The message may or may not have been sent, or another execution is sending it right now: check with the recipient. To send it all the same, switch on Resend if Unknown.',
			},
		);
	}

	/** Of an execution under 0.1.0 the ID is not known. */
	private get originalName(): string {
		const { original = '' } = this;
		return /^\d+$/.test(original) ? `execution ${original}` : 'the same execution';
	}
}

const DROPPED = `n8n remembers ${MOST_KEYS} messages of this node: the oldest are forgotten now, and could be sent again`;
const NO_STORE_FOR_RETRY =
	'n8n could not tell whether another Retry of the same execution sent these messages, too';

function claimsOf(journal: Journal, messages: GuardedMessage[], maxConcurrency: number): Claims {
	const tasks = messages.map(({ orderKey }) => ({ key: orderKey }));
	const inOrder = likelyOrder(tasks, maxConcurrency).flatMap((index) => messages[index] ?? []);
	return new Claims(journal, inOrder, Math.max(maxConcurrency, FEWEST_AHEAD));
}

function tooManyKeys(count: number): Failure {
	return new Failure(`${count} messages have a Send Once Key, and n8n keeps ${MOST_KEYS}`, {
		outcome: 'notSent',
		origin: 'input',
		advice: 'Nothing was sent. Send the list in parts.',
	});
}

function noStore(error: unknown): Failure {
	return new Failure(`n8n could not tell whether this was sent before: ${messageOf(error)}`, {
		outcome: 'notSent',
		origin: 'n8n',
		advice: 'Nothing was sent. Try again; without a Send Once Key, n8n is not asked.',
	});
}
