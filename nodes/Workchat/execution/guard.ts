import type { IExecuteFunctions } from 'n8n-workflow';

import { checkedBaseUrl } from '../service/credential';
import { Failure, messageOf } from '../service/failure';
import { Claims, type Message } from './claims';
import { DeduplicationStore, MOST_ENTRIES } from './deduplicationStore';
import { fingerprint } from './fingerprint';
import { Journal } from './journal';
import type { Ledger } from './ledger';
import type { Operation, Output, RunSettings } from './operation';
import type { Item } from './prepare';

/** Messages of which n8n keeps both entries, as every message may be left open. */
export const MOST_KEYS = MOST_ENTRIES / 2;
/** Fewest that are claimed ahead: a claim takes longer than a message. */
const FEWEST_AHEAD = 10;

/** A message that other executions may know, or that may be known to others. */
interface Guarded extends Message {
	/** As the user wrote it; none in a Retry. */
	sendOnceKey?: string;
}

/** A guard where one is needed, or why there is none. */
interface Opened {
	guard?: Guard;
	failure?: Failure;
	/** What the user should know of it, without a final period. */
	remark?: string;
}

/** What an item is to do about its message. */
export type Verdict =
	| { mayPerform: true; earlier?: Failure }
	| { mayPerform: false; result: Output | Failure };

/**
 * Keeps a message from being sent by two executions: by two Retries of the same failed one, or by
 * any two under the same Send Once Key.
 */
export class Guard {
	private constructor(
		private readonly messages: Map<number, Guarded>,
		private readonly claims: Claims,
		private readonly original: string | undefined,
	) {}

	/** Guards those items that the ledger knows nothing of, if other executions can know of any. */
	static async open(
		context: IExecuteFunctions,
		operation: Operation,
		settings: RunSettings,
		ledger: Ledger,
		items: Item[],
	): Promise<Opened> {
		const messages = await guardedMessages(operation, settings, ledger, items);
		if (messages.size === 0) return {};
		const all = [...messages.values()];
		const needed = 2 * new Set(all.map(({ name }) => name)).size;
		if (needed > MOST_ENTRIES) return { failure: tooManyKeys(needed / 2) };
		try {
			const present = await DeduplicationStore.of(context).count();
			const ahead = Math.max(settings.maxConcurrency, FEWEST_AHEAD);
			const guard = new Guard(messages, claimsOf(context, all, ahead), ledger.original);
			return { guard, ...(present + needed > MOST_ENTRIES && { remark: DROPPED }) };
		} catch (error) {
			const hasKeys = all.some(({ sendOnceKey }) => sendOnceKey !== undefined);
			return hasKeys ? { failure: noStore(error) } : { remark: NO_STORE_FOR_RETRY };
		}
	}

	/** Claims the message of an item, and waits until that is certain. */
	async admit(itemIndex: number, repeatsUnknown: boolean): Promise<Verdict> {
		const message = this.messages.get(itemIndex);
		if (!message) return { mayPerform: true };
		try {
			const claim = await this.claims.take(message);
			if (claim === 'free') return { mayPerform: true };
			if (claim === 'sent' && message.sendOnceKey !== undefined) {
				return { mayPerform: false, result: skipped(message.sendOnceKey) };
			}
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

	async close(): Promise<void> {
		await this.claims.close();
	}

	private inDoubt({ sendOnceKey }: Guarded): Failure {
		return new Failure(
			sendOnceKey === undefined
				? `Another retry of execution ${this.original} sent this message, or tried to: see there`
				: `A message with the Send Once Key "${sendOnceKey}" was begun for this recipient before, and how that ended is not known`,
			{
				outcome: 'unknown',
				origin: 'n8n',
				advice:
					'The message may or may not have been sent, or another execution is sending it right now: check with the recipient. To send it all the same, switch on Resend if Unknown.',
			},
		);
	}
}

const DROPPED = `n8n keeps ${MOST_KEYS} Send Once Keys for this node: the oldest are forgotten now, and their messages could be sent again`;
const NO_STORE_FOR_RETRY =
	'n8n could not tell whether another Retry of the same execution sent these messages, too';

function claimsOf(context: IExecuteFunctions, messages: Message[], ahead: number): Claims {
	return new Claims(new Journal(context), messages, ahead);
}

async function guardedMessages(
	operation: Operation,
	{ repeatsUnknown }: RunSettings,
	ledger: Ledger,
	items: Item[],
): Promise<Map<number, Guarded>> {
	const messages = new Map<number, Guarded>();
	/** How often the same content stood in the list by now. */
	const repetitions = new Map<string, number>();
	for (const [itemIndex, item] of items.entries()) {
		if (!('request' in item)) continue;
		const { request, connection } = item;
		const { sendOnceKey, body } = request;
		if (sendOnceKey === undefined && ledger.original === undefined) continue;
		const content = await ledger.messageOf(body, connection);
		const repetition = repetitions.get(content) ?? 0;
		repetitions.set(content, repetition + 1);
		const recalled = (await ledger.entryOf(itemIndex, body, connection)).recall();
		if (recalled && !('failure' in recalled && repeatsUnknown)) continue;
		if (sendOnceKey === undefined) {
			const names = await ledger.namesOf(itemIndex, content, repetition);
			const keys = await Promise.all(names.map(async (name) => await fingerprint(name)));
			messages.set(itemIndex, { name: keys.join(), keys });
		} else {
			const address = checkedBaseUrl(connection.credential);
			const key = await fingerprint([address, operation.orderKeyOf?.(request), sendOnceKey]);
			messages.set(itemIndex, { name: key, keys: [key], sendOnceKey });
		}
	}
	return messages;
}

function skipped(sendOnceKey: string): Output {
	return {
		json: {
			skipped: true,
			reason: 'This recipient got a message with this Send Once Key before',
			sendOnceKey,
		},
	};
}

function tooManyKeys(count: number): Failure {
	return new Failure(`${count} messages have a Send Once Key, and n8n keeps ${MOST_KEYS}`, {
		outcome: 'notSent',
		origin: 'input',
		advice: 'Nothing was sent. Send the list in parts.',
	});
}

function noStore(error: unknown): Failure {
	return new Failure(`n8n could not look up the Send Once Key: ${messageOf(error)}`, {
		outcome: 'notSent',
		origin: 'n8n',
		advice: 'Nothing was sent. Try again, or empty the Send Once Key option.',
	});
}
