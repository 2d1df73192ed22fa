import { readFileSync, writeFileSync } from 'node:fs';

interface Reading {
	at: number;
	bytes: number;
	/** The most since the reading before. */
	peakBytes: number;
}

/** Milliseconds; also how exactly a time can be cut out. */
const INTERVAL = 10;

/**
 * Reads all the time how much memory a process has, as the kernel tells it in `/proc`: when a node of a
 * workflow began and ended is known only afterwards.
 */
export class Watch {
	private readonly readings: Reading[] = [];
	private readonly timer: NodeJS.Timeout;

	constructor(private readonly pid: number) {
		this.read();
		this.timer = setInterval(() => this.read(), INTERVAL);
	}

	/** The most memory between two milliseconds of the wall clock, beyond what it had at the first. */
	peakBytes(from: number, to: number): number {
		const first = this.readings.findLastIndex(({ at }) => at <= from);
		const after = this.readings.findIndex(({ at }) => at >= to);
		const [start, ...during] = this.readings.slice(first, after < 0 ? undefined : after + 1);
		if (first < 0 || !start || during.length === 0) {
			throw new Error('The process was not watched at that time');
		}
		return Math.max(0, ...during.map(({ peakBytes }) => peakBytes - start.bytes));
	}

	stop(): void {
		clearInterval(this.timer);
	}

	private read(): void {
		const folder = `/proc/${this.pid}`;
		try {
			const status = readFileSync(`${folder}/status`, 'utf8');
			const bytesOf = (name: string) =>
				Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
			this.readings.push({
				at: Date.now(),
				bytes: bytesOf('VmRSS'),
				peakBytes: bytesOf('VmHWM'),
			});
			writeFileSync(`${folder}/clear_refs`, '5'); // forgets the peak
		} catch {
			this.stop(); // it has ended, and who waits for its work says so
		}
	}
}
