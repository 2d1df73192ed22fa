import {
	deliveredOnce,
	dryStaysDry,
	fewEnoughTries,
	inOrder,
	stopsAtFailure,
	stopsWhenCancelled,
} from './delivery';
import { isSideBySide, type Invariant, type Observed } from './observed';
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

function excuseOf(invariant: string, observed: Observed): string | undefined {
	const { plan, memory } = observed;
	if (invariant === 'no needless doubt' && hasWorkersSideBySide(observed)) {
		return 'another worker wrote over it';
	}
	if (invariant !== 'delivered once') return undefined;
	if (memory.stalls > 0) return 'a worker stood still in a call of its memory';
	const resends = plan.runs.some(({ options }) => options.resendUnknown);
	if (!resends) return undefined;
	// Asking for what was sent writes that it is open, also where n8n's answer is lost.
	if (memory.troubles > 0) return 'resent as its memory had failed';
	return plan.processes > 1 ? 'resent beside another worker' : undefined;
}

function hasWorkersSideBySide(observed: Observed): boolean {
	const { plan, executions } = observed;
	const processOf = (run: number) => plan.runs[run]?.process;
	return executions.some(({ run }) =>
		executions.some(
			(other) => processOf(run) !== processOf(other.run) && isSideBySide(observed, run, other.run),
		),
	);
}
