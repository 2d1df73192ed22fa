import type { Execution, Observed, Report, Seen } from './observed';
import { chainOf, keyOf, messageOf, messageOfChain, type Outcome, type Plan } from './plan';

/** Something that must be true of every plan, whatever the service did. Gives a sentence for each breach. */
type Invariant = (observed: Observed) => string[];

export interface Breach {
	invariant: string;
	text: string;
	/** Why it is one of those that docs/delivery.md concedes, as no node can prevent them. */
	excuse?: string | undefined;
}

/** Every breach of an invariant that a plan shows. */
export function breachesOf(observed: Observed): Breach[] {
	return Object.entries(INVARIANTS).flatMap(([invariant, hold]) => {
		const excuse = excuseOf(hold, observed);
		return hold(observed).map((text) => ({ invariant, text, excuse }));
	});
}

function excuseOf(invariant: Invariant, { executions, memory }: Observed): string | undefined {
	const isDouble = invariant === deliveredOnce || invariant === resentOnce;
	if (isDouble && memory.stalls > 0) return 'a worker stood still in a call of its memory';
	// Asking about a sent message marks it open, even if n8n's answer is lost.
	if (invariant === resentOnce && memory.troubles > 0) return 'resent as its memory had failed';
	const mayBeOverwritten = invariant === resentOnce || invariant === noNeedlessDoubt;
	const isBesideAnother = mayBeOverwritten && haveOverlap(executions, isElsewhere);
	return isBesideAnother ? 'another worker wrote over it' : undefined;
}

const deliveredOnce: Invariant = (observed) => doubles(observed, false);
/** The same of messages that a run with Resend if Unknown was at. */
const resentOnce: Invariant = (observed) => doubles(observed, true);

function doubles(observed: Observed, areResent: boolean): string[] {
	const ofMessages = doublesOf(observed, messageOf, areResent);
	return ofMessages.length > 0 ? ofMessages : doublesOf(observed, messageOfChain, areResent);
}

function doublesOf(observed: Observed, nameOf: typeof messageOf, areResent: boolean): string[] {
	const { plan, seen, executions } = observed;
	const resends = (run: number) => plan.runs[run]?.options.resendUnknown === true;
	// Asking about a sent message marks it open: a run that is killed then does not take that back.
	const isOpenAgain = (sent: Seen, { run, item, at }: Seen) =>
		executions
			.filter((one) => wasKilled(plan, one) && one.startedAt < at && one.endedAt! > sent.at)
			.some((one) => nameOf(plan, item, one.run) === nameOf(plan, item, run));
	// Whether it was made before a kill, and may arrive after the message was resent.
	const isOnItsWay = ({ run, at }: Seen) =>
		executions.some((one) => one.run === run && one.status === 'crashed' && one.endedAt! < at);
	const isKnown = (earlier: Seen, request: Seen) => {
		const { run: before } = earlier;
		const outcome = endOf(observed, earlier);
		if (isForgotten(observed, before) || (resends(before) && isOnItsWay(request))) return false;
		if (resends(before) && resends(request.run) && areStrangers(observed, before, request.run))
			return false;
		const doesResend = resends(request.run);
		if ((resends(before) || doesResend) && mayNotKnow(observed, before)) return false;
		if (outcome === 'sent') return !(doesResend && isOpenAgain(earlier, request));
		return outcome === 'unknown' && !doesResend;
	};
	const messages: Record<string, Seen[]> = {};
	for (const one of seen) (messages[nameOf(plan, one.item, one.run)] ??= []).push(one);
	return Object.values(messages).flatMap((requests) => {
		const repeat = requests.findIndex((request, index) => {
			let [known, unknown] = [0, 0];
			for (const earlier of requests.slice(0, index)) {
				if (!isKnown(earlier, request)) continue;
				// What is sent again takes the place of what was unknown.
				if (unknown > 0 && resends(earlier.run)) unknown--;
				else known++;
				if (endOf(observed, earlier) === 'unknown') unknown++;
			}
			return known >= timesWanted(plan, request, nameOf);
		});
		const isResent = requests.slice(0, repeat + 1).some(({ run }) => resends(run));
		if (repeat < 0 || isResent !== areResent) return [];
		const { length } = requests.filter(({ accepted }) => accepted);
		return [`delivered ${length} times: ${told(requests[repeat]?.item, requests)}`];
	});
}

