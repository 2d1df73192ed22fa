/** Kinds that need no more to be told. */
export const PLAIN_KINDS = [
	'html',
	'empty',
	'invalidJson',
	'noRequestId',
	'hang',
	'dropBeforeReading',
	'dropAfterAccepting',
	'truncate',
	'stall',
] as const;

/** What a call can suffer instead of a proper response. */
export type Misbehaviour =
	| { kind: 'httpError'; status: number; retryAfter?: string; hasEnvelope?: boolean }
	| { kind: 'refuse'; code: number; message: string }
	| { kind: 'redirect'; location: string }
	| { kind: 'delay'; milliseconds: number }
	| { kind: (typeof PLAIN_KINDS)[number] };

/** What each kind does to a call, as the page tells it. */
export const EFFECTS: Record<Misbehaviour['kind'], string> = {
	httpError: 'answered with an HTTP error',
	refuse: 'refused',
	redirect: 'sent elsewhere',
	delay: 'answered late, with nothing done',
	html: 'answered with an HTML page',
	empty: 'answered with an empty body',
	invalidJson: 'answered with broken JSON',
	noRequestId: 'answered without a request_id',
	hang: 'left without a response',
	dropBeforeReading: 'connection dropped before the request was read',
	dropAfterAccepting: 'connection dropped instead of a response',
	truncate: 'connection dropped in the middle of the response',
	stall: 'response stopped halfway',
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

/** These spoil the response, not the work. */
const AFTER_ACCEPTING = ['delay', 'noRequestId', 'dropAfterAccepting', 'truncate', 'stall'];

interface Entry extends Pick<Required<Schedule>, 'on'>, Pick<Schedule, 'when'> {
	planned: Planned;
	left: number;
}

/** The misbehaviours that are still to come. */
export class Plan {
	private readonly entries: Entry[] = [];

	add(misbehaviour: Misbehaviour, { times = 1, on = 'api', ...schedule }: Schedule): void {
		const isAccepted = schedule.isAccepted ?? AFTER_ACCEPTING.includes(misbehaviour.kind);
		this.entries.push({
			planned: { ...misbehaviour, isAccepted },
			left: times,
			on,
			when: schedule.when ?? recipientIs(schedule.toId),
		});
	}

	/** The next misbehaviour for such a call, which is then used up. Some wait until the body is read. */
	take(on: 'api' | 'file', body?: Record<string, unknown>): Planned | undefined {
		const next = this.entries
			.filter((entry) => entry.left > 0 && entry.on === on)
			.find(({ when }) => !body || (when?.(body) ?? true));
		if (!next) return undefined;
		const needsBody = next.planned.kind !== 'dropBeforeReading' || next.when;
		if (needsBody && !body) return undefined;
		next.left--;
		return next.planned;
	}

	clear(): void {
		this.entries.length = 0;
	}
}

function recipientIs(toId?: string): Schedule['when'] {
	return toId === undefined ? undefined : (body) => body.toId === toId;
}
