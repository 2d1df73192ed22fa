import type { Failure } from '../service/failure/failure';
import type { Known, Message, Prepared, Result } from './item';
import type { Run } from './prepare';
import { withRetries } from './retry';
import { Throttle } from './throttle';

/** Performs one item at a time, with its retries. */
export class Performer {
	private readonly throttle: Throttle;

	constructor(private readonly run: Run) {
		this.throttle = new Throttle(run.settings.requestInterval, run.stopSignal);
	}

	async perform(item: Prepared | Message | Known, itemIndex: number): Promise<Result> {
		if ('known' in item) return item.known;
		const send = async () => await this.send(item);
		const { once } = this.run;
		return once && 'digest' in item ? await once.perform(itemIndex, item, send) : await send();
	}

	private async send({ request, credential }: Prepared): Promise<Result> {
		const { context, operation, settings, stopSignal } = this.run;
		return await withRetries(async () => await operation.perform(context, credential, request), {
			stopSignal,
			throttle: this.throttle,
			maxTries: settings.maxTries,
			mayRepeat: (failure) => this.mayRepeat(failure),
			secrets: request.wording.secrets,
		});
	}

	/** Something that may have been done is not repeated, unless doing it twice is harmless or wanted. */
	private mayRepeat({ transient, outcome }: Failure): boolean {
		const { operation, settings } = this.run;
		const isSafe = operation.isRepeatable || settings.repeatsUnknown;
		return transient && (outcome !== 'unknown' || isSafe);
	}
}
