import { editionIn, settingsIn, type Case, type Line } from './case';
import type { Execution, Observed, Report } from './runCase';
import type { Seen } from './standIn';
import type { Outcome, Step } from './step';

/** What must be true of every case, whatever the service did. Each gives a sentence for each breach. */
type Invariant = (observed: Observed) => string[];

/** Milliseconds. */
const PROMPTLY = 1500;
/** Until the service notices that the client closed a connection. */
const NOTICED = 200;
const GROWTH = 250e6;
const LONGEST_ERROR = 3000;

const isOnly = (seen: Seen, outcome: Outcome) =>
	seen.step.outcomes.length === 1 && seen.step.outcomes[0] === outcome;
const isMessage = ({ given }: Observed) => given.kind !== 'download';

/** Where the process itself was held up, a short Timeout may have gone off for no other reason. */
function isDisturbed({ given, executions }: Observed, run: number): boolean {
	return (executions[run]?.standstill ?? 0) > settingsIn(given, run).timeout / 4;
}

/** The requests for one and the same message: of an item, and until an edit makes it another. */
function messagesOf({ given, seen }: Observed): Message[] {
	const messages = groupsOf(seen, ({ item, run }) => `${item}/${editionIn(given, run)}`);
	return messages.map((requests) => ({ item: requests[0]?.item ?? NaN, requests }));
}

interface Message {
	item: number;
	requests: Seen[];
}

function groupsOf<T>(values: T[], keyOf: (value: T) => string): T[][] {
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
function requestsFor({ given, seen }: Observed, item: number, run: number): Seen[] {
	const edition = editionIn(given, run);
	return seen.filter(
		(request) =>
			request.item === item && request.run <= run && editionIn(given, request.run) === edition,
	);
}

function told({ item, requests }: Message): string {
	const steps = requests.map(
		({ run, step }) => `${step.label}${run > 0 ? ` in retry ${run}` : ''}`,
	);
	return `item ${item} (${steps.join('; ')})`;
}

const deliveredOnce: Invariant = (observed) => {
	if (!isMessage(observed)) return [];
	return messagesOf(observed).flatMap((message) => {
		const { given } = observed;
		const { requests } = message;
		const repeat = requests.find((request, index) => {
			const before = requests.slice(0, index);
			const { resendUnknown } = settingsIn(given, request.run);
			const wasSent = before.some((earlier) => isOnly(earlier, 'sent'));
			const wasUnknown = before.some((earlier) => isOnly(earlier, 'unknown'));
			const mayHaveTimedOut = resendUnknown && before.some(({ run }) => isDisturbed(observed, run));
			return (wasSent && !mayHaveTimedOut) || (wasUnknown && !resendUnknown);
		});
		if (!repeat) return [];
		const accepted = requests.filter(({ step }) => step.accepted).length;
		return [
			`${accepted > 1 ? `delivered ${accepted} times` : 'asked for again'}: ${told(message)}`,
		];
	});
};

const inOrder: Invariant = ({ given, seen }) => {
	if (given.kind !== 'send') return [];
	const recipientOf = ({ item }: Seen) => given.items[item]?.toId ?? '';
	const lanes = groupsOf(
		seen,
		(request) => `${recipientOf(request)} ${editionIn(given, request.run)}`,
	);
	return lanes.flatMap((requests) => {
		const firsts = [...new Set(requests.map(({ item }) => item))];
		const isSorted = firsts.every((item, index) => index === 0 || item > (firsts[index - 1] ?? 0));
		const overlapping = requests.filter((next, index) => {
			const before = requests[index - 1];
			if (!before) return false;
			const overlap = (before.endedAt ?? Infinity) - next.startedAt;
			return overlap > (before.endedBy === 'client' ? NOTICED : 0);
		});
		return [
			...(isSorted ? [] : [`items ${firsts.join()} of one recipient in this order`]),
			...overlapping.map(({ item }) => `item ${item} while another of its recipient was under way`),
		];
	});
};

const fewEnoughTries: Invariant = (observed) => {
	const { given, seen, executions } = observed;
	return executions.flatMap((_, run) => {
		// A request that was given up at once may come as late as in the next run.
		if (isDisturbed(observed, run) || isDisturbed(observed, run - 1)) return [];
		const nodeTries = given.retryOnFail ? given.maxNodeTries : 1;
		const calls = given.kind === 'tool' ? given.inputs.length : 1;
		const most = settingsIn(given, run).maxTries * nodeTries * calls;
		return given.items.flatMap((_item, item) => {
			const tries = seen.filter(
				(request) => request.run === run && request.item === item && !request.isLink,
			).length;
			return tries > most ? [`item ${item} was tried ${tries} times instead of ${most}`] : [];
		});
	});
};

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
	const last =
		given.kind === 'tool'
			? claims.filter(
					({ input }) => !given.inputs.slice(input + 1).includes(given.inputs[input] ?? NaN),
				)
			: claims;
	if (thrown?.input === undefined || given.kind === 'tool') return last;
	const { input, outcome, message } = thrown;
	return [...last, { input, outcome: outcome ?? 'garbled', text: message }];
}

