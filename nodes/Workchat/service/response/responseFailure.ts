import type { IDataObject } from 'n8n-workflow';

import { contradictsItself, requestIdOf, type ReadBody, type Envelope } from './envelope';
import type { Failure, FailureOptions } from '../failure/failure';
import type { ResponseHead } from '../http/http';
import { isSuccessStatus, outcomeOf } from './outcome';
import { redact, shownAddress } from '../failure/redact';
import { adviceForUnknown, failureOf, type Wording } from '../failure/wording';
import { retryAfter } from './retryAfter';
import { beginningOf, textKindOf } from '../text/textKind';

/** How a failure is put in words. */
export interface Words {
	/** Completes the sentence that begins with the receiver. */
	happened: string;
	advice: string;
}

/** Words for a status that means more than its number. */
export type WordsByStatus = Record<number, Words>;

export const CHECK_BASE_URL =
	'Check the Base URL in the Workchat credential, also whether it begins with the right one of https:// and http://.';
export const CHECK_KEY = 'Check the API key in the Workchat credential.';
const CHECK_VALUES = 'Check the values of this item.';

const WORDS_OF_ANY: WordsByStatus = {
	429: {
		happened: 'is receiving too many requests',
		advice:
			"Set 'Request Interval (ms)', or lower 'Max Concurrency', under 'Options' to slow down. Then run the failed items again.",
	},
	503: { happened: 'is not available right now', advice: 'Try again later.' },
};
const WORDS_OF_THE_SERVICE: WordsByStatus = {
	400: { happened: 'does not accept the request', advice: CHECK_VALUES },
	401: { happened: 'does not accept the API key', advice: CHECK_KEY },
	403: { happened: 'does not allow this with the API key', advice: CHECK_KEY },
	404: { happened: 'does not know this address', advice: CHECK_BASE_URL },
};

/** The failure of a response that is no success. */
export function responseFailure(
	head: ResponseHead,
	read: ReadBody,
	wording: Wording,
	wordsByStatus = WORDS_OF_THE_SERVICE,
): Failure {
	const { status } = head;
	const { envelope, json } = read;
	const isSure = status === 429 || wording.isRepeatable || !contradictsItself(envelope);
	const saysNo = !envelope && json?.ok === false && isSuccessStatus(status);
	const isRejected =
		(saysNo && wording.isRepeatable) || (isSure && outcomeOf(status, envelope) === 'rejected');
	const outcome = isRejected ? 'rejected' : 'unknown';
	const { happened, advice } = isSuccessStatus(status)
		? wordsOfBody(head, read)
		: (wordsOfRedirect(head, wording) ??
			wordsByStatus[status] ??
			WORDS_OF_ANY[status] ??
			WORDS[outcome]);
	// Whether to check the address is one thing, what became of the message another.
	const both = status < 400 ? `${advice} ${adviceForUnknown(wording)}` : adviceForUnknown(wording);
	return failureWith(head, read, wording, {
		outcome,
		happened,
		advice: advice && (isRejected || wording.isRepeatable) ? advice : both.trim(),
		transient: isTransient(status, envelope),
	});
}

/** Of any other status, by what it proves. */
const WORDS: Record<'rejected' | 'unknown', Words> = {
	rejected: { happened: 'refused', advice: CHECK_VALUES },
	unknown: { happened: 'failed while it worked on this', advice: '' },
};

/** Whether the same request may succeed a little later. */
function isTransient(status: number, envelope: Envelope | undefined): boolean {
	if (isSuccessStatus(status) || status === 408) return envelope === undefined;
	return status === 429 || status >= 500;
}

/** Of a response with a status of success. */
function wordsOfBody(head: ResponseHead, { envelope, json, content }: ReadBody): Words {
	if (!envelope && json?.ok !== false) {
		return {
			happened: `answered with ${nameOf(head, content)} instead of a Workchat answer`,
			advice: CHECK_BASE_URL,
		};
	}
	if (envelope && contradictsItself(envelope)) {
		const [yes, no] = envelope.code === 0 ? ['code 0', 'not ok'] : ['ok', 'another code than 0'];
		return {
			happened: `says both that it worked (${yes}) and that it did not (${no})`,
			advice: '',
		};
	}
	return {
		happened: 'refused',
		advice:
			'Check the values of this item. If they are right, ask the service what the code means and give it the request ID.',
	};
}

/** What came in place of an envelope. */
function nameOf(head: ResponseHead, content: Buffer | undefined): string {
	const coding = packedAs(head);
	if (coding !== undefined) return `something packed as ${coding}, which n8n cannot unpack,`;
	if (content && beginningOf(content) === '') return 'nothing';
	const kind = content && textKindOf(content, head.headers['content-type']);
	return kind === 'page' ? 'a web page' : 'something else';
}

/** The coding of a body that axios left packed (1.21.1, lib/adapters/http.js: it unpacks one coding). */
export function packedAs({ headers }: ResponseHead): string | undefined {
	const coding = String(headers['content-encoding'] ?? '').slice(0, 100);
	return /\b(?:x-)?(?:gzip|deflate|br|zstd|compress)\b/i.exec(coding)?.[0];
}

function wordsOfRedirect({ status, headers }: ResponseHead, wording: Wording): Words | undefined {
	if (status >= 400) return undefined;
	return isRedirect(status, headers)
		? {
				happened: `redirects to ${shownAddress(String(headers.location), wording.secrets)}, which is not followed, to keep the API key safe`,
				advice: 'If that is the right address, use it as the Base URL in the Workchat credential.',
			}
		: { happened: 'gave neither an answer nor a new address', advice: CHECK_BASE_URL };
}

/** 304 has no new address, though it may carry a `Location` (RFC 9110, section 15.4.5). */
function isRedirect(status: number, { location }: IDataObject): boolean {
	return status >= 300 && status < 400 && status !== 304 && typeof location === 'string';
}

/** A failure with what the response says of it. */
export function failureWith(
	{ status, headers }: ResponseHead,
	{ envelope, json = envelope }: ReadBody,
	wording: Wording,
	{ happened, ...options }: Words & Pick<FailureOptions, 'outcome' | 'transient'>,
): Failure {
	const message = json?.message;
	const words =
		typeof message === 'string' && message !== '' ? `: ${redact(message, wording.secrets)}` : '';
	return failureOf(wording, happened + words, {
		...options,
		origin: 'service',
		retryAfter: retryAfter(headers['retry-after']),
		httpStatus: status,
		code: envelope?.code,
		request_id: requestIdOf(json) ?? wording.requestId,
	});
}
