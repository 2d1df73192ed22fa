import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { CREDENTIAL_TYPE, type Credential } from './credential';
import { outcomeOf, readAnswer, type Envelope } from './envelope';
import type { About } from './failure/failure';
import { responseFailure } from './failure/responseFailure';
import { LAST_WORDS, openReply, type Reply } from './http/http';

export interface Post {
	context: IExecuteFunctions;
	credential: Credential;
	path: string;
	/** The documented fields, as they go over the wire. */
	body: IDataObject;
	/** Milliseconds without a byte. */
	timeout: number;
	about: About;
}

export async function post(request: Post): Promise<Reply> {
	const { context, credential, path, body, timeout, about } = request;
	const send = async (signal: AbortSignal) =>
		await context.helpers.httpRequestWithAuthentication.call(
			// It looks for the execution's signal there (n8n-core 2.41.1, request-helpers/authentication.js).
			Object.create(context, { getExecutionCancelSignal: { value: () => signal } }),
			CREDENTIAL_TYPE,
			{
				method: 'POST',
				url: credential.baseUrl + path,
				headers: { 'Content-Type': 'application/json', 'Accept-Encoding': 'identity' },
				body,
				timeout: timeout + LAST_WORDS,
				encoding: 'stream',
				returnFullResponse: true,
				ignoreHttpStatusErrors: true,
			},
			// Decrypted already: n8n would do it again for every request.
			{ credentialsDecrypted: { id: '', name: '', type: CREDENTIAL_TYPE, data: credential } },
		);
	return await openReply(send, timeout, about, context.getExecutionCancelSignal());
}

/** The envelope of a response that says it was done; throws a {@link Failure} for any other. */
export async function envelopeOf(reply: Reply, about: About, longest?: number): Promise<Envelope> {
	const answer = await readAnswer(reply, longest);
	const { envelope } = answer;
	if (envelope && outcomeOf(reply.status, answer) === 'succeeded') return envelope;
	throw responseFailure(reply, answer, about);
}
