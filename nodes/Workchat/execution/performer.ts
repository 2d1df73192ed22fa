import type { IExecuteFunctions } from 'n8n-workflow';

import { asFailure, notSentAgain, type Failure } from '../service/failure';
import type { Guard } from './guard';
import type { Ledger, Recalled } from './ledger';
import type { Operation, Output, RunSettings } from './operation';
import type { Prepared } from './prepare';
import { withRetries } from './retry';
import type { StopSignal } from './stopSignal';
import { Throttle } from './throttle';

/** What became of an item; `undefined` where the run stopped before its turn. */
export type Result = Output | Failure | undefined;

/** Performs one item at a time, with its retries, and not again what the ledger knows. */
export class Performer {
	private readonly throttle: Throttle;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: Operation,
		private readonly settings: RunSettings,
		/** None where doing an item twice harms nobody. */
		private readonly ledger: Ledger | undefined,
		private readonly stopSignal: StopSignal,
		/** Where other executions may know of the messages. */
		private readonly guard?: Guard,
	) {
		this.throttle = new Throttle(settings.requestInterval, stopSignal);
	}

	async perform(item: Prepared | Recalled, itemIndex: number): Promise<Result> {
		if (!('request' in item)) return resultOf(item);
		try {
			return this.ledger
				? await this.once(item, itemIndex, this.ledger)
				: await this.withRetries(item);
		} catch (error) {
			return asFailure(error, item.request.context.secrets());
		}
	}

	/** Performs what may not be done twice, unless it is known that it was or may have been. */
	private async once(item: Prepared, itemIndex: number, ledger: Ledger): Promise<Result> {
		const { request, connection } = item;
		const { repeatsUnknown } = this.settings;
		const entry = await ledger.entryOf(itemIndex, request.body, connection);
		const recalled = entry.recall();
		if (recalled && ('json' in recalled || !repeatsUnknown)) return resultOf(recalled);

		const verdict = await this.guard?.admit(itemIndex, repeatsUnknown);
		if (verdict?.mayPerform === false) return verdict.result;
		const earlier = recalled?.failure ?? verdict?.earlier;
		const result = await this.attempted(item, earlier);
		this.guard?.settle(itemIndex, result ?? earlier);
		entry.keep(result);
		ledger.release(itemIndex);
		return result;
	}

	private async attempted(item: Prepared, earlier?: Failure): Promise<Result> {
		try {
			return await this.withRetries(item, earlier);
		} catch (error) {
			return asFailure(error, item.request.context.secrets());
		}
	}

	private async withRetries(
		{ request, connection }: Prepared,
		earlier?: Failure,
	): Promise<Output | undefined> {
		const { context, operation, settings, stopSignal, throttle } = this;
		return await withRetries(async () => await operation.perform(context, connection, request), {
			stopSignal,
			throttle,
			earlier,
			maxTries: settings.maxTries,
			mayRepeat: (failure) => this.mayRepeat(failure),
		});
	}

	/** Something that may have been done is not repeated, unless doing it twice is harmless or wanted. */
	private mayRepeat({ transient, outcome }: Failure): boolean {
		const isSafe = this.operation.isRepeatable || this.settings.repeatsUnknown;
		return transient && (outcome !== 'unknown' || isSafe);
	}
}

/** Of an item that is not sent again. */
function resultOf(recalled: Recalled): Result {
	return 'json' in recalled ? recalled : notSentAgain(recalled.failure);
}
