import type { INodeExecutionData, NodeApiError } from 'n8n-workflow';

import type { Answer, AnswerName, Outcome, Plan, PlannedRun } from './plan';

/** All that is known of a plan that was run. */
export interface Observed {
	plan: Plan;
	seen: Seen[];
	/** One for each run that began. */
	executions: Execution[];
	/** Calls of n8n's memory that failed or took too long, and late writes over another process's. */
	memory: { troubles: number; stalls: number };
	/** What happened, in words. */
	log: string[];
}

/** One request as the service saw it. */
export interface Seen extends Answer {
	item: number;
	/** Its index in the plan. */
	run: number;
	name: AnswerName;
	/** Milliseconds. */
	at: number;
	/** Whether it left after its run was cancelled. */
	isAfterStop: boolean;
}

/** How a run of the plan went; times in milliseconds. */
export interface Execution {
	/** Its index in the plan. */
	run: number;
	planned: PlannedRun;
	/** Index of the first input that it was given, as a Retry begins where n8n saved what it retries. */
	firstInput: number;
	/** n8n's; `crashed` where its process was killed. */
	status: 'running' | 'success' | 'error' | 'canceled' | 'crashed';
	startedAt: number;
	/** None where it did not end. */
	endedAt?: number;
	reports: Report[];
	thrown?: Report;
	cancelledAt?: number;
}

/** What the node said of an input. */
export interface Report {
	/** Its index. */
	input: number;
	/** `skipped`: sent before under its key. `garbled`: neither a result nor an error of the node's kind. */
	outcome: Outcome | 'skipped' | 'garbled';
	/** The beginning of its json, or of an error's words. */
	text: string;
}

const LONGEST_TEXT = 300;
/** The words of an error that nobody foresaw. */
const SLIP = /Something unexpected|is not a function|Cannot read|Maximum call stack|URI malformed/;

/** Reads what the node put out, as those do who use it. @param first index of its first input */
export function reportsOf(items: INodeExecutionData[], first: number): Report[] {
	return items.map((item) => {
		const { pairedItem } = item;
		const isOne = typeof pairedItem === 'object' && 'item' in pairedItem;
		const input = isOne ? first + pairedItem.item : NaN;
		const text = JSON.stringify(item.json).slice(0, LONGEST_TEXT);
		return { input, outcome: SLIP.test(text) ? 'garbled' : outcomeOf(item), text };
	});
}

function outcomeOf({ json, error }: INodeExecutionData): Report['outcome'] {
	const failure = json.error as { outcome?: Outcome } | undefined;
	if (typeof failure?.outcome === 'string') {
		return Object.keys(json).length === 1 ? failure.outcome : 'garbled';
	}
	if (error || failure !== undefined) return 'garbled';
	return json.skipped === true ? 'skipped' : 'sent';
}

/** Errors about n8n's memory carry no outcome: these words mean `unknown`. */
const IN_DOUBT = /may or may not have been sent|may have recorded it/;

/** Reads what the node threw. @param first index of its first input */
export function thrownBy(error: unknown, first: number): Report {
	const { name, message, description, context, errorResponse } = error as NodeApiError;
	const text = `${message} ${description}`;
	const { itemIndex: input = NaN } = (context ?? {}) as { itemIndex?: number };
	const inWords = IN_DOUBT.test(text) ? 'unknown' : 'notSent';
	const outcome = (errorResponse?.outcome ?? inWords) as Outcome;
	const isOurs = /^Node(Api|Operation)Error$/.test(name) && !isNaN(input) && !SLIP.test(text);
	return { input: first + input, outcome: isOurs ? outcome : 'garbled', text };
}
