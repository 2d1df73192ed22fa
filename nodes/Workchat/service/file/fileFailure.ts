import type { Failure } from '../failure/failure';
import { failureOf, type Wording } from '../failure/wording';

/** A response came, but no file in it that could be used. */
export function fileFailure(wording: Wording, happened: string, advice: string): Failure {
	return failureOf(wording, happened, { origin: 'service', advice, outcome: 'rejected' });
}