/** What is known after a request: a refusal does not settle what was in doubt before it. */
function endOf(observed: Observed, { item, run, at, outcome }: Seen): Outcome {
	const { plan, seen } = observed;
	if (outcome !== 'rejected') return outcome;
	const isAlone = plan.inputs.filter((input) => input === item).length === 1;
	const chain = chainOf(plan.runs, run).filter((of) => !isForgotten(observed, of));
	const isBefore = (one: Seen) => one.item === item && one.at < at && chain.includes(one.run);
	return isAlone && has(seen.filter(isBefore), 'unknown') ? 'unknown' : outcome;
}

/**
 * Whether a Retry may not know of a killed run: what has no key is sent even where n8n's memory fails,
 * and until what it left is written once more, another worker may write over it.
 */
function isForgotten({ plan, executions, memory }: Observed, run: number): boolean {
	const killed = executions.find((one) => one.run === run && one.status === 'crashed');
	if (!killed || keyOf(plan.runs, run) !== '') return false;
	const isNew = plan.rounds > 1 || killed.endedAt! - killed.startedAt < writtenAgain(plan, killed);
	const isMeant = (one: Execution, other: Execution) => one === killed && isElsewhere(one, other);
	return memory.troubles > 0 || (isNew && haveOverlap(executions, isMeant));
}

/** Whether two Retries of a killed sub-workflow made these: n8n tells neither its origin. */
function areStrangers({ plan, executions }: Observed, one: number, other: number): boolean {
	const [first, ofOne] = chainOf(plan.runs, one);
	const [, ofOther] = chainOf(plan.runs, other);
	const isKilled = executions.some(({ run, status }) => run === first && status === 'crashed');
	return plan.areOfSubWorkflow && isKilled && ofOne !== ofOther;
}

/** Whether a run may have left messages unnoted: these read as unknown, and may be resent. */
function mayNotKnow({ plan, executions }: Observed, run: number): boolean {
	const execution = executions.find((one) => one.run === run)!;
	const isPaused = plan.pauses.some(({ process }) => process === execution.planned.process);
	return isPaused || wasKilled(plan, execution) || execution.cancelledAt !== undefined;
}

/** Whether it was cut off before all was noted. */
function wasKilled({ kills }: Plan, { planned, endedAt = Infinity }: Execution): boolean {
	const isIn = (at: number) => endedAt <= at && at < endedAt + NOTING;
	return kills.some(({ at, process }) => process === planned.process && isIn(at));
}

/** How often a message is to be sent: as often as it stands in the list, by its key once. */
function timesWanted(plan: Plan, { item, run }: Seen, nameOf: typeof messageOf): number {
	const isByKey = nameOf(plan, item, run) !== messageOfChain(plan, item, run);
	return isByKey ? 1 : plan.inputs.filter((input) => input === item).length;
}

