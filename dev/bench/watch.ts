import { readFileSync, writeFileSync } from 'node:fs';

/** What a process took within a time. */
export interface Usage {
	cpuSeconds: number;
	/** The most memory, beyond what it had at the beginning. */
	peakBytes: number;
}

interface Reading {
	at: number;
	cpuSeconds: number;
	bytes: number;
	/** The most since the reading before. */
	peakBytes: number;
}

/** Milliseconds; also how exactly a time can be cut out. */
const INTERVAL = 10;
/** The kernel counts CPU time in such parts of a second. */
const TICKS_PER_SECOND = 100;

/**
 * Reads all the time what a process takes, as the kernel tells it in `/proc`: when a node of a
 * workflow began and ended is known only afterwards.
 */
export class Watch {
	private readonly readings: Reading[] = [];
	private readonly timer: NodeJS.Timeout;

	constructor(private readonly pid: number) {
		this.read();
		this.timer = setInterval(() => this.read(), INTERVAL);
	}

	/** In milliseconds of the wall clock. */
	usage(from: number, to: number): Usage {
		const first = this.readings.findLastIndex(({ at }) => at <= from);
		const after = this.readings.findIndex(({ at }) => at >= to);
		const [start, ...during] = this.readings.slice(first, after < 0 ? undefined : after + 1);
		const end = during.at(-1);
		if (first < 0 || !start || !end) throw new Error('The process was not watched at that time');
		return {
			cpuSeconds: end.cpuSeconds - start.cpuSeconds,
			peakBytes: Math.max(0, ...during.map(({ peakBytes }) => peakBytes - start.bytes)),
		};
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
			// The command's name comes first and may hold spaces.
			const stat = readFileSync(`${folder}/stat`, 'utf8')
				.replace(/^.*\) /, '')
				.split(' ');
			this.readings.push({
				at: Date.now(),
				cpuSeconds: (Number(stat[11]) + Number(stat[12])) / TICKS_PER_SECOND,
				bytes: bytesOf('VmRSS'),
				peakBytes: bytesOf('VmHWM'),
			});
			writeFileSync(`${folder}/clear_refs`, '5'); // forgets the peak
		} catch {
			this.stop(); // it has ended, and who waits for its work says so
		}
	}
}
