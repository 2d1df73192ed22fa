import { sleep } from 'n8n-workflow';

/** `sleep` of n8n-workflow 2.41 takes no signal; in short slices it ends soon after what it waits for. */
const LONGEST_SLEEP = 500;
/** A response that comes in drips is watched this many times the timeout. */
const PATIENCE = 10;
/** Bytes per second; below that it only pretends to come. */
const SLOWEST = 1000;

/**
 * Notices where nothing comes for `timeout` milliseconds, or next to nothing for ten times as long:
 * axios's own timeout knows nothing of a body that drips, nor of HTTP 101 (1.21.1,
 * lib/adapters/http.js: it is that of `ClientRequest.setTimeout`).
 */
export class Watch {
	/** When the present wait began, of the monotonic clock; `undefined` where nothing is waited for. */
	private waitingSince: number | undefined;
	/** Milliseconds waited, and bytes that came, since the rate was looked at. */
	private waited = 0;
	private bytes = 0;
	private isLimited = false;
	private isKept = false;
	private isOver = false;
	private onTimeout: (isSilent: boolean) => void = () => {};

	constructor(private readonly timeout: number) {}

	/**
	 * The result of what is waited for. Where it takes too long, `onTimeout` has to settle it.
	 * @param onTimeout is told whether nothing came at all
	 */
	async during<T>(wait: Promise<T>, onTimeout: (isSilent: boolean) => void): Promise<T> {
		this.waitingSince = performance.now();
		this.onTimeout = onTimeout;
		if (!this.isKept) void this.keep();
		try {
			return await wait;
		} finally {
			this.waited += performance.now() - this.waitingSince;
			this.waitingSince = undefined; // Time that the consumer takes is no stall.
		}
	}

	count(bytes: number): void {
		this.bytes += bytes;
	}

	/** Whether what comes has to end, however fast it is. */
	limit(isLimited: boolean): void {
		this.isLimited = isLimited;
	}

	stop(): void {
		this.isOver = true;
	}

	private async keep(): Promise<void> {
		this.isKept = true;
		while (!this.isOver) {
			const { silence, drip } = this.rests();
			const rest = Math.min(silence, drip);
			if (rest <= 0) {
				this.stop();
				this.onTimeout(silence <= 0);
				return;
			}
			await sleep(Math.min(rest, LONGEST_SLEEP));
		}
	}

	/** Milliseconds until nothing, or next to nothing, has come for too long. */
	private rests(): { silence: number; drip: number } {
		if (this.waitingSince === undefined) return { silence: LONGEST_SLEEP, drip: LONGEST_SLEEP };
		const present = performance.now() - this.waitingSince;
		const watched = this.waited + present;
		const isFast = this.bytes >= (SLOWEST * watched) / 1000;
		if (watched >= PATIENCE * this.timeout && isFast && !this.isLimited) {
			this.waited = -present;
			this.bytes = 0;
		}
		const limit = PATIENCE * this.timeout;
		return { silence: this.timeout - present, drip: limit - this.waited - present };
	}
}
