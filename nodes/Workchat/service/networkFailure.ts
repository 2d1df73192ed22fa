import { NodeApiError } from 'n8n-workflow';

import { adviceForUnknown, type Call } from './call';
import { Failure, type Outcome } from './failure';

interface NetworkFact {
	outcome: Outcome;
	happened: string;
	/** Of an `unknown` outcome it depends on the call. */
	advice?: string;
	transient: boolean;
}

const CHECK_ADDRESS = 'Check the address and that the service is online, then try again.';
const CHECK_CERTIFICATE =
	"Ask whoever runs the service to renew its certificate, or have your n8n administrator add the service's certificate authority.";

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
	advice: CHECK_CERTIFICATE,
	transient: false,
};
const WRONG_SCHEME: NetworkFact = {
	outcome: 'notSent',
	happened: 'does not speak https',
	advice: 'Check whether the address should begin with http:// instead of https://.',
	transient: false,
};
const BROKEN_CONNECTION: NetworkFact = {
	outcome: 'unknown',
	happened: 'closed the connection before its answer was complete',
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

/** Codes of Node's network layer and of axios. */
const FACTS: Record<string, NetworkFact> = {
	ERR_FR_TOO_MANY_REDIRECTS: LOST_REDIRECT,
	ENOTFOUND: NOT_FOUND,
	EAI_AGAIN: NOT_FOUND,
	ECONNREFUSED: NO_CONNECTION,
	EHOSTUNREACH: NO_CONNECTION,
	ENETUNREACH: NO_CONNECTION,
	EADDRNOTAVAIL: NO_CONNECTION,
	ECONNRESET: BROKEN_CONNECTION,
	EPIPE: BROKEN_CONNECTION,
	ERR_BAD_RESPONSE: BROKEN_CONNECTION,
	ECONNABORTED: TIMED_OUT,
	ETIMEDOUT: TIMED_OUT,
	ERR_CANCELED: CANCELLED,
	CERT_HAS_EXPIRED: BAD_CERTIFICATE,
	CERT_NOT_YET_VALID: BAD_CERTIFICATE,
	DEPTH_ZERO_SELF_SIGNED_CERT: BAD_CERTIFICATE,
	SELF_SIGNED_CERT_IN_CHAIN: BAD_CERTIFICATE,
	UNABLE_TO_GET_ISSUER_CERT: BAD_CERTIFICATE,
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: BAD_CERTIFICATE,
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: BAD_CERTIFICATE,
	ERR_TLS_CERT_ALTNAME_INVALID: BAD_CERTIFICATE,
};

/** The failure behind whatever n8n's request helper threw when no reply came. */
export function networkFailure(error: unknown, call: Call): Failure {
	if (error instanceof Failure) return error;
	const { outcome, happened, advice, transient } = factOf(causesOf(error));
	return new Failure(`${call.receiver} ${happened}`, {
		outcome,
		origin: 'network',
		advice: advice ?? adviceForUnknown(call),
		transient,
		request_id: call.requestId,
	});
}

const MOST_CAUSES = 20;

interface Cause {
	code?: unknown;
	syscall?: unknown;
	name?: unknown;
	message?: unknown;
}

/** n8n wraps axios, axios wraps Node: the telling code may be on any of them. */
function causesOf(error: unknown): Cause[] {
	const causes: Cause[] = [];
	let current = error;
	while (typeof current === 'object' && current !== null && causes.length < MOST_CAUSES) {
		causes.push(current);
		if (current instanceof NodeApiError) causes.push(causeOf(current));
		// Node tries every address of a host and reports them together.
		if ('errors' in current && Array.isArray(current.errors)) causes.push(...current.errors);
		current = 'cause' in current ? current.cause : undefined;
	}
	return causes;
}

/** n8n 1 and 2.0 drop the cause of a `NodeApiError`, which has its code and its words all the same. */
function causeOf({ httpCode, messages }: NodeApiError): Cause {
	const message = messages.join('\n');
	return { code: httpCode, message, syscall: /^connect /m.test(message) ? 'connect' : undefined };
}

function factOf(causes: Cause[]): NetworkFact {
	const says = (part: RegExp) => causes.some(({ message }) => part.test(String(message)));

	// Both come before the first byte of the request, which is proof that nothing was sent.
	if (causes.some(({ syscall }) => syscall === 'connect')) {
		const refused = causes.find(({ code }) => FACTS[String(code)]?.outcome === 'notSent');
		return FACTS[String(refused?.code)] ?? NO_CONNECTION;
	}
	if (says(/before secure TLS connection was established/)) return NO_CONNECTION;
	if (says(/wrong version number/i)) return WRONG_SCHEME;
	if (says(/unsupported protocol/i)) return LOST_REDIRECT;

	const blocked = causes.find(({ name }) => /^Ssrf/.test(String(name)));
	if (blocked) {
		return {
			outcome: 'notSent',
			happened: 'is an address that this n8n instance does not allow',
			advice:
				'Ask your n8n administrator to allow the address (SSRF protection, a safety setting of n8n).',
			transient: false,
		};
	}
	for (const { code } of causes) {
		const fact = FACTS[String(code)];
		if (fact) return fact;
	}
	if (says(/stream has been aborted/)) return BROKEN_CONNECTION;
	return { ...BROKEN_CONNECTION, happened: 'could not be reached, and n8n gives no reason' };
}
