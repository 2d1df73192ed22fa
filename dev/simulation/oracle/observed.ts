import type { Answer, AnswerName, Outcome } from '../answers';
import { chainOf, messageOf, TIMEOUT, type Plan } from '../plan';

/** One request as the service saw it; times in milliseconds. */
export interface Seen extends Answer {
	item: number;
	/** Of the plan. */
	run: number;
	name: AnswerName;
	startedAt: number;
	endedAt?: number;
	endedBy?: 'service' | 'client';
}

/** What the node said of an input. */
export interface Report {
	/** Of the input, in their order. */
	input: number;
	/**
	 * `skipped`: sent before under its key. `dry`: shown instead of sent. `garbled`: neither a result nor
	 * an error of the node's kind.
	 */
	outcome: Outcome | 'skipped' | 'dry' | 'garbled';
	/** The beginning of its json. */
	text: string;
	/** Characters of its json. */
	length: number;
}

export interface Thrown {
	name: string;
	message: string;
	description?: string | undefined;
	input?: number | undefined;
	outcome?: Outcome | undefined;
}

/** How a run of the plan went; times in milliseconds. */
export interface Execution {
	/** Of the plan. */
	run: number;
	/** n8n's; `crashed` where its process was killed. */
	status: 'running' | 'success' | 'error' | 'canceled' | 'crashed';
	startedAt: number;
	/** None where it did not end. */
	endedAt?: number;
	reports: Report[];
	thrown?: Thrown;
	cancelledAt?: number;
	/** The longest standstill of its process, and all of them together. */
	standstill: number;
	standstills: number;
}

/** All that is known of a plan that was run. */
export interface Observed {
	plan: Plan;
	seen: Seen[];
	/** Of runs that began. */
	executions: Execution[];
	/** Calls of n8n's memory that failed or took too long, and late writes over another process's. */
	memory: { troubles: number; stalls: number };
	/** What happened, in words. */
	log: string[];
}

/** Something that must be true of every plan. Gives a sentence for each breach. */
export type Invariant = (observed: Observed) => string[];

/** Where the process itself was held up, a Timeout may have gone off for no other reason. */
export function isDisturbed({ executions }: Observed, run: number): boolean {
	const { standstill = 0 } = executions.find((execution) => execution.run === run) ?? {};
	return standstill > TIMEOUT / 4;
}

/** Milliseconds that a run may still note something after its end. */
const NOTING = 2000;

/** Whether a run ended without having heard all that the service said, or noted all of it. */
export function wasCutOff(observed: Observed, run: number): boolean {
	const { plan, executions } = observed;
	const { status, cancelledAt, endedAt = Infinity } = executions.find((one) => one.run === run)!;
	const isKilled = plan.kills.some(
		({ at, process }) =>
			process === plan.runs[run]?.process && endedAt <= at && at < endedAt + NOTING,
	);
	const isCut = status === 'crashed' || cancelledAt !== undefined || isKilled;
	return isCut || isDisturbed(observed, run);
}

/** Whether one of two runs began before the other had ended, and had noted how. */
export function isSideBySide({ executions }: Observed, one: number, other: number): boolean {
	if (one === other) return false;
	const [first, second] = executions
		.filter(({ run }) => run === one || run === other)
		.sort((a, b) => a.startedAt - b.startedAt);
	return (second?.startedAt ?? Infinity) < (first?.endedAt ?? Infinity) + NOTING;
}

/** Whether n8n's memory may have lost or kept back something. */
export function hasLapses({ plan, memory }: Observed): boolean {
	return memory.troubles + plan.kills.length + plan.pauses.length > 0;
}

/** How many of the inputs are the message of an item. */
export function rowsOf(plan: Plan, item: number, run: number): number {
	const message = messageOf(plan, item, run);
	return plan.inputs.filter((input) => messageOf(plan, input, run) === message).length;
}

export function groupsOf<T>(values: T[], keyOf: (value: T) => string): T[][] {
	const groups = new Map<string, T[]>();
	for (const value of values) {
		const key = keyOf(value);
		const group = groups.get(key);
		if (group) group.push(value);
		else groups.set(key, [value]);
	}
	return [...groups.values()];
}

/**
 * The requests that were made for an item's message until the end of a run: by whatever run, and by
 * that one and those that it is a Retry of.
 */
export function requestsFor({ plan, seen, executions }: Observed, item: number, run: number) {
	const { endedAt = Infinity } = executions.find((one) => one.run === run) ?? {};
	const message = messageOf(plan, item, run);
	const requests = seen.filter(
		(request) =>
			(request.run === run || request.startedAt <= endedAt) &&
			messageOf(plan, request.item, request.run) === message,
	);
	const chain = chainOf(plan.runs, run);
	return { requests, own: requests.filter((request) => chain.includes(request.run)) };
}

export function told(item: number, requests: Seen[]): string {
	const words = requests.map(({ run, name }) => `${name}${run > 0 ? ` in run ${run}` : ''}`);
	return `item ${item} (${words.join('; ')})`;
}
