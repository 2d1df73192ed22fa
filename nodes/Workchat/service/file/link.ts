import type { IExecuteFunctions } from 'n8n-workflow';

import { Body } from '../body';
import { parseEnvelope } from '../envelope';
import { axiosTimeout, openResponse, type ResponseHead } from '../http';
import { isSuccessStatus, outcomeOf } from '../outcome';
import type { RequestContext } from '../requestContext';
import { responseFailure, type WordsByStatus } from '../responseFailure';
import { fileFailure } from './fileFailure';
import { nameInDisposition, nameInLink } from './fileName';
import { isCalledFile, textKindOf } from './webPageOrJson';

/** Bytes of an error page that are read to find an envelope in them. */
const LONGEST_ERROR_PAGE = 65_536;

const RUN_AGAIN = 'The link may have expired: run the item again to get a new one.';
const WORDS_OF_A_LINK: WordsByStatus = {
	401: { happened: 'does not give the file out', advice: RUN_AGAIN },
	403: { happened: 'does not give the file out', advice: RUN_AGAIN },
	404: { happened: 'does not have the file', advice: RUN_AGAIN },
	410: { happened: 'does not have the file any more', advice: RUN_AGAIN },
	429: {
		happened: 'is receiving too many requests',
		advice: 'Lower Max Concurrency under Options.',
	},
	503: { happened: 'is not available right now', advice: 'Try again later.' },
};

/** A file that comes as the body of a response. */
export interface FileResponse {
	head: ResponseHead;
	body: Body;
}

/** Opens what a link from the service's response leads to. */
export async function openLink(
	execution: IExecuteFunctions,
	link: string,
	timeout: number,
	context: RequestContext,
): Promise<FileResponse> {
	const send = async (abortSignal: AbortSignal) =>
		await execution.helpers.httpRequest({
			method: 'GET',
			url: link,
			// It may lead anywhere, so the API key does not go along.
			headers: { 'Accept-Encoding': 'identity' },
			timeout: axiosTimeout(timeout),
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			abortSignal,
		});
	const cancelSignal = execution.getExecutionCancelSignal();
	const head = await openResponse(send, { timeout, cancelSignal }, context);
	const body = await Body.of(head);
	if (isWholeFile(head) && (await isFile(head, body, link))) return { head, body };

	const { content } = await body.read(LONGEST_ERROR_PAGE);
	const envelope = await parseEnvelope(content);
	if (head.status >= 400 || (envelope && outcomeOf(head.status, envelope) === 'rejected')) {
		throw responseFailure(head, { envelope, content }, context, WORDS_OF_A_LINK);
	}
	throw isWholeFile(head)
		? fileFailure(context, 'answered with a message instead of the file', RUN_AGAIN)
		: fileFailure(context, 'does not give the whole file', RUN_AGAIN);
}

/** Nobody asked for a part of a file, which 206 would be. */
export function isWholeFile({ status }: ResponseHead): boolean {
	return isSuccessStatus(status) && status !== 206;
}

async function isFile(
	{ status, headers }: ResponseHead,
	{ first }: Body,
	link: string,
): Promise<boolean> {
	const kind = textKindOf(first, headers['content-type']);
	if (kind === undefined) return true;
	const disposition = headers['content-disposition'];
	const linkName = nameInLink(link);
	if (!isCalledFile(kind, disposition, linkName)) return false;
	// `attachment` stands on refusals, too; a file of such JSON has a name that says so.
	const envelope = kind === 'json' ? await parseEnvelope(first) : undefined;
	if (!envelope || outcomeOf(status, envelope) !== 'rejected') return true;
	return isCalledFile('json', undefined, nameInDisposition(disposition) ?? linkName);
}
