import {
	sleep,
	type BinaryHelperFunctions,
	type IDataObject,
	type IExecuteFunctions,
	type IN8nHttpFullResponse,
} from 'n8n-workflow';

import { onAbort } from './abort';
import type { Failure } from '../failure/failure';
import { networkFailure, RAISE_TIMEOUT } from '../failure/networkFailure';
import { adviceForUnknown, failureOf, type Wording } from '../failure/wording';
import { Watch } from './watch';

/**
 * A Node stream, named without importing one: n8n Cloud allows no built-in modules
 * (@n8n/eslint-plugin-community-nodes, no-restricted-imports).
 */
export type ByteStream = Exclude<Parameters<BinaryHelperFunctions['prepareBinaryData']>[0], Buffer>;

export interface ResponseHead {
	status: number;
	/** Names in lower case. */
	headers: IDataObject;
}

/** A response whose body is still on its way. */
export interface OpenResponse extends ResponseHead {
	/** The body's bytes as they come; a {@link Failure} where they break off or stall. */
	parts: AsyncGenerator<Buffer, undefined>;
	/** A stream of other bytes, of the class that n8n stores. */
	streamOf(bytes: AsyncIterable<Buffer>): ByteStream;
	/** Whether the rest has to come within ten timeouts. */
	limit(isLimited: boolean): void;
	/** Gives up what has not come yet, and lets go of the connection. */
	abort(): void;
}

export interface Patience {
	/** Milliseconds without a byte after which the request is given up. */
	timeout: number;
	/** Aborted where the execution is cancelled. */
	cancelSignal?: AbortSignal;
}

/** Milliseconds that n8n's helper gets to say how an aborted request ended. */
const LAST_WORDS = 500;
/** Without a reason, Node makes an error with its stack for every abort, even of a request that is done. */
const GIVEN_UP = new Error('The request was given up');

/**
 * For axios, whose timeout stays behind ours: n8n would set one of 5 minutes
 * (@n8n/backend-network 1.12.2, http/axios/config.js).
 */
export function axiosTimeout(timeout: number): number {
	return Math.min(timeout + LAST_WORDS, 2 ** 31 - 1);
}

/**
 * Sends a request for a stream by one of n8n's helpers and waits for the head of the response.
 * @param send has to give up once the signal aborts
 */
export async function openResponse(
	send: (signal: AbortSignal) => Promise<unknown>,
	{ timeout, cancelSignal }: Patience,
	wording: Wording,
): Promise<OpenResponse> {
	const controller = new AbortController();
	const watch = new Watch(timeout);
	const stopListening = onAbort(cancelSignal, () => controller.abort(GIVEN_UP));
	const close = () => {
		watch.stop();
		stopListening();
	};
	let isTimedOut = false;
	try {
		const sent = send(controller.signal) as Promise<IN8nHttpFullResponse>;
		const response = await watch.during(settledBy(sent, controller.signal), () => {
			isTimedOut = true;
			controller.abort(GIVEN_UP);
		});
		const body = response.body as ByteStream;
		// Without a listener, an error that nobody waits for would end n8n
		// (https://nodejs.org/api/events.html#error-events).
		body.on('error', () => {});
		const abort = () => {
			close();
			controller.abort(GIVEN_UP);
			body.destroy();
		};
		return {
			status: response.statusCode,
			headers: response.headers,
			parts: partsOf(body, watch, timeout, { close, abort }, wording),
			streamOf: (bytes) => streamLike(body, bytes),
			limit: (isLimited) => watch.limit(isLimited),
			abort,
		};
	} catch (error) {
		close();
		const wasCancelled = cancelSignal?.aborted === true;
		throw networkFailure(error, wording, { isTimedOut, wasCancelled });
	}
}

/**
 * n8n's helper under another cancel signal: it looks for the execution's own on its context
 * (n8n-core 2.41.1, request-helpers/authentication.js).
 */
export function withSignal(context: IExecuteFunctions, signal: AbortSignal): IExecuteFunctions {
	return Object.create(context, {
		getExecutionCancelSignal: { value: () => signal },
	}) as IExecuteFunctions;
}

/**
 * What was sent, or an error soon after `signal` aborts: axios 1.x never settles where the server
 * switches protocols (HTTP 101), as it does not listen for Node's `upgrade`
 * (https://nodejs.org/api/http.html#event-upgrade; axios 1.21.1, lib/adapters/http.js).
 */
async function settledBy<T extends { body?: unknown }>(
	sent: Promise<T>,
	signal: AbortSignal,
): Promise<T> {
	return await new Promise<T>((resolve, reject) => {
		const stopListening = onAbort(signal, () => {
			void sleep(LAST_WORDS).then(() => reject(GIVEN_UP));
			// It may be answered in this very moment.
			sent.then(
				({ body }) => (body as ByteStream | undefined)?.destroy(),
				() => {},
			);
		});
		sent.finally(stopListening).then(resolve, reject);
	});
}

async function* partsOf(
	body: ByteStream,
	watch: Watch,
	timeout: number,
	{ close, abort }: { close(): void; abort(): void },
	wording: Wording,
): AsyncGenerator<Buffer, undefined> {
	const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
	let isComplete = false;
	let stall: string | undefined;
	try {
		for (;;) {
			// Not a race against one long promise: that would keep every chunk in memory.
			const { done, value } = await new Promise<IteratorResult<Buffer>>((resolve, reject) => {
				const next = watch.during(chunks.next(), (isSilent) => {
					stall = isSilent
						? `stopped in the middle of its answer: no byte came for ${timeout / 1000} s`
						: 'sends its answer too slowly to be waited for';
					reject(new Error(stall));
				});
				next.then(resolve, reject);
			});
			isComplete = done === true;
			if (isComplete) return undefined;
			const part = value as Buffer;
			watch.count(part.length);
			yield part;
		}
	} catch {
		throw interrupted(stall, wording);
	} finally {
		if (isComplete) close();
		else abort();
	}
}

/** @param stall what happened; none where the connection was lost */
function interrupted(stall: string | undefined, wording: Wording): Failure {
	const advice = adviceForUnknown(wording);
	return failureOf(wording, stall ?? 'broke off in the middle of its answer', {
		outcome: 'unknown',
		origin: 'network',
		transient: true,
		advice: stall ? `${advice} ${RAISE_TIMEOUT}` : advice,
	});
}

/** `Readable.from`, which every stream class inherits: n8n Cloud allows no import of Node's. */
function streamLike({ constructor }: ByteStream, bytes: AsyncIterable<Buffer>): ByteStream {
	const streamClass = constructor as unknown as {
		from(bytes: AsyncIterable<Buffer>, options: { objectMode: boolean }): ByteStream;
	};
	return streamClass.from(bytes, { objectMode: false });
}
