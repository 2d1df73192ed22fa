import { chainOf, messageOf, type Plan } from '../plan';
import type { Seen } from '../service/script';
import type { Outcome } from '../service/step';

/** What the node said of an input. */
export interface Report {
	/** Of the input, in their order. */
	input: number;
	/**
	 * `skipped`: sent before under its key. `dry`: shown instead of sent. `garbled`: neither a result nor
	 * an error of the node's kind.
	 */
	outcome: Outcome | 'skipped' | 'dry' | 'garbled';
	output: number;
	/** Of a download: whether it is the file, byte by byte. */
	isFile?: boolean;
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
	status: string;
	startedAt: number;
	/** None where it did not end. */
	endedAt?: number;
	reports: Report[];
	thrown?: Thrown;
	/** Words of secrets in what n8n saves, beside what the user put in. */
	told: string[];
	cancelledAt?: number;
	/** The longest standstill of its process meanwhile, and all of them together. */
	standstill: number;
	standstills: number;
	/** Whether it said that n8n did not answer, and that it went on all the same. */
	isUnguarded?: boolean;
}

/** All that is known of a plan that was run. */
export interface Observed {
	plan: Plan;
	seen: Seen[];
	/** Of runs that began. */
	executions: Execution[];
	/** Calls of n8n's memory that failed or took too long, and late writes over another process's. */
	memory?: { troubles: number; stalls: number };
}

/** Something that must be true of every plan. Gives a sentence for each breach. */
export type Invariant = (observed: Observed) => string[];

export const isOnly = (seen: Seen, outcome: Outcome) =>
	seen.step.outcomes.length === 1 && seen.step.outcomes[0] === outcome;
export const maybe =
	(outcome: Outcome) =>
	({ step }: Seen) =>
		step.outcomes.includes(outcome);

/** Where the process itself was held up, a short Timeout may have gone off for no other reason. */
export function isDisturbed({ plan, executions }: Observed, run: number): boolean {
	const { standstill = 0 } = executions.find((execution) => execution.run === run) ?? {};
	return standstill > (plan.runs[run]?.options.timeout ?? Infinity) / 4;
}

/** Whether a run ended without having heard all that the service said, or n8n's memory. */
export function wasCutOff(observed: Observed, run: number): boolean {
	const execution = observed.executions.find((one) => one.run === run);
	const isCut = execution?.status === 'crashed' || execution?.cancelledAt !== undefined;
	return isCut || isDisturbed(observed, run);
}

/** Milliseconds that a run may still note something after its end. */
const NOTING = 2000;

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
	const { kills = [], pauses = [] } = plan.trouble ?? {};
	return (memory?.troubles ?? 0) + kills.length + pauses.length > 0;
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
		groups.set(key, [...(groups.get(key) ?? []), value]);
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
	const steps = requests.map(({ run, step }) => `${step.label}${run > 0 ? ` in run ${run}` : ''}`);
	return `item ${item} (${steps.join('; ')})`;
}
