import { sleep } from 'n8n-workflow';

import { onAbort } from '../../service/http/abort';
import { messageOf } from '../../service/failure/failure';

/** Milliseconds before each further try of a call that failed. */
const DELAYS = [50, 250, 1250];

/** What n8n's memory answers, asked a few times if it fails. */
export async function tried<T>(call: () => Promise<T>): Promise<T> {
	for (let tries = 0; ; tries++) {
		const end = await call().then(
			(value) => ({ value }),
			(error: unknown) => ({ error }),
		);
		if ('value' in end) return end.value;
		const delay = isHopeless(end.error) ? undefined : DELAYS[tries];
		if (delay === undefined) throw end.error;
		await sleep(delay);
	}
}

/** Rejects after so many milliseconds. */
export async function silence(milliseconds: number): Promise<never> {
	return await new Promise((_, fail) => {
		onAbort(AbortSignal.timeout(milliseconds), () => {
			fail(new Error('its memory of processed items does not answer'));
		});
	});
}

/** Where there is no memory at all (n8n-core 2.41.1, data-deduplication-service). */
function isHopeless(error: unknown): boolean {
	return messageOf(error).includes('needs to initialized');
}
