import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { Body } from './body';
import { checkedBaseUrl, secretKeyOf, type Connection } from './credential';
import { parseEnvelope, type Envelope } from './envelope';
import { asFailure } from './failure';
import {
	axiosTimeout,
	openResponse,
	withSignal,
	type OpenResponse,
	type ResponseHead,
} from './http';
import { outcomeOf } from './outcome';
import { secretsIn, type SecretField } from './redact';
import type { RequestContext } from './requestContext';
import { responseFailure } from './responseFailure';

export const CREDENTIAL_TYPE = 'workchatApi';

/** Bytes. An answer to a message is an envelope with little in it. */
const LONGEST_ANSWER = 16e6;

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
		secrets: () => [secretKeyOf(credential), ...secretsIn(body, fields)],
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
	const response = await post(execution, connection, request);
	const { context } = request;
	return await successEnvelope(response, await contentOf(response, context), context);
}

/** None where it is too long to be looked at, and nothing where it breaks off after a clear no. */
async function contentOf(
	response: OpenResponse,
	context: RequestContext,
): Promise<Buffer | undefined> {
	try {
		const body = await Body.of(response);
		const { content, isWhole } = await body.read(LONGEST_ANSWER);
		return isWhole ? content : undefined;
	} catch (error) {
		if (outcomeOf(response.status, undefined) === 'rejected') return Buffer.alloc(0);
		throw asFailure(error, context.secrets());
	}
}

/**
 * The envelope of a response that says it was done; any other response is a `Failure`.
 * @param content none where it is too long to be looked at
 */
export async function successEnvelope(
	head: ResponseHead,
	content: Buffer = Buffer.from('…'),
	context: RequestContext,
): Promise<Envelope> {
	const envelope = await parseEnvelope(content);
	if (envelope && outcomeOf(head.status, envelope) === 'succeeded') return envelope;
	throw responseFailure(head, { envelope, content }, context);
}
