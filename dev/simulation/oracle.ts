import type { Execution, Observed, Report, Seen } from './observed';
import { chainOf, messageOf, TIMEOUT, type Plan } from './plan';

/** Something that must be true of every plan, whatever the service did. Gives a sentence for each breach. */
type Invariant = (observed: Observed) => string[];

export interface Breach {
	invariant: string;
	text: string;
	/** What makes it one of those that docs/delivery.md tells of, as no node can prevent them. */
	excuse?: string | undefined;
}

/** Every breach of an invariant that a plan shows. */
export function breachesOf(observed: Observed): Breach[] {
	return Object.entries(INVARIANTS).flatMap(([invariant, hold]) => {
		const [excuse] = EXCUSES.find(([, of, isSo]) => of === invariant && isSo(observed)) ?? [];
		return hold(observed).map((text) => ({ invariant, text, excuse }));
	});
}

const resends = ({ runs }: Plan, run: number) => runs[run]?.options.resendUnknown === true;

const deliveredOnce: Invariant = (observed) => {
	const { plan, seen } = observed;
	const isKnown = (earlier: Seen, { run }: Seen) => {
		const { outcome } = earlier;
		const isFinal = outcome === 'sent' || (!resends(plan, run) && outcome === 'unknown');
		// What is being sent elsewhere reads as unknown, too.
		const mayResend = resends(plan, earlier.run) || resends(plan, run);
		const mayNotKnow = wasCutOff(observed, earlier.run) || isSideBySide(observed, earlier.run, run);
		return isFinal && !(mayResend && mayNotKnow);
	};
	const messages = groupsOf(seen, ({ item, run }) => messageOf(plan, item, run));
	return [...messages.values()].flatMap((requests) => {
		const repeat = requests.find((request, index) => {
			const known = requests.slice(0, index).filter((earlier) => isKnown(earlier, request));
			return known.length >= timesWanted(plan, request);
		});
		if (!repeat) return [];
		const accepted = requests.filter((request) => request.accepted).length;
		const what = accepted > 1 ? `delivered ${accepted} times` : 'asked for again';
		return [`${what}: ${told(repeat.item, requests)}`];
	});
};

/** How often a message is to be sent: as often as it stands in the list, with a key once. */
function timesWanted({ inputs, runs }: Plan, { item, run }: Seen): number {
	return runs[run]?.options.sendOnceKey ? 1 : inputs.filter((input) => input === item).length;
}

/** Milliseconds until the service notices that the client closed a connection. */
const NOTICED = 200;

/** Those to one recipient go out in their order, one at a time. */
const inOrder: Invariant = (observed) => {
	const { plan, seen } = observed;
	const { inputs } = plan;
	// What another execution had claimed when its turn came, is sent when n8n runs the node again.
	const mayComeLater = hasLapses(observed) || (plan.retryOnFail && haveOverlap(observed));
	// Several executions know nothing of each other's order.
	const lanes = groupsOf(seen, ({ item, run }) => `${plan.items[item]?.toId} ${run}`);
	return [...lanes.values()].flatMap((requests) => {
		const places = requests.map(({ item }) => inputs.indexOf(item));
		// Of what stands there twice, the first may have been sent before.
		const firsts = places.filter(
			(place, index) => inputs.lastIndexOf(inputs[place]!) === place && isFirst(places, index),
		);
		const isSorted = firsts.every((place, index) => index === 0 || place > firsts[index - 1]!);
		const overlapping = requests.filter(({ startedAt }, index) => {
			const { endedAt = Infinity, endedBy } = requests[index - 1] ?? { endedAt: 0 };
			return endedAt - startedAt > (endedBy === 'client' ? NOTICED : 0);
		});
		return [
			...(isSorted || mayComeLater ? [] : [`one recipient's inputs in this order: ${firsts.join()}`]),
			...overlapping.map(({ item }) => `item ${item} while another of its recipient was under way`),
		];
	});
};

const isFirst = <T>(values: T[], index: number) => values.indexOf(values[index]!) === index;

/** What a run says of an item, and what there is to know of that item at its end. */
interface Case extends Report {
	observed: Observed;
	run: number;
	/** For its message, by whatever run, and of the run's own chain of Retries. */
	requests: Seen[];
	own: Seen[];
	/** Of equal messages, one may have been sent and the other not. */
	isAlone: boolean;
	/** How many items with the same message the run calls sent. */
	calledSent: number;
	/** Whether the node may have missed what the service or n8n's memory said. */
	mayHaveMissed: boolean;
}

