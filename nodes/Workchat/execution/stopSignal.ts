import { sleep } from 'n8n-workflow';

import { onAbort } from '../service/http/abort';

/** `sleep` of n8n-workflow 2.41 takes no signal; in short slices nothing of it stays for long. */
const LONGEST_SLEEP = 500;

/** Tells the parts of a run to start nothing new: the execution was cancelled, or an item failed. */
export class StopSignal {
	private readonly controller = new AbortController();
	/** Resolves at the stop. */
	readonly stopped = new Promise<undefined>((resolve) => {
		onAbort(this.controller.signal, () => resolve(undefined));
	});

	constructor(cancelSignal?: AbortSignal) {
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
			await this.sleepSlice(Math.min(rest, LONGEST_SLEEP));
		}
	}

	private async sleepSlice(milliseconds: number): Promise<void> {
		await new Promise<void>((resolve) => {
			const stopListening = onAbort(this.controller.signal, resolve);
			void sleep(milliseconds).then(() => {
				stopListening();
				resolve();
			});
		});
	}
}
