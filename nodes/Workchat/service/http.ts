import type {
	BinaryHelperFunctions,
	IDataObject,
	IExecuteFunctions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import type { Call } from './call';
import { networkFailure } from './networkFailure';

/** A Node stream, named without importing one: n8n Cloud allows no built-in modules. */
export type ByteStream = Exclude<Parameters<BinaryHelperFunctions['prepareBinaryData']>[0], Buffer>;

export interface ReplyHead {
	status: number;
	/** Names in lower case. */
	headers: IDataObject;
}

export interface Reply<Body> extends ReplyHead {
	body: Body;
}

/** A reply whose body is still on its way. */
export interface StreamReply extends Reply<ByteStream> {
	/** Gives the request up. Destroying the stream is not enough, as axios may have wrapped it. */
	abort(): void;
}

/** The reply to a full-response request of any of n8n's helpers. */
export async function replyOf<Body extends string | undefined | ByteStream>(
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

/**
 * The reply to a request for a stream.
 * @param request gets a context whose cancel signal, which n8n's helpers use, also gives up this request alone
 */
export async function streamReplyOf(
	context: IExecuteFunctions,
	request: (abortable: IExecuteFunctions) => Promise<unknown>,
	call: Call,
): Promise<StreamReply> {
	const controller = new AbortController();
	const cancelled = context.getExecutionCancelSignal();
	const signal = AbortSignal.any([controller.signal, ...(cancelled ? [cancelled] : [])]);
	const abortable = Object.create(context, {
		getExecutionCancelSignal: { value: () => signal },
	}) as IExecuteFunctions;
	const reply = await replyOf<ByteStream>(request(abortable), call);
	return { ...reply, abort: () => controller.abort() };
}
