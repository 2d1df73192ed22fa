import type { IExecuteFunctions } from 'n8n-workflow';

import { Breather } from '../service/breather';
import { Credentials } from '../service/credential';
import { Failure, inputFailure, messageOf } from '../service/failure/failure';
import type { Item, Prepared } from './item';
import type { Once } from './once/once';
import type { Operation, RunSettings } from './operation';
import type { StopSignal } from './stopSignal';

interface Run {
	operation: Operation;
	/** A failure where they are wrong, and with them every item that is still to be performed. */
	settings: RunSettings | Failure;
	/** None where doing an item twice harms nobody. */
	once: Once | undefined;
	stopSignal: StopSignal;
}

/** Reads and checks one item after the other, as they are asked for, until the stop. */
export async function* prepareEach(context: IExecuteFunctions, run: Run): AsyncGenerator<Item> {
	const { operation, settings, once, stopSignal } = run;
	const credentials = await Credentials.open(context);
	const breather = new Breather();
	for (const itemIndex of context.getInputData().keys()) {
		// n8n evaluates expressions in one go, 0.4 ms each (n8n 2.40).
		if (breather.isDue()) await breather.breathe();
		if (stopSignal.isStopped) return;
		const read = async (): Promise<Prepared | Failure> =>
			await attempt(async () => {
				if (settings instanceof Failure) throw settings;
				const credential = await credentials.of(itemIndex);
				return { credential, request: await operation.read(context, itemIndex, credential) };
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
