import {
	deliveredOnce,
	dryStaysDry,
	fewEnoughTries,
	inOrder,
	stopsAtFailure,
	stopsWhenCancelled,
} from './delivery';
import type { Invariant, Observed } from './observed';
import { noNeedlessDoubt, trueCounts, trueOutcomes } from './outcomes';
import {
	briefErrors,
	completeOutput,
	keyStaysHome,
	nothingUnexpected,
	secretsKept,
} from './output';

/** What must be true of every plan, whatever the service did. */

const ends: Invariant = ({ seen, executions }) =>
	executions.flatMap(({ run, endedAt }) => {
		const last = seen.filter((request) => request.run === run).map(({ step }) => step.label);
		return endedAt === undefined ? [`run ${run} did not end (${last.join('; ')})`] : [];
	});

/** Bytes. */
const MOST_MEMORY = 250e6;

const frugal: Invariant = ({ seen }) =>
	seen.flatMap(({ step, growth }) =>
		step.ending === 'bomb' && growth > MOST_MEMORY
			? [`${Math.round(growth / 1e6)} MB of memory for one answer`]
			: [],
	);

export const INVARIANTS: Record<string, Invariant> = {
	'delivered once': deliveredOnce,
	'dry stays dry': dryStaysDry,
	'in order': inOrder,
	'few enough tries': fewEnoughTries,
	'true outcomes': trueOutcomes,
	'no needless doubt': noNeedlessDoubt,
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
	/** What makes it one of those that docs/delivery.md tells of, as no node can prevent them. */
	excuse?: string | undefined;
}

/** Every breach of an invariant that a plan shows. */
export function breachesOf(observed: Observed): Breach[] {
	return Object.entries(INVARIANTS).flatMap(([invariant, hold]) =>
		hold(observed).map((text) => ({ invariant, text, excuse: excuseOf(invariant, observed) })),
	);
}

function excuseOf(invariant: string, { plan, executions, memory }: Observed): string | undefined {
	const isOnce = invariant === 'delivered once';
	const wasSaid = executions.some(({ isUnguarded }) => isUnguarded) ? 'as it said' : undefined;
	// What is sent once more may be refused then.
	if (invariant === 'true outcomes') return wasSaid;
	if (!isOnce && invariant !== 'no needless doubt') return undefined;
	const { pauses = [], processes = 1 } = plan.trouble ?? {};
	if (pauses.length > 0) return 'a process stood still';
	if ((memory?.stalls ?? 0) > 0) return 'a call took long';
	if (!isOnce) return undefined;
	if (wasSaid) return wasSaid;
	const resends = plan.runs.some(({ options }) => options.resendUnknown);
	return resends && processes > 1 ? 'resent beside another worker' : undefined;
}
