import type { ExecutionRef } from './claimKeys';
import type { ClaimState, ExecutionState } from './decide';
import type { Owner } from './ledger';

/** `ref`: its start, shared by its Retries. `isOriginUnknown`: a Retry that has only its own start. */
export interface CurrentExecution {
	id: string;
	isRetry: boolean;
	ref?: ExecutionRef | undefined;
	isOriginUnknown: boolean;
}

/**
 * What a run does before it sends. A Retry claims the messages without a ledger entry. Any other run
 * writes a marker for them, so that its Retry finds them claimed if it is killed.
 */
export function planStart(owner: Owner | undefined, current: CurrentExecution, resends: boolean) {
	const isClaim = current.isRetry && owner?.id !== current.id;
	const state = owner?.standing ?? (isClaim && current.isOriginUnknown ? 'reopened' : 'free');
	const ref = owner ? (owner.shared ?? { id: owner.id, runs: owner.runs }) : current.ref;
	if (isClaim && ref && state === 'reopened' && !resends) return { state: 'claimed' } as const;
	return isClaim ? { state, claim: ref } : { state, marker: owner?.shared ? undefined : ref };
}

/**
 * The state of an execution whose Retry has claimed its key (`own`), and the one by Send Once Key:
 *
 * | `own`       | `byKey`       | State       | Who sends the messages                 | Claims         |
 * | ----------- | ------------- | ----------- | -------------------------------------- | -------------- |
 * | any         | `completed`   | `byKey`     | all executions with this Send Once Key | own completed  |
 * | `free`      | `free`        | `free`      | this run, then all with this key       | both completed |
 * | `free`      | other or none | `free`      | this run                               | own held       |
 * | `reopened`  | other or none | `reopened`  | this run, after an interrupted one     | own held       |
 * | `claimed`   | other or none | `claimed`   | another Retry, or an interrupted run   | –              |
 * | `completed` | other or none | `completed` | a run with a ledger, or another key    | –              |
 *
 * @param saved its state in the ledger: a Send Once Key does not clear `reopened`
 */
export function stateAfterClaims(saved: ExecutionState, own: ClaimState, byKey?: ClaimState) {
	const isShared = byKey === 'completed' || (own === 'free' && byKey === 'free');
	const state = byKey === 'completed' ? 'byKey' : own;
	const isUnchanged = state === 'free' || (saved === 'reopened' && state === 'byKey');
	return { state: isUnchanged ? saved : state, isShared };
}
