import type { Step } from './service/step';

/** What runs a plan: n8n's engine over real connections, or several processes in virtual time. */
export type EngineName = 'real' | 'simulated';

/** How the Base URL leads to the stand-in, or does not. */
export type Line =
	| 'http'
	| 'https'
	/** Nobody listens there. */
	| 'dead'
	/** https:// to a port that speaks plain HTTP. */
	| 'plainPort'
	/** The connection is closed as soon as it is there. */
	| 'closes'
	| 'closesTls';

export interface PlannedItem {
	/** By this the service knows the item again, in whatever request. */
	marker: string;
	toId: string;
	/** What happens to its requests, one after the other; the last step goes on. */
	script: Step[];
	/** Of a download. */
	content?: Buffer;
	/** Whether runs leave it out that are dry by the item. */
	isDry?: boolean;
}

/** Options of the node. */
export interface Options {
	maxConcurrency: number;
	maxTries: number;
	requestInterval: number;
	resendUnknown: boolean;
	timeout: number;
	sendOnceKey?: string;
	dryRun?: true | typeof DRY_BY_ITEM;
}

export const DRY_BY_ITEM = '={{ $json.isDry }}';

/** One execution of the workflow, or a Retry of one. */
export interface PlannedRun {
	/** Of the node, with the options in them. */
	parameters: Record<string, unknown>;
	options: Options;
	onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
	/** Index of the run that is retried, if that failed; none for a new execution. */
	retryOf?: number | undefined;
	/** Where an edit of the workflow made other messages of the same items, another number. */
	edition: number;
	/** Whether all is well: the service does everything that it is asked to. In a simulation, comes last. */
	isCalm: boolean;
	/** It is cancelled when its service saw so many requests, so many milliseconds later. */
	cancel?: { requests: number; delay: number } | undefined;
	/** Where several run at once: milliseconds, and the number of a process. */
	at: number;
	process: number;
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

/** What only the simulated engine can do to the node. */
export interface Trouble {
	processes: number;
	/** Whether the first execution fails before it reaches the node. */
	failsBefore: boolean;
	kills: Moment[];
	pauses: Array<Moment & { lasts: number }>;
	memory: PlannedMemory;
	/** Most milliseconds that a request takes. */
	latency: number;
}

/** All that happens, but for what the node makes of it. */
export interface Plan {
	number: number;
	kind: 'send' | 'tool' | 'download';
	items: PlannedItem[];
	/** Which of `items` each input item is: some stand there more than once. */
	inputs: number[];
	retryOnFail: boolean;
	/** Of Retry On Fail. */
	maxNodeTries: number;
	/** Where the items themselves have them. */
	fieldsInItems?: Record<string, string | number>;
	/** Whether a field may be missing now and then, in an item that was complete before. */
	mayComeOutEmpty: boolean;
	runs: PlannedRun[];
	/** Only the real engine has others than `http`. */
	line: Line;
	trouble?: Trouble;
}

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
export function messageOf(plan: Plan, item: number, run: number): string {
	const { options, edition } = plan.runs[run] ?? {};
	const { toId } = plan.items[item] ?? {};
	return options?.sendOnceKey
		? `${toId} by ${options.sendOnceKey}`
		: `item ${item} of run ${chainOf(plan.runs, run)[0]}, edition ${edition}`;
}
