import type { IDataObject } from 'n8n-workflow';

import { adviceForUnknown, type Call } from './call';
import { parseEnvelope, requestIdOf, succeeded, type Envelope } from './envelope';
import { Failure, type FailureDetails, type FailureOptions } from './failure';
import type { ReplyHead } from './http';
import { redact, shownAddress } from './redact';

/** The envelope of a reply that says it was done; every other reply is a {@link Failure}. */
export function successEnvelope(head: ReplyHead, text: string, call: Call): Envelope {
	if (!isSuccessStatus(head)) throw httpFailure(head, parseEnvelope(text), call);
	const envelope = envelopeOf(head, text, call);
	refuseUnsuccessful(head, envelope, call);
	return envelope;
}

/** The envelope of a reply, whatever it says; a reply without one is a {@link Failure}. */
export function envelopeOf(head: ReplyHead, text: string, call: Call): Envelope {
	const envelope = parseEnvelope(text);
	if (envelope) return envelope;
	if (head.status >= 300) throw httpFailure(head, undefined, call);
	const received =
		text.trim() === '' ? 'nothing' : /^\s*</.test(text) ? 'a web page' : 'something else';
	throw replyFailure(head, undefined, call, {
		outcome: 'unknown',
		happened: `answered with ${received} instead of a Workchat answer`,
		advice: call.repeatable ? CHECK_BASE_URL : `${CHECK_BASE_URL} ${adviceForUnknown(call)}`,
		transient: true,
	});
}

export function isSuccessStatus({ status }: ReplyHead): boolean {
	return status >= 200 && status < 300;
}

/** Nobody asked for a part of a file, which 206 would be. */
export function isWholeFile(head: ReplyHead): boolean {
	return isSuccessStatus(head) && head.status !== 206;
}

/** Throws where an envelope does not say that it was done. */
export function refuseUnsuccessful(head: ReplyHead, envelope: Envelope, call: Call): void {
	if (succeeded(envelope)) return;
	if (envelope.code !== 0) {
		throw replyFailure(head, envelope, call, {
			outcome: 'rejected',
			happened: 'refused',
			advice:
				'Check the values of this item. If they are right, ask the service what the code means and give it the request ID.',
			transient: false,
		});
	}
	throw replyFailure(head, envelope, call, {
		outcome: 'unknown',
		happened: 'says both that it worked (code 0) and that it did not (not ok)',
		advice: adviceForUnknown(call),
		transient: false,
	});
}

type Verdict = Pick<FailureOptions, 'outcome' | 'advice' | 'transient'> & {
	/** Completes the sentence that begins with the receiver. */
	happened: string;
};

/** What a status means where it means more than its number. */
export type Verdicts = Record<number, Pick<Verdict, 'happened' | 'advice'>>;

export const CHECK_BASE_URL =
	'Check the Base URL in the Workchat credential, also whether it begins with the right one of https:// and http://.';
export const CHECK_KEY = 'Check the API key in the Workchat credential.';
const API_VERDICTS: Verdicts = {
	400: { happened: 'does not accept the request', advice: 'Check the values of this item.' },
	401: { happened: 'does not accept the API key', advice: CHECK_KEY },
	403: { happened: 'does not allow this with the API key', advice: CHECK_KEY },
	404: {
		happened: 'does not know this address',
		advice: CHECK_BASE_URL,
	},
	429: {
		happened: 'is receiving too many requests',
		advice: 'Set Request Interval under Options to slow down, then run the failed items again.',
	},
	503: { happened: 'is not available right now', advice: 'Try again later.' },
};

/** Any status but 2xx, with or without an envelope. */
export function httpFailure(
	head: ReplyHead,
	envelope: Envelope | undefined,
	call: Call,
	verdicts = API_VERDICTS,
): Failure {
	const { status, headers } = head;
	if (status < 400) {
		const target = redirectTarget(headers, call);
		return replyFailure(head, envelope, call, {
			outcome: 'unknown',
			happened: `redirects to ${target}, which is not followed, to keep the API key safe`,
			advice: 'If that is the right address, use it as the Base URL in the Workchat credential.',
			transient: false,
		});
	}
	const isUnavailable = status === 503;
	const outcome = status < 500 || isUnavailable ? 'rejected' : 'unknown';
	return replyFailure(head, envelope, call, {
		outcome,
		happened: outcome === 'unknown' ? 'failed while it worked on this' : 'refused',
		advice: outcome === 'unknown' ? adviceForUnknown(call) : 'Check the values of this item.',
		transient: status === 429 || status >= 500,
		...verdicts[status],
	});
}

function redirectTarget({ location }: IDataObject, { secrets }: Call): string {
	return shownAddress(typeof location === 'string' ? location : '', secrets);
}

export function replyFailure(
	{ status, headers }: ReplyHead,
	envelope: Envelope | undefined,
	call: Call,
	{ outcome, happened, advice, transient }: Verdict,
): Failure {
	const details: FailureDetails = { httpStatus: status };
	if (envelope) details.code = envelope.code;
	const requestId = requestIdOf(envelope) ?? call.requestId;
	if (requestId) details.request_id = redact(requestId, call.secrets);
	const said =
		typeof envelope?.message === 'string' && envelope.message !== ''
			? `: ${redact(envelope.message, call.secrets)}`
			: '';
	return new Failure(`${call.receiver} ${happened}${said}`, {
		outcome,
		origin: 'service',
		advice,
		transient,
		retryAfter: retryAfter(headers['retry-after']),
		...details,
	});
}

/** Milliseconds of a `Retry-After` header: seconds or an HTTP date. */
function retryAfter(header: unknown): number | undefined {
	if (typeof header !== 'string') return undefined;
	const seconds = /^\s*\d+\s*$/.test(header) ? Number(header) : undefined;
	const wait = seconds === undefined ? Date.parse(header) - Date.now() : seconds * 1000;
	return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}
