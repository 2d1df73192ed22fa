import type { IExecuteFunctions } from 'n8n-workflow';

import type { Call } from '../call';
import { parseEnvelope } from '../envelope';
import { streamReplyOf, type Reply } from '../http';
import { httpFailure, isWholeFile, refuseUnsuccessful, type Verdicts } from '../reply';
import { openContent, type Content } from './content';
import { contentFailure } from './contentFailure';
import { nameInLink } from './fileName';
import { isWebPageOrJson } from './webPageOrJson';

/** Bytes of an error page that are read to find an envelope in them. */
const LONGEST_ERROR_PAGE = 65_536;

const RUN_AGAIN = 'The link may have expired: run the item again to get a new one.';
const VERDICTS: Verdicts = {
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

/** Opens what a link from the service's reply leads to. */
export async function openLink(
	context: IExecuteFunctions,
	link: string,
	timeout: number,
	call: Call,
): Promise<Reply<Content>> {
	const get = async (abortable: IExecuteFunctions) =>
		await abortable.helpers.httpRequest({
			method: 'GET',
			url: link,
			// It may lead anywhere, so the API key does not go along.
			headers: { 'Accept-Encoding': 'identity' },
			timeout,
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			abortSignal: abortable.getExecutionCancelSignal(),
		});
	const reply = await streamReplyOf(context, get, call);
	const body = await openContent(reply, timeout, call);
	const isSuccess = isWholeFile(reply);
	if (isSuccess && !isWebPageOrJson(reply, body.first, nameInLink(link))) return { ...reply, body };

	const envelope = parseEnvelope(await body.asText(LONGEST_ERROR_PAGE));
	if (reply.status >= 400) throw httpFailure(reply, envelope, call, VERDICTS);
	if (!isSuccess) throw contentFailure(call, 'does not give the whole file', RUN_AGAIN);
	if (envelope) refuseUnsuccessful(reply, envelope, call);
	throw contentFailure(call, 'answered with a message instead of the file', RUN_AGAIN);
}
