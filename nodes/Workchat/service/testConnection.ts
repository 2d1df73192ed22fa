import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { checkedBaseUrl, withTrimmedKey } from './credential';
import { succeeded, type Envelope } from './envelope';
import { Failure } from './failure';
import { replyOf } from './http';
import { CHECK_BASE_URL, CHECK_KEY, envelopeOf, httpFailure, replyFailure } from './reply';
import { DOWNLOAD_FILE, workchatCall } from './workchat';

/** Milliseconds; a person waits in front of the dialog. */
const TIMEOUT = 15_000;

/**
 * Behind the Test button of the credential. The service has no known health endpoint, so this asks
 * for a download without a single field: a valid key gets an envelope back, and nothing is done.
 */
export async function testConnection(
	this: ICredentialTestFunctions,
	credentials: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	try {
		await probe(this.helpers, { ...credentials, data: withTrimmedKey(credentials.data) });
		return {
			status: 'OK',
			message: 'The Workchat service answered and did not refuse the API key',
		};
	} catch (error) {
		return { status: 'Error', message: explained(error) };
	}
}

/** Throws a {@link Failure} where the credential cannot work. */
async function probe(
	// The only request helper that n8n gives to a credential test; it applies no `authenticate`.
	{ request }: ICredentialTestFunctions['helpers'],
	credentials: ICredentialsDecrypted,
): Promise<void> {
	const call = workchatCall({ credentials }, {}, true);
	const { apiKey }: ICredentialDataDecryptedObject = credentials.data ?? {};
	const sent = request({
		method: 'POST',
		uri: checkedBaseUrl(credentials.data) + DOWNLOAD_FILE,
		headers: { 'Content-Type': 'application/json', 'X-Service-Key': apiKey },
		body: '{}',
		timeout: TIMEOUT,
		followRedirect: false,
		simple: false,
		resolveWithFullResponse: true,
	});
	const reply = await replyOf<string | undefined>(sent, call);
	const envelope = envelopeOf(reply, reply.body ?? '', call);
	const isRedirect = reply.status >= 300 && reply.status < 400;
	if (isRedirect || [401, 403, 404].includes(reply.status)) {
		throw httpFailure(reply, envelope, call);
	}
	if (!succeeded(envelope) && speaksOfTheKey(envelope)) {
		throw replyFailure(reply, envelope, call, {
			outcome: 'rejected',
			happened: 'does not accept the API key',
			advice: CHECK_KEY,
			transient: false,
		});
	}
}

const OF_THE_KEY = [
	/(api|service|access|secret)[\s_-]*key/i,
	/(invalid|incorrect|wrong|bad|expired|revoked|unknown)[\s_-]+key(?![a-z])/i,
	/(?<![a-z])key[\s_-]+((is|has|was|not)[\s_-]+)*(valid|invalid|incorrect|wrong|expired|revoked|unknown)/i,
	/(invalid|expired)[\s_-]+token/i,
	/authori[sz]|authenticat|credential|forbidden|permission|access denied|未授权|鉴权|认证失败|无权/i,
];

/** A message about missing fields may name `fileAeskey` and `fileAuthkey`: these are not the key. */
function speaksOfTheKey({ message }: Envelope): boolean {
	const rest = String(message ?? '').replace(
		/(file[\s_-]*)?(aes|auth|authorization)[\s_-]*key/gi,
		'',
	);
	return OF_THE_KEY.some((words) => words.test(rest));
}

function explained(error: unknown): string {
	return error instanceof Failure ? `${error.message}. ${adviceFor(error)}` : String(error);
}

/** A failure's own advice is for somebody who runs a workflow. */
function adviceFor({ advice, origin, outcome, details }: Failure): string {
	const { httpStatus = 0, code } = details;
	if (httpStatus === 429 || httpStatus >= 500) return 'Try again later.';
	const isNoReply = origin === 'network' && outcome === 'unknown';
	const isNoWorkchat = httpStatus >= 400 && code === undefined && ![401, 403].includes(httpStatus);
	return isNoReply || isNoWorkchat ? CHECK_BASE_URL : advice;
}
