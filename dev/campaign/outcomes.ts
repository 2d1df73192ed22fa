import type { Line } from './case';
import {
	isDisturbed,
	isOnly,
	requestsFor,
	told,
	type Execution,
	type Invariant,
	type Observed,
	type Report,
} from './observed';
import type { Seen } from './standIn';
import type { Outcome, Step } from './step';

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

function claimsOf({ given }: Observed, { reports, thrown }: Execution): Claim[] {
	const claims: Claim[] = reports;
	// Of the calls with the same content, the last one speaks for all that happened.
	const isLast = ({ input }: Claim) =>
		!given.inputs.slice(input + 1).includes(given.inputs[input] ?? NaN);
	const last = given.kind === 'tool' ? claims.filter(isLast) : claims;
	if (thrown?.input === undefined) return last;
	const { outcome = 'garbled', message } = thrown;
	// What a tool throws is of the call after those that were reported.
	const input = given.kind === 'tool' ? reports.length : thrown.input;
	return [...last, { input, outcome, text: message }];
}

export const trueOutcomes: Invariant = (observed) =>
	observed.executions.flatMap((execution, run) =>
		claimsOf(observed, execution).flatMap((claim) => {
			const item = observed.given.inputs[claim.input] ?? NaN;
			const requests = requestsFor(observed, item, run);
			const isCancelled = execution.cancelledAt !== undefined;
			const falsehood = falsehoodOf(claim, observed, { item, run, requests, isCancelled });
			if (!falsehood) return [];
			return [`"${claim.outcome}", but ${falsehood}: ${told({ item, requests })}, ${claim.text}`];
		}),
	);

interface Facts {
	item: number;
	run: number;
	requests: Seen[];
	isCancelled: boolean;
}

function falsehoodOf(claim: Claim, observed: Observed, facts: Facts): string | undefined {
	const { outcome } = claim;
	if (outcome === 'garbled') return 'the item is neither a result nor an error';
	const { given } = observed;
	const isAddressed = given.items[facts.item]?.toId !== '';
	const expected = isAddressed ? EXPECTED[given.line] : 'notSent';
	const isIncomplete = given.mayComeOutEmpty && outcome === 'notSent';
	if (expected) return outcome === expected || isIncomplete ? undefined : `it is ${expected}`;
	return given.kind === 'download'
		? falseDownload(claim, observed, facts)
		: falseMessage(outcome, observed, facts);
}

function falseMessage(
	outcome: Outcome,
	observed: Observed,
	{ run, requests, isCancelled }: Facts,
): string | undefined {
	const isOpen = requests.some(({ step }) => step.outcomes.includes('unknown'));
	const isSurelyOpen = requests.some((request) => isOnly(request, 'unknown'));
	const wasSent = requests.some(({ step }) => step.outcomes.includes('sent'));
	// What was left open in one run stays so in all that follow.
	const wasDisturbed = observed.executions
		.slice(0, run + 1)
		.some((_, at) => isDisturbed(observed, at));
	const mayBeOpen = isOpen || isCancelled || wasDisturbed;
	switch (outcome) {
		case 'sent':
			return wasSent ? undefined : 'the service never said so';
		case 'unknown':
			if (wasSent && !isCancelled && !wasDisturbed) return 'it was sent';
			return mayBeOpen ? undefined : 'nothing was left open';
		case 'notSent':
			if (isSurelyOpen || wasSent) return 'it may have been sent before';
			if (isCancelled || observed.given.mayComeOutEmpty || wasDisturbed) {
				return undefined;
			}
			return requests.some((request) => request.run === run)
				? 'the service had it'
				: 'nothing stood in the way';
		case 'rejected':
			if (requests.some(({ step }) => step.accepted)) return 'it was delivered';
			if (isSurelyOpen) return 'it may have been sent before';
			return requests.length > 0 ? undefined : 'the service never had it';
	}
}

function falseDownload(
	{ outcome, isFile }: Claim,
	observed: Observed,
	{ run, requests, isCancelled }: Facts,
): string | undefined {
	const last = requests.filter((request) => request.run === run).at(-1);
	if (outcome === 'sent') {
		if (!last?.step.outcomes.includes('sent')) return 'there was no file';
		return isFile || !isOnly(last, 'sent') ? undefined : 'it is not the file';
	}
	if (!last) return outcome === 'notSent' ? undefined : 'the service was not asked';
	const mayFail = isCancelled || isDisturbed(observed, run);
	return isOnly(last, 'sent') && !mayFail ? 'the file was there' : undefined;
}

/** "2 of 5 items were sent", or "Nothing was sent to anyone": a person acts upon it. */
export const trueCounts: Invariant = (observed) => {
	const { given, executions } = observed;
	if (given.kind !== 'send' || given.edited?.isOtherMessage) return [];
	return executions.flatMap(({ thrown, cancelledAt }, run) => {
		const { description = '' } = thrown ?? {};
		if (cancelledAt !== undefined || isDisturbed(observed, run)) return [];
		const count = (holds: (step: Step) => boolean) =>
			given.inputs.filter((item) =>
				requestsFor(observed, item, run).some(({ step }) => holds(step)),
			).length;
		const sent = count(({ outcomes }) => outcomes.includes('sent'));
		const [said, some, all] = /(\d+) of (\d+) items were sent/.exec(description) ?? [];
		if (said && (Number(some) !== sent || Number(all) !== given.inputs.length)) {
			return [`"${said}", but it were ${sent} of ${given.inputs.length}`];
		}
		const isNothing = description.includes('Nothing was sent to anyone');
		return isNothing && count(({ accepted }) => accepted) > 0 ? [`"${description}"`] : [];
	});
};
