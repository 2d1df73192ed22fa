import { succeeded, type Envelope } from './envelope';
import type { Outcome } from '../failure/failure';

/**
 * What a response proves. Nothing but success and a refusal is certain: any other response may come
 * from a gateway after the service took the request, so it is `unknown`.
 * @param envelope `undefined` where the body is no envelope
 */
export function outcomeOf(status: number, envelope: Envelope | undefined): Outcome | 'succeeded' {
	const isRefusal = envelope !== undefined && envelope.code !== 0;
	if (isSuccessStatus(status)) {
		if (isRefusal) return 'rejected';
		return envelope && succeeded(envelope) ? 'succeeded' : 'unknown';
	}
	if (status === 429) return 'rejected'; // Too Many Requests (RFC 6585, section 4)
	if (envelope?.code === 0) return 'unknown';
	if (status === 408 || status === 503) return isRefusal ? 'rejected' : 'unknown';
	return status >= 400 && status < 500 ? 'rejected' : 'unknown';
}

export function isSuccessStatus(status: number): boolean {
	return status >= 200 && status < 300;
}
