import type { Call } from '../call';
import type { ByteStream, StreamReply } from '../http';
import { refuseOversize, refuseWrongSize, type SizeLimits } from './contentFailure';
import { neverStalled } from './stall';

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
