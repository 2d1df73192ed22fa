import type { Chance } from './chance';

/** A process of n8n: it may stand still for a while, or be killed. */
export interface SimulatedProcess {
	chance: Chance;
	isAlive: boolean;
	/** The clock's time until which it does nothing. */
	standsUntil: number;
}

interface Event {
	at: number;
	process: SimulatedProcess | undefined;
	act: () => void;
}

/** Time that passes only when nothing else is to be done, in milliseconds. */
export class Clock {
	now = 0;
	/** Whose code runs now. */
	atWork: SimulatedProcess | undefined;
	/** Soonest last. */
	private readonly events: Event[] = [];

	/** Calls `act` later, unless its process is killed before. */
	after(delay: number, process: SimulatedProcess | undefined, act: () => void): void {
		this.add({ at: this.now + Math.max(0, delay), process, act });
	}

	async sleep(delay: number, process?: SimulatedProcess): Promise<void> {
		await new Promise<void>((resolve) => this.after(delay, process, resolve));
	}

	/** As `AbortSignal.timeout`. */
	timeout(delay: number, process?: SimulatedProcess): AbortSignal {
		const controller = new AbortController();
		this.after(delay, process, () => controller.abort());
		return controller.signal;
	}

	/** Lets time pass until nothing is left to happen, or something else is over. */
	async run(isOver: () => boolean): Promise<void> {
		await settled();
		while (!isOver()) {
			const event = this.events.pop();
			if (!event) return;
			const { process } = event;
			if (process && !process.isAlive) continue;
			this.now = Math.max(this.now, event.at);
			if (process && process.standsUntil > this.now) {
				this.add({ ...event, at: process.standsUntil });
				continue;
			}
			this.atWork = process;
			event.act();
			await settled();
		}
	}

	/** Puts it after events of the same moment. */
	private add(event: Event): void {
		let index = this.events.length;
		while (index > 0 && this.events[index - 1]!.at <= event.at) index--;
		this.events.splice(index, 0, event);
	}
}

/** Resolves once all that follows without waiting has happened. */
async function settled(): Promise<void> {
	await new Promise(setImmediate);
}
