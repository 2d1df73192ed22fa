import type { Execution, Observed, Report, Seen } from './observed';
import { chainOf, keyOf, messageOf, messageInChain, type Outcome, type Plan } from './plan';

/** A rule that holds in every plan. Returns a sentence for each breach. */
type Invariant = (observed: Observed) => string[];

export interface Breach {
	invariant: string;
	text: string;
	/** Why no node can prevent it: one of the known limits in docs/delivery.md. */
	excuse?: string | undefined;
}

/** All breaches of the invariants in a plan. */
export function breachesOf(observed: Observed): Breach[] {
	return Object.entries(INVARIANTS).flatMap(([invariant, hold]) => {
		const excuse = excuseOf(hold, observed);
		return hold(observed).map((text) => ({ invariant, text, excuse }));
	});
}

function excuseOf(invariant: Invariant, { executions, store }: Observed): string | undefined {
	const isDouble = invariant === deliveredOnce || invariant === resentOnce;
	if (isDouble && store.staleWrites > 0) return 'a worker was paused in a call of the store';
	// A check of a sent message writes its open entry, even if n8n's answer is lost.
	if (invariant === resentOnce && store.failures > 0) return 'resent after the store had failed';
	const canBeOverwritten = invariant === resentOnce || invariant === noNeedlessUnknown;
	const isBesideAnother = canBeOverwritten && haveOverlap(executions, isElsewhere);
	return isBesideAnother ? 'another worker may have overwritten it' : undefined;
}

const deliveredOnce: Invariant = (observed) => duplicates(observed, false);
/** The same for messages of runs with Resend if Unknown. */
const resentOnce: Invariant = (observed) => duplicates(observed, true);

function duplicates(observed: Observed, areResent: boolean): string[] {
	const ofMessages = duplicatesIn(observed, messageOf, areResent);
	return ofMessages.length > 0 ? ofMessages : duplicatesIn(observed, messageInChain, areResent);
}

function duplicatesIn(observed: Observed, nameOf: typeof messageOf, areResent: boolean): string[] {
	const { plan, seen, executions } = observed;
	const resends = (run: number) => plan.runs[run]?.options.resendUnknown === true;
	// A check of a sent message writes its open entry. A run that is killed then does not remove it.
	const isReopened = (sent: Seen, { run, item, at }: Seen) =>
		executions
			.filter((one) => wasKilled(plan, one) && one.startedAt < at && one.endedAt! > sent.at)
			.some((one) => nameOf(plan, item, one.run) === nameOf(plan, item, run));
	// Whether it was sent before a kill: it may arrive after the message was resent.
	const isInFlight = ({ run, at }: Seen) =>
		executions.some((one) => one.run === run && one.status === 'crashed' && one.endedAt! < at);
	const isKnown = (earlier: Seen, request: Seen) => {
		const { run: before } = earlier;
		const outcome = endOf(observed, earlier);
		if (isMarkerLost(observed, before) || (resends(before) && isInFlight(request))) return false;
		if (resends(before) && resends(request.run) && areUnrelated(observed, before, request.run))
			return false;
		const doesResend = resends(request.run);
		if ((resends(before) || doesResend) && mayLackResults(observed, before)) return false;
		if (outcome === 'sent') return !(doesResend && isReopened(earlier, request));
		return outcome === 'unknown' && !doesResend;
	};
	const messages: Record<string, Seen[]> = {};
	for (const one of seen) (messages[nameOf(plan, one.item, one.run)] ??= []).push(one);
	return Object.values(messages).flatMap((requests) => {
		const repeat = requests.findIndex((request, index) => {
			let [known, unknown] = [0, 0];
			for (const earlier of requests.slice(0, index)) {
				if (!isKnown(earlier, request)) continue;
				// A message that is sent again replaces the unknown one.
				if (unknown > 0 && resends(earlier.run)) unknown--;
				else known++;
				if (endOf(observed, earlier) === 'unknown') unknown++;
			}
			return known >= timesWanted(plan, request, nameOf);
		});
		const isResent = requests.slice(0, repeat + 1).some(({ run }) => resends(run));
		if (repeat < 0 || isResent !== areResent) return [];
		const { length } = requests.filter(({ accepted }) => accepted);
		return [`delivered ${length} times: ${describe(requests[repeat]?.item, requests)}`];
	});
}

