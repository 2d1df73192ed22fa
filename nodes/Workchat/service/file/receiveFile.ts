import type { IExecuteFunctions } from 'n8n-workflow';

import { Body } from '../response/body';
import type { Credential } from '../credential';
import {
	parseBody,
	readBody,
	requestIdOf,
	type ReadBody,
	type Envelope,
} from '../response/envelope';
import type { ByteStream } from '../http/http';
import type { Failure } from '../failure/failure';
import { isSuccessStatus, outcomeOf } from '../response/outcome';
import type { Wording } from '../failure/wording';
import { responseFailure } from '../response/responseFailure';
import { isJsonObject } from '../text/textKind';
import { post, type Post } from '../workchat';
import { isFile, isRefusal, messageIn } from './acceptance';
import { fileFailure } from './fileFailure';
import { nameInDisposition, nameInLink } from './fileName';
import { isWholeFile, openLink } from './link';
import { locateFile, removeContent } from './locateFile';
import {
	isOversize,
	refuseOversize,
	refuseWrongSize,
	withinLimits,
	type SizeLimits,
} from './sizeLimits';

/**
 * Bytes; Node holds no text beyond 512 MiB
 * (https://nodejs.org/api/buffer.html#bufferconstantsmax_string_length).
 */
const LONGEST_ENVELOPE = 400e6;
/** Bytes, in which hardly a file has room. */
const SHORT_ENVELOPE = 1e6;

export interface DownloadRequest extends Post, SizeLimits {
	body: Post['body'] & { fileSize: number };
	fileLocation: string;
	/** Whether an image or a video is asked for, so that no text is the file. */
	isMedia: boolean;
}

/** A file on its way, and all that is known of it before it is stored. */
export interface ReceivedFile {
	/** Where the service had it. */
	source: 'body' | 'base64' | 'dataUri' | 'link';
	content: Buffer | ByteStream;
	first: Buffer;
	/** Bytes that the content had, once it is stored. */
	bytes: () => number;
	/** Whether the sender said, by whatever means, where it ends. */
	hasLength: boolean;
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
	context: IExecuteFunctions,
	credential: Credential,
	request: DownloadRequest,
): Promise<Envelope> {
	const { envelope, file } = await requestDownload(context, credential, request);
	if (envelope) return envelope;
	file.discard();
	throw fileFailure(
		request.wording,
		'answered with the file itself, without an envelope',
		"Set 'Output' to 'Binary File'.",
	);
}

/** Asks the service for a file and opens it, wherever the service has it. */
export async function receiveFile(
	context: IExecuteFunctions,
	credential: Credential,
	request: DownloadRequest,
): Promise<ReceivedFile> {
	const { envelope, file } = await requestDownload(context, credential, request);
	if (file) return file;

	const wording = { ...request.wording, requestId: requestIdOf(envelope) };
	const { fileSize } = request.body;
	const wanted = { fileLocation: request.fileLocation, fileSize, sent: request.body };
	const location = await locateFile(envelope.data, wanted, wording);
	if (location.source === 'link') {
		const { link } = location;
		const linkWording = {
			...wording,
			receiver: "The file's server",
			secrets: wording.secrets.with(link),
		};
		const body = await openLink(context, link, request, linkWording);
		const linked = streamed('link', body, { ...request, wording: linkWording });
		return { linkName: nameInLink(link), ...linked, envelope };
	}
	const { source, content, mimeType, path } = location;
	const message = await messageIn(content, mimeType, request.isMedia);
	if (message) throw refusalInside(message, wording);
	const data = removeContent(envelope.data, path) as Envelope['data'];
	return {
		...held(source, content, { ...request, wording }),
		contentType: mimeType,
		envelope: { ...envelope, data },
	};
}

type Received =
	| { envelope: Envelope; file?: undefined }
	| { file: ReceivedFile; envelope?: undefined };

/** The service's response: an envelope, or else the file itself. */
async function requestDownload(
	context: IExecuteFunctions,
	credential: Credential,
	request: DownloadRequest,
): Promise<Received> {
	const { wording, isMedia } = request;
	const body = await Body.of(await post(context, credential, request));
	const { head } = body;
	const mayBeFile = isWholeFile(head) && body.first.length > 0;
	// An envelope is none, whatever it is called.
	const isNo = (read: ReadBody) => read.envelope !== undefined || isRefusal(read);
	if (mayBeFile && (await isFile(body, { isMedia }, isNo))) {
		return { file: streamed('body', body, request) };
	}
	const read =
		isSuccessStatus(head.status) && isJsonObject(body.first)
			? await parseBody(await envelopeIn(body, request))
			: await readBody(body);
	const { envelope } = read;
	if (envelope && outcomeOf(head.status, envelope) === 'succeeded') return { envelope };
	throw responseFailure(head, read, wording);
}

/** The whole of a body that may be an envelope with a file in it. Only such a long one may last. */
async function envelopeIn(body: Body, { maxBytes, wording }: DownloadRequest): Promise<Buffer> {
	await body.peek(SHORT_ENVELOPE);
	// Base64 takes four bytes for three, and JSON may write its slashes and line breaks with escapes:
	// eight bytes, where all of them are slashes.
	const longest = maxBytes > 0 ? Math.min(maxBytes * 3 + 1e6, LONGEST_ENVELOPE) : LONGEST_ENVELOPE;
	const { content, isWhole } = await body.read(longest, true);
	if (isWhole) return content;
	const megabytes = Math.floor(longest / 1e6);
	throw longest < LONGEST_ENVELOPE
		? fileFailure(
				wording,
				`answered with more than ${megabytes} MB, which is no file of ${maxBytes / 1e6} MB or less`,
				"Raise or empty the 'Max File Size (MB)' option to download it.",
			)
		: fileFailure(
				wording,
				`answered with more than ${megabytes} MB of JSON, which n8n cannot hold as one text`,
				'So large a file can be downloaded only if the service gives a link to it, or the file itself.',
			);
}

/** A file that is in memory already. */
function held(
	source: ReceivedFile['source'],
	content: Buffer,
	{ maxBytes, exactBytes, wording }: DownloadRequest,
): ReceivedFile {
	refuseOversize(content.length, maxBytes, wording);
	refuseWrongSize(content.length, exactBytes, wording);
	const bytes = () => content.length;
	return { source, content, first: content, bytes, hasLength: true, discard: () => {} };
}

function streamed(
	source: ReceivedFile['source'],
	body: Body,
	{ maxBytes, exactBytes, wording }: DownloadRequest,
): ReceivedFile {
	const { headers } = body.head;
	const announced = Number(headers['content-length'] ?? 0);
	if (isOversize(announced, maxBytes)) body.discard();
	refuseOversize(announced, maxBytes, wording);
	return {
		source,
		content: body.streamOf(withinLimits(body.parts(), { maxBytes, exactBytes }, wording)),
		first: body.first,
		bytes: () => body.bytes,
		hasLength:
			'content-length' in headers || /\bchunked\b/i.test(String(headers['transfer-encoding'])),
		contentType: headers['content-type'],
		fileName: nameInDisposition(headers['content-disposition']),
		discard: () => body.discard(),
	};
}

/** An envelope that says yes, with a message where the file should be. */
function refusalInside(message: ReadBody, wording: Wording): Failure {
	if (isRefusal(message)) return responseFailure({ status: 200, headers: {} }, message, wording);
	return fileFailure(
		wording,
		'answered with a text where an image or a video should be',
		'Check File Type, and that the file has not expired.',
	);
}
