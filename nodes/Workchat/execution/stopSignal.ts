import { sleep } from 'n8n-workflow';

import { onAbort } from '../service/http/abort';

/** `sleep` of n8n-workflow 2.41 takes no signal; in short slices nothing of it stays for long. */
const LONGEST_SLEEP = 500;

/** Tells the parts of a run to start nothing new: the execution was cancelled, or an item failed. */
export class StopSignal {
	private readonly controller = new AbortController();
	/** Resolves at the stop. */
	readonly stopped = abortOf(this.controller.signal);
	/** Resolves where the execution is cancelled. */
	readonly cancelled: Promise<undefined>;

	constructor(cancelSignal?: AbortSignal) {
		this.cancelled = abortOf(cancelSignal);
		onAbort(cancelSignal, () => this.stop());
	}

	get isStopped(): boolean {
		return this.controller.signal.aborted;
	}

	stop(): void {
		this.controller.abort();
	}

	/** Waits so many milliseconds, or until the stop. */
	async sleep(milliseconds: number): Promise<void> {
		const end = performance.now() + milliseconds;
		for (let rest = milliseconds; rest > 0 && !this.isStopped; rest = end - performance.now()) {
			await Promise.race([sleep(Math.min(rest, LONGEST_SLEEP)), this.stopped]);
		}
	}
}

async function abortOf(signal?: AbortSignal): Promise<undefined> {
	return await new Promise((resolve) => onAbort(signal, () => resolve(undefined)));
}
