/** All that happens, except for what the node does. Times are in milliseconds. */
export interface Plan {
	/** Of the random numbers during the run. */
	seed: number;
	items: PlannedItem[];
	/** The index in `items` of each input item. An item may be there more than once. */
	inputs: number[];
	retryOnFail: boolean;
	runs: PlannedRun[];
	processes: number;
	/** Whether the first execution fails before it reaches the node. */
	failsBefore: boolean;
	/** Runs of the node in an execution, as in a loop. Each gets the next part of the inputs. */
	rounds: number;
	/** Whether n8n saves an execution between its rounds. */
	savesProgress: boolean;
	/** Whether new executions are of a sub-workflow: n8n does not save their start at first. */
	areOfSubWorkflow: boolean;
	kills: Moment[];
	pauses: Array<Moment & { lasts: number }>;
	store: PlannedStore;
	/** Maximum duration of a request. */
	latency: number;
}

/** A message, and how the service answers it. */
export interface PlannedItem {
	toId: string;
	/** The answers to its first requests, in order. All later requests get `done`. */
	answers: AnswerName[];
}

/** One execution of the workflow, or a Retry. */
export interface PlannedRun extends Moment {
	options: Options;
	onError: 'stopWorkflow' | 'continueRegularOutput';
	/** Index of the run that is retried if it failed, `at` milliseconds after its end. Missing for a new execution. */
	retryOf?: number;
	/** Milliseconds from its start until it is cancelled, if it still runs. */
	cancelAfter?: number;
	/** Starts after all others, in a process of its own, when no faults are left. */
	isCalm?: true;
	/** It has no ID, and n8n saves nothing of it, as behind an MCP Server Trigger (n8n 2.41). */
	hasNoId?: true;
	/** A Retry whose message is written differently, with the same value. */
	isRewritten?: true;
	/** A Retry that cannot read every second item, for example as an expression fails. */
	isUnreadable?: true;
}

/** Options of the node. */
export interface Options {
	maxConcurrency: number;
	maxTries: number;
	requestInterval: number;
	resendUnknown: boolean;
	/** Empty for none. An expression has another value in every run. */
	sendOnceKey: string;
}

/** A time in a process. */
export interface Moment {
	at: number;
	process: number;
}

/** How n8n's deduplication store behaves. */
export interface PlannedStore {
	/** Whether the node already has a row. Of two concurrent first writes, one fails. */
	hasRow: boolean;
	/** Maximum duration of a read or a write, for most calls. */
	latency: number;
	/** Additional milliseconds between a read and its write, as with a long row. */
	work: number;
	/** Probability that a call takes a hundred times as long. */
	slow: number;
	/** Probabilities that a call fails before and after its write. */
	failsBefore: number;
	failsAfter: number;
	/** Probability that a write is 11 seconds late. */
	late: number;
	outage?: { at: number; lasts: number } | undefined;
}

export type Outcome = 'sent' | 'rejected' | 'notSent' | 'unknown';

/** What the service does with one request. */
export interface Answer {
	/** Whether the message is delivered. */
	accepted: boolean;
	/** What is certain after this request. */
	outcome: Outcome;
	/** The response, if there is one. */
	reply?: { status: number; code: number } | 'connection lost';
}

export const ANSWERS = {
	done: { accepted: true, outcome: 'sent', reply: { status: 200, code: 0 } },
	refused: { accepted: false, outcome: 'rejected', reply: { status: 200, code: 7 } },
	busy: { accepted: false, outcome: 'rejected', reply: { status: 429, code: 7 } },
	lost: { accepted: false, outcome: 'unknown', reply: 'connection lost' },
	'done, lost': { accepted: true, outcome: 'unknown', reply: 'connection lost' },
	silent: { accepted: false, outcome: 'unknown' },
	'done, silent': { accepted: true, outcome: 'unknown' },
} satisfies Record<string, Answer>;

export type AnswerName = keyof typeof ANSWERS;

/** Indexes of the executions that a run is a Retry of, in their order, and of the run itself. */
export function chainOf(runs: PlannedRun[], run: number): number[] {
	const { retryOf } = runs[run] ?? {};
	return retryOf === undefined ? [run] : [...chainOf(runs, retryOf), run];
}

/** The value of the Send Once Key in a run. */
export function keyOf(runs: PlannedRun[], run: number): string {
	const { sendOnceKey = '' } = runs[run]?.options ?? {};
	return sendOnceKey.startsWith('=') ? `key of run ${run}` : sendOnceKey;
}

/** Identifies a message; with a key, in all executions. */
export function messageOf(plan: Plan, item: number, run: number): string {
	const key = keyOf(plan.runs, run);
	return key ? `${plan.items[item]?.toId} by ${key}` : messageInChain(plan, item, run);
}

/** Identifies a message within an execution and all its Retries, with a key or without. */
export function messageInChain({ runs }: Plan, item: number, run: number): string {
	return `item ${item} of run ${chainOf(runs, run)[0]}`;
}