/** What a run says of each item, and what there is to know of that item at the run's end. */
function casesOf(observed: Observed, execution: Execution) {
	const { plan, seen, memory, executions } = observed;
	const { run, reports, thrown, endedAt = Infinity } = execution;
	const said = thrown ? [thrown] : reports;
	const messages = plan.inputs.map((item) => messageOf(plan, item, run));
	const chain = chainOf(plan.runs, run);
	const until = seen.filter((one) => one.run === run || one.at <= endedAt);
	const unknown = until.filter(({ outcome }) => outcome === 'unknown');
	const leftOpen = new Set(unknown.flatMap((one) => messagesOf(plan, one)));
	const knows = (of: number) => chain.includes(of) && !isForgotten(observed, of);
	const isCut = executions.some(({ cancelledAt = NaN }) => cancelledAt <= endedAt);
	const faults = memory.troubles + plan.kills.length + plan.pauses.length;
	const before = executions.filter((one) => one.endedAt! < execution.startedAt);
	const isOfBefore = (request: Seen) => before.some((one) => one.run === request.run);
	return said.map((report) => {
		const message = messages[report.input] ?? '';
		// In its own chain, what went out with another key, or without one, counts as well.
		const isMeant = (one: Seen) =>
			messageOf(plan, one.item, one.run) === message ||
			(chain.includes(one.run) && messageOf(plan, one.item, run) === message);
		const requests = until.filter(isMeant);
		const same = said.filter(({ input }) => messages[input] === message);
		return {
			...report,
			execution,
			/** For its message by any run; `own` are those by the run's own chain of Retries. */
			requests,
			own: requests.filter((one) => one.run === run || knows(one.run)),
			/** Whether no other item has its message: of equal ones, one may be sent and another not. */
			isAlone: messages.filter((one) => one === message).length === 1,
			/** How many items with the same message the run calls sent. */
			calledSent: same.filter(({ outcome }) => outcome === 'sent').length,
			/** Whether an execution that was over by then had left its key open, and nothing wiped that out. */
			wasOpen:
				memory.stalls === 0 &&
				keyOf(plan.runs, run) !== '' &&
				has(requests.filter(isOfBefore), 'unknown'),
			/** Whether any request left its message open, even under an earlier key. */
			isLeftOpen: leftOpen.has(message),
			/** Whether the node may have missed what the service or n8n's memory said. */
			mayHaveMissed: isCut || faults > 0,
		};
	});
}

/** The message of a request, as its run and the Retries of that name it: their keys may differ. */
function messagesOf(plan: Plan, { item, run }: Seen): string[] {
	const retries = [...plan.runs.keys()].filter((by) => chainOf(plan.runs, by).includes(run));
	return retries.map((by) => messageOf(plan, item, by));
}

type Case = ReturnType<typeof casesOf>[number];

const judging =
	(judge: (one: Case, observed: Observed) => string | undefined): Invariant =>
	(observed) =>
		observed.executions
			.flatMap((execution) => casesOf(observed, execution))
			.flatMap((one) => {
				const falsehood = judge(one, observed);
				if (!falsehood) return [];
				const { execution, input, outcome, requests, text } = one;
				const item = told(observed.plan.inputs[input], requests);
				return [`run ${execution.run}: "${outcome}", but ${falsehood}: ${item}, ${text}`];
			});

const has = (requests: Seen[], outcome: Seen['outcome']) =>
	requests.some((request) => request.outcome === outcome);

const trueOutcomes = judging((one) => {
	const { execution, requests, own, wasOpen, isAlone, calledSent, mayHaveMissed } = one;
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
			if (execution.planned.isCalm) return 'all was well';
			return mayHaveMissed || execution.planned.isUnreadable
				? undefined
				: 'nothing stood in the way';
		case 'rejected':
			if (!has(own, 'rejected')) return 'the service never said so';
			if (!isAlone) return undefined;
			if (own.some(({ accepted }) => accepted)) return 'it was delivered';
			return isOpen || wasOpen ? 'it may have been sent before' : undefined;
		default:
			return undefined;
	}
});

/** No message is called unknown if it is known what became of it. */
const noNeedlessDoubt = judging((one, observed) => {
	const { outcome, execution, requests, isAlone, isLeftOpen, mayHaveMissed } = one;
	if (outcome !== 'unknown' || mayHaveMissed || hasRivals(observed, execution)) return undefined;
	// What cannot be read may be any message of before.
	if (execution.planned.isUnreadable) return undefined;
	if (isAlone && has(requests, 'sent')) return 'it was sent';
	return isLeftOpen ? undefined : 'nothing was left open';
});