function casesOf(observed: Observed, { run, endedAt = Infinity, ...said }: Execution): Case[] {
	const { plan, seen, executions } = observed;
	const reports = said.thrown ? [said.thrown] : said.reports;
	const messages = plan.inputs.map((item) => messageOf(plan, item, run));
	const chain = chainOf(plan.runs, run);
	const until = seen.filter((one) => one.run === run || one.startedAt <= endedAt);
	const known = groupsOf(until, (one) => messageOf(plan, one.item, one.run));
	const wasCancelled = executions.some(({ cancelledAt = Infinity }) => cancelledAt <= endedAt);
	return reports.map((report) => {
		const message = messages[report.input];
		const requests = known.get(message ?? '') ?? [];
		const isSame = (input: number) => messages[input] === message;
		return {
			...report,
			observed,
			run,
			requests,
			own: requests.filter((request) => chain.includes(request.run)),
			isAlone: messages.filter((one) => one === message).length === 1,
			calledSent: reports.filter(({ input, outcome }) => outcome === 'sent' && isSame(input)).length,
			mayHaveMissed: wasCancelled || hasLapses(observed),
		};
	});
}

const judging =
	(judge: (one: Case) => string | undefined): Invariant =>
	(observed) =>
		observed.executions
			.flatMap((execution) => casesOf(observed, execution))
			.flatMap((one) => {
				const { run, input, outcome, requests, text } = one;
				const falsehood = judge(one);
				const words = `${told(observed.plan.inputs[input], requests)}, ${text}`;
				return falsehood ? [`run ${run}: "${outcome}", but ${falsehood}: ${words}`] : [];
			});

const has = (requests: Seen[], outcome: Seen['outcome']) =>
	requests.some((request) => request.outcome === outcome);

const trueOutcomes = judging((one) => {
	const { observed, run, requests, own, isAlone, calledSent, mayHaveMissed } = one;
	const sent = requests.filter(({ outcome }) => outcome === 'sent').length;
	const isOpen = has(own, 'unknown');
	switch (one.outcome) {
		case 'garbled':
			return 'the item is neither a result nor an error';
		case 'sent':
			if (sent === 0) return 'the service never said so';
			return calledSent > sent ? 'fewer were sent' : undefined;
		case 'skipped':
			return sent === 0 ? 'it was never sent' : undefined;
		case 'notSent':
			if (isAlone && (isOpen || has(own, 'sent'))) return 'it may have been sent before';
			if (observed.plan.runs[run]?.isCalm) return 'all was well';
			return mayHaveMissed ? undefined : 'nothing stood in the way';
		case 'rejected':
			if (!has(own, 'rejected')) return 'the service never said so';
			if (!isAlone) return undefined;
			if (own.some(({ accepted }) => accepted)) return 'it was delivered';
			return isOpen ? 'it may have been sent before' : undefined;
		default:
			return undefined;
	}
});

/** Nobody has to look after a message of which it is known what became of it. */
const noNeedlessDoubt = judging((one) => {
	const { outcome, observed, run, requests, isAlone, mayHaveMissed } = one;
	if (outcome !== 'unknown' || mayHaveMissed || hasRivals(observed, run)) return undefined;
	if (isTakenByAnother(observed, run)) return undefined;
	if (isAlone && has(requests, 'sent')) return 'it was sent';
	return has(requests, 'unknown') ? undefined : 'nothing was left open';
});

/** Of two executions that claim a message at the same moment, both may give way. */
function hasRivals(observed: Observed, run: number): boolean {
	const { runs } = observed.plan;
	const groupOf = (one: number) => runs[one]?.options.sendOnceKey ?? chainOf(runs, one)[0];
	const isOurs = (other: number) => groupOf(other) === groupOf(run);
	return haveOverlap(observed, (one, other) => isOurs(one) && isOurs(other));
}

/** Without a key, one Retry of an execution sends what is left of its messages: the others leave them all. */
function isTakenByAnother({ plan: { runs }, seen }: Observed, run: number): boolean {
	const chain = chainOf(runs, run);
	const isOther = (other: number) => chainOf(runs, other)[0] === chain[0] && !chain.includes(other);
	return !runs[run]?.options.sendOnceKey && seen.some((request) => isOther(request.run));
}

const isFailed = ({ outcome }: Report) => !['sent', 'skipped', 'dry'].includes(outcome);

/** All items come out, in their order, but for an error that is to stop the workflow. */
const completeOutput: Invariant = ({ plan, executions }) =>
	executions.flatMap(({ run, status, reports, thrown, cancelledAt, endedAt }) => {
		if (endedAt === undefined || status === 'crashed' || cancelledAt !== undefined) return [];
		const isStopped = plan.runs[run]?.onError === 'stopWorkflow';
		if (thrown) return isStopped ? [] : [`thrown: ${thrown.text}`];
		if (isStopped && reports.some(isFailed)) return ['items failed, but the run went on'];
		const due = [...plan.inputs.keys()].join();
		const came = reports.map(({ input }) => input).join();
		return came === due ? [] : [`the output has the inputs ${came}, not ${due}`];
	});