/** The outcome of a message after a request: a refusal does not clear an earlier unknown outcome. */
function endOf(observed: Observed, { item, run, at, outcome }: Seen): Outcome {
	const { plan, seen } = observed;
	if (outcome !== 'rejected') return outcome;
	const isAlone = plan.inputs.filter((input) => input === item).length === 1;
	const chain = chainOf(plan.runs, run).filter((of) => !isMarkerLost(observed, of));
	const isBefore = (one: Seen) => one.item === item && one.at < at && chain.includes(one.run);
	return isAlone && has(seen.filter(isBefore), 'unknown') ? 'unknown' : outcome;
}

/**
 * Whether the marker of a killed run may be lost. Without a key, a run sends even if n8n's store fails, and
 * until it has written its marker again, another worker may overwrite it.
 */
function isMarkerLost({ plan, executions, store }: Observed, run: number): boolean {
	const killed = executions.find((one) => one.run === run && one.status === 'crashed');
	if (!killed || keyOf(plan.runs, run) !== '') return false;
	const isNew = plan.rounds > 1 || killed.endedAt! - killed.startedAt < confirmTime(plan, killed);
	const isMeant = (one: Execution, other: Execution) => one === killed && isElsewhere(one, other);
	return store.failures > 0 || (isNew && haveOverlap(executions, isMeant));
}

/** Whether two Retries of a killed sub-workflow made these requests: neither knows its origin. */
function areUnrelated({ plan, executions }: Observed, one: number, other: number): boolean {
	const [first, ofOne] = chainOf(plan.runs, one);
	const [, ofOther] = chainOf(plan.runs, other);
	const isKilled = executions.some(({ run, status }) => run === first && status === 'crashed');
	return plan.areOfSubWorkflow && isKilled && ofOne !== ofOther;
}

/** Whether results of a run may not be recorded: such messages are unknown, and may be resent. */
function mayLackResults({ plan, executions }: Observed, run: number): boolean {
	const execution = executions.find((one) => one.run === run)!;
	const isPaused = plan.pauses.some(({ process }) => process === execution.planned.process);
	return isPaused || wasKilled(plan, execution) || execution.cancelledAt !== undefined;
}

/** Whether it was killed before n8n had recorded everything. */
function wasKilled({ kills }: Plan, { planned, endedAt = Infinity }: Execution): boolean {
	const isIn = (at: number) => endedAt <= at && at < endedAt + RECORDING_TIME;
	return kills.some(({ at, process }) => process === planned.process && isIn(at));
}

/** How often a message may be sent: once for each item in the list, or once for its key. */
function timesWanted(plan: Plan, { item, run }: Seen, nameOf: typeof messageOf): number {
	const isByKey = nameOf(plan, item, run) !== messageInChain(plan, item, run);
	return isByKey ? 1 : plan.inputs.filter((input) => input === item).length;
}