const trueOutcomes: Invariant = (observed) =>
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
	if (expected) return outcome === expected ? undefined : `it is ${expected}`;
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
	const mayBeOpen = isOpen || isCancelled || isDisturbed(observed, run);
	switch (outcome) {
		case 'sent':
			return wasSent ? undefined : 'the service never said so';
		case 'unknown':
			if (wasSent && !isCancelled && !isDisturbed(observed, run)) return 'it was sent';
			return mayBeOpen ? undefined : 'nothing was left open';
		case 'notSent':
			if (isSurelyOpen || wasSent) return 'it may have been sent before';
			if (isCancelled || isDisturbed(observed, run)) return undefined;
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

const completeOutput: Invariant = ({ given, executions }) =>
	executions.flatMap(({ status, reports, thrown, cancelledAt, isHung }) => {
		if (isHung) return [];
		if (cancelledAt !== undefined) {
			return status === 'canceled' ? [] : [`a cancelled run has the status ${status}`];
		}
		if (thrown) return wrongError(given, thrown);
		if (status !== 'success') return [`the run ended with the status ${status}`];
		const failed = reports.filter(({ outcome }) => outcome !== 'sent');
		if (given.onError === 'stopWorkflow' && given.kind !== 'tool' && failed.length > 0) {
			return ['items failed, but the run went on'];
		}
		const breaches = [0, 1].flatMap((output) => {
			const inputs = reports.filter((report) => report.output === output).map(({ input }) => input);
			const sorted = [...inputs].sort((a, b) => a - b);
			return inputs.join() === sorted.join() ? [] : [`output ${output} has ${inputs.join()}`];
		});
		const missing = given.inputs.flatMap((_, input) => {
			const count = reports.filter((report) => report.input === input).length;
			return count === 1 ? [] : [`input ${input} came out ${count} times`];
		});
		const wrongOutput = reports.filter(
			({ outcome, output }) =>
				output !== (outcome !== 'sent' && given.onError === 'continueErrorOutput' ? 1 : 0),
		);
		return [
			...breaches,
			...missing,
			...wrongOutput.map(({ input, output }) => `input ${input} came out of output ${output}`),
		];
	});

function wrongError(given: Case, { name, message, input }: NonNullable<Execution['thrown']>) {
	if (given.onError !== 'stopWorkflow' && given.kind !== 'tool') return [`thrown: ${message}`];
	const isOurs = (name === 'NodeApiError' || name === 'NodeOperationError') && input !== undefined;
	return isOurs ? [] : [`an error that is not the node's own: ${name}: ${message}`];
}

const nothingUnexpected: Invariant = ({ executions }) =>
	executions.flatMap(({ thrown, reports }) =>
		[thrown?.message ?? '', ...reports.map(({ text }) => text)].filter((text) =>
			/Something unexpected|is not a function|Cannot read|Maximum call stack|URI malformed/.test(
				text,
			),
		),
	);

/** Whatever the service says, its words in an error are few. */
const briefErrors: Invariant = ({ executions }) =>
	executions.flatMap(({ thrown, reports }) => {
		const failed = reports.filter(({ outcome }) => outcome !== 'sent');
		const { message = '', description = '' } = thrown ?? {};
		const lengths = [message.length + description.length, ...failed.map(({ length }) => length)];
		return lengths
			.filter((length) => length > LONGEST_ERROR)
			.map((length) => `an error of ${length} characters`);
	});

/** "2 of 5 items were sent", or "Nothing was sent to anyone": a person acts upon it. */
const trueCounts: Invariant = (observed) => {
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

const secretsKept: Invariant = ({ executions }) =>
	executions.flatMap(({ told: words, thrown, reports }) =>
		words.length === 0
			? []
			: [`told ${words.join(', ')}: ${thrown?.message ?? reports.map(({ text }) => text).join()}`],
	);

const keyStaysHome: Invariant = ({ seen }) =>
	seen.flatMap(({ isLink, hasKey, item }) => {
		if (isLink && hasKey) return [`the key went to the link of item ${item}`];
		return !isLink && !hasKey ? [`a request of item ${item} had no key`] : [];
	});

const ends: Invariant = ({ seen, executions }) =>
	executions.flatMap(({ isHung }, run) => {
		const last = seen.filter((request) => request.run === run).map(({ step }) => step.label);
		return isHung ? [`did not end (${last.join('; ')})`] : [];
	});

const stopsWhenCancelled: Invariant = ({ given, seen, executions }) =>
	executions.flatMap(({ cancelledAt, tookToCancel = 0, standstills }, run) => {
		if (cancelledAt === undefined) return [];
		const after = seen.filter((request) => request.startedAt > cancelledAt).length;
		// These were on their way, unseen by the service.
		const most = settingsIn(given, run).maxConcurrency - (given.cancelling?.delay === 0 ? 1 : 0);
		return [
			...(after > most ? [`${after} requests came after it was cancelled`] : []),
			...(tookToCancel > PROMPTLY + standstills
				? [`took ${Math.round(tookToCancel)} ms to end when it was cancelled`]
				: []),
		];
	});

/** With On Error = Stop, nothing new is begun after a failure; what others were at goes on. */
const stopsAtFailure: Invariant = ({ given, seen, executions }) => {
	if (given.kind !== 'send' || given.onError !== 'stopWorkflow' || given.retryOnFail) return [];
	return executions.flatMap(({ thrown }, run) => {
		const requests = seen.filter((request) => request.run === run);
		const tries = requests.filter(({ item }) => item === thrown?.input);
		const failed = tries.at(-1);
		// One that may be tried again has not failed yet.
		if (failed?.endedBy !== 'service' || tries.length < settingsIn(given, run).maxTries) return [];
		const begun = groupsOf(requests, ({ item }) => String(item)).map(([first]) => first);
		const after = begun.filter((first) => first && first.startedAt > (failed.endedAt ?? Infinity));
		const others = settingsIn(given, run).maxConcurrency - 1;
		return after.length > 2 * others
			? [`${after.length} items were begun after item ${failed.item} had failed`]
			: [];
	});
};

const frugal: Invariant = ({ seen }) =>
	seen.flatMap(({ step, growth }) =>
		step.ending === 'bomb' && growth > GROWTH
			? [`${Math.round(growth / 1e6)} MB of memory for one answer`]
			: [],
	);

export const INVARIANTS: Record<string, Invariant> = {
	'delivered once': deliveredOnce,
	'in order': inOrder,
	'few enough tries': fewEnoughTries,
	'true outcomes': trueOutcomes,
	'complete output': completeOutput,
	'nothing unexpected': nothingUnexpected,
	'brief errors': briefErrors,
	'true counts': trueCounts,
	'secrets kept': secretsKept,
	'key stays home': keyStaysHome,
	ends,
	'stops when cancelled': stopsWhenCancelled,
	'stops at a failure': stopsAtFailure,
	frugal,
};

export interface Breach {
	invariant: string;
	text: string;
}

/** Every breach of an invariant that a case shows. */
export function breachesOf(observed: Observed): Breach[] {
	return Object.entries(INVARIANTS).flatMap(([invariant, hold]) =>
		hold(observed).map((text) => ({ invariant, text })),
	);
}
