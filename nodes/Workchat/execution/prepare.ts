import type { IExecuteFunctions } from 'n8n-workflow';

import { Breather } from '../service/breather';
import { Connections, type Connection } from '../service/credential';
import { Failure, inputFailure, messageOf, stillUnknown } from '../service/failure';
import type { Ledger, Recalled } from './ledger';
import type { ItemRequest, Operation, RunSettings } from './operation';
import type { StopSignal } from './stopSignal';

/** An item that was read and checked, and can be performed. */
export interface Prepared {
	request: ItemRequest;
	connection: Connection;
}

/** An item to perform, what is known of one that is not performed again, or why it cannot be. */
export type Item = Prepared | Recalled | Failure;

interface Run {
	operation: Operation;
	/** A failure where they are wrong, and with them every item that is still to be performed. */
	settings: RunSettings | Failure;
	/** None where doing an item twice harms nobody. */
	ledger: Ledger | undefined;
	stopSignal: StopSignal;
}

/** Reads and checks one item after the other, as they are asked for, until the stop. */
export async function* prepareEach(context: IExecuteFunctions, run: Run): AsyncGenerator<Item> {
	const connections = await Connections.open(context);
	const breather = new Breather();
	for (const itemIndex of context.getInputData().keys()) {
		// n8n evaluates expressions in one go, 0.4 ms each (n8n 2.40).
		if (breather.isDue()) await breather.breathe();
		if (run.stopSignal.isStopped) return;
		yield await prepare(context, itemIndex, connections, run);
	}
}

async function prepare(
	context: IExecuteFunctions,
	itemIndex: number,
	connections: Connections,
	{ operation, settings, ledger }: Run,
): Promise<Item> {
	// Before it is read: expressions that fail now do not undo what was sent.
	const recalled = ledger?.recall(itemIndex);
	const isResent = !(settings instanceof Failure) && settings.repeatsUnknown;
	if (recalled && ('json' in recalled || !isResent)) return recalled;

	const item = await attempt(async () => {
		if (settings instanceof Failure) throw settings;
		const connection = await connections.of(itemIndex);
		const request = await operation.read(context, itemIndex, connection);
		await ledger?.makePlace(itemIndex, request.body, connection);
		return { connection, request };
	});
	if (!(item instanceof Failure)) return item;
	return (await ledger?.recallUnread(itemIndex)) ?? stillUnknown(recalled?.failure, item);
}

/** What was read, or the failure that it threw. n8n itself throws where an expression fails. */
export async function attempt<T>(read: () => T | Promise<T>): Promise<T | Failure> {
	try {
		return await read();
	} catch (error) {
		if (error instanceof Failure) return error;
		return inputFailure(messageOf(error), 'Correct the parameters of the node.');
	}
}
