import type { INodeExecutionData, NodeApiError } from 'n8n-workflow';

import type { Answer, AnswerName, Outcome, Plan, PlannedRun } from './plan';

/** What happened in the run of a plan. */
export interface Observed {
	plan: Plan;
	seen: Seen[];
	/** One for each run that started. */
	executions: Execution[];
	/** Numbers of calls that failed or took too long, and of late writes over another process's. */
	store: { failures: number; staleWrites: number };
	/** Lines for a reader. */
	log: string[];
}

/** A request that the service received. */
export interface Seen extends Answer {
	item: number;
	/** Index in the plan. */
	run: number;
	name: AnswerName;
	/** Milliseconds. */
	at: number;
	/** Whether it was sent after its run was cancelled. */
	isAfterStop: boolean;
}

/** The execution of a planned run. Times are in milliseconds. */
export interface Execution {
	/** Index in the plan. */
	run: number;
	planned: PlannedRun;
	/** Index of its first input: a Retry starts where n8n last saved the execution. */
	firstInput: number;
	/** As in n8n; `crashed` if its process was killed. */
	status: 'running' | 'success' | 'error' | 'canceled' | 'crashed';
	startedAt: number;
	/** Missing if it did not end. */
	endedAt?: number;
	reports: Report[];
	thrown?: Report;
	cancelledAt?: number;
}

/** What the node reported for an input. */
export interface Report {
	/** Its index. */
	input: number;
	/** `skipped`: sent before with its key. `garbled`: neither a result nor an error of the node. */
	outcome: Outcome | 'skipped' | 'garbled';
	/** The start of its JSON, or of the error's text. */
	text: string;
}

const MAX_TEXT = 300;
/** Texts of errors that are bugs. */
const CRASH_WORDS =
	/Something unexpected|is not a function|Cannot read|Maximum call stack|URI malformed/;

/** Reads the output of the node, as its users do. @param first index of its first input */
export function reportsOf(items: INodeExecutionData[], first: number): Report[] {
	return items.map((item) => {
		const { pairedItem } = item;
		const isOne = typeof pairedItem === 'object' && 'item' in pairedItem;
		const input = isOne ? first + pairedItem.item : NaN;
		const text = JSON.stringify(item.json).slice(0, MAX_TEXT);
		return { input, outcome: CRASH_WORDS.test(text) ? 'garbled' : outcomeOf(item), text };
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

/** Errors about n8n's store have no outcome in them: these words mean `unknown`. */
const UNKNOWN_WORDS = /may or may not have been sent/;

/** Reads an error that the node threw. @param first index of its first input */
export function thrownBy(error: unknown, first: number): Report {
	const { name, message, description, context, errorResponse } = error as NodeApiError;
	const text = `${message} ${description}`;
	const { itemIndex: input = NaN } = (context ?? {}) as { itemIndex?: number };
	const byText = UNKNOWN_WORDS.test(text) ? 'unknown' : 'notSent';
	const outcome = (errorResponse?.outcome ?? byText) as Outcome;
	const isOurs =
		/^Node(Api|Operation)Error$/.test(name) && !isNaN(input) && !CRASH_WORDS.test(text);
	return { input: first + input, outcome: isOurs ? outcome : 'garbled', text };
}
