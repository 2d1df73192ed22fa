import type {
	BinaryHelperFunctions,
	ICredentialsDecrypted,
	IDataObject,
	IExecuteFunctions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import { checkedBaseUrl } from './baseUrl';
import type { Call } from './call';
import { networkFailure } from './networkFailure';
import type { ReplyHead } from './reply';

export const CREDENTIAL_TYPE = 'workchatApi';
/** Paths below the Base URL, from the service's documentation. */
export const SEND_FEED_VIDEO = '/workchat/messages/send-feed-video';
export const DOWNLOAD_FILE = '/workchat/files/wx-download';

/** A Node stream, named without importing one: n8n Cloud allows no built-in modules. */
export type ByteStream = Exclude<Parameters<BinaryHelperFunctions['prepareBinaryData']>[0], Buffer>;

export interface Connection {
	/** Decrypted once a run: n8n would do it again for every request. */
	credentials: ICredentialsDecrypted;
}

export interface Reply<Body> extends ReplyHead {
	body: Body;
}

interface Post {
	path: string;
	body: IDataObject;
	/** Milliseconds. */
	timeout: number;
	call: Call;
}

/** Decrypts the node's credential. */
export async function connect(context: IExecuteFunctions): Promise<Connection> {
	const data = await context.getCredentials(CREDENTIAL_TYPE);
	return { credentials: { id: '', name: '', type: CREDENTIAL_TYPE, data } };
}

/** A call of the service's API. */
export function workchatCall(
	{ credentials }: Connection,
	{ repeatable, secrets }: { repeatable: boolean; secrets: unknown[] },
): Call {
	return {
		receiver: 'The Workchat service',
		repeatable,
		secrets: [credentials.data?.apiKey, ...secrets].filter((secret) => typeof secret === 'string'),
	};
}

export async function postForText(
	context: IExecuteFunctions,
	connection: Connection,
	request: Post,
): Promise<Reply<string>> {
	return await replyOf(post(context, connection, request, 'text'), request.call);
}

/** Resolves with the reply's head; the body is still on its way. */
export async function postForStream(
	context: IExecuteFunctions,
	connection: Connection,
	request: Post,
): Promise<Reply<ByteStream>> {
	return await replyOf(post(context, connection, request, 'stream'), request.call);
}

async function post(
	context: IExecuteFunctions,
	{ credentials }: Connection,
	{ path, body, timeout }: Post,
	encoding: 'text' | 'stream',
): Promise<unknown> {
	return await context.helpers.httpRequestWithAuthentication.call(
		context,
		CREDENTIAL_TYPE,
		{
			method: 'POST',
			url: checkedBaseUrl(credentials.data) + path,
			headers: { 'Content-Type': 'application/json', 'Accept-Encoding': 'identity' },
			body,
			timeout,
			encoding,
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
		},
		{ credentialsDecrypted: credentials },
	);
}

/** A link from a reply may lead anywhere, so the API key does not go along. */
export async function getForStream(
	context: IExecuteFunctions,
	link: string,
	timeout: number,
	call: Call,
): Promise<Reply<ByteStream>> {
	const request = context.helpers.httpRequest({
		method: 'GET',
		url: link,
		headers: { 'Accept-Encoding': 'identity' },
		timeout,
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		abortSignal: context.getExecutionCancelSignal(),
	});
	return await replyOf(request, call);
}

/** The reply to a full-response request of any of n8n's helpers. */
export async function replyOf<Body extends string | ByteStream | undefined>(
	request: Promise<unknown>,
	call: Call,
): Promise<Reply<Body>> {
	try {
		const { statusCode, headers, body } = (await request) as IN8nHttpFullResponse;
		return { status: statusCode, headers, body: body as Body };
	} catch (error) {
		throw networkFailure(error, call);
	}
}
