import { NodeApiError } from 'n8n-workflow';

import { Failure, type Outcome } from './failure';
import { adviceForUnknown, failureOf, type Wording } from './wording';

/** What happened, and what it shows by: any one of the signs. */
interface NetworkFact {
	signs: Sign[];
	outcome: Outcome;
	happened: string;
	/** Of an `unknown` outcome it follows what to do about that. */
	advice?: string;
	/** Set only where the same request will not succeed a little later. */
	transient?: false;
}

type Sign = (causes: Cause[], givenUp: GivenUp) => boolean;

/** Why the node itself ended the request. */
interface GivenUp {
	isTimedOut?: boolean;
	wasCancelled?: boolean;
}

const any =
	(isSign: (cause: Cause) => boolean): Sign =>
	(causes) =>
		causes.some(isSign);
const failedAt = (...calls: unknown[]) => any(({ syscall }) => calls.includes(syscall));
const hasCode = (...codes: unknown[]) => any(({ code }) => codes.includes(code));
const isSaid = (part: RegExp, { message }: Cause) => part.test(String(message).slice(0, 1000));
const says = (part: RegExp) => any((cause) => isSaid(part, cause));

const CHECK_ADDRESS = 'Check the address and that the service is online, then try again.';
export const RAISE_TIMEOUT = "If the service is only slow, raise the 'Timeout (ms)' option.";

/**
 * Codes of a certificate that Node refuses while it shakes hands, before it sends the request
 * (https://nodejs.org/api/tls.html#x509-certificate-error-codes).
 */
const CERTIFICATE_CODES = [
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
];

const NO_CONNECTION = {
	outcome: 'notSent',
	happened: 'could not be reached',
	advice: CHECK_ADDRESS,
} as const;

/** The first one that shows counts: before all, proofs that not a byte reached the service. */
const FACTS: NetworkFact[] = [
	{
		signs: [failedAt('getaddrinfo')],
		outcome: 'notSent',
		happened: 'has an address that could not be found',
		advice: 'Check the address for typing errors, and that n8n has network access.',
	},
	{ signs: [failedAt('connect')], ...NO_CONNECTION },
	{
		signs: [hasCode(...CERTIFICATE_CODES)],
		outcome: 'notSent',
		happened: 'has a security certificate that n8n does not trust',
		advice:
			"Ask whoever runs the service to renew its certificate, or have your n8n administrator add the service's certificate authority.",
		transient: false,
	},
	{
		signs: [any(({ name }) => String(name).startsWith('Ssrf'))],
		outcome: 'notSent',
		happened: 'is an address that this n8n instance does not allow',
		advice:
			'Ask your n8n administrator to allow the address (SSRF protection, a safety setting of n8n).',
		transient: false,
	},
	{
		// Node writes `EPROTO` only while it shakes hands; later errors of TLS have codes of their own
		// (seen in Node 20.20, 22.23 and 24.21).
		signs: [
			any((cause) => cause.syscall === 'write' && isSaid(/EPROTO.*wrong version number/i, cause)),
		],
		outcome: 'notSent',
		happened: 'does not speak https',
		advice: 'Check whether the address should begin with http:// instead of https://.',
		transient: false,
	},
	{
		signs: [
			// Node's words (lib/_tls_wrap.js), which n8n 1 and 2.0 leave, too.
			says(/before secure TLS connection was established/),
			any(({ request }) => request?.socket?.secureConnecting === true),
		],
		outcome: 'notSent',
		happened: 'did not complete the secure connection (TLS)',
		advice: CHECK_ADDRESS,
	},
	{
		// Node's count of what left a socket (lib/net.js); it stays 0 until the connection is there.
		signs: [any(({ request }) => request?.socket?._bytesDispatched === 0)],
		...NO_CONNECTION,
	},
	// What follows proves nothing about the request.
	{
		signs: [(_, { wasCancelled }) => wasCancelled === true],
		outcome: 'unknown',
		happened: 'was still working when the execution was stopped',
		transient: false,
	},
	{
		signs: [(_, { isTimedOut }) => isTimedOut === true, hasCode('ECONNABORTED', 'ETIMEDOUT')],
		outcome: 'unknown',
		happened: 'did not answer in time',
		advice: RAISE_TIMEOUT,
	},
	{
		signs: [
			hasCode('ECONNRESET', 'EPIPE', 'ERR_BAD_RESPONSE'),
			failedAt('read', 'write'),
			says(/stream has been aborted/),
		],
		outcome: 'unknown',
		happened: 'closed the connection before its answer was complete',
	},
	{
		// Neither HTTP nor TLS: Node names the parser that gave up, llhttp (HPE) or OpenSSL (ERR_SSL).
		signs: [any(({ code }) => /^(HPE|ERR_SSL)_/.test(String(code)))],
		outcome: 'unknown',
		happened: 'gave an answer that cannot be read',
	},
	{
		signs: [hasCode('ERR_FR_TOO_MANY_REDIRECTS'), says(/unsupported protocol/i)],
		outcome: 'rejected',
		happened: 'redirects to where nothing can be fetched',
		advice: 'The link may have expired: run the item again to get a new one.',
		transient: false,
	},
];

const NO_REASON: Omit<NetworkFact, 'signs'> = {
	outcome: 'unknown',
	happened: 'gave no answer, and n8n gives no reason',
};

/** The failure behind whatever n8n's request helper threw when no response came. */
export function networkFailure(error: unknown, wording: Wording, givenUp: GivenUp = {}): Failure {
	if (error instanceof Failure) return error;
	const causes = causesOf(error);
	const isShown = ({ signs }: NetworkFact) => signs.some((shows) => shows(causes, givenUp));
	const { outcome, happened, advice = '', transient = true } = FACTS.find(isShown) ?? NO_REASON;
	return failureOf(wording, happened, {
		outcome,
		origin: 'network',
		advice: outcome === 'unknown' ? `${adviceForUnknown(wording)} ${advice}`.trim() : advice,
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
