import type { Halt } from './halt';

/** Keeps the starts of requests at least `interval` milliseconds apart. */
export class Pace {
	private nextStart = 0;

	constructor(
		private readonly interval: number,
		private readonly halt: Halt,
	) {}

	async turn(): Promise<void> {
		if (this.interval === 0) return;
		const now = Date.now();
		const start = Math.max(now, this.nextStart);
		this.nextStart = start + this.interval;
		await this.halt.sleep(start - now);
	}
}
