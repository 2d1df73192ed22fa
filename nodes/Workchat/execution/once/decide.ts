/**
 * Decides what to do with a message, by what three sources know about earlier attempts:
 *
 * | State       | Ledger          | Send Once Key         | Execution                     | Action   |
 * | ----------- | --------------- | --------------------- | ----------------------------- | -------- |
 * | `free`      | no result       | new: now claimed      | this run sends its messages   | `send`   |
 * | `reopened`  | outcome unknown | unknown: now reopened | interrupted: now reopened     | `resend` |
 * | `claimed`   | –               | unknown, or in flight | interrupted, or a Retry sends | `hold`   |
 * | `completed` | –               | sent: action `skip`   | another key, or a Retry ended | `hold`   |
 *
 * The first source that is claimed or completed decides. If none is, one reopened source is enough to
 * resend. Without Resend if Unknown, no source is reopened. A source may have no state: the key, if the
 * message has none; the execution, if only the key shows which messages were sent.
 */
export type ClaimState = 'free' | 'reopened' | 'claimed' | 'completed';
const SOURCES = ['ledger', 'key', 'execution'] as const;
export type Source = (typeof SOURCES)[number];
export type Evidence = { [source in Source]?: ClaimState | undefined };
type Action = 'send' | 'resend' | 'hold' | 'skip';

/** @returns also the source that explains the action, except for `send` */
export function decide(evidence: Evidence): { action: Action; source?: Source } {
	const isDeciding = (source: Source) => ['claimed', 'completed'].includes(evidence[source] ?? '');
	const deciding = SOURCES.find(isDeciding);
	const isSent = deciding === 'key' && evidence.key === 'completed';
	if (deciding) return { action: isSent ? 'skip' : 'hold', source: deciding };
	const reopened = SOURCES.find((source) => evidence[source] === 'reopened');
	return reopened ? { action: 'resend', source: reopened } : { action: 'send' };
}
