import { Breather } from '../service/breather';
import { addressOf } from '../service/credential';
import type { Message } from './claims';
import type { Ledger } from './ledger';
import type { Operation, RunSettings } from './operation';
import type { Item } from './prepare';
import type { StopSignal } from './stopSignal';

/** A message that another execution may send or have sent. */
export interface GuardedMessage extends Message {
	/** As the user wrote it; none in a Retry. */
	sendOnceKey?: string;
	/** As of {@link Operation.orderKeyOf}. */
	orderKey: string;
}

/**
 * The messages, by their items, that other executions may know: those with a Send Once Key, and in a
 * Retry all. Without those of which the ledger knows how they ended.
 */
export async function guardedMessages(
	operation: Operation,
	{ repeatsUnknown }: RunSettings,
	ledger: Ledger,
	items: Item[],
	stopSignal: StopSignal,
): Promise<Map<number, GuardedMessage>> {
	const messages = new Map<number, GuardedMessage>();
	const isRetry = ledger.original !== undefined;
	/** How often the same content stood in the list by now. */
	const repetitions = new Map<string, number>();
	const breather = new Breather();
	for (const [itemIndex, item] of items.entries()) {
		if (breather.isDue()) await breather.breathe();
		if (stopSignal.isStopped) break;
		if (!('request' in item)) continue;
		const { request, connection } = item;
		const { body, sendOnceKey } = request;
		if (sendOnceKey === undefined && !isRetry) continue;

		const orderKey = operation.orderKeyOf?.(request) ?? `item ${itemIndex}`;
		let keys = [JSON.stringify([addressOf(connection.credential), orderKey, sendOnceKey])];
		// An empty ledger is not worth two hashes for every item.
		if (isRetry || !ledger.isEmpty) {
			const entry = await ledger.entryOf(itemIndex, body, connection);
			const repetition = repetitions.get(entry.message) ?? 0;
			repetitions.set(entry.message, repetition + 1);
			const recalled = entry.recall();
			if (recalled && !('failure' in recalled && repeatsUnknown)) continue;
			if (sendOnceKey === undefined) keys = ledger.namesOf(itemIndex, entry, repetition);
		}
		messages.set(itemIndex, { name: keys.join('\n'), keys, sendOnceKey, orderKey });
	}
	return messages;
}
