import type { IExecuteFunctions } from 'n8n-workflow';

import { asFailure, type Failure } from '../service/failure';
import type { Ledger } from './ledger';
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
		private readonly ledger: Ledger,
		private readonly stopSignal: StopSignal,
	) {
		this.throttle = new Throttle(settings.requestInterval, stopSignal);
	}

	async perform(item: Prepared, itemIndex: number): Promise<Result> {
		try {
			return this.operation.isRepeatable
				? await this.withRetries(item)
				: await this.once(item, itemIndex);
		} catch (error) {
			return asFailure(error, item.request.context.secrets());
		}
	}

	/** Performs what may not be done twice, unless the ledger knows that it was or may have been. */
	private async once(item: Prepared, itemIndex: number): Promise<Result> {
		const { request, connection } = item;
		const entry = await this.ledger.entryOf(itemIndex, request.body, connection);
		const recalled = entry.recall();
		if (recalled && 'json' in recalled) return recalled;
		if (recalled && !this.settings.repeatsUnknown) return recalled.failure;
		try {
			const output = await this.withRetries(item, recalled?.failure);
			if (output) entry.keepSent(output.json);
			return output;
		} catch (error) {
			const failure = asFailure(error, request.context.secrets());
			if (failure.outcome === 'unknown') entry.keepUnknown(failure);
			return failure;
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
