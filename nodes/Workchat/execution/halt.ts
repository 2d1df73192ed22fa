import { sleep } from 'n8n-workflow';

/** n8n's `sleep` cannot be cancelled; in short slices it lets go soon enough. */
const LONGEST_SLEEP = 1000;

/** Tells the parts of a run to start nothing new: the execution was cancelled, or an item failed. */
export class Halt {
	private readonly controller = new AbortController();

	constructor(cancelled?: AbortSignal) {
		if (cancelled?.aborted) this.reach();
		cancelled?.addEventListener('abort', () => this.reach(), { once: true });
	}

	get isReached(): boolean {
		return this.controller.signal.aborted;
	}

	reach(): void {
		this.controller.abort();
	}

	/** Waits so many milliseconds, or until the halt. */
	async sleep(milliseconds: number): Promise<void> {
		const end = Date.now() + milliseconds;
		for (let rest = milliseconds; rest > 0 && !this.isReached; rest = end - Date.now()) {
			await this.sleepSlice(Math.min(rest, LONGEST_SLEEP));
		}
	}

	private async sleepSlice(milliseconds: number): Promise<void> {
		const { signal } = this.controller;
		await new Promise<void>((resolve) => {
			const done = () => {
				signal.removeEventListener('abort', done);
				resolve();
			};
			signal.addEventListener('abort', done);
			void sleep(milliseconds).then(done);
		});
	}
}
