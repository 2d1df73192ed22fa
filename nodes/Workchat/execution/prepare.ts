import type { IExecuteFunctions } from 'n8n-workflow';

import { Breather } from '../service/breather';
import { Connections, type Connection } from '../service/credential';
import { Failure, inputFailure, messageOf } from '../service/failure';
import type { ItemRequest, Operation } from './operation';
import type { StopSignal } from './stopSignal';

/** An item that was read and checked, and can be performed. */
export interface Prepared {
	request: ItemRequest;
	connection: Connection;
}

/** Reads and checks all items, or those before the stop where the execution is cancelled. */
export async function prepareAll(
	context: IExecuteFunctions,
	operation: Operation,
	stopSignal: StopSignal,
): Promise<Array<Prepared | Failure>> {
	const connections = await Connections.open(context);
	const breather = new Breather();
	const items: Array<Prepared | Failure> = [];
	for (const itemIndex of context.getInputData().keys()) {
		// n8n evaluates expressions in one go, 0.4 ms each (n8n 2.40).
		if (breather.isDue()) await breather.breathe();
		if (stopSignal.isStopped) break;
		const prepare = async () => {
			const connection = await connections.of(itemIndex);
			return { connection, request: operation.read(context, itemIndex, connection) };
		};
		items.push(await attempt(prepare));
	}
	return items;
}

/** What was read, or the failure that it threw. n8n itself throws where an expression fails. */
export async function attempt<T>(read: () => T | Promise<T>): Promise<T | Failure> {
	try {
		return await read();
	} catch (error) {
		if (error instanceof Failure) return error;
		return inputFailure(messageOf(error), 'Nothing was sent. Correct the parameters of the node.');
	}
}
