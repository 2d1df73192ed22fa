import type { Draw } from '../campaign/draw';

/** What becomes of a request. */
export type Fate = 'accepted' | 'refused' | 'busy' | 'lost' | 'lost, but accepted';

/** One execution of the workflow, or a Retry of one. */
export interface PlannedRun {
	/** Milliseconds. */
	at: number;
	process: number;
	/** Of the run that is retried; none for a new execution. */
	retryOf?: number | undefined;
	/** The Send Once Key, where the plan has keys: what has another is another campaign. */
	key: string;
	stopsOnError: boolean;
	resends: boolean;
	maxConcurrency: number;
	/** Milliseconds after its beginning at which it is cancelled. */
	cancelAfter?: number;
}

/** A moment of one process. */
export interface Moment {
	at: number;
	process: number;
}

/** How n8n's memory behaves. */
export interface PlannedMemory {
	/** Milliseconds that a read and a write take: most, for most calls. */
	latency: number;
	/** How often a call takes a hundred times that. */
	slow: number;
	/** How often a call fails before it wrote, and after. */
	failsBefore: number;
	failsAfter: number;
	/** How often a write lands 11 seconds later. */
	late: number;
	outage?: { from: number; to: number };
}

/** All that happens, but for what the node makes of it. */
export interface Plan {
	processes: number;
	isKeyed: boolean;
	/** Of each row, the number of its recipient. */
	recipients: number[];
	/** Whether the first execution fails before it reaches the node. */
	failsBefore: boolean;
	runs: PlannedRun[];
	kills: Moment[];
	pauses: Array<Moment & { lasts: number }>;
	memory: PlannedMemory;
	service: {
		/** Milliseconds that a request takes: most. */
		latency: number;
		/** How often a request is refused, or lost. */
		refused: number;
		lost: number;
	};
}

export function drawPlan(draw: Draw): Plan {
	const isKeyed = draw.chance(0.5);
	const processes = draw.integer(1, 3);
	const rows = Math.round(300 ** draw.next());
	const span = draw.pick([300, 1500, 6000]);
	const resends = draw.chance(0.25);
	const failsBefore = !isKeyed && draw.chance(0.2);
	const count = draw.integer(1, 4);
	const isRetried = !isKeyed || draw.chance(0.3);
	const keys = isKeyed && draw.chance(0.3) ? ['spring', 'summer'] : ['spring'];
	const runs: PlannedRun[] = [];
	for (let index = 0; index < count; index++) {
		const isFirst = index === 0;
		const retryOf = !isFirst && isRetried ? draw.integer(0, index - 1) : undefined;
		runs.push({
			at: isFirst ? 0 : draw.integer(0, span),
			process: draw.integer(0, processes - 1),
			retryOf,
			key: runs[retryOf ?? NaN]?.key ?? draw.pick(keys),
			stopsOnError: draw.chance(0.5),
			resends: resends && draw.chance(0.5),
			maxConcurrency: Math.round(200 ** draw.next()),
			...(draw.chance(0.15) && { cancelAfter: draw.integer(0, span) }),
		});
	}
	const moment = () => ({ at: draw.integer(0, span), process: draw.integer(0, processes - 1) });
	/** A few long ones, or the many short ones of a busy machine. */
	const pauses = () => {
		const isBusy = draw.chance(0.4);
		const [least, most] = isBusy ? [20, 600] : [200, 8000];
		return Array.from({ length: isBusy ? draw.integer(5, 40) : draw.integer(1, 3) }, () => ({
			...moment(),
			lasts: draw.integer(least, most),
		}));
	};
	const isFaulty = draw.chance(0.5);
	const rarely = (probability: number) =>
		isFaulty && draw.chance(0.4) ? draw.next() * probability : 0;
	const outage = draw.integer(0, span);
	return {
		processes,
		isKeyed,
		recipients: Array.from({ length: rows }, (_, index) =>
			draw.chance(0.1) ? draw.integer(0, rows) : index,
		),
		failsBefore,
		runs,
		kills: draw.chance(0.25) ? [moment()] : [],
		pauses: draw.chance(0.3) ? pauses() : [],
		memory: {
			latency: draw.pick([1, 5, 20]),
			slow: rarely(0.05),
			failsBefore: rarely(0.3),
			failsAfter: rarely(0.3),
			late: rarely(0.02),
			...(isFaulty &&
				draw.chance(0.2) && { outage: { from: outage, to: outage + draw.integer(50, 8000) } }),
		},
		service: {
			latency: draw.pick([5, 50, 400]),
			refused: draw.chance(0.5) ? draw.next() * 0.3 : 0,
			lost: draw.chance(0.4) ? draw.next() * 0.2 : 0,
		},
	};
}
