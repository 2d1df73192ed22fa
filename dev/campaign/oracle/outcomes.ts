import { chainOf, messageOf, type Line } from '../plan';
import type { Seen } from '../service/script';
import type { Outcome, Step } from '../service/step';
import {
	hasLapses,
	isOnly,
	isSideBySide,
	maybe,
	ownOf,
	requestsFor,
	rowsOf,
	told,
	wasCutOff,
	type Execution,
	type Invariant,
	type Observed,
	type Report,
} from './observed';

/** What the node says, held against what the service knows. */

const EXPECTED: Partial<Record<Line, Outcome>> = {
	dead: 'notSent',
	plainPort: 'notSent',
	closesTls: 'notSent',
	closes: 'unknown',
};

interface Claim {
	input: number;
	outcome: Report['outcome'];
	isFile?: boolean;
	text: string;
}

function claimsOf({ plan }: Observed, { reports, thrown }: Execution): Claim[] {
	const claims: Claim[] = reports;
	// Of the calls with the same content, the last one speaks for all that happened.
	const isLast = ({ input }: Claim) =>
		!plan.inputs.slice(input + 1).includes(plan.inputs[input] ?? NaN);
	const last = plan.kind === 'tool' ? claims.filter(isLast) : claims;
	if (thrown?.input === undefined) return last;
	const { outcome = 'garbled', message } = thrown;
	// What a tool throws is of the call after those that were reported.
	const input = plan.kind === 'tool' ? reports.length : thrown.input;
	return [...last, { input, outcome, text: message }];
}

/** What there is to know of an item at the end of a run. */
interface Facts {
	item: number;
	execution: Execution;
	/** For its message, by whatever run, and of the run's own chain of Retries. */
	requests: Seen[];
	own: Seen[];
	/** How many of the run's items with the same message it calls sent. */
	calledSent: number;
	/** Whether the run, or one before it, may have missed what the service or n8n's memory said. */
	wasCut: boolean;
}

type Judge = (claim: Claim, observed: Observed, facts: Facts) => string | undefined;

const judging =
	(judge: Judge): Invariant =>
	(observed) =>
		observed.executions.flatMap((execution) => {
			const { plan } = observed;
			const { run } = execution;
			const claims = claimsOf(observed, execution);
			const wasCut = observed.executions
				.slice(0, observed.executions.indexOf(execution) + 1)
				.some((one) => wasCutOff(observed, one.run));
			const sent = new Map<string, number>();
			return claims.flatMap((claim) => {
				const item = plan.inputs[claim.input] ?? NaN;
				const requests = requestsFor(observed, item, run);
				const own = ownOf(observed, requests, run);
				const message = messageOf(plan, item, run);
				const calledSent = (sent.get(message) ?? 0) + (claim.outcome === 'sent' ? 1 : 0);
				sent.set(message, calledSent);
				const facts = { item, execution, requests, own, calledSent, wasCut };
				const falsehood = judge(claim, observed, facts);
				if (!falsehood) return [];
				const words = `${told({ item, requests })}, ${claim.text}`;
				return [`run ${run}: "${claim.outcome}", but ${falsehood}: ${words}`];
			});
		});

export const trueOutcomes = judging((claim, observed, facts) => {
	const { plan } = observed;
	const { outcome } = claim;
	if (outcome === 'garbled') return 'the item is neither a result nor an error';
	const isAddressed = plan.items[facts.item]?.toId !== '';
	const expected = isAddressed ? EXPECTED[plan.line] : 'notSent';
	const isIncomplete = plan.mayComeOutEmpty && outcome === 'notSent';
	if (expected) return outcome === expected || isIncomplete ? undefined : `it is ${expected}`;
	return plan.kind === 'download'
		? falseDownload(claim, observed, facts)
		: falseMessage(outcome, observed, facts);
});

