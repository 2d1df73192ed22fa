import { sleep } from 'n8n-workflow';

import type { Call } from '../call';
import { Failure, type FailureOptions } from '../failure';
import type { ByteStream, StreamReply } from '../http';

export interface SizeLimits {
	/** Bytes; 0 for no limit. */
	maxBytes: number;
	/** Bytes that the file must have, where that is asked for. */
	exactBytes?: number;
}

/** A reply's body whose first bytes are known, so that it can be told what it is. */
export interface Content {
	/** Up to {@link FIRST_BYTES}; fewer only where the body has no more. */
	first: Buffer;
	/** Bytes that came so far. */
	bytes(): number;
	/** All bytes, as a stream that fails where the content is empty, oversized or wrong-sized. */
	asFile(limits: SizeLimits): ByteStream;
	/** The bytes as text, or the beginning of it where `maxBytes` cuts it off. */
	asText(maxBytes?: number): Promise<string>;
	/** Ends the transfer. */
	discard(): void;
}

const FIRST_BYTES = 512;
const LONGEST_WAIT = 1000;
const INTERRUPTED = { outcome: 'unknown', transient: true } as const;

/**
 * Waits for the first bytes of a body.
 * @param timeout milliseconds without a byte after which the transfer fails as stalled
 */
export async function openContent(
	reply: StreamReply,
	timeout: number,
	call: Call,
): Promise<Content> {
	const first = deferred<Buffer>();
	const use = deferred<SizeLimits | undefined>();
	let bytes = 0;
	const checked = async function* () {
		let head: Buffer[] | undefined = [];
		let limits: SizeLimits | undefined;
		for await (const chunk of neverStalled(reply, timeout, call)) {
			bytes += chunk.length;
			if (!head) {
				if (limits) refuseOversize(bytes, limits.maxBytes, call);
				yield chunk;
			} else {
				head.push(chunk);
				if (bytes < FIRST_BYTES) continue;
				first.resolve(Buffer.concat(head));
				limits = await use.promise;
				yield* head;
				head = undefined;
			}
		}
		if (head) {
			first.resolve(Buffer.concat(head));
			limits = await use.promise;
			yield* head;
		}
		if (limits) {
			refuseOversize(bytes, limits.maxBytes, call);
			refuseWrongSize(bytes, limits.exactBytes, call);
		}
	};
	const stream = streamOf(checked(), reply.body);
	stream.on('error', first.reject);
	stream.read(0); // Streams do nothing until somebody reads.

	return {
		first: await first.promise,
		bytes: () => bytes,
		asFile: (limits) => {
			use.resolve(limits);
			return stream;
		},
		asText: async (maxBytes = Infinity) => {
			use.resolve(undefined);
			const chunks: Buffer[] = [];
			for await (const chunk of stream as AsyncIterable<Buffer>) {
				chunks.push(chunk);
				if (bytes > maxBytes) break;
			}
			return Buffer.concat(chunks)
				.toString('utf8')
				.replace(/^\ufeff/, '');
		},
		discard: () => {
			reply.abort();
			use.resolve(undefined);
			stream.destroy();
		},
	};
}

/** `Readable.from`, which every stream class inherits: n8n Cloud allows no import of Node's. */
function streamOf(chunks: AsyncIterable<Buffer>, { constructor }: ByteStream): ByteStream {
	const streamClass = constructor as unknown as {
		from(chunks: AsyncIterable<Buffer>, options: { objectMode: boolean }): ByteStream;
	};
	return streamClass.from(chunks, { objectMode: false });
}

function deferred<T>() {
	let resolve!: (value: T) => void;
	let reject!: (error: unknown) => void;
	const promise = new Promise<T>((onResolve, onReject) => {
		resolve = onResolve;
		reject = onReject;
	});
	return { promise, resolve, reject };
}

/** The chunks of a body. Where it breaks off, or none comes for `timeout` milliseconds, a {@link Failure}. */
async function* neverStalled(
	{ body, abort }: StreamReply,
	timeout: number,
	call: Call,
): AsyncGenerator<Buffer> {
	const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
	const watch: Watch = { since: Date.now(), isOver: false, stalled: () => {} };
	void watchForStall(watch, timeout);
	let isComplete = false;
	try {
		for (;;) {
			// Not a race against one long promise: that would keep every chunk in memory.
			const { done, value } = await new Promise<IteratorResult<Buffer>>((resolve, reject) => {
				watch.stalled = reject;
				chunks.next().then(resolve, reject);
			});
			isComplete = done === true;
			if (isComplete) return;
			watch.since = Infinity; // Time that the consumer takes is no stall.
			yield value as Buffer;
			watch.since = Date.now();
		}
	} catch {
		// An idle socket may be closed before the watch goes off.
		const isStall = Date.now() - watch.since >= timeout * 0.9;
		throw isStall ? stallFailure(timeout, call) : brokenOff(call);
	} finally {
		watch.isOver = true;
		if (!isComplete) abort();
	}
}

interface Watch {
	/** When the wait for a chunk began. */
	since: number;
	isOver: boolean;
	/** Ends the wait for a chunk. */
	stalled(): void;
}

async function watchForStall(watch: Watch, timeout: number): Promise<void> {
	while (!watch.isOver) {
		const rest = watch.since + timeout - Date.now();
		if (rest <= 0) return watch.stalled();
		await sleep(Math.min(rest, LONGEST_WAIT));
	}
}

function stallFailure(timeout: number, call: Call): Failure {
	return contentFailure(
		call,
		`stopped in the middle of its answer: no byte came for ${timeout / 1000} s`,
		'Try again, or raise the Timeout option.',
		INTERRUPTED,
	);
}

function brokenOff(call: Call): Failure {
	return contentFailure(call, 'broke off in the middle of its answer', 'Try again.', INTERRUPTED);
}

export function isOversize(bytes: number, maxBytes: number): boolean {
	return maxBytes > 0 && bytes > maxBytes;
}

/** Also for what a `Content-Length` announces. */
export function refuseOversize(bytes: number, maxBytes: number, call: Call): void {
	if (!isOversize(bytes, maxBytes)) return;
	throw contentFailure(
		call,
		`holds a file of more than ${maxBytes / 1e6} MB`,
		'Raise or empty the Max File Size option to download it.',
	);
}

export function refuseWrongSize(bytes: number, exactBytes: number | undefined, call: Call): void {
	if (bytes === 0) {
		throw contentFailure(
			call,
			'gave an empty file',
			'Check that the file has not expired, then try again.',
		);
	}
	if (exactBytes === undefined || bytes === exactBytes) return;
	throw contentFailure(
		call,
		`gave ${bytes} bytes, but File Size says ${exactBytes}`,
		'Try again. If File Size is not in bytes, switch off the Require Exact Size option.',
	);
}

/** A reply came, but no file in it that could be used. */
export function contentFailure(
	call: Call,
	happened: string,
	advice: string,
	options: Pick<FailureOptions, 'outcome' | 'transient'> = { outcome: 'rejected' },
): Failure {
	return new Failure(`${call.receiver} ${happened}`, {
		origin: 'service',
		advice,
		request_id: call.requestId,
		...options,
	});
}
