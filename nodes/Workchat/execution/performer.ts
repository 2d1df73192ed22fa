import type { IExecuteFunctions } from 'n8n-workflow';

import { asFailure, type Failure } from '../service/failure/failure';
import type { Known, Prepared, Result } from './item';
import type { Once } from './once/once';
import type { Operation, RunSettings } from './operation';
import { withRetries } from './retry';
import type { StopSignal } from './stopSignal';
import { Throttle } from './throttle';

/** Performs one item at a time, with its retries. */
export class Performer {
	private readonly throttle: Throttle;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: Operation,
		private readonly settings: RunSettings,
		/** None where doing an item twice harms nobody. */
		private readonly once: Once | undefined,
		private readonly stopSignal: StopSignal,
	) {
		this.throttle = new Throttle(settings.requestInterval, stopSignal);
	}

	async perform(item: Prepared | Known, itemIndex: number): Promise<Result> {
		if ('known' in item) return item.known;
		const attempt = async () => await this.attempted(item);
		return this.once ? await this.once.perform(itemIndex, attempt) : await attempt();
	}

	private async attempted({ request, credential }: Prepared): Promise<Result> {
		const { context, operation, settings, stopSignal, throttle } = this;
		try {
			return await withRetries(async () => await operation.perform(context, credential, request), {
				stopSignal,
				throttle,
				maxTries: settings.maxTries,
				mayRepeat: (failure) => this.mayRepeat(failure),
			});
		} catch (error) {
			return asFailure(error, request.wording.secrets);
		}
	}

	/** Something that may have been done is not repeated, unless doing it twice is harmless or wanted. */
	private mayRepeat({ transient, outcome }: Failure): boolean {
		const isSafe = this.operation.isRepeatable || this.settings.repeatsUnknown;
		return transient && (outcome !== 'unknown' || isSafe);
	}
}