function falseMessage(
	outcome: Report['outcome'],
	observed: Observed,
	{ item, execution, requests, own, calledSent, wasCut }: Facts,
): string | undefined {
	const { plan } = observed;
	const { run } = execution;
	const sent = requests.filter(maybe('sent')).length;
	const isSurelyOpen = own.some((request) => isOnly(request, 'unknown'));
	// Of equal messages, one may have been sent and the other not.
	const isAlone = plan.kind === 'tool' || rowsOf(plan, item, run) === 1;
	switch (outcome) {
		case 'sent':
			if (sent === 0) return 'the service never said so';
			return plan.kind !== 'tool' && calledSent > sent ? 'fewer were sent' : undefined;
		case 'skipped':
			return sent === 0 ? 'it was never sent' : undefined;
		case 'notSent':
			if (isAlone && (isSurelyOpen || own.some(maybe('sent')))) {
				return 'it may have been sent before';
			}
			if (plan.runs[run]?.isCalm && plan.trouble) return 'all was well';
			if (plan.mayComeOutEmpty || wasCut || hasLapses(observed)) return undefined;
			return own.some((request) => request.run === run)
				? 'the service had it'
				: 'nothing stood in the way';
		case 'rejected':
			if (!own.some(maybe('rejected'))) return 'the service never said so';
			if (!isAlone) return undefined;
			if (own.some(({ step }) => step.accepted)) return 'it was delivered';
			return isSurelyOpen ? 'it may have been sent before' : undefined;
		default:
			return undefined;
	}
}

function falseDownload(
	{ outcome, isFile }: Claim,
	observed: Observed,
	{ execution: { run }, own }: Facts,
): string | undefined {
	const last = own.filter((request) => request.run === run).at(-1);
	if (outcome === 'sent') {
		if (!last?.step.outcomes.includes('sent')) return 'there was no file';
		return isFile || !isOnly(last, 'sent') ? undefined : 'it is not the file';
	}
	if (!last) return outcome === 'notSent' ? undefined : 'the service was not asked';
	return isOnly(last, 'sent') && !wasCutOff(observed, run) ? 'the file was there' : undefined;
}

/** Nobody has to look after a message of which it is known what became of it. */
export const noNeedlessDoubt = judging(({ outcome }, observed, facts) => {
	const { plan } = observed;
	if (outcome !== 'unknown' || plan.kind === 'download' || plan.line === 'closes') return undefined;
	const { execution, requests, own, wasCut } = facts;
	const isOthers = requests.some((request) => !own.includes(request));
	const isKeyed = plan.runs[execution.run]?.options.sendOnceKey !== undefined;
	// Retries side by side tell of each other that way.
	const isToldOfOthers = isOthers && !isKeyed;
	if (wasCut || hasLapses(observed) || isToldOfOthers || hasRivals(observed, execution)) {
		return undefined;
	}
	const isOpen = requests.some(maybe('unknown'));
	const isAlone = plan.kind === 'tool' || rowsOf(plan, facts.item, execution.run) === 1;
	if (isAlone && requests.some(maybe('sent'))) return 'it was sent';
	return isOpen ? undefined : 'nothing was left open';
});

/** Of two executions that claim a message at the same moment, both may give way. */
function hasRivals(observed: Observed, { run }: Execution): boolean {
	const { plan, executions } = observed;
	if (!plan.trouble) return false;
	const groupOf = (one: number) =>
		plan.runs[one]?.options.sendOnceKey ?? chainOf(plan.runs, one)[0];
	const rivals = executions.filter((one) => groupOf(one.run) === groupOf(run));
	return rivals.some((one) => rivals.some((other) => isSideBySide(observed, one.run, other.run)));
}

/** "2 of 5 items were sent", or "Nothing was sent to anyone": a person acts upon it. */
export const trueCounts: Invariant = (observed) => {
	const { plan, executions } = observed;
	if (plan.kind !== 'send' || hasLapses(observed)) return [];
	return executions.flatMap((execution) => {
		const { run, thrown } = execution;
		const { description = '' } = thrown ?? {};
		// With a key, others may have sent them.
		const isOthers = plan.runs.some(({ edition, options }) => edition > 0 || options.sendOnceKey);
		if (isOthers || wasCutOff(observed, run) || hasRivals(observed, execution)) return [];
		const count = (holds: (step: Step) => boolean) =>
			[...new Set(plan.inputs)]
				.map((item) => {
					const requests = ownOf(observed, requestsFor(observed, item, run), run);
					const times = requests.filter(({ step }) => holds(step)).length;
					return Math.min(times, rowsOf(plan, item, run));
				})
				.reduce((sum, times) => sum + times, 0);
		const sent = count(({ outcomes }) => outcomes.includes('sent'));
		const [said, some, all] = /(\d+) of (\d+) items were sent/.exec(description) ?? [];
		if (said && (Number(some) !== sent || Number(all) !== plan.inputs.length)) {
			return [`"${said}", but it were ${sent} of ${plan.inputs.length}`];
		}
		const isNothing = description.includes('Nothing was sent to anyone');
		return isNothing && count(({ accepted }) => accepted) > 0 ? [`"${description}"`] : [];
	});
};
