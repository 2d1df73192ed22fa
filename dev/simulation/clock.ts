import type { Chance } from './chance';

/** A process of n8n, which may be paused or killed. */
export interface SimulatedProcess {
	chance: Chance;
	isAlive: boolean;
	/** The time at which its pause ends. */
	pausedUntil: number;
}

interface Event {
	at: number;
	process: SimulatedProcess | undefined;
	act: () => void;
}

/** Virtual time, in milliseconds. It passes only when nothing is left to do at the current time. */
export class Clock {
	now = 0;
	/** The process whose code runs now. */
	running: SimulatedProcess | undefined;
	/** The next event is the last one. */
	private readonly events: Event[] = [];

	/** Calls `act` later, unless its process is killed before. */
	after(delay: number, process: SimulatedProcess | undefined, act: () => void): void {
		this.add({ at: this.now + Math.max(0, delay), process, act });
	}

	async sleep(delay: number, process?: SimulatedProcess): Promise<void> {
		await new Promise<void>((resolve) => this.after(delay, process, resolve));
	}

	/** Like `AbortSignal.timeout`. */
	timeout(delay: number, process?: SimulatedProcess): AbortSignal {
		const controller = new AbortController();
		this.after(delay, process, () => controller.abort());
		return controller.signal;
	}

	/** Lets time pass until no event is left, or `isOver`. */
	async run(isOver: () => boolean): Promise<void> {
		await settled();
		while (!isOver()) {
			const event = this.events.pop();
			if (!event) return;
			const { process } = event;
			if (process && !process.isAlive) continue;
			this.now = Math.max(this.now, event.at);
			if (process && process.pausedUntil > this.now) {
				this.add({ ...event, at: process.pausedUntil });
				continue;
			}
			this.running = process;
			event.act();
			await settled();
		}
	}

	/** Adds an event after others of the same time. */
	private add(event: Event): void {
		let index = this.events.length;
		while (index > 0 && this.events[index - 1]!.at <= event.at) index--;
		this.events.splice(index, 0, event);
	}
}

/** Resolves when all code that does not wait for an event has run. */
async function settled(): Promise<void> {
	await new Promise(setImmediate);
}
