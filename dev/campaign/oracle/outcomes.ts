import { chainOf, messageOf, type Line, type Plan } from '../plan';
import type { Seen } from '../service/script';
import type { Outcome, Step } from '../service/step';
import {
	hasLapses,
	isOnly,
	isSideBySide,
	maybe,
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

type Claim = Pick<Report, 'input' | 'outcome' | 'isFile' | 'text'>;

function claimsOf({ kind, inputs }: Plan, { reports, thrown }: Execution): Claim[] {
	const isTool = kind === 'tool';
	// Of the calls with the same content, the last one speaks for all that happened.
	const isLast = ({ input }: Claim) => !inputs.slice(input + 1).includes(inputs[input] ?? NaN);
	const claims = isTool ? reports.filter(isLast) : reports;
	if (thrown?.input === undefined) return claims;
	const { outcome = 'garbled', message } = thrown;
	// What a tool throws is of the call after those that were reported.
	return [...claims, { input: isTool ? reports.length : thrown.input, outcome, text: message }];
}

/** What a run says of an item, and what there is to know of that item at its end. */
interface Case extends Claim {
	observed: Observed;
	execution: Execution;
	item: number;
	/** For its message, by whatever run, and of the run's own chain of Retries. */
	requests: Seen[];
	own: Seen[];
	/** Of equal messages, one may have been sent and the other not. */
	isAlone: boolean;
	/** How many of the run's items with the same message it calls sent by now. */
	calledSent: number;
	/** Whether the run, or one before it, may have missed what the service or n8n's memory said. */
	wasCut: boolean;
}

function casesOf(observed: Observed): Case[] {
	const { plan, executions } = observed;
	return executions.flatMap((execution, index) => {
		const { run } = execution;
		const wasCut = executions.slice(0, index + 1).some((one) => wasCutOff(observed, one.run));
		const sent: string[] = [];
		return claimsOf(plan, execution).map((claim) => {
			const item = plan.inputs[claim.input] ?? NaN;
			const message = messageOf(plan, item, run);
			if (claim.outcome === 'sent') sent.push(message);
			return {
				...claim,
				...requestsFor(observed, item, run),
				observed,
				execution,
				item,
				wasCut,
				isAlone: plan.kind === 'tool' || rowsOf(plan, item, run) === 1,
				calledSent: sent.filter((one) => one === message).length,
			};
		});
	});
}

const judging =
	(judge: (one: Case) => string | undefined): Invariant =>
	(observed) =>
		casesOf(observed).flatMap((one) => {
			const falsehood = judge(one);
			const { execution, outcome, item, requests, text } = one;
			const words = `${told(item, requests)}, ${text}`;
			return falsehood ? [`run ${execution.run}: "${outcome}", but ${falsehood}: ${words}`] : [];
		});

export const trueOutcomes = judging((one) => {
	const { outcome, item } = one;
	const { plan } = one.observed;
	if (outcome === 'garbled') return 'the item is neither a result nor an error';
	const isAddressed = plan.items[item]?.toId !== '';
	const expected = isAddressed ? EXPECTED[plan.line] : 'notSent';
	const isIncomplete = plan.mayComeOutEmpty && outcome === 'notSent';
	if (expected) return outcome === expected || isIncomplete ? undefined : `it is ${expected}`;
	return plan.kind === 'download' ? falseDownload(one) : falseMessage(one);
});

function falseMessage(one: Case): string | undefined {
	const { observed, execution, requests, own, isAlone, calledSent, wasCut } = one;
	const { plan } = observed;
	const { run } = execution;
	const sent = requests.filter(maybe('sent')).length;
	const isSurelyOpen = own.some((request) => isOnly(request, 'unknown'));
	switch (one.outcome) {
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

function falseDownload({ outcome, isFile, observed, execution, own }: Case): string | undefined {
	const { run } = execution;
	const last = own.findLast((request) => request.run === run);
	if (!last) return outcome === 'notSent' ? undefined : 'the service was not asked';
	const isSurelyFile = isOnly(last, 'sent');
	if (outcome !== 'sent') {
		return isSurelyFile && !wasCutOff(observed, run) ? 'the file was there' : undefined;
	}
	if (!maybe('sent')(last)) return 'there was no file';
	return isFile || !isSurelyFile ? undefined : 'it is not the file';
}

/** Nobody has to look after a message of which it is known what became of it. */
export const noNeedlessDoubt = judging((one) => {
	const { outcome, observed, execution, requests, own, isAlone, wasCut } = one;
	const { plan } = observed;
	if (outcome !== 'unknown' || plan.kind === 'download' || plan.line === 'closes') return undefined;
	// Retries side by side tell of each other that way.
	const isKeyed = plan.runs[execution.run]?.options.sendOnceKey !== undefined;
	const isToldOfOthers = !isKeyed && own.length < requests.length;
	if (wasCut || hasLapses(observed) || isToldOfOthers || hasRivals(observed, execution)) {
		return undefined;
	}
	if (isAlone && requests.some(maybe('sent'))) return 'it was sent';
	return requests.some(maybe('unknown')) ? undefined : 'nothing was left open';
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
		const description = thrown?.description ?? '';
		// With a key, others may have sent them.
		const isOthers = plan.runs.some(({ edition, options }) => edition > 0 || options.sendOnceKey);
		if (isOthers || wasCutOff(observed, run) || hasRivals(observed, execution)) return [];
		const count = (holds: (step: Step) => boolean) =>
			[...new Set(plan.inputs)].reduce((sum, item) => {
				const { own } = requestsFor(observed, item, run);
				const times = own.filter(({ step }) => holds(step)).length;
				return sum + Math.min(times, rowsOf(plan, item, run));
			}, 0);
		const sent = count(({ outcomes }) => outcomes.includes('sent'));
		const [said, some, all] = /(\d+) of (\d+) items were sent/.exec(description) ?? [];
		if (said && (Number(some) !== sent || Number(all) !== plan.inputs.length)) {
			return [`"${said}", but it were ${sent} of ${plan.inputs.length}`];
		}
		const isNothing = description.includes('Nothing was sent to anyone');
		return isNothing && count(({ accepted }) => accepted) > 0 ? [`"${description}"`] : [];
	});
};
