import { editionIn, settingsIn, type Case } from './case';
import type { Seen } from './standIn';
import type { Outcome } from './step';

/** What the node said of an input. */
export interface Report {
	/** Of the input, in their order. */
	input: number;
	/** `garbled`: neither a result nor an error of the node's kind. */
	outcome: Outcome | 'garbled';
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
	description?: string;
	input?: number;
	outcome?: Outcome;
}

/** One execution of a case's workflow. */
export interface Execution {
	status: string;
	reports: Report[];
	thrown?: Thrown;
	/** Words of secrets in what n8n saves, beside what the user put in. */
	told: string[];
	/** Whether it had to be cancelled because it did not end. */
	isHung: boolean;
	cancelledAt?: number;
	/** Milliseconds from being cancelled to its end. */
	tookToCancel?: number;
	/** The longest standstill of this process meanwhile. */
	standstill: number;
	/** All of them together. */
	standstills: number;
}

/** All that is known of a case that was run. */
export interface Observed {
	given: Case;
	seen: Seen[];
	executions: Execution[];
}

/** Something that must be true of every case. Gives a sentence for each breach. */
export type Invariant = (observed: Observed) => string[];

export const isOnly = (seen: Seen, outcome: Outcome) =>
	seen.step.outcomes.length === 1 && seen.step.outcomes[0] === outcome;

/** Where the process itself was held up, a short Timeout may have gone off for no other reason. */
export function isDisturbed({ given, executions }: Observed, run: number): boolean {
	return (executions[run]?.standstill ?? 0) > settingsIn(given, run).timeout / 4;
}

/** The requests for one and the same message: of an item, and until an edit makes it another. */
export function messagesOf({ given, seen }: Observed): Message[] {
	const messages = groupsOf(seen, ({ item, run }) => `${item}/${editionIn(given, run)}`);
	return messages.map((requests) => ({ item: requests[0]?.item ?? NaN, requests }));
}

export interface Message {
	item: number;
	requests: Seen[];
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

/** The requests that the outcome of an item at the end of a run rests on. */
export function requestsFor({ given, seen }: Observed, item: number, run: number): Seen[] {
	const edition = editionIn(given, run);
	return seen.filter(
		(request) =>
			request.item === item && request.run <= run && editionIn(given, request.run) === edition,
	);
}

export function told({ item, requests }: Message): string {
	const steps = requests.map(
		({ run, step }) => `${step.label}${run > 0 ? ` in retry ${run}` : ''}`,
	);
	return `item ${item} (${steps.join('; ')})`;
}
