import { COVER } from './inventions';
import { callbackKinds, type CallbackKind } from './callbackKinds';
import { fieldsOf, samples } from './samples';

/** In milliseconds. A workflow may answer only when it has finished. */
const TIMEOUT = 30_000;
const MAX_TEXT = 300;

/** A callback that was posted, and the response. */
export interface Posted {
	at: number;
	kind: string;
	url: string;
	body: object;
	answer: { status: number | undefined; message: string; isFailure: boolean };
}

/** Posts invented callbacks to webhooks. */
export class Callbacks {
	readonly posted: Posted[] = [];
	/** In seconds. Each callback has a time of its own, so that it is newer than the one before. */
	private latest = 0;

	/**
	 * @param kind `again` repeats the latest one unchanged
	 * @param base the sandbox's origin
	 * @param more the sender and the text
	 * @returns the response, or why there was none
	 */
	async post(url: string, kind: CallbackKind | 'again', base: string, more: object = {}) {
		const files = Object.values(samples).map((sample) => fieldsOf(sample, base));
		const time = (this.latest = Math.max(this.latest + 1, Math.floor(Date.now() / 1000)));
		// The time makes its IDs: n8n may still know IDs from before a restart of the sandbox.
		const given = { number: time, time, files, coverUrl: base + COVER, ...more };
		const body = kind === 'again' ? this.posted.at(-1)?.body : callbackKinds[kind](given);
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
			signal: AbortSignal.timeout(TIMEOUT),
		});
		return { status: response.status, text: (await response.text()).slice(0, MAX_TEXT) };
	} catch (error) {
		// The message of fetch only says that it failed.
		const { cause, message } = error as Error & { cause?: { code?: string; message: string } };
		return { text: cause?.code ?? cause?.message ?? message };
	}
}
