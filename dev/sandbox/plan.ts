import { KINDS, type Misbehaviour } from './misbehaviour';

export interface Schedule {
	/** How many calls; 1 unless told. */
	times?: number;
	/** `api` (unless told): the operations; `file`: the links to files. */
	on?: 'api' | 'file';
	/** Only calls for this recipient. */
	toId?: string;
	/** Only calls with such a body. */
	when?: (body: Record<string, unknown>) => boolean;
	/** Whether the message is delivered all the same. */
	isAccepted?: boolean;
}

/** A misbehaviour that is still to come, so many times. */
export interface Planned
	extends Required<Pick<Schedule, 'on' | 'isAccepted'>>,
		Pick<Schedule, 'toId' | 'when'> {
	told: Misbehaviour;
	left: number;
}

/** The misbehaviours that are still to come. */
export class Plan {
	waiting: Planned[] = [];

	add(told: Misbehaviour, { times = 1, on = 'api', toId, ...schedule }: Schedule): void {
		const isAccepted = schedule.isAccepted ?? KINDS[told.kind].isAccepted ?? false;
		const when = schedule.when ?? (toId === undefined ? undefined : (body) => body.toId === toId);
		this.waiting.push({ told, isAccepted, left: times, on, toId, when });
	}

	/** The next misbehaviour for such a call, which is then used up. Some wait until the body is read. */
	take(on: 'api' | 'file', body?: Record<string, unknown>): Planned | undefined {
		const next = this.waiting
			.filter((planned) => planned.on === on)
			.find(({ when }) => !body || (when?.(body) ?? true));
		if (!next) return undefined;
		const needsBody = next.told.kind !== 'dropBeforeReading' || next.when;
		if (needsBody && !body) return undefined;
		next.left--;
		this.waiting = this.waiting.filter(({ left }) => left > 0);
		return next;
	}
}