/** Milliseconds, with what n8n's memory does not answer at the end of a run: by then the stop is not heard. */
const PROMPTLY = 4500;

/** Every run ends; one that is cancelled soon, and with no more requests than were on their way. */
const endsInTime: Invariant = ({ plan, seen, executions }) =>
	executions.flatMap(({ run, endedAt, cancelledAt = Infinity }) => {
		if (endedAt === undefined) return [`run ${run} did not end`];
		const late = seen.filter((one) => one.run === run && one.startedAt > cancelledAt).length;
		const most = plan.runs[run]?.options.maxConcurrency ?? 1;
		const longest = pausesOf(plan, run).reduce((sum, lasts) => sum + lasts, PROMPTLY);
		const took = endedAt - cancelledAt;
		return [
			...(late > most ? [`${late} requests came after run ${run} was cancelled`] : []),
			...(took > longest ? [`run ${run} ended ${Math.round(took)} ms after it was cancelled`] : []),
		];
	});

export const INVARIANTS = {
	'delivered once': deliveredOnce,
	'in order': inOrder,
	'true outcomes': trueOutcomes,
	'no needless doubt': noNeedlessDoubt,
	'complete output': completeOutput,
	'ends in time': endsInTime,
} satisfies Record<string, Invariant>;

const isResent = ({ plan }: Observed) => plan.runs.some((_, run) => resends(plan, run));

/** The only ones. */
const EXCUSES: Array<[string, keyof typeof INVARIANTS, (observed: Observed) => boolean]> = [
	[
		'a worker stood still in a call of its memory',
		'delivered once',
		({ memory }) => memory.stalls > 0,
	],
	[
		// Asking for what was sent writes that it is open, also where n8n's answer is lost.
		'resent as its memory had failed',
		'delivered once',
		(observed) => isResent(observed) && observed.memory.troubles > 0,
	],
	[
		'resent beside another worker',
		'delivered once',
		(observed) => isResent(observed) && observed.plan.processes > 1,
	],
	[
		'another worker wrote over it',
		'no needless doubt',
		(observed) => {
			const processOf = (run: number) => observed.plan.runs[run]?.process;
			return haveOverlap(observed, (one, other) => processOf(one) !== processOf(other));
		},
	],
];

/** Milliseconds for which a run's process stands still, one standstill after the other. */
function pausesOf({ runs, pauses }: Plan, run: number): number[] {
	const { process: own } = runs[run] ?? {};
	return pauses.filter(({ process }) => process === own).map(({ lasts }) => lasts);
}

/** Milliseconds that a run may still note something after its end. */
const NOTING = 2000;

/** Whether a run ended without having heard all that the service said, or noted all of it. */
function wasCutOff({ plan, executions }: Observed, run: number): boolean {
	const { status, cancelledAt, endedAt = Infinity } = executions.find((one) => one.run === run)!;
	const isKilled = plan.kills.some(
		({ at, process }) =>
			process === plan.runs[run]?.process && endedAt <= at && at < endedAt + NOTING,
	);
	const isCut = status === 'crashed' || cancelledAt !== undefined || isKilled;
	// A Timeout may have gone off for no other reason.
	return isCut || Math.max(...pausesOf(plan, run)) > TIMEOUT / 4;
}

/** Whether one of two runs began before the other had ended, and had noted how. */
function isSideBySide({ executions }: Observed, one: number, other: number): boolean {
	if (one === other) return false;
	const [first, second] = executions
		.filter(({ run }) => run === one || run === other)
		.sort((a, b) => a.startedAt - b.startedAt);
	return (second?.startedAt ?? Infinity) < (first?.endedAt ?? Infinity) + NOTING;
}

/** Whether any two executions were side by side, of those pairs that are asked for. */
function haveOverlap(
	observed: Observed,
	isAskedFor: (one: number, other: number) => boolean = () => true,
): boolean {
	const runs = observed.executions.map(({ run }) => run);
	return runs.some((one) =>
		runs.some((other) => isAskedFor(one, other) && isSideBySide(observed, one, other)),
	);
}

/** Whether n8n's memory may have lost or kept back something. */
function hasLapses({ plan, memory }: Observed): boolean {
	return memory.troubles + plan.kills.length + plan.pauses.length > 0;
}

function groupsOf<T>(values: T[], keyOf: (value: T) => string): Map<string, T[]> {
	const groups = new Map<string, T[]>();
	for (const value of values) {
		const key = keyOf(value);
		const group = groups.get(key) ?? [];
		groups.set(key, group);
		group.push(value);
	}
	return groups;
}

function told(item: number | undefined, requests: Seen[]): string {
	const words = requests.map(({ run, name }) => `${name}${run > 0 ? ` in run ${run}` : ''}`);
	return `item ${item} (${words.join('; ')})`;
}
