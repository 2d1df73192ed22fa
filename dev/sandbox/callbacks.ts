import { COVER } from './inventions';
import { kinCallbacks, type CallbackKind } from './kin';
import { fieldsOf, samples } from './samples';

/** In milliseconds: long enough for a workflow that answers when it is done. */
const PATIENCE = 30_000;
const LONGEST_BODY = 300;

/** Posts callbacks of the sandbox's own invention to an address. */
export class Callbacks {
	private posted = 0;
	private last?: object;

	/**
	 * @param kind `again` for the last one as it was
	 * @param base where the sandbox is found
	 * @param more who writes what
	 * @returns the response of the address, or why there was none
	 */
	async post(url: string, kind: CallbackKind | 'again', base: string, more: object = {}) {
		if (kind !== 'again') {
			const files = Object.values(samples).map((sample) => fieldsOf(sample, base));
			const given = { number: ++this.posted, files, coverUrl: base + COVER };
			this.last = kinCallbacks[kind]({ ...given, ...more });
		}
		if (!this.last) return { text: 'no callback was posted yet' };
		try {
			const response = await fetch(url, {
				method: 'POST',
				headers: { 'Content-Type': 'application/json', 'X-Sandbox-Callback': 'invented' },
				body: JSON.stringify(this.last),
				redirect: 'manual',
				signal: AbortSignal.timeout(PATIENCE),
			});
			return { status: response.status, text: (await response.text()).slice(0, LONGEST_BODY) };
		} catch (error) {
			// fetch itself only says that it failed.
			const { cause, message } = error as Error & { cause?: { code?: string; message: string } };
			return { text: cause?.code ?? cause?.message ?? message };
		}
	}
}
