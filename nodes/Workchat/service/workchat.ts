import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { CREDENTIAL_TYPE, type Credential } from './credential';
import { outcomeOf, readBody, type Envelope } from './envelope';
import type { About } from './failure/failure';
import { responseFailure } from './failure/responseFailure';
import { NO_TIMEOUT, openReply, type Reply, type Timeout } from './http/http';

export interface PostRequest {
	context: IExecuteFunctions;
	credential: Credential;
	path: string;
	/** The documented fields, as they are sent. */
	body: IDataObject;
	timeout: Timeout;
	about: About;
}

export async function post(request: PostRequest): Promise<Reply> {
	const { context, credential, path, body, timeout, about } = request;
	const send = async (signal: AbortSignal) =>
		await context.helpers.httpRequestWithAuthentication.call(
			// n8n reads the abort signal from there (n8n-core 2.41.1, request-helpers/authentication.js).
			Object.create(context, { getExecutionCancelSignal: { value: () => signal } }),
			CREDENTIAL_TYPE,
			{
				method: 'POST',
				url: credential.baseUrl + path,
				headers: { 'Content-Type': 'application/json', 'Accept-Encoding': 'identity' },
				body,
				timeout: NO_TIMEOUT,
				encoding: 'stream',
				returnFullResponse: true,
				ignoreHttpStatusErrors: true,
			},
			// Without this, n8n would decrypt the credential again for every request.
			{ credentialsDecrypted: { id: '', name: '', type: CREDENTIAL_TYPE, data: credential } },
		);
	return await openReply(send, timeout, about, context.getExecutionCancelSignal());
}

/** Reads the envelope of a successful response; throws a {@link Failure} for any other response. */
export async function readEnvelope(
	reply: Reply,
	about: About,
	maxBytes?: number,
): Promise<Envelope> {
	const body = await readBody(reply, maxBytes);
	const { envelope } = body;
	if (envelope && outcomeOf(reply.status, body) === 'succeeded') return envelope;
	throw responseFailure(reply, body, about);
}
