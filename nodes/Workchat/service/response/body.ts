import { Breather } from '../breather';
import type { ByteStream, OpenResponse, ResponseHead } from '../http/http';
import { isVisible, MOST_BLANKS } from '../text/textKind';

/** Enough to tell what a file is. */
const FIRST_BYTES = 512;

interface Beginning {
	content: Buffer;
	isWhole: boolean;
}

/** The body of a response, whose beginning is looked at before it is decided what becomes of it. */
export class Body {
	/** What was read and not taken yet. */
	private readonly ahead: Buffer[] = [];
	private length = 0;
	private taken = 0;

	private constructor(private readonly response: OpenResponse) {}

	/** Waits for the first bytes that are more than white space. */
	static async of(response: OpenResponse): Promise<Body> {
		const body = new Body(response);
		let blanks = 0;
		response.limit(true);
		while (body.length - blanks < FIRST_BYTES && blanks < MOST_BLANKS) {
			const part = await body.readPart();
			if (!part) break;
			const visible = part.findIndex(isVisible);
			const wasBlank = blanks === body.length - part.length;
			if (wasBlank) blanks += visible === -1 ? part.length : visible;
		}
		response.limit(false);
		return body;
	}

	get head(): ResponseHead {
		return this.response;
	}

	/** What was read so far: {@link FIRST_BYTES} or more, fewer only where the body has no more. */
	get first(): Buffer {
		return Buffer.concat(this.ahead);
	}

	/** Bytes that were taken so far. */
	get bytes(): number {
		return this.taken;
	}

	/** All parts, the first ones included. Can be taken once. */
	async *parts(): AsyncGenerator<Buffer> {
		try {
			do {
				for (const part of this.ahead.splice(0)) {
					this.taken += part.length;
					yield part;
				}
			} while (await this.readPart());
		} finally {
			this.discard();
		}
	}

	/**
	 * The whole body, or its beginning where that alone has more than `maxBytes`: all of it can still
	 * be taken.
	 * @param mayLast whether it may go on for as long as it comes; if not, it ends within ten timeouts
	 */
	async peek(maxBytes: number, mayLast = false): Promise<Beginning> {
		this.response.limit(!mayLast);
		while (this.length <= maxBytes && (await this.readPart()));
		this.response.limit(false);
		return { content: await joined(this.ahead, this.length), isWhole: this.length <= maxBytes };
	}

	/** The same, and ends the transfer. */
	async read(maxBytes: number, mayLast = false): Promise<Beginning> {
		try {
			return await this.peek(maxBytes, mayLast);
		} finally {
			this.discard();
		}
	}

	/** These bytes as a stream that n8n stores. */
	streamOf(bytes: AsyncIterable<Buffer>): ByteStream {
		return this.response.streamOf(bytes);
	}

	/** Ends the transfer, whatever has come. Does no harm twice. */
	discard(): void {
		this.response.abort();
	}

	private async readPart(): Promise<Buffer | undefined> {
		const { value } = await this.response.parts.next();
		if (!value) return undefined;
		this.ahead.push(value);
		this.length += value.length;
		return value;
	}
}

/** As `Buffer.concat`, which held n8n's event loop for 0.2 s where 40 MB of memory were new to it. */
async function joined(parts: Buffer[], length: number): Promise<Buffer> {
	const breather = new Breather();
	const content = Buffer.allocUnsafe(length);
	let written = 0;
	for (const part of parts) {
		if (breather.isDue()) await breather.breathe();
		written += part.copy(content, written);
	}
	return content;
}
