import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { Body } from './response/body';
import { CREDENTIAL_TYPE, type Credential } from './credential';
import { readBody, type ReadBody, type Envelope } from './response/envelope';
import { asFailure } from './failure/failure';
import { axiosTimeout, openResponse, withSignal, type OpenResponse } from './http/http';
import { outcomeOf } from './response/outcome';
import type { Wording } from './failure/wording';
import { responseFailure } from './response/responseFailure';
import { Secrets, secretsIn, type SecretField } from './failure/secrets';

export interface Post {
	path: string;
	/** The documented fields, as they go over the wire. */
	body: IDataObject;
	/** Milliseconds without a byte. */
	timeout: number;
	wording: Wording;
}

/** What is particular to the failures of an operation. */
interface OperationFacts {
	isRepeatable: boolean;
	fields: SecretField[];
}

/** What failures need to know of a request to the service's API. */
export function wordingOf(
	apiKey: string,
	body: IDataObject,
	{ isRepeatable, fields }: OperationFacts,
): Wording {
	const { toId } = body;
	return {
		receiver: 'The Workchat service',
		isRepeatable,
		secrets: new Secrets(() => [apiKey, ...secretsIn(body, fields)]),
		toId: toId === undefined ? undefined : String(toId),
	};
}

/** Posts a request and waits for the head of the response. */
export async function post(
	context: IExecuteFunctions,
	credential: Credential,
	{ path, body, timeout, wording }: Post,
): Promise<OpenResponse> {
	const send = async (signal: AbortSignal) =>
		await context.helpers.httpRequestWithAuthentication.call(
			withSignal(context, signal),
			CREDENTIAL_TYPE,
			{
				method: 'POST',
				url: credential.baseUrl + path,
				headers: { 'Content-Type': 'application/json', 'Accept-Encoding': 'identity' },
				body,
				timeout: axiosTimeout(timeout),
				encoding: 'stream',
				returnFullResponse: true,
				ignoreHttpStatusErrors: true,
				disableFollowRedirect: true,
			},
			// Decrypted already: n8n would do it again for every request (n8n-core 2.41.1,
			// request-helpers/authentication.js).
			{ credentialsDecrypted: { id: '', name: '', type: CREDENTIAL_TYPE, data: credential } },
		);
	const cancelSignal = context.getExecutionCancelSignal();
	return await openResponse(send, { timeout, cancelSignal }, wording);
}

/** Posts a request and reads the envelope of a response that says it was done. */
export async function postForEnvelope(
	context: IExecuteFunctions,
	credential: Credential,
	request: Post,
): Promise<Envelope> {
	const { wording } = request;
	const response = await post(context, credential, request);
	const read = await bodyOf(response, wording);
	const { envelope } = read;
	if (envelope && outcomeOf(response.status, envelope) === 'succeeded') return envelope;
	throw responseFailure(response, read, wording);
}

/** Nothing where it breaks off after a clear no. */
async function bodyOf(response: OpenResponse, wording: Wording): Promise<ReadBody> {
	try {
		return await readBody(await Body.of(response));
	} catch (error) {
		if (outcomeOf(response.status, undefined) === 'rejected') return {};
		throw asFailure(error, wording);
	}
}
