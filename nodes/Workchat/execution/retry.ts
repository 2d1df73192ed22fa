import { asFailure, stillUnknown, type Failure } from '../service/failure/failure';
import type { Secrets } from '../service/failure/secrets';
import type { StopSignal } from './stopSignal';
import type { Throttle } from './throttle';

/** Milliseconds. */
const FIRST_DELAY = 500;
const LONGEST_DELAY = 30_000;
/** A service that asks for more than this (`Retry-After`) is asked again all the same. */
const LONGEST_RETRY_AFTER = 60_000;

export interface RetryRules {
	/** The first try counts. */
	maxTries: number;
	mayRepeat(failure: Failure): boolean;
	/** Values that no failure may show. */
	secrets: Secrets;
	throttle: Throttle;
	stopSignal: StopSignal;
}

/**
 * Tries until it succeeds.
 * @returns the last failure if it does not; once an item is unknown, it stays so. `undefined` where
 * the stop came before the first try
 */
export async function withRetries<T>(
	attempt: () => Promise<T>,
	{ maxTries, mayRepeat, secrets, throttle, stopSignal }: RetryRules,
): Promise<T | Failure | undefined> {
	let failure: Failure | undefined;
	let unknown: Failure | undefined;
	for (let tries = 1; tries <= maxTries; tries++) {
		if (failure) await stopSignal.sleep(delayBefore(tries, failure));
		await throttle.turn();
		if (stopSignal.isStopped) break;
		try {
			return await attempt();
		} catch (error) {
			failure = asFailure(error, secrets);
			if (failure.outcome === 'unknown') unknown = failure;
			if (!mayRepeat(failure)) break;
		}
	}
	return failure && stillUnknown(unknown, failure);
}

/** Exponential, with jitter so that many items do not come back at the same moment. */
function delayBefore(tries: number, { retryAfter }: Failure): number {
	if (retryAfter !== undefined) return Math.min(retryAfter, LONGEST_RETRY_AFTER);
	const delay = Math.min(FIRST_DELAY * 2 ** (tries - 2), LONGEST_DELAY);
	return delay * (0.5 + Math.random() / 2);
}
