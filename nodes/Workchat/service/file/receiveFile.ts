import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Call } from '../call';
import { requestIdOf, type Envelope } from '../envelope';
import type { ByteStream, Reply } from '../http';
import { secretsOfLink } from '../redact';
import { isWholeFile, successEnvelope } from '../reply';
import { DOWNLOAD_FILE, postForStream, type Connection } from '../workchat';
import { openContent, type Content } from './content';
import {
	contentFailure,
	isOversize,
	refuseOversize,
	refuseWrongSize,
	type SizeLimits,
} from './contentFailure';
import { nameInDisposition, nameInLink } from './fileName';
import { openLink } from './link';
import { locateFile, removeContent } from './locateFile';
import { isWebPageOrJson } from './webPageOrJson';

/** Bytes; Node.js cannot hold a much longer text. */
const LONGEST_ENVELOPE = 400e6;

export interface DownloadRequest extends SizeLimits {
	/** The documented fields, as they go over the wire. */
	body: IDataObject & { fileSize: number };
	/** Milliseconds without a byte. */
	timeout: number;
	fileLocation: string;
	call: Call;
}

/** A file on its way, and all that is known of it before it is stored. */
export interface ReceivedFile {
	/** Where the service had it. */
	source: 'body' | 'base64' | 'dataUri' | 'link';
	content: Buffer | ByteStream;
	first: Buffer;
	/** Bytes that the content had, once it is stored. */
	bytes: () => number;
	/** A bare name, from `Content-Disposition`. */
	fileName?: string;
	/** A bare name too, but the end of a link is often no file name. */
	linkName?: string;
	/** MIME type as the sender declares it. */
	contentType?: unknown;
	/** The service's envelope without the file's content; none where the body is the file. */
	envelope?: Envelope;
}

/** Asks the service for a file and gets the envelope, whatever stands in it. */
export async function requestEnvelope(
	context: IExecuteFunctions,
	connection: Connection,
	request: DownloadRequest,
): Promise<Envelope> {
	const reply = await requestDownload(context, connection, request);
	if ('envelope' in reply) return reply.envelope;
	reply.body.discard();
	throw contentFailure(
		request.call,
		'answered with the file itself, without an envelope',
		'Set Output to Binary File.',
	);
}

/** Asks the service for a file and opens it, wherever the service has it. */
export async function receiveFile(
	context: IExecuteFunctions,
	connection: Connection,
	request: DownloadRequest,
): Promise<ReceivedFile> {
	const reply = await requestDownload(context, connection, request);
	if (!('envelope' in reply)) return received('body', reply, request);

	const { envelope } = reply;
	const traced = { ...request.call, requestId: requestIdOf(envelope) };
	const { fileSize } = request.body;
	const wanted = { fileLocation: request.fileLocation, fileSize, sent: request.body };
	const location = await locateFile(envelope.data, wanted, traced);
	if (location.source === 'link') {
		const secrets = [...traced.secrets, ...secretsOfLink(location.link)];
		const call = { ...traced, receiver: "The file's server", secrets };
		const file = await openLink(context, location.link, request.timeout, call);
		return {
			linkName: nameInLink(location.link),
			...received('link', file, { ...request, call }),
			envelope,
		};
	}
	const { source, content, mimeType, path } = location;
	refuseOversize(content.length, request.maxBytes, traced);
	refuseWrongSize(content.length, request.exactBytes, traced);
	const data = removeContent(envelope.data, path) as Envelope['data'];
	return {
		source,
		content,
		first: content,
		bytes: () => content.length,
		contentType: mimeType,
		envelope: { ...envelope, data },
	};
}

async function requestDownload(
	context: IExecuteFunctions,
	connection: Connection,
	{ body, timeout, maxBytes, call }: DownloadRequest,
): Promise<Reply<Content> | { envelope: Envelope }> {
	const reply = await postForStream(context, connection, {
		path: DOWNLOAD_FILE,
		body,
		timeout,
		call,
	});
	const content = await openContent(reply, timeout, call);
	const isFile =
		isWholeFile(reply) && content.first.length > 0 && !isWebPageOrJson(reply, content.first);
	if (isFile) return { ...reply, body: content };
	// Base64 takes four bytes for three, and the rest of an envelope is small.
	const longest = maxBytes > 0 ? (maxBytes * 4) / 3 + 1e6 : LONGEST_ENVELOPE;
	const text = await content.asText(longest);
	refuseOversize(content.bytes(), longest, call);
	return { envelope: successEnvelope(reply, text, call) };
}

function received(
	source: ReceivedFile['source'],
	{ headers, body }: Reply<Content>,
	{ maxBytes, exactBytes, call }: DownloadRequest,
): ReceivedFile {
	const announced = Number(headers['content-length'] ?? 0);
	if (isOversize(announced, maxBytes)) body.discard();
	refuseOversize(announced, maxBytes, call);

	const fileName = nameInDisposition(headers['content-disposition']);
	return {
		source,
		content: body.asFile({ maxBytes, exactBytes }),
		first: body.first,
		bytes: body.bytes,
		contentType: headers['content-type'],
		...(fileName && { fileName }),
	};
}
