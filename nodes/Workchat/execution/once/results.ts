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
		'The message may or may not have been sent, or another execution is sending it right now. Check with the recipient.',
		about,
	);
}

export function interrupted(about: About): Failure {
	return unknown(
		'This execution was interrupted while it sent its messages, or another Retry of it is sending them',
		'This message may or may not have been sent: check with the recipient.',
		about,
	);
}

/** The ledger of another execution knows what was sent, or another Send Once Key. */
export function takenOver(about: About): Failure {
	const problem =
		'Another Retry of this execution has taken over, or the execution had another Send Once Key';
	const advice =
		'If there is another Retry, retry that one instead. If you changed or removed the Send Once Key, undo that and retry again. Otherwise this message may or may not have been sent: check with the recipient.';
	return new Failure(problem, { outcome: 'unknown', origin: 'n8n', advice, ...about });
}

/** A Retry cannot read the item, and so not find out whether it was sent. */
export function unreadable({ details }: Failure): Failure {
	const problem = 'This execution, or another Retry of it, may have sent this before';
	const advice = 'Check with the recipient.';
	return new Failure(problem, { ...details, outcome: 'unknown', origin: 'n8n', advice });
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
		'This execution did not send it. An earlier one may have sent it, and n8n may have recorded it as started. If the next execution reports an unknown outcome, too, check with the recipient.',
		about,
	);
}

/** A notice, without a final period. */
export function halfFull(entries: number): string {
	return `n8n has ${entries} of at most ${MAX_ENTRIES} entries for what this node sent with a Send Once Key: beyond that, older messages are forgotten, and could be sent again`;
}

function unknown(problem: string, what: string, about: About): Failure {
	const advice = `${what} To send it anyway, switch on 'Resend if Unknown'.`;
	return new Failure(problem, {
		outcome: 'unknown',
		origin: 'n8n',
		advice,
		fix: 'resend',
		...about,
	});
}
