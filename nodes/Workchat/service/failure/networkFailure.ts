import { NodeApiError } from 'n8n-workflow';

import { Failure, type Outcome } from './failure';
import { adviceForUnknown, failureOf, type Wording } from './wording';

interface NetworkFact {
	outcome: Outcome;
	happened: string;
	/** Of an `unknown` outcome it depends on the request. */
	advice?: string;
	transient: boolean;
}

const CHECK_ADDRESS = 'Check the address and that the service is online, then try again.';
export const RAISE_TIMEOUT = 'If the service is only slow, raise the Timeout option.';

const NOT_FOUND: NetworkFact = {
	outcome: 'notSent',
	happened: 'has an address that could not be found',
	advice: 'Check the address for typing errors, and that n8n has network access.',
	transient: true,
};
const NO_CONNECTION: NetworkFact = {
	outcome: 'notSent',
	happened: 'could not be reached',
	advice: CHECK_ADDRESS,
	transient: true,
};
const BAD_CERTIFICATE: NetworkFact = {
	outcome: 'notSent',
	happened: 'has a security certificate that n8n does not trust',
	advice:
		"Ask whoever runs the service to renew its certificate, or have your n8n administrator add the service's certificate authority.",
	transient: false,
};
const NO_HTTPS: NetworkFact = {
	outcome: 'notSent',
	happened: 'does not speak https',
	advice: 'Check whether the address should begin with http:// instead of https://.',
	transient: false,
};
const NO_SECURE_CONNECTION: NetworkFact = {
	outcome: 'notSent',
	happened: 'did not complete the secure connection (TLS)',
	advice: CHECK_ADDRESS,
	transient: true,
};
const BLOCKED: NetworkFact = {
	outcome: 'notSent',
	happened: 'is an address that this n8n instance does not allow',
	advice:
		'Ask your n8n administrator to allow the address (SSRF protection, a safety setting of n8n).',
	transient: false,
};
const BROKEN_CONNECTION: NetworkFact = {
	outcome: 'unknown',
	happened: 'closed the connection before its answer was complete',
	transient: true,
};
const UNREADABLE: NetworkFact = {
	outcome: 'unknown',
	happened: 'gave an answer that cannot be read',
	transient: true,
};
const TIMED_OUT: NetworkFact = {
	outcome: 'unknown',
	happened: 'did not answer in time',
	transient: true,
};
const CANCELLED: NetworkFact = {
	outcome: 'unknown',
	happened: 'was still working when the execution was stopped',
	transient: false,
};
const LOST_REDIRECT: NetworkFact = {
	outcome: 'rejected',
	happened: 'redirects to where nothing can be fetched',
	advice: 'The link may have expired: run the item again to get a new one.',
	transient: false,
};
const NO_REASON: NetworkFact = {
	outcome: 'unknown',
	happened: 'gave no answer, and n8n gives no reason',
	transient: true,
};

/**
 * Codes of a certificate that Node refuses while it shakes hands, before it sends the request
 * (https://nodejs.org/api/tls.html#x509-certificate-error-codes).
 */
