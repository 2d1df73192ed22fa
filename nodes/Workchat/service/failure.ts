/**
 * What is certain about a request that did not succeed.
 * - `rejected`: the service answered and did not do it.
 * - `notSent`: it never reached the service.
 * - `unknown`: it may have been done.
 */
export type Outcome = 'rejected' | 'notSent' | 'unknown';

/** Facts of the reply that help to trace a failure; each only where one came. */
export interface FailureDetails {
	/** The envelope's `code`. */
	code?: number;
	/** The envelope's `request_id`, for the service's support. */
	request_id?: string;
	/** HTTP status of the reply. */
	httpStatus?: number;
}

export interface FailureOptions extends FailureDetails {
	outcome: Outcome;
	/** What the user can do about it, in one sentence. */
	advice: string;
	/** `input`: the user's data or settings; `network`: no reply; `service`: a reply; `n8n`: else. */
	origin: 'input' | 'network' | 'service' | 'n8n';
	/** Whether the same request may succeed a little later. */
	transient?: boolean;
	/** Milliseconds the service asked to wait (`Retry-After`). */
	retryAfter?: number;
}

/**
 * The one error inside this node. `happened` is the sentence of what happened, `message` that
 * sentence with the facts of the reply, `advice` what to do about it.
 */
export class Failure extends Error {
	readonly outcome: Outcome;
	readonly advice: string;
	readonly origin: FailureOptions['origin'];
	readonly transient: boolean;
	readonly retryAfter: number | undefined;
	readonly details: FailureDetails;

	constructor(
		readonly happened: string,
		options: FailureOptions,
	) {
		const { outcome, advice, origin, transient = false, retryAfter, ...details } = options;
		super(happened + inBrackets(details));
		this.name = 'Failure';
		this.outcome = outcome;
		this.advice = advice;
		this.origin = origin;
		this.transient = transient;
		this.retryAfter = retryAfter;
		this.details = details;
	}
}

function inBrackets({ code, httpStatus, request_id }: FailureDetails): string {
	const facts = [
		code !== undefined && `code ${code}`,
		httpStatus !== undefined && httpStatus >= 300 && `HTTP ${httpStatus}`,
		request_id !== undefined && `request ID ${request_id}`,
	].filter(Boolean);
	return facts.length > 0 ? ` (${facts.join(', ')})` : '';
}

/** Bad input or settings: nothing was sent. */
export function inputFailure(message: string, advice: string): Failure {
	return new Failure(message, { outcome: 'notSent', origin: 'input', advice });
}

export function asFailure(error: unknown): Failure {
	if (error instanceof Failure) return error;
	return new Failure(`Something unexpected happened: ${messageOf(error)}`, {
		outcome: 'unknown',
		origin: 'n8n',
		advice: 'Check what was done before you run it again, and report this message.',
	});
}

export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