/** What a run reported for each item, and what was known about this item at the end of the run. */
function casesOf(observed: Observed, execution: Execution) {
	const { plan, seen, store, executions } = observed;
	const { run, reports, thrown, endedAt = Infinity } = execution;
	const reported = thrown ? [thrown] : reports;
	const messages = plan.inputs.map((item) => messageOf(plan, item, run));
	const chain = chainOf(plan.runs, run);
	const until = seen.filter((one) => one.run === run || one.at <= endedAt);
	const unknown = until.filter(({ outcome }) => outcome === 'unknown');
	const leftUnknown = new Set(unknown.flatMap((one) => messagesOf(plan, one)));
	const knows = (of: number) => chain.includes(of) && !isMarkerLost(observed, of);
	const isCut = executions.some(({ cancelledAt = NaN }) => cancelledAt <= endedAt);
	const faults = store.failures + plan.kills.length + plan.pauses.length;
	const before = executions.filter((one) => one.endedAt! < execution.startedAt);
	const isOfBefore = (request: Seen) => before.some((one) => one.run === request.run);
	return reported.map((report) => {
		const message = messages[report.input] ?? '';
		// In its own chain, messages that were sent with another key, or without one, count as well.
		const isMeant = (one: Seen) =>
			messageOf(plan, one.item, one.run) === message ||
			(chain.includes(one.run) && messageOf(plan, one.item, run) === message);
		const requests = until.filter(isMeant);
		const same = reported.filter(({ input }) => messages[input] === message);
		return {
			...report,
			execution,
			/** The requests for its message; `own` are those in the run's own chain of Retries. */
			requests,
			own: requests.filter((one) => one.run === run || knows(one.run)),
			/** Whether no other item is the same message: of equal ones, one may be sent and another not. */
			isAlone: messages.filter((one) => one === message).length === 1,
			/** How many items with the same message the run reported as sent. */
			calledSent: same.filter(({ outcome }) => outcome === 'sent').length,
			/** Whether an earlier execution left its key claimed, and no lost update removed that. */
			wasUnknown:
				store.staleWrites === 0 &&
				keyOf(plan.runs, run) !== '' &&
				has(requests.filter(isOfBefore), 'unknown'),
			/** Whether a request left its message unknown, even with an earlier key. */
			isLeftUnknown: leftUnknown.has(message),
			/** Whether the node may have missed an answer of the service or of n8n's store. */
			mayHaveMissed: isCut || faults > 0,
		};
	});
}

/** The message of a request, in its run and in the Retries of that run: their keys may differ. */
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
				const mistake = judge(one, observed);
				if (!mistake) return [];
				const { execution, input, outcome, requests, text } = one;
				const item = describe(observed.plan.inputs[input], requests);
				return [`run ${execution.run}: "${outcome}", but ${mistake}: ${item}, ${text}`];
			});

const has = (requests: Seen[], outcome: Seen['outcome']) =>
	requests.some((request) => request.outcome === outcome);

const trueOutcomes = judging((one) => {
	const { execution, requests, own, wasUnknown, isAlone, calledSent, mayHaveMissed } = one;
	const sent = requests.filter(({ outcome }) => outcome === 'sent').length;
	const isOpen = has(own, 'unknown');
	switch (one.outcome) {
		case 'garbled':
			return 'the item is neither a result nor an error';
		case 'sent':
			if (sent === 0) return 'no response says so';
			return calledSent > sent ? 'fewer were sent' : undefined;
		case 'skipped':
			return sent === 0 ? 'it was never sent' : undefined;
		case 'notSent':
			if (isAlone && (isOpen || has(own, 'sent'))) return 'it may have been sent before';
			if (execution.planned.isCalm) return 'there was no fault';
			return mayHaveMissed || execution.planned.isUnreadable ? undefined : 'nothing prevented it';
		case 'rejected':
			if (!has(own, 'rejected')) return 'no response says so';
			if (!isAlone) return undefined;
			if (own.some(({ accepted }) => accepted)) return 'it was delivered';
			return isOpen || wasUnknown ? 'it may have been sent before' : undefined;
		default:
			return undefined;
	}
});

/** No message is reported as unknown if its outcome is known. */
const noNeedlessUnknown = judging((one, observed) => {
	const { outcome, execution, requests, isAlone, isLeftUnknown, mayHaveMissed } = one;
	if (outcome !== 'unknown' || mayHaveMissed || hasRivals(observed, execution)) return undefined;
	// An unreadable item may be any earlier message.
	if (execution.planned.isUnreadable) return undefined;
	if (isAlone && has(requests, 'sent')) return 'it was sent';
	return isLeftUnknown ? undefined : 'no request left it unknown';
});

