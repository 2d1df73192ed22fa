/**
 * Decides what to do with a message, by what three sources know about earlier attempts:
 *
 * | State       | Ledger          | Send Once Key         | Execution                     | Action   |
 * | ----------- | --------------- | --------------------- | ----------------------------- | -------- |
 * | `free`      | no entry        | new: now claimed      | this run sends its messages   | `send`   |
 * | `reopened`  | outcome unknown | unknown: now reopened | interrupted: now reopened     | `resend` |
 * | `claimed`   | outcome unknown | unknown, or in flight | interrupted, or another Retry | `hold`   |
 * | `completed` | sent            | sent                  | another ledger or key decides | as below |
 *
 * The first source that is claimed or completed decides. If none is, one reopened source is enough to
 * resend. Without Resend if Unknown, no source is reopened.
 */
export type ClaimState = 'free' | 'reopened' | 'claimed' | 'completed';
/** `byKey`: only the Send Once Key decides. These words are saved in the ledger, so they stay. */
export type ExecutionState = ClaimState | 'byKey';
type Source = 'ledger' | 'key' | 'execution';
/** By source; a source that was not asked has no state. */
export type Evidence = { [source in Source]?: ExecutionState | undefined };
type Action = 'send' | 'resend' | 'hold' | 'skip' | 'reuse';

const IF_COMPLETED = { ledger: 'reuse', key: 'skip', execution: 'hold' } as const;

/** @returns also the source that explains it: the first that is not free */
export function decide(evidence: Evidence): { action: Action; source?: Source | undefined } {
	const stateOf = (source: Source) => {
		const state = evidence[source] ?? 'free';
		if (state !== 'byKey') return state;
		// An unreadable item has no key.
		return evidence.key ? 'free' : 'claimed';
	};
	const known = (['ledger', 'key', 'execution'] as const).filter((one) => stateOf(one) !== 'free');
	const deciding = known.find((one) => stateOf(one) !== 'reopened');
	if (!deciding) return { action: known[0] ? 'resend' : 'send', source: known[0] };
	const action = stateOf(deciding) === 'completed' ? IF_COMPLETED[deciding] : 'hold';
	return { action, source: known[0] };
}
