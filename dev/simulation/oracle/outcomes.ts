import { chainOf, messageOf } from '../plan';
import {
	hasLapses,
	isSideBySide,
	requestsFor,
	rowsOf,
	told,
	wasCutOff,
	type Execution,
	type Invariant,
	type Observed,
	type Report,
	type Seen,
} from './observed';

/** What the node says, held against what the service knows. */

type Claim = Pick<Report, 'input' | 'outcome' | 'text'>;

function claimsOf({ reports, thrown }: Execution): Claim[] {
	if (thrown?.input === undefined) return reports;
	const { input, outcome = 'garbled', message } = thrown;
	return [...reports, { input, outcome, text: message }];
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
		return claimsOf(execution).map((claim) => {
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
				isAlone: rowsOf(plan, item, run) === 1,
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

const has = (requests: Seen[], outcome: Seen['outcome']) =>
	requests.some((request) => request.outcome === outcome);

export const trueOutcomes = judging((one) => {
	const { observed, execution, requests, own, isAlone, calledSent, wasCut } = one;
	const { run } = execution;
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
			if (wasCut || hasLapses(observed)) return undefined;
			return own.some((request) => request.run === run)
				? 'the service had it'
				: 'nothing stood in the way';
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
export const noNeedlessDoubt = judging((one) => {
	const { outcome, observed, execution, requests, isAlone, wasCut } = one;
	if (outcome !== 'unknown') return undefined;
	const isDisturbed = wasCut || hasLapses(observed) || hasRivals(observed, execution);
	if (isDisturbed || isTakenByAnother(observed, execution)) return undefined;
	if (isAlone && has(requests, 'sent')) return 'it was sent';
	return has(requests, 'unknown') ? undefined : 'nothing was left open';
});

/** Without a key, one Retry of an execution sends what is left of its messages: the others leave them all. */
function isTakenByAnother({ plan: { runs }, seen }: Observed, { run }: Execution): boolean {
	const chain = chainOf(runs, run);
	const isOther = (other: number) => chainOf(runs, other)[0] === chain[0] && !chain.includes(other);
	const isKeyed = runs[run]?.options.sendOnceKey !== undefined;
	return !isKeyed && seen.some((request) => isOther(request.run));
}

/** Of two executions that claim a message at the same moment, both may give way. */
function hasRivals(observed: Observed, { run }: Execution): boolean {
	const { plan, executions } = observed;
	const groupOf = (one: number) =>
		plan.runs[one]?.options.sendOnceKey ?? chainOf(plan.runs, one)[0];
	const rivals = executions.filter((one) => groupOf(one.run) === groupOf(run));
	return rivals.some((one) => rivals.some((other) => isSideBySide(observed, one.run, other.run)));
}

/** "2 messages were sent in this run": a person acts upon it. */
export const trueCounts: Invariant = (observed) => {
	const { plan, seen, executions } = observed;
	if (hasLapses(observed)) return [];
	return executions.flatMap((execution) => {
		const { run, thrown } = execution;
		const { description = '' } = thrown ?? {};
		if (wasCutOff(observed, run) || hasRivals(observed, execution)) return [];
		const chain = chainOf(plan.runs, run);
		const sent = seen.filter((one) => chain.includes(one.run) && one.outcome === 'sent').length;
		const [said, count] = /(\d+) messages? w\w+ sent in this run/.exec(description) ?? [];
		return said && Number(count) !== sent ? [`"${said}", but it were ${sent}`] : [];
	});
};
