import type { Misbehaviour } from './misbehaviour';

/** The operations, or the links to files. */
export type Target = 'api' | 'file';

export interface Schedule {
	/** How many calls; 1 unless told. */
	times?: number;
	/** `api` unless told. */
	on?: Target;
	/** Only calls for this recipient. */
	toId?: string;
	/** Only calls with such a body. */
	when?: (body: Record<string, unknown>) => boolean;
}

/** A misbehaviour that is still to come, so many times. */
export interface Planned extends Schedule {
	told: Misbehaviour;
	times: number;
	on: Target;
}

/** The misbehaviours that are still to come. */
export class Plan {
	waiting: Planned[] = [];

	add(told: Misbehaviour, { times = 1, on = 'api', toId, ...schedule }: Schedule): void {
		const when = schedule.when ?? (toId === undefined ? undefined : (body) => body.toId === toId);
		this.waiting.push({ told, times, on, toId, when });
	}

	/** The next misbehaviour for such a call, which is then used up. Some wait until the body is read. */
	take(on: Target, body?: Record<string, unknown>): Planned | undefined {
		const next = this.waiting.find(
			(planned) => planned.on === on && (!body || (planned.when?.(body) ?? true)),
		);
		const isEarly = next?.told.kind === 'dropBeforeReading' && !next.when;
		if (!next || (!body && !isEarly)) return undefined;
		next.times--;
		this.waiting = this.waiting.filter(({ times }) => times > 0);
		return next;
	}
}
