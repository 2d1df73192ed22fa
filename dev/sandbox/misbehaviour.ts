/** What a call can suffer instead of a proper response. */
export type Misbehaviour =
	| { kind: 'httpError'; status: number; retryAfter?: string; hasEnvelope?: boolean }
	| { kind: 'refuse'; code: number; message: string }
	| { kind: 'redirect'; location: string }
	| { kind: 'delay'; milliseconds: number }
	| { kind: 'html' | 'empty' | 'invalidJson' | 'noRequestId' | 'hang' | 'truncate' | 'stall' }
	| { kind: 'dropBeforeReading' | 'dropAfterAccepting' };

interface Kind {
	/** What it does to a call, as the page tells it. */
	effect: string;
	/** What has to be told with it. */
	needs?: string[];
	/** It spoils the response, not the work. */
	isAccepted?: true;
	/** The caller gets no whole response, so it knows nothing of what stood there. */
	isUnheard?: true;
}

export const KINDS: Record<Misbehaviour['kind'], Kind> = {
	httpError: { effect: 'answered with an HTTP error', needs: ['status'] },
	refuse: { effect: 'refused', needs: ['code', 'message'] },
	redirect: { effect: 'sent elsewhere', needs: ['location'] },
	delay: { effect: 'answered late', needs: ['milliseconds'], isAccepted: true },
	html: { effect: 'answered with an HTML page' },
	empty: { effect: 'answered with an empty body' },
	invalidJson: { effect: 'answered with broken JSON' },
	noRequestId: { effect: 'answered without a request_id', isAccepted: true },
	hang: { effect: 'left without a response', isUnheard: true },
	dropBeforeReading: {
		effect: 'connection dropped before the request was read',
		isUnheard: true,
	},
	dropAfterAccepting: {
		effect: 'connection dropped instead of a response',
		isAccepted: true,
		isUnheard: true,
	},
	truncate: {
		effect: 'connection dropped in the middle of the response',
		isAccepted: true,
		isUnheard: true,
	},
	stall: { effect: 'response stopped halfway', isAccepted: true, isUnheard: true },
};

export interface Schedule {
	/** How many calls; 1 unless told. */
	times?: number;
	/** `api` (unless told): the two endpoints; `file`: the links to files. */
	on?: 'api' | 'file';
	/** Only calls for this recipient. */
	toId?: string;
	/** Only calls with such a body. */
	when?: (body: Record<string, unknown>) => boolean;
	/** Whether the message is delivered all the same. */
	isAccepted?: boolean;
}

export type Planned = Misbehaviour & { isAccepted: boolean };

/** A misbehaviour that is still to come, so many times. */
export interface Waiting extends Pick<Required<Schedule>, 'on'>, Pick<Schedule, 'toId'> {
	told: Misbehaviour;
	left: number;
}

interface Entry extends Waiting, Pick<Schedule, 'when'> {
	planned: Planned;
}

/** The misbehaviours that are still to come. */
export class Plan {
	private entries: Entry[] = [];

	/** @param onChange is called when one is added or used up */
	constructor(private readonly onChange: () => void) {}

	get waiting(): Waiting[] {
		return this.entries.map(({ told, left, on, toId }) => ({ told, left, on, toId }));
	}

	add(told: Misbehaviour, { times = 1, on = 'api', toId, ...schedule }: Schedule): void {
		const isAccepted = schedule.isAccepted ?? KINDS[told.kind].isAccepted ?? false;
		const when = schedule.when ?? recipientIs(toId);
		this.entries.push({ told, planned: { ...told, isAccepted }, left: times, on, toId, when });
		this.onChange();
	}

	/** The next misbehaviour for such a call, which is then used up. Some wait until the body is read. */
	take(on: 'api' | 'file', body?: Record<string, unknown>): Planned | undefined {
		const next = this.entries
			.filter((entry) => entry.on === on)
			.find(({ when }) => !body || (when?.(body) ?? true));
		if (!next) return undefined;
		const needsBody = next.planned.kind !== 'dropBeforeReading' || next.when;
		if (needsBody && !body) return undefined;
		next.left--;
		this.entries = this.entries.filter(({ left }) => left > 0);
		this.onChange();
		return next.planned;
	}

	clear(): void {
		this.entries = [];
	}
}

function recipientIs(toId?: string): Schedule['when'] {
	return toId === undefined ? undefined : (body) => body.toId === toId;
}
