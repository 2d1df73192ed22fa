import {
	deliveredOnce,
	fewEnoughTries,
	inOrder,
	stopsAtFailure,
	stopsWhenCancelled,
} from './delivery';
import type { Invariant, Observed } from './observed';
import { trueCounts, trueOutcomes } from './outcomes';
import {
	briefErrors,
	completeOutput,
	keyStaysHome,
	nothingUnexpected,
	secretsKept,
} from './output';

/** What must be true of every case, whatever the service did. */

const ends: Invariant = ({ seen, executions }) =>
	executions.flatMap(({ isHung }, run) => {
		const last = seen.filter((request) => request.run === run).map(({ step }) => step.label);
		return isHung ? [`did not end (${last.join('; ')})`] : [];
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
