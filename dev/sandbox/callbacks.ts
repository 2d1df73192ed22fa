import { callbackHeaders, callbacks, COVER, type CallbackKind } from './inventions';
import { fieldsOf, samples } from './samples';

/** In milliseconds: long enough for a workflow that answers when it is done. */
const PATIENCE = 30_000;
const LONGEST_TEXT = 300;

/** What became of a callback: the response of the address, or why there was none. */
interface CallbackResult {
	status?: number;
	text: string;
}

/** Posts callbacks of the sandbox's own invention to an address. */
export class Callbacks {
	private readonly stop = new AbortController();
	private posted = 0;
	private last?: object;

	/**
	 * @param kind `again` for the last one as it was
	 * @param base where the sandbox is found
	 */
	async post(url: string, kind: CallbackKind | 'again', base: string): Promise<CallbackResult> {
		if (kind !== 'again') this.last = this.made(kind, base);
		if (!this.last) return { text: 'no callback was posted yet' };
		return await this.deliver(url, this.last);
	}

	/** Files take turns. */
	private made(kind: CallbackKind, base: string): object {
		const number = ++this.posted;
		const all = Object.values(samples).map((sample) => fieldsOf(sample, base));
		const files = all.map((_, index) => all[(number - 1 + index) % all.length]!);
		return callbacks[kind]({ number, files, coverUrl: base + COVER });
	}

	private async deliver(url: string, body: object): Promise<CallbackResult> {
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
		this.last = undefined;
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
