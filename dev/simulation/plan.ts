import type { AnswerName } from './answers';

/** A message, and what the service does with it. */
export interface PlannedItem {
	toId: string;
	/** To its first requests, one after the other; all later ones are done. */
	troubles: AnswerName[];
	/** Whether runs leave it out that are dry by the item. */
	isDry: boolean;
}

/** Options of the node. */
export interface Options {
	maxConcurrency: number;
	maxTries: number;
	requestInterval: number;
	resendUnknown: boolean;
	sendOnceKey?: string;
	dryRun?: true | typeof DRY_BY_ITEM;
}

export const DRY_BY_ITEM = '={{ $json.isDry }}';

/** One execution of the workflow, or a Retry of one. */
export interface PlannedRun {
	/** When and in which process it begins. */
	at: number;
	process: number;
	options: Options;
	onError: 'stopWorkflow' | 'continueRegularOutput';
	/** Index of the run that is retried, if that failed; none for a new execution. */
	retryOf?: number;
	/** It is cancelled when its service saw so many requests, so many milliseconds later. */
	cancel?: { requests: number; delay: number };
	/** Comes after all others, in a process of its own, when all is well again. */
	isCalm?: true;
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

/** All that happens, but for what the node makes of it. Times in milliseconds. */
export interface Plan {
	/** Decides what chance brings on the way. */
	seed: number;
	items: PlannedItem[];
	/** Which of `items` each input item is: some stand there more than once. */
	inputs: number[];
	retryOnFail: boolean;
	runs: PlannedRun[];
	processes: number;
	/** Whether the first execution fails before it reaches the node. */
	failsBefore: boolean;
	kills: Moment[];
	pauses: Array<Moment & { lasts: number }>;
	memory: PlannedMemory;
	/** Most milliseconds that a request takes. */
	latency: number;
}

/** Milliseconds that the service may take for a request. */
export const TIMEOUT = 10_000;
/** Of Retry On Fail. */
export const MOST_NODE_TRIES = 2;

/** Indexes of the run and of those that it is a Retry of, in their order. */
export function chainOf(runs: PlannedRun[], run: number): number[] {
	const { retryOf } = runs[run] ?? {};
	return retryOf === undefined ? [run] : [...chainOf(runs, retryOf), run];
}

/** Whether a run shows an input instead of sending it: where it shows the first one, it shows all. */
export function isDry({ items, inputs, runs }: Plan, input: number, run: number): boolean {
	const { dryRun } = runs[run]?.options ?? {};
	const isDryItem = (of: number) => items[inputs[of] ?? NaN]?.isDry === true;
	return dryRun === DRY_BY_ITEM ? isDryItem(0) || isDryItem(input) : dryRun === true;
}

/** A message is the same as long as this is: with a key whatever execution sends it. */
export function messageOf({ items, runs }: Plan, item: number, run: number): string {
	const { sendOnceKey } = runs[run]?.options ?? {};
	return sendOnceKey
		? `${items[item]?.toId} by ${sendOnceKey}`
		: `item ${item} of run ${chainOf(runs, run)[0]}`;
}
