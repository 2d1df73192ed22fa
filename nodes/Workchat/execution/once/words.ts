import { Failure, messageOf, type Wording } from '../../service/failure/failure';
import { masked } from '../../service/failure/secrets';
import type { ItemRequest, Output } from '../operation';

/** What is said of messages that were, or may have been, sent before. */

/** The output of an item whose message was sent under its key. */
export function skipped({ sendOnceKey, recipient }: ItemRequest): Output {
	const reason = 'This recipient got a message with this Send Once Key before';
	return { json: { skipped: true, reason, sendOnceKey, toId: recipient } };
}

export function inDoubt({ sendOnceKey, wording }: ItemRequest): Failure {
	const key = masked(sendOnceKey ?? '', wording.secrets);
	return unknown(
		`A message with the Send Once Key "${key}" was begun for this recipient before, and how that ended is not known`,
		'The message may or may not have been sent, or another execution is sending it right now: check with the recipient.',
		wording,
	);
}

/** In a Retry that is not the first one. @param isOver whether another one has a record of its own */
export function retriedBefore(wording: Wording, isOver: boolean): Failure {
	return unknown(
		'This execution was cut off before while it sent its messages, or another Retry of it sends them',
		'See there, if there is one: retry that one instead. Otherwise this message may or may not have been sent: check with the recipient.',
		wording,
		isOver,
	);
}

/** @param isAsked whether n8n may have noted the message as begun, or another try may have sent it */
export function noAnswer(error: unknown, isAsked: boolean, wording: Wording): Failure {
	const happened = `n8n could not tell whether this was sent before: ${messageOf(error)}`;
	if (!isAsked) {
		const advice = 'Nothing was sent. Try again.';
		return new Failure(happened, { outcome: 'notSent', origin: 'n8n', advice, ...wording });
	}
	return unknown(
		happened,
		'This execution did not send it; an earlier one may have, and n8n may have noted it as begun. If the next execution says so too, check with the recipient.',
		wording,
	);
}

/** A remark, without a final period. */
export function dropped(most: number): string {
	return `n8n remembers the last ${most} messages of this node that have a Send Once Key: older ones are forgotten, and could be sent again`;
}

export function sentSoFar(sent: number, doubtful: number, untried: number, hasKeys: boolean) {
	const count = `Messages of this run: ${sent} sent, ${doubtful} may have been sent, ${untried} not tried.`;
	if (hasKeys)
		return `${count} Execute the workflow again: what went out under this Send Once Key is skipped.`;
	if (sent + doubtful === 0) return count;
	return `${count} Retry of this execution does not send these again; a new execution does.`;
}

function unknown(happened: string, what: string, wording: Wording, isOver = false): Failure {
	const advice = isOver ? what : `${what} To send it all the same, switch on 'Resend if Unknown'.`;
	return new Failure(happened, { outcome: 'unknown', origin: 'n8n', advice, ...wording });
}
