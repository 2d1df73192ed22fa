import type { ICredentialsDecrypted, IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { checkedBaseUrl, withTrimmedKey } from './credential';
import type { Call } from './call';
import { replyOf, streamReplyOf, type Reply, type StreamReply } from './http';
import { secretsIn } from './redact';

export const CREDENTIAL_TYPE = 'workchatApi';
/** Paths below the Base URL, from the service's documentation. */
export const SEND_FEED_VIDEO = '/workchat/messages/send-feed-video';
export const DOWNLOAD_FILE = '/workchat/files/wx-download';

export interface Connection {
	/** Decrypted once a run: n8n would do it again for every request. */
	credentials: ICredentialsDecrypted;
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
	const credential = await context.getCredentials(CREDENTIAL_TYPE);
	const data = withTrimmedKey(credential);
	return { credentials: { id: '', name: '', type: CREDENTIAL_TYPE, data } };
}

/** A call of the service's API. */
export function workchatCall(
	{ credentials }: Connection,
	body: IDataObject,
	repeatable: boolean,
): Call {
	const apiKey = String(credentials.data?.apiKey ?? '');
	return {
		receiver: 'The Workchat service',
		repeatable,
		secrets: [apiKey, ...secretsIn(body)],
	};
}

export async function postForText(
	context: IExecuteFunctions,
	connection: Connection,
	request: Post,
): Promise<Reply<string>> {
	return await replyOf(post(context, connection, request, 'text'), request.call);
}

export async function postForStream(
	context: IExecuteFunctions,
	connection: Connection,
	request: Post,
): Promise<StreamReply> {
	const send = async (abortable: IExecuteFunctions) =>
		await post(abortable, connection, request, 'stream');
	return await streamReplyOf(context, send, request.call);
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
