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
	/** Runs of the node in an execution, as in a loop: each gets the next part of the inputs. */
	rounds: number;
	/** Whether n8n saves an execution between its rounds. */
	savesProgress: boolean;
	/** Whether new executions are of a sub-workflow: n8n's first record of one knows no beginning. */
	areOfSubWorkflow: boolean;
	kills: Moment[];
	pauses: Array<Moment & { lasts: number }>;
	memory: PlannedMemory;
	/** Most milliseconds that a request takes. */
	latency: number;
}

/** A message, and what the service does with it. */
export interface PlannedItem {
	toId: string;
	/** The answers to its first requests, in order; all later ones get `done`. */
	troubles: AnswerName[];
}

/** One execution of the workflow, or a Retry of one. */
export interface PlannedRun extends Moment {
	options: Options;
	onError: 'stopWorkflow' | 'continueRegularOutput';
	/** Index of the run that is retried, if that failed, so long after its end; none for a new execution. */
	retryOf?: number;
	/** Milliseconds after its beginning when it is cancelled, if it still runs. */
	cancelAfter?: number;
	/** Comes after all others, in a process of its own, when all is well again. */
	isCalm?: true;
	/** n8n saves nothing of it, as behind an MCP Server Trigger (n8n 2.41). */
	hasNoId?: true;
	/** A Retry whose message is written in other words, and comes out the same. */
	isRewritten?: true;
	/** A Retry in which every second item fails as it is read, such as an ID by an expression. */
	isUnreadable?: true;
}

/** Options of the node. */
export interface Options {
	maxConcurrency: number;
	maxTries: number;
	requestInterval: number;
	resendUnknown: boolean;
	/** Empty where there is none; as an expression, it comes out differently in every run. */
	sendOnceKey: string;
}

/** A moment of one process. */
export interface Moment {
	at: number;
	process: number;
}

/** How n8n's memory behaves. */
export interface PlannedMemory {
	/** Whether the node has a row from before: of two first writes at once, one fails. */
	hasRow: boolean;
	/** Milliseconds that a read and a write take: most, for most calls. */
	latency: number;
	/** Milliseconds more between reading and writing, as n8n works through a long row. */
	work: number;
	/** How often a call takes a hundred times that. */
	slow: number;
	/** How often a call fails before it wrote, and after. */
	failsBefore: number;
	failsAfter: number;
	/** How often a write lands 11 seconds later. */
	late: number;
	outage?: { at: number; lasts: number } | undefined;
}

export type Outcome = 'sent' | 'rejected' | 'notSent' | 'unknown';

/** What the service does with one request. Why it does so is known here alone. */
export interface Answer {
	/** Whether the message is delivered. */
	accepted: boolean;
	/** What can truly be said after this request. */
	outcome: Outcome;
	/** What comes back, if anything ever does. */
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

/** Indexes of the run and of those that it is a Retry of, in their order. */
export function chainOf(runs: PlannedRun[], run: number): number[] {
	const { retryOf } = runs[run] ?? {};
	return retryOf === undefined ? [run] : [...chainOf(runs, retryOf), run];
}

/** What comes out as the key of a run. */
export function keyOf(runs: PlannedRun[], run: number): string {
	const { sendOnceKey = '' } = runs[run]?.options ?? {};
	return sendOnceKey.startsWith('=') ? `key of run ${run}` : sendOnceKey;
}

/** Messages are the same if this is equal: with a key, whatever execution sends them. */
export function messageOf(plan: Plan, item: number, run: number): string {
	const key = keyOf(plan.runs, run);
	return key ? `${plan.items[item]?.toId} by ${key}` : messageOfChain(plan, item, run);
}

/** What a message is called within an execution and all its Retries, with a key or without. */
export function messageOfChain({ runs }: Plan, item: number, run: number): string {
	return `item ${item} of run ${chainOf(runs, run)[0]}`;
}
