import { sleep } from 'n8n-workflow';

/** Milliseconds that a loop may block n8n's event loop. */
const MAX_BLOCKING = 20;

/** Keeps a long loop from blocking n8n's event loop: `if (yielder.isDue()) await yielder.yieldNow();` */
export class Yielder {
	private since = performance.now();

	/** Whether the loop has run for too long. Checked without an `await`, which would slow down every round. */
	isDue(): boolean {
		return performance.now() - this.since >= MAX_BLOCKING;
	}

	/** Lets the event loop do other work. */
	async yieldNow(): Promise<void> {
		await sleep(0);
		this.since = performance.now();
	}
}
