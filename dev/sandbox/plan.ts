import type { Misbehaviour } from './misbehaviour';

/** The operations, or the links to files. */
export type Target = 'api' | 'file';

export interface Schedule {
	/** How many calls; 1 by default. */
	times?: number;
	/** `api` by default. */
	on?: Target;
	/** Only calls for this recipient. */
	toId?: string;
	/** Only calls with such a body. */
	when?: (body: Record<string, unknown>) => boolean;
}

/** A planned misbehaviour, and how many times it will still happen. */
export interface Planned extends Schedule {
	misbehaviour: Misbehaviour;
	times: number;
	on: Target;
}

/** The planned misbehaviours, in order. */
export class Plan {
	waiting: Planned[] = [];

	add(misbehaviour: Misbehaviour, { times = 1, on = 'api', toId, ...schedule }: Schedule): void {
		const when = schedule.when ?? (toId === undefined ? undefined : (body) => body.toId === toId);
		this.waiting.push({ misbehaviour, times, on, toId, when });
	}

	/**
	 * Takes the next misbehaviour for such a call out of the plan.
	 * @param body absent while the sandbox has not read it; most misbehaviours wait for it
	 */
	take(on: Target, body?: Record<string, unknown>): Planned | undefined {
		const next = this.waiting.find(
			(planned) => planned.on === on && (!body || (planned.when?.(body) ?? true)),
		);
		const isEarly = next?.misbehaviour.kind === 'dropBeforeReading' && !next.when;
		if (!next || (!body && !isEarly)) return undefined;
		next.times--;
		this.waiting = this.waiting.filter(({ times }) => times > 0);
		return next;
	}
}
