import { asFailure, type Failure } from '../service/failure';
import type { Halt } from './halt';
import type { Pace } from './pace';

/** Milliseconds. */
const FIRST_DELAY = 500;
const LONGEST_DELAY = 30_000;
/** A service that asks for more than this (`Retry-After`) is asked again all the same. */
const LONGEST_RETRY_AFTER = 60_000;

export interface RetryRules {
	/** The first try counts. */
	maxTries: number;
	mayRepeat(failure: Failure): boolean;
	pace: Pace;
	halt: Halt;
}

/**
 * Tries until it succeeds, or throws the last `Failure`.
 * @returns `undefined` where the halt came before the first try
 */
export async function withRetries<T>(
	attempt: () => Promise<T>,
	{ maxTries, mayRepeat, pace, halt }: RetryRules,
): Promise<T | undefined> {
	let failure: Failure | undefined;
	for (let tries = 1; tries <= maxTries; tries++) {
		if (failure) await halt.sleep(delayBefore(tries, failure));
		await pace.turn();
		if (halt.isReached) break;
		try {
			return await attempt();
		} catch (error) {
			failure = asFailure(error);
			if (!mayRepeat(failure)) break;
		}
	}
	if (failure) throw failure;
	return undefined;
}

/** Exponential, with jitter so that many items do not come back at the same moment. */
function delayBefore(tries: number, { retryAfter }: Failure): number {
	if (retryAfter !== undefined) return Math.min(retryAfter, LONGEST_RETRY_AFTER);
	const delay = Math.min(FIRST_DELAY * 2 ** (tries - 2), LONGEST_DELAY);
	return delay * (0.5 + Math.random() / 2);
}
