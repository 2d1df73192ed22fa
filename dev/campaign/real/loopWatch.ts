/** Milliseconds between two looks; what comes later was held up. */
const INTERVAL = 20;
/** Held up with less work of its own, a machine that is busy with other things explains it. */
const FREEZE = 700;
const REMEMBERED = 60_000;

/** Watches how long the event loop stands still. */
export class LoopWatch {
	private readonly delays: Array<{ at: number; delay: number }> = [];
	private readonly timer: NodeJS.Timeout;
	private last = performance.now();
	/** Milliseconds that this process worked. */
	private cpu = cpuTime();
	private utilization = performance.eventLoopUtilization();
	private busy = 0;

	/** @param onFreeze called after the loop stood still because this process was busy */
	constructor(onTick: () => void, onFreeze: (milliseconds: number) => void) {
		this.timer = setInterval(() => {
			const at = performance.now();
			const delay = at - this.last - INTERVAL;
			this.last = at;
			const worked = cpuTime() - this.cpu;
			this.cpu += worked;
			const now = performance.eventLoopUtilization();
			this.busy = performance.eventLoopUtilization(now, this.utilization).utilization;
			this.utilization = now;
			if (delay > INTERVAL) this.delays.push({ at, delay });
			while ((this.delays[0]?.at ?? at) < at - REMEMBERED) this.delays.shift();
			if (delay > FREEZE && worked > FREEZE) onFreeze(delay);
			onTick();
		}, INTERVAL);
		this.timer.unref();
	}

	/** Whether more work would only wait. */
	get isBusy(): boolean {
		return this.busy > 0.9;
	}

	/** The times since then that the loop stood still, for whatever reason. */
	delaysSince(time: number): number[] {
		const since = this.delays.filter(({ at }) => at > time).map(({ delay }) => delay);
		return [Math.max(0, performance.now() - this.last - INTERVAL), ...since];
	}

	stop(): void {
		clearInterval(this.timer);
	}
}

function cpuTime(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1000;
}
