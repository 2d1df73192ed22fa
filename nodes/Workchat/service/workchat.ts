import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { Body } from './response/body';
import { checkedBaseUrl, secretKeyOf, type Connection } from './credential';
import { answerOf, type Answer, type Envelope } from './response/envelope';
import { asFailure } from './failure/failure';
import { axiosTimeout, openResponse, withSignal, type OpenResponse } from './http/http';
import { outcomeOf } from './response/outcome';
import type { RequestContext } from './failure/wording';
import { responseFailure } from './response/responseFailure';
import { Secrets, secretsIn, type SecretField } from './failure/secrets';

export const CREDENTIAL_TYPE = 'workchatApi';

export interface Post {
	path: string;
	/** The documented fields, as they go over the wire. */
	body: IDataObject;
	/** Milliseconds without a byte. */
	timeout: number;
	context: RequestContext;
}

/** What is particular to the failures of an operation. */
interface OperationFacts {
	isRepeatable: boolean;
	fields: SecretField[];
}

/** What failures need to know of a request to the service's API. */
export function requestContextOf(
	{ credential }: Connection,
	body: IDataObject,
	{ isRepeatable, fields }: OperationFacts,
): RequestContext {
	return {
		receiver: 'The Workchat service',
		isRepeatable,
		secrets: new Secrets(() => [secretKeyOf(credential), ...secretsIn(body, fields)]),
	};
}

/** Posts a request and waits for the head of the response. */
export async function post(
	execution: IExecuteFunctions,
	{ credential, type }: Connection,
	{ path, body, timeout, context }: Post,
): Promise<OpenResponse> {
	const url = checkedBaseUrl(credential) + path;
	const send = async (signal: AbortSignal) =>
		await execution.helpers.httpRequestWithAuthentication.call(
			withSignal(execution, signal),
			type,
			{
				method: 'POST',
				url,
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
			{ credentialsDecrypted: { id: '', name: '', type, data: credential } },
		);
	const cancelSignal = execution.getExecutionCancelSignal();
	return await openResponse(send, { timeout, cancelSignal }, context);
}

/** Posts a request and reads the envelope of a response that says it was done. */
export async function postForEnvelope(
	execution: IExecuteFunctions,
	connection: Connection,
	request: Post,
): Promise<Envelope> {
	const { context } = request;
	const response = await post(execution, connection, request);
	const answer = await answerTo(response, context);
	const { envelope } = answer;
	if (envelope && outcomeOf(response.status, envelope) === 'succeeded') return envelope;
	throw responseFailure(response, answer, context);
}

/** Nothing where it breaks off after a clear no. */
async function answerTo(response: OpenResponse, context: RequestContext): Promise<Answer> {
	try {
		return await answerOf(await Body.of(response));
	} catch (error) {
		if (outcomeOf(response.status, undefined) === 'rejected') return {};
		throw asFailure(error, context.secrets);
	}
}