const CERTIFICATE_CODES = new Set([
	'CERT_HAS_EXPIRED',
	'CERT_NOT_YET_VALID',
	'CERT_REJECTED',
	'CERT_REVOKED',
	'CERT_SIGNATURE_FAILURE',
	'CERT_UNTRUSTED',
	'DEPTH_ZERO_SELF_SIGNED_CERT',
	'ERR_TLS_CERT_ALTNAME_INVALID',
	'HOSTNAME_MISMATCH',
	'INVALID_CA',
	'INVALID_PURPOSE',
	'SELF_SIGNED_CERT_IN_CHAIN',
	'UNABLE_TO_GET_ISSUER_CERT',
	'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
	'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
/** Codes of Node's network layer and of axios that prove nothing about the request. */
const UNPROVEN = new Map<unknown, NetworkFact>([
	['ERR_FR_TOO_MANY_REDIRECTS', LOST_REDIRECT],
	['ECONNABORTED', TIMED_OUT],
	['ETIMEDOUT', TIMED_OUT],
	['ECONNRESET', BROKEN_CONNECTION],
	['EPIPE', BROKEN_CONNECTION],
	['ERR_BAD_RESPONSE', BROKEN_CONNECTION],
]);

/** Why the node itself ended the request. */
export interface GivenUp {
	isTimedOut: boolean;
	wasCancelled: boolean;
}

/** The failure behind whatever n8n's request helper threw when no response came. */
export function networkFailure(
	error: unknown,
	wording: Wording,
	givenUp: GivenUp = { isTimedOut: false, wasCancelled: false },
): Failure {
	if (error instanceof Failure) return error;
	const fact = factOf(causesOf(error), givenUp);
	const { outcome, happened, transient } = fact;
	const forUnknown = adviceForUnknown(wording);
	return failureOf(wording, happened, {
		outcome,
		origin: 'network',
		advice: fact.advice ?? (fact === TIMED_OUT ? `${forUnknown} ${RAISE_TIMEOUT}` : forUnknown),
		transient,
	});
}

const MOST_CAUSES = 20;

interface Cause {
	code?: unknown;
	syscall?: unknown;
	name?: unknown;
	message?: unknown;
	/** Of an axios error (1.21.1, lib/core/AxiosError.js): Node's `ClientRequest`. */
	request?: { socket?: { secureConnecting?: unknown; _bytesDispatched?: unknown } | null };
}

/**
 * n8n wraps axios (n8n-core 2.41.1, request-helpers/authentication.js), axios wraps Node (1.21.1,
 * AxiosError.from): the telling facts may be on any of them.
 */
function causesOf(error: unknown): Cause[] {
	const causes: Cause[] = [];
	let current = error;
	while (typeof current === 'object' && current !== null && causes.length < MOST_CAUSES) {
		causes.push(current);
		if (current instanceof NodeApiError) causes.push(causeOf(current));
		// Node tries every address of a host and reports them together, as an AggregateError
		// (https://nodejs.org/api/net.html: autoSelectFamily).
		if ('errors' in current && Array.isArray(current.errors)) {
			causes.push(...current.errors.slice(0, MOST_CAUSES));
		}
		current = 'cause' in current ? current.cause : undefined;
	}
	return causes;
}

/**
 * n8n 1 and 2.0 drop the cause of a `NodeApiError` (seen in n8n-workflow 1.120 and 2.0), which has
 * its code and its words all the same.
 */
function causeOf({ httpCode, messages }: NodeApiError): Cause {
	const message = messages.join('\n');
	const [, syscall] = /^(connect|getaddrinfo|read|write) E/m.exec(message) ?? [];
	return { code: httpCode, message, syscall };
}

function factOf(causes: Cause[], { isTimedOut, wasCancelled }: GivenUp): NetworkFact {
	return (
		proofOf(causes) ??
		(wasCancelled ? CANCELLED : undefined) ??
		(isTimedOut ? TIMED_OUT : undefined) ??
		causes.map(({ code }) => UNPROVEN.get(code)).find((fact) => fact !== undefined) ??
		(isLost(causes) ? BROKEN_CONNECTION : undefined) ??
		(isUnreadable(causes) ? UNREADABLE : undefined) ??
		(says(causes, /unsupported protocol/i) ? LOST_REDIRECT : undefined) ??
		NO_REASON
	);
}

/** That not a byte of the request can have reached the service, if anything proves it. */
function proofOf(causes: Cause[]): NetworkFact | undefined {
	const failedAt = (call: string) => causes.some(({ syscall }) => syscall === call);
	if (failedAt('getaddrinfo')) return NOT_FOUND;
	if (failedAt('connect')) return NO_CONNECTION;
	if (causes.some(({ code }) => CERTIFICATE_CODES.has(String(code)))) return BAD_CERTIFICATE;
	if (causes.some(({ name }) => String(name).startsWith('Ssrf'))) return BLOCKED;
	// Node writes `EPROTO` only while it shakes hands; later errors of TLS have codes of their own
	// (seen in Node 20.20, 22.23 and 24.21).
	const isPlainHttp = failedAt('write') && says(causes, /EPROTO.*wrong version number/i);
	if (isPlainHttp) return NO_HTTPS;
	// Node's words (lib/_tls_wrap.js), which n8n 1 and 2.0 leave, too.
	if (says(causes, /before secure TLS connection was established/)) return NO_SECURE_CONNECTION;
	const sockets = causes.map(({ request }) => request?.socket);
	if (sockets.some((socket) => socket?.secureConnecting === true)) return NO_SECURE_CONNECTION;
	// Node's count of what left a socket (lib/net.js); it stays 0 until the connection is there.
	if (sockets.some((socket) => socket?._bytesDispatched === 0)) return NO_CONNECTION;
	return undefined;
}

function isLost(causes: Cause[]): boolean {
	const isOnTheWay = causes.some(({ syscall }) => syscall === 'read' || syscall === 'write');
	return isOnTheWay || says(causes, /stream has been aborted/);
}

/** Neither HTTP nor TLS: Node names the parser that gave up, llhttp (HPE) or OpenSSL (ERR_SSL). */
function isUnreadable(causes: Cause[]): boolean {
	return causes.some(({ code }) => /^(HPE|ERR_SSL)_/.test(String(code)));
}

function says(causes: Cause[], part: RegExp): boolean {
	return causes.some(({ message }) => part.test(String(message).slice(0, 1000)));
}
