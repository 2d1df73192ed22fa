import { sleep } from 'n8n-workflow';

/** Milliseconds that a loop may block n8n's event loop. */
const MAX_BLOCKING = 20;

/** Keeps a long loop from blocking n8n's event loop: `if (yielder.isDue()) await yielder.yieldIfDue();` */
export class Yielder {
	private since = performance.now();

	isDue(): boolean {
		return performance.now() - this.since >= MAX_BLOCKING;
	}

	/** Yields to the event loop if the loop has run for too long; otherwise cheap. */
	async yieldIfDue(): Promise<void> {
		if (!this.isDue()) return;
		await sleep(0);
		this.since = performance.now();
	}
}
