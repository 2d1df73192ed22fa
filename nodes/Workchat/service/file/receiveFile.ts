import type { IExecuteFunctions } from 'n8n-workflow';

import { Body } from '../body';
import type { Connection } from '../credential';
import { parseEnvelope, requestIdOf, type Envelope } from '../envelope';
import type { ByteStream, ResponseHead } from '../http';
import { outcomeOf } from '../outcome';
import { secretsOfLink } from '../redact';
import { responseFailure } from '../responseFailure';
import { post, type Post } from '../workchat';
import { fileFailure } from './fileFailure';
import { nameInDisposition, nameInLink } from './fileName';
import { isWholeFile, openLink, type FileResponse } from './link';
import { locateFile, removeContent } from './locateFile';
import {
	isOversize,
	refuseOversize,
	refuseWrongSize,
	withinLimits,
	type SizeLimits,
} from './sizeLimits';
import { isCalledFile, textKindOf, type TextKind } from './webPageOrJson';

/**
 * Bytes; Node holds no text beyond 512 MiB
 * (https://nodejs.org/api/buffer.html#bufferconstantsmax_string_length).
 */
const LONGEST_ENVELOPE = 400e6;

export interface DownloadRequest extends Post, SizeLimits {
	body: Post['body'] & { fileSize: number };
	fileLocation: string;
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
	/** Lets go of what was not stored. */
	discard: () => void;
}

/** Asks the service for a file and gets the envelope, whatever stands in it. */
export async function requestEnvelope(
	execution: IExecuteFunctions,
	connection: Connection,
	request: DownloadRequest,
): Promise<Envelope> {
	const { envelope, file } = await requestDownload(execution, connection, request);
	if (envelope) return envelope;
	file.discard();
	throw fileFailure(
		request.context,
		'answered with the file itself, without an envelope',
		'Set Output to Binary File.',
	);
}

/** Asks the service for a file and opens it, wherever the service has it. */
export async function receiveFile(
	execution: IExecuteFunctions,
	connection: Connection,
	request: DownloadRequest,
): Promise<ReceivedFile> {
	const { envelope, file } = await requestDownload(execution, connection, request);
	if (file) return file;

	const context = { ...request.context, requestId: requestIdOf(envelope) };
	const { fileSize } = request.body;
	const wanted = { fileLocation: request.fileLocation, fileSize, sent: request.body };
	const location = await locateFile(envelope.data, wanted, context);
	if (location.source === 'link') {
		const { link } = location;
		const linkContext = {
			...context,
			receiver: "The file's server",
			secrets: () => [...context.secrets(), ...secretsOfLink(link)],
		};
		const response = await openLink(execution, link, request.timeout, linkContext);
		const linked = streamed('link', response, { ...request, context: linkContext });
		return { linkName: nameInLink(link), ...linked, envelope };
	}
	const { source, content, mimeType, path } = location;
	const data = removeContent(envelope.data, path) as Envelope['data'];
	return {
		...held(source, content, { ...request, context }),
		contentType: mimeType,
		envelope: { ...envelope, data },
	};
}

type Answer =
	| { envelope: Envelope; file?: undefined }
	| { file: ReceivedFile; envelope?: undefined };

/** The service's answer: an envelope, or else the file itself. */
async function requestDownload(
	execution: IExecuteFunctions,
	connection: Connection,
	request: DownloadRequest,
): Promise<Answer> {
	const { maxBytes, context } = request;
	const head = await post(execution, connection, request);
	const body = await Body.of(head);
	const { headers } = head;
	const kind = textKindOf(body.first, headers['content-type']);
	const mayBeOne = isWholeFile(head) && body.first.length > 0 && mayBeFileOf(head, kind);
	if (mayBeOne && kind !== 'json') return { file: streamed('body', { head, body }, request) };

	// Base64 takes four bytes for three, and the rest of an envelope is small.
	const longest = maxBytes > 0 ? (maxBytes * 4) / 3 + 1e6 : LONGEST_ENVELOPE;
	const { content } = await body.read(longest);
	refuseOversize(content.length, longest, context);
	const envelope = await parseEnvelope(content);
	if (envelope && outcomeOf(head.status, envelope) === 'succeeded') return { envelope };
	if (!envelope && mayBeOne) {
		return { file: { ...held('body', content, request), ...namesOf(head) } };
	}
	throw responseFailure(head, { envelope, content }, context);
}

function mayBeFileOf({ headers }: ResponseHead, kind: TextKind | undefined): boolean {
	const disposition = headers['content-disposition'];
	return kind === undefined || isCalledFile(kind, disposition);
}

/** A file that is in memory already. */
function held(
	source: ReceivedFile['source'],
	content: Buffer,
	{ maxBytes, exactBytes, context }: DownloadRequest,
): ReceivedFile {
	refuseOversize(content.length, maxBytes, context);
	refuseWrongSize(content.length, exactBytes, context);
	return { source, content, first: content, bytes: () => content.length, discard: () => {} };
}

function streamed(
	source: ReceivedFile['source'],
	{ head, body }: FileResponse,
	{ maxBytes, exactBytes, context }: DownloadRequest,
): ReceivedFile {
	const announced = Number(head.headers['content-length'] ?? 0);
	if (isOversize(announced, maxBytes)) body.discard();
	refuseOversize(announced, maxBytes, context);
	return {
		source,
		content: body.streamOf(withinLimits(body.parts(), { maxBytes, exactBytes }, context)),
		first: body.first,
		bytes: () => body.bytes,
		discard: () => body.discard(),
		...namesOf(head),
	};
}

/** What the head of a response says of the file in its body. */
function namesOf({ headers }: ResponseHead): Pick<ReceivedFile, 'contentType' | 'fileName'> {
	const fileName = nameInDisposition(headers['content-disposition']);
	return { contentType: headers['content-type'], ...(fileName && { fileName }) };
}
