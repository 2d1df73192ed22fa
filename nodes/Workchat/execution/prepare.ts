import type { IExecuteFunctions } from 'n8n-workflow';

import { Breather } from '../service/breather';
import { Credentials } from '../service/credential';
import { Failure, inputFailure, messageOf } from '../service/failure/failure';
import type { Item, Prepared } from './item';
import type { Once } from './once/once';
import type { Operation, RunSettings } from './operation';
import type { StopSignal } from './stopSignal';

/** An operation that is performed for every input item. */
export interface Run {
	context: IExecuteFunctions;
	operation: Operation;
	settings: RunSettings;
	/** What is wrong with the settings, and with every item that is still to be performed. */
	wrongSettings: Failure | undefined;
	/** None where doing an item twice harms nobody. */
	once: Once | undefined;
	stopSignal: StopSignal;
}

/** Reads and checks one item after the other, as they are asked for, until the stop. */
export async function* prepareEach(run: Run): AsyncGenerator<Item> {
	const { context, operation, wrongSettings, once, stopSignal } = run;
	const credentials = await Credentials.open(context);
	const breather = new Breather();
	for (const itemIndex of context.getInputData().keys()) {
		// n8n evaluates expressions in one go, 0.4 ms each (n8n 2.40).
		if (breather.isDue()) await breather.breathe();
		if (stopSignal.isStopped) return;
		const read = async (): Promise<Prepared | Failure> =>
			await attempt(async () => {
				if (wrongSettings) throw wrongSettings;
				const credential = await credentials.of(itemIndex);
				const request = await operation.read(context, itemIndex, credential);
				const orderKey = operation.orderKeyOf?.(request) ?? `item ${itemIndex}`;
				return { credential, request, orderKey };
			});
		yield once ? await once.prepare(itemIndex, read) : await read();
	}
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
