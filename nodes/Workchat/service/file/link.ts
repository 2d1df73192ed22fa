import type { IExecuteFunctions } from 'n8n-workflow';

import { Body } from '../response/body';
import { readBody, type ReadBody } from '../response/envelope';
import { axiosTimeout, openResponse, type ResponseHead } from '../http/http';
import { isSuccessStatus } from '../response/outcome';
import type { Wording } from '../failure/wording';
import { packedAs, responseFailure, type WordsByStatus } from '../response/responseFailure';
import { isCalledJson, isFile, isRefusal } from './acceptance';
import { fileFailure } from './fileFailure';
import { nameInDisposition, nameInLink } from './fileName';

const RUN_AGAIN = 'The link may have expired: run the item again to get a new one.';
const WORDS_OF_A_LINK: WordsByStatus = {
	401: { happened: 'does not give the file out', advice: RUN_AGAIN },
	403: { happened: 'does not give the file out', advice: RUN_AGAIN },
	404: { happened: 'does not have the file', advice: RUN_AGAIN },
	410: { happened: 'does not have the file any more', advice: RUN_AGAIN },
};

/** Opens what a link from the service's response leads to. */
export async function openLink(
	context: IExecuteFunctions,
	link: string,
	{ timeout, isMedia }: { timeout: number; isMedia: boolean },
	wording: Wording,
): Promise<Body> {
	const send = async (abortSignal: AbortSignal) =>
		await context.helpers.httpRequest({
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
	const cancelSignal = context.getExecutionCancelSignal();
	const body = await Body.of(await openResponse(send, { timeout, cancelSignal }, wording));
	const { head } = body;
	const linkName = nameInLink(link);
	const name = nameInDisposition(head.headers['content-disposition']) ?? linkName;
	const isNo = (read: ReadBody) =>
		isRefusal(read, head.status) && !(isCalledJson(name) && read.json?.ok !== false);
	if (isWholeFile(head) && (await isFile(body, { linkName, isMedia }, isNo))) return body;

	const read = await readBody(body);
	if (head.status >= 400 || isRefusal(read, head.status)) {
		throw responseFailure(head, read, wording, WORDS_OF_A_LINK);
	}
	const coding = packedAs(head);
	if (coding !== undefined) {
		const happened = `answered with something packed as ${coding}, which n8n cannot unpack`;
		throw fileFailure(wording, happened, 'Ask whoever runs that server to send files unpacked.');
	}
	throw isWholeFile(head)
		? fileFailure(wording, 'answered with a message instead of the file', RUN_AGAIN)
		: fileFailure(wording, 'does not give the whole file', RUN_AGAIN);
}

/** Nobody asked for a part of a file, which 206 would be. */
export function isWholeFile(head: ResponseHead): boolean {
	return isSuccessStatus(head.status) && head.status !== 206 && packedAs(head) === undefined;
}