function hasRivals({ plan: { runs }, executions }: Observed, { run }: Execution): boolean {
	const chain = chainOf(runs, run);
	const sendOnceKey = keyOf(runs, run);
	const others = executions.filter(
		(one) => !chain.includes(one.run) && chainOf(runs, one.run)[0] === chain[0],
	);
	// One Retry of an execution sends what is left of its messages: the others leave them all, but those
	// with the same key. After one with another key, there may have been others with that.
	const isOther = (key: string) => sendOnceKey === '' || key !== sendOnceKey;
	const isAfterOther = chain.some((one) => {
		const key = keyOf(runs, one);
		return runs[one]?.retryOf !== undefined && key !== '' && isOther(key);
	});
	if (isAfterOther || others.some((one) => isOther(keyOf(runs, one.run)))) return true;
	// Two that claim a message at the same moment may both give way.
	const sameKey = executions.filter((one) => keyOf(runs, one.run) === sendOnceKey);
	return sendOnceKey !== '' && haveOverlap(sameKey);
}

const isFailed = ({ outcome }: Report) => !['sent', 'skipped'].includes(outcome);

/** All items come out, in their order, but for an error that is to stop the workflow. */
const completeOutput: Invariant = ({ plan, executions }) =>
	executions.flatMap(({ planned, status, reports, thrown, firstInput }) => {
		if (status !== 'success' && status !== 'error') return [];
		const isStopped = planned.onError === 'stopWorkflow';
		if (thrown) return isStopped ? [] : [`thrown: ${thrown.text}`];
		if (isStopped && reports.some(isFailed)) return ['items failed, but the run went on'];
		const due = [...plan.inputs.keys()].slice(firstInput).join();
		const came = reports.map(({ input }) => input).join();
		return came === due ? [] : [`the output has the inputs ${came}, not ${due}`];
	});

/** Milliseconds, with the wait for n8n's memory as a run ends, which a stop does not cut short. */
const PROMPTLY = 4500;

/** Every run ends; one that is cancelled soon, and with no further request. */
const endsInTime: Invariant = ({ plan, seen, executions }) =>
	executions.flatMap(({ run, planned, endedAt, cancelledAt = Infinity }) => {
		if (endedAt === undefined) return [`run ${run} did not end`];
		const after = seen.filter((one) => one.run === run && one.isAfterStop).length;
		const pauses = plan.pauses.filter(({ process }) => process === planned.process);
		const longest = pauses.reduce((sum, { lasts }) => sum + lasts, PROMPTLY);
		const isLate = endedAt - cancelledAt > longest || after > 0;
		return isLate ? [`run ${run} was cancelled, and ended late, or ${after} requests later`] : [];
	});

export const INVARIANTS = {
	deliveredOnce,
	resentOnce,
	trueOutcomes,
	noNeedlessDoubt,
	completeOutput,
	endsInTime,
};

/** Milliseconds that a run may still note something after its end. */
const NOTING = 2000;
/**
 * Milliseconds until an execution marker is written again: as the claim store counts, with the slowest
 * calls, and for as long as its process is paused.
 */
function writtenAgain({ memory, pauses }: Plan, { planned }: Execution): number {
	const call = memory.work + 3 * memory.latency * (memory.slow > 0 ? 100 : 1);
	const own = pauses.filter(({ process }) => process === planned.process);
	const stands = own.reduce((sum, { lasts }) => sum + lasts, 0);
	return 1.5 * Math.min(Math.max(8 * call, 100), 2000) + 2 * call + stands;
}

const isElsewhere = (one: Execution, other: Execution) =>
	one.planned.process !== other.planned.process;

/** Whether of two executions each began before the other had ended, and had noted how. */
function haveOverlap(executions: Execution[], areMeant: typeof isElsewhere = () => true): boolean {
	const isBeforeEnd = ({ startedAt, planned }: Execution, { endedAt = Infinity }: Execution) =>
		startedAt < endedAt + NOTING && !planned.isCalm;
	const areSideBySide = (one: Execution, other: Execution) =>
		one.run !== other.run && isBeforeEnd(one, other) && isBeforeEnd(other, one);
	return executions.some((one) =>
		executions.some((other) => areMeant(one, other) && areSideBySide(one, other)),
	);
}

function told(item: number | undefined, requests: Seen[]): string {
	const words = requests.map(({ run, name }) => `${name}${run > 0 ? ` in run ${run}` : ''}`);
	return `item ${item} (${words.join('; ')})`;
}
