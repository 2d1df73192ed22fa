import { recipientOf, redact, shown } from './redact';
import { Secrets } from './secrets';

/**
 * What is certain about a request that did not succeed.
 * - `rejected`: the service answered and did not do it.
 * - `notSent`: it never reached the service.
 * - `unknown`: it may have been done.
 */
export type Outcome = 'rejected' | 'notSent' | 'unknown';

/** Facts of the response that help to trace a failure; each only where one came. */
export interface FailureDetails {
	/** The envelope's `code`. */
	code?: number;
	/** The envelope's `request_id`, for the service's support. */
	request_id?: string;
	/** HTTP status of the response. */
	httpStatus?: number;
	/** Who was to get the message, as it may be shown. */
	toId?: string;
}

export interface FailureOptions extends FailureDetails {
	outcome: Outcome;
	/** What the user can do about it, in one or two sentences. */
	advice: string;
	/** `input`: the user's data or settings; `network`: no response; `service`: a response; `n8n`: else. */
	origin: 'input' | 'network' | 'service' | 'n8n';
	/** Whether the same request may succeed a little later. */
	transient?: boolean;
	/** Milliseconds the service asked to wait (`Retry-After`). */
	retryAfter?: number;
	/** Values that its words may not show: every failure gets its words here, so none can forget it. */
	secrets?: Secrets;
}

/** In characters; a sentence of ours with one of the service's in it. */
const LONGEST_SENTENCE = 1500;
const LONGEST_REQUEST_ID = 200;

/**
 * The one error inside this node. `happened` is the sentence of what happened, `message` that
 * sentence with the facts of the response, `advice` what to do about it.
 */
export class Failure extends Error {
	readonly happened: string;
	readonly outcome: Outcome;
	readonly advice: string;
	readonly origin: FailureOptions['origin'];
	readonly transient: boolean;
	readonly retryAfter: number | undefined;
	readonly details: FailureDetails;

	constructor(happened: string, options: FailureOptions) {
		const { outcome, origin, transient = false, retryAfter, secrets = Secrets.NONE } = options;
		const safe = (text: string) => redact(text, secrets, LONGEST_SENTENCE);
		const details = safeDetails(options, secrets);
		super(safe(happened) + inBrackets(details));
		this.name = 'Failure';
		this.happened = safe(happened);
		this.outcome = outcome;
		this.advice = safe(options.advice);
		this.origin = origin;
		this.transient = transient;
		this.retryAfter = retryAfter;
		this.details = details;
	}
}

function safeDetails(
	{ code, request_id, httpStatus, toId }: FailureDetails,
	secrets: Secrets,
): FailureDetails {
	const requestId = request_id && shown(request_id, secrets, LONGEST_REQUEST_ID);
	return {
		...(toId && { toId }),
		...(code !== undefined && { code }),
		...(requestId && { request_id: requestId }),
		...(httpStatus !== undefined && { httpStatus }),
	};
}

function inBrackets({ code, httpStatus, request_id }: FailureDetails): string {
	const facts = [
		code !== undefined && `code ${code}`,
		httpStatus !== undefined && httpStatus >= 300 && `HTTP ${httpStatus}`,
		request_id !== undefined && `request ID ${request_id}`,
	].filter(Boolean);
	return facts.length > 0 ? ` (${facts.join(', ')})` : '';
}

/** What a failure needs to know of a request. */
interface About {
	secrets: Secrets;
	toId?: string;
}

/** Bad input or settings: nothing was sent. */
export function inputFailure(message: string, advice: string, about?: About): Failure {
	const toId = about && recipientOf(about);
	return new Failure(message, { outcome: 'notSent', origin: 'input', advice, toId });
}

export function asFailure(error: unknown, about: About): Failure {
	if (error instanceof Failure) return error;
	return new Failure(`Something unexpected happened: ${messageOf(error)}`, {
		outcome: 'unknown',
		origin: 'n8n',
		advice: 'Check what was done before you run it again, and report this message.',
		secrets: about.secrets,
		toId: recipientOf(about),
	});
}

const TRIED_AGAIN = '. Tried again: ';
const NOT_AGAIN = 'Not sent again: ';

/**
 * A failure that came after one that may have been done: only success could tell that it was not,
 * so it stays unknown. Of many tries it tells what left it unknown, and what the last one said.
 */
export function stillUnknown(earlier: Failure | undefined, later: Failure): Failure {
	if (earlier?.outcome !== 'unknown' || later.outcome === 'unknown') return later;
	const [first = ''] = earlier.message.split(TRIED_AGAIN, 1);
	return new Failure(first + TRIED_AGAIN + later.happened, {
		...later.details,
		outcome: 'unknown',
		origin: earlier.origin,
		advice: earlier.advice,
		transient: later.transient,
		retryAfter: later.retryAfter,
	});
}

/**
 * The failure of an earlier try, for a try that leaves it at that. n8n's toasts show the message alone.
 * @param now why it could not be tried again, if that is a reason of its own
 */
export function notSentAgain(earlier: Failure, now?: Failure): Failure {
	const { happened, details, outcome, origin, advice } = earlier;
	const words = happened.startsWith(NOT_AGAIN) ? happened : NOT_AGAIN + happened;
	const more = now ? `. Now: ${now.happened}` : '';
	return new Failure(words + more, { ...details, outcome, origin, advice });
}

export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
