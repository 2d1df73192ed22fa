import { COVER } from './inventions';
import { kinCallbacks, type CallbackKind } from './kin';
import { fieldsOf, samples } from './samples';

/** In milliseconds: long enough for a workflow that answers when it is done. */
const PATIENCE = 30_000;
const LONGEST_BODY = 300;

/** A callback that was posted, and what came of it. */
export interface Posted {
	at: number;
	kind: string;
	url: string;
	body: object;
	answer: { status: number | undefined; message: string; isFailure: boolean };
}

/** Posts callbacks of the sandbox's own invention to an address. */
export class Callbacks {
	readonly posted: Posted[] = [];
	/** In seconds. Each callback has a time of its own, so that it is newer than the one before. */
	private latest = 0;

	/**
	 * @param kind `again` for the last one as it was
	 * @param base where the sandbox is found
	 * @param more who writes what
	 * @returns the response of the address, or why there was none
	 */
	async post(url: string, kind: CallbackKind | 'again', base: string, more: object = {}) {
		const files = Object.values(samples).map((sample) => fieldsOf(sample, base));
		const time = (this.latest = Math.max(this.latest + 1, Math.floor(Date.now() / 1000)));
		// IDs of the time, as n8n still knows those that it got before the sandbox was started again.
		const given = { number: time, time, files, coverUrl: base + COVER, ...more };
		const body = kind === 'again' ? this.posted.at(-1)?.body : kinCallbacks[kind](given);
		if (!body) return { text: 'no callback was posted yet' };
		const at = performance.timeOrigin + performance.now();
		const { status, text } = await answerOf(url, body);
		const isFailure = !status || status >= 400;
		this.posted.push({ at, kind, url, body, answer: { status, message: text, isFailure } });
		return { status, text };
	}
}

async function answerOf(url: string, body: object): Promise<{ status?: number; text: string }> {
	try {
		const response = await fetch(url, {
			method: 'POST',
			headers: { 'Content-Type': 'application/json', 'X-Sandbox-Callback': 'invented' },
			body: JSON.stringify(body),
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
