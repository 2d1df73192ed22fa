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
import { briefErrors, completeOutput, nothingUnexpected } from './output';

/** What must be true of every plan, whatever the service did. */

const ends: Invariant = ({ seen, executions }) =>
	executions.flatMap(({ run, endedAt }) => {
		const last = seen.filter((request) => request.run === run).map(({ name }) => name);
		return endedAt === undefined ? [`run ${run} did not end (${last.join('; ')})`] : [];
	});

export const INVARIANTS = {
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
	ends,
	'stops when cancelled': stopsWhenCancelled,
	'stops at a failure': stopsAtFailure,
} satisfies Record<string, Invariant>;

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
	if (plan.pauses.length > 0) return 'a process stood still';
	if (memory.stalls > 0) return 'a call took long';
	if (!isOnce) return undefined;
	if (wasSaid) return wasSaid;
	const resends = plan.runs.some(({ options }) => options.resendUnknown);
	return resends && plan.processes > 1 ? 'resent beside another worker' : undefined;
}
