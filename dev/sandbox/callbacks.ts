import { callbackHeaders, callbacks, type CallbackKind } from './inventions';
import { coverPath } from './covers';
import { fieldsOf, samples } from './samples';

/** In milliseconds: long enough for a workflow that answers when it is done. */
const PATIENCE = 30_000;
const LONGEST_TEXT = 300;

/** What became of a callback: the response of the address, or why there was none. */
export interface CallbackResult {
	status?: number;
	text: string;
}

/** Posts callbacks of the sandbox's own invention to an address. */
export class Callbacks {
	private readonly stop = new AbortController();
	private posted = 0;

	/** @param base where the sandbox is found */
	async post(url: string, kind: CallbackKind, base: string): Promise<CallbackResult> {
		const number = ++this.posted;
		const files = Object.values(samples);
		const sample = files[(number - 1) % files.length] ?? samples.document;
		const body = callbacks[kind]({
			number,
			file: fieldsOf(sample, base),
			coverUrl: base + coverPath(number),
		});
		try {
			const response = await fetch(url, {
				method: 'POST',
				headers: { 'Content-Type': 'application/json', ...callbackHeaders },
				body: JSON.stringify(body),
				redirect: 'manual',
				signal: AbortSignal.any([this.stop.signal, AbortSignal.timeout(PATIENCE)]),
			});
			return { status: response.status, text: (await response.text()).slice(0, LONGEST_TEXT) };
		} catch (error) {
			return { text: reasonOf(error as Error) };
		}
	}

	/** Counts from 1 again. */
	clear(): void {
		this.posted = 0;
	}

	/** Ends those under way. */
	end(): void {
		this.stop.abort();
	}
}

/** `fetch` itself only says that it failed. */
function reasonOf({ message, cause }: Error): string {
	const { code, message: reason } = (cause ?? {}) as { code?: string; message?: string };
	return code ?? reason ?? message;
}
