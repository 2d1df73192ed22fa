import { Failure, messageOf, type About } from '../../service/failure/failure';
import type { ItemRequest, Output } from '../operation';
import { MAX_ENTRIES } from './dedupRow';

/** Results of messages that were or may have been sent before, and a notice. */

export function skipped({ sendOnceKey, about }: ItemRequest): Output {
	const reason = 'This recipient got a message with this Send Once Key before';
	return { json: { skipped: true, reason, sendOnceKey, toId: about.toId } };
}

export function keyClaimed({ sendOnceKey, about }: ItemRequest): Failure {
	return unknown(
		`A message with the Send Once Key "${sendOnceKey}" was started for this recipient before, and its outcome is unknown`,
		'Ask the recipient, unless another execution is sending it right now.',
		about,
	);
}

export function interrupted(about: About): Failure {
	return unknown(
		'This execution was interrupted while it sent its messages, or another Retry of it is sending them',
		'Ask the recipient.',
		about,
	);
}

/** Only the ledger of another Retry, or another Send Once Key, shows which messages were sent. */
export function takenOver(about: About): Failure {
	const problem =
		'Another Retry of this execution has taken over, or the execution had another Send Once Key';
	const advice =
		'Retry the other Retry instead, or restore the Send Once Key and retry again; if neither is possible, ask the recipient.';
	return new Failure(problem, { outcome: 'unknown', origin: 'n8n', advice, ...about });
}

/** A Retry cannot read the item, so it cannot find out whether it was sent. */
export function unreadable(failure: Failure): Failure {
	const problem = 'This execution, or another Retry of it, may have sent this before';
	const advice = 'Ask the recipient.';
	return failure.with({ problem, outcome: 'unknown', origin: 'n8n', advice, fix: undefined });
}

/** @param isUnknown whether n8n may have recorded a claim, or an earlier attempt may have sent it */
export function noAnswer(error: unknown, isUnknown: boolean, about: About): Failure {
	const problem = `n8n could not tell whether this was sent before: ${messageOf(error)}`;
	if (!isUnknown) {
		const options = { outcome: 'notSent', origin: 'n8n', advice: 'Try again.' } as const;
		return new Failure(problem, { ...options, ...about });
	}
	return unknown(
		problem,
		'Retry it, or execute the workflow again with the same Send Once Key, and if the outcome is still unknown, ask the recipient.',
		about,
	);
}

/** A notice, without a final period. */
export function halfFull(entries: number): string {
	return `n8n has ${entries} of at most ${MAX_ENTRIES} entries for this node: beyond that, older messages are forgotten, and could be sent again`;
}

function unknown(problem: string, advice: string, about: About): Failure {
	const options = { outcome: 'unknown', origin: 'n8n', advice, fix: 'resend' } as const;
	return new Failure(problem, { ...options, ...about });
}