function hasRivals({ plan: { runs }, executions }: Observed, { run }: Execution): boolean {
	const chain = chainOf(runs, run);
	const sendOnceKey = keyOf(runs, run);
	const before = executions.filter((one) => one.run !== run && chain.includes(one.run));
	const [ownerKey] = before.map((one) => keyOf(runs, one.run)).filter((key) => key !== '');
	// A Retry of an execution with a key needs the same key: it holds all messages back otherwise.
	if (ownerKey !== undefined && ownerKey !== sendOnceKey) return true;
	const others = executions.filter(
		(one) => !chain.includes(one.run) && chainOf(runs, one.run)[0] === chain[0],
	);
	// One Retry of an execution without a key sends its messages: the others hold them back, except for
	// those with the same key.
	const isOther = (key: string) => sendOnceKey === '' || key !== sendOnceKey;
	if (ownerKey === undefined && others.some((one) => isOther(keyOf(runs, one.run)))) return true;
	// If two claim a message at the same time, both may hold it back.
	const sameKey = executions.filter((one) => keyOf(runs, one.run) === sendOnceKey);
	return sendOnceKey !== '' && haveOverlap(sameKey);
}

const isFailed = ({ outcome }: Report) => !['sent', 'skipped'].includes(outcome);

/** The output has all items, in their order, unless an error stops the workflow. */
const completeOutput: Invariant = ({ plan, executions }) =>
	executions.flatMap(({ planned, status, reports, thrown, firstInput }) => {
		if (status !== 'success' && status !== 'error') return [];
		const isStopped = planned.onError === 'stopWorkflow';
		if (thrown) return isStopped ? [] : [`thrown: ${thrown.text}`];
		if (isStopped && reports.some(isFailed)) return ['items failed, but the workflow continued'];
		const due = [...plan.inputs.keys()].slice(firstInput).join();
		const found = reports.map(({ input }) => input).join();
		return found === due ? [] : [`the output has the inputs ${found}, not ${due}`];
	});

/** Milliseconds until a cancelled run ends, including its wait for n8n's store. */
const STOP_TIME = 4500;

/** Every run ends. A cancelled run ends soon, and sends no more requests. */
const endsInTime: Invariant = ({ plan, seen, executions }) =>
	executions.flatMap(({ run, planned, endedAt, cancelledAt = Infinity }) => {
		if (endedAt === undefined) return [`run ${run} did not end`];
		const after = seen.filter((one) => one.run === run && one.isAfterStop).length;
		const pauses = plan.pauses.filter(({ process }) => process === planned.process);
		const longest = pauses.reduce((sum, { lasts }) => sum + lasts, STOP_TIME);
		const isLate = endedAt - cancelledAt > longest || after > 0;
		return isLate ? [`run ${run} was cancelled, and ended late, or ${after} requests later`] : [];
	});

export const INVARIANTS = {
	deliveredOnce,
	resentOnce,
	trueOutcomes,
	noNeedlessUnknown,
	completeOutput,
	endsInTime,
};

/** Milliseconds in which n8n may still record something after the end of a run. */
const RECORDING_TIME = 2000;
/**
 * Milliseconds until a run has written its marker again: the delay of the claim store, with the slowest
 * calls, and all pauses of the process.
 */
function confirmTime({ store, pauses }: Plan, { planned }: Execution): number {
	const call = store.work + 3 * store.latency * (store.slow > 0 ? 100 : 1);
	const own = pauses.filter(({ process }) => process === planned.process);
	const paused = own.reduce((sum, { lasts }) => sum + lasts, 0);
	return 1.5 * Math.min(Math.max(8 * call, 100), 2000) + 2 * call + paused;
}

const isElsewhere = (one: Execution, other: Execution) =>
	one.planned.process !== other.planned.process;

/** Whether two executions were concurrent, until n8n had recorded everything. */
function haveOverlap(executions: Execution[], areMeant: typeof isElsewhere = () => true): boolean {
	const isBeforeEnd = ({ startedAt, planned }: Execution, { endedAt = Infinity }: Execution) =>
		startedAt < endedAt + RECORDING_TIME && !planned.isCalm;
	const areConcurrent = (one: Execution, other: Execution) =>
		one.run !== other.run && isBeforeEnd(one, other) && isBeforeEnd(other, one);
	return executions.some((one) =>
		executions.some((other) => areMeant(one, other) && areConcurrent(one, other)),
	);
}

function describe(item: number | undefined, requests: Seen[]): string {
	const words = requests.map(({ run, name }) => `${name}${run > 0 ? ` in run ${run}` : ''}`);
	return `item ${item} (${words.join('; ')})`;
}
