import { Failure, messageOf } from '../../service/failure/failure';
import { recipientOf, shown } from '../../service/failure/redact';
import type { Wording } from '../../service/failure/wording';
import type { ItemRequest, Output } from '../operation';

/** What is said of messages that were, or may have been, sent before. */

const RESEND = "To send it all the same, switch on 'Resend if Unknown'.";

/** The output of an item whose message was sent under its key. */
export function skipped({ sendOnceKey, body: { toId } }: ItemRequest): Output {
	const reason = 'This recipient got a message with this Send Once Key before';
	return { json: { skipped: true, reason, sendOnceKey, toId } };
}

/** @param original as of the ledger */
export function sentByAnother(original: string | undefined, wording: Wording): Failure {
	const happened = `Another retry of ${executionOf(original)} sent this message: see there`;
	return unknown(happened, ['This retry did not send it again.'], wording);
}

export function inDoubt(
	{ sendOnceKey, wording }: ItemRequest,
	original: string | undefined,
): Failure {
	return unknown(
		sendOnceKey === undefined
			? `Another retry of ${executionOf(original)} sent this message, or tried to: see there`
			: `A message with the Send Once Key "${shown(sendOnceKey, wording.secrets) ?? '***'}" was begun for this recipient before, and how that ended is not known`,
		[
			'The message may or may not have been sent, or another execution is sending it right now: check with the recipient.',
			RESEND,
		],
		wording,
	);
}

/** Of a Retry of an execution whose record is lost. */
export function cutOff(wording: Wording): Failure {
	return unknown(
		'This execution was cut off before while it sent its messages',
		[
			'n8n kept no record of it, so this message may or may not have been sent: check with the recipient.',
			RESEND,
		],
		wording,
	);
}

/** @param isAsked whether n8n may have noted the message as begun, or an earlier try may have sent it */
export function noAnswer(error: unknown, isAsked: boolean, wording: Wording): Failure {
	if (!isAsked) return noMemory(error, wording);
	return unknown(
		couldNotTell(error),
		[
			'This execution did not send it; an earlier one may have, and n8n may have noted it as begun. If the next execution says so too, check with the recipient.',
			RESEND,
		],
		wording,
	);
}

export function noMemory(error: unknown, wording: Wording): Failure {
	return new Failure(couldNotTell(error), {
		outcome: 'notSent',
		origin: 'n8n',
		advice: 'Nothing was sent. Try again.',
		toId: recipientOf(wording),
	});
}

export function tooManyKeys(count: number, most: number, wording: Wording): Failure {
	return new Failure(`${count} messages have a Send Once Key, and n8n keeps ${most}`, {
		outcome: 'notSent',
		origin: 'input',
		advice: 'Nothing was sent. Send the list in parts.',
		toId: recipientOf(wording),
	});
}

/** Remarks, without a final period. */
export const dropped = (most: number): string =>
	`n8n remembers ${most} messages of this node: the oldest are forgotten now, and could be sent again`;
export const UNGUARDED =
	'n8n could not tell whether another Retry of the same execution sent these messages, too';

/** Who does not send them again that were sent, and who does. */
export interface Repeaters {
	hasKeys: boolean;
	/** Whether an earlier try left no record. */
	isUnrecorded: boolean;
	/** Whether another workflow runs this one. */
	isSubWorkflow: boolean;
	/** Whether the node ran before in this execution. */
	isLaterRun: boolean;
	/** Whether Resend if Unknown is on. */
	resends: boolean;
}

/** What an error that stops the run says of all items. */
export function sentSoFar(
	{ sent, unknown: doubtful, untried }: Record<'sent' | 'unknown' | 'untried', number>,
	total: number,
	{ hasKeys, isUnrecorded, isSubWorkflow, isLaterRun, resends }: Repeaters,
): string {
	const may = doubtful > 0 ? `, and ${doubtful} may have been` : '';
	const rest = untried > 0 ? `; ${untried} ${untried === 1 ? 'was' : 'were'} not tried` : '';
	const rounds = isLaterRun ? ' Earlier runs of this node do not count here.' : '';
	const again = doubtful > 0 && resends ? ` ${RESENT}` : '';
	const goOn = (untried > 0 && doubtful > 0 ? ` ${whatSendsTheRest(hasKeys)}` : '') + again;
	if (sent > 0) {
		return `${sent} of ${total} items were sent${may}${rest}. ${whoSendsAgain(hasKeys, isSubWorkflow)}${goOn}${rounds}`;
	}
	if (doubtful > 0) {
		return `None of ${total} items is known to have been sent${may}${rest}.${goOn}${rounds}`;
	}
	return hasKeys || isUnrecorded || isLaterRun || isSubWorkflow
		? `0 of ${total} items were sent.${rounds}`
		: `Nothing was sent to anyone (0 of ${total}).`;
}

const RESENT =
	"As 'Resend if Unknown' is on, whatever runs this again also sends again what may have been sent.";

function whoSendsAgain(hasKeys: boolean, isSubWorkflow: boolean): string {
	if (hasKeys) {
		return 'Whatever runs this again, their Send Once Key keeps these from being sent again.';
	}
	return isSubWorkflow
		? 'Retry of this execution does not send these again; Retry of the parent execution does, and so does Retry On Fail of the node that runs this workflow.'
		: 'Retry On Fail, and Retry in the list of executions, do not send these again; Execute Workflow does.';
}

/** Where a message in doubt stopped the run, a Retry stops at it again. */
function whatSendsTheRest(hasKeys: boolean): string {
	return hasKeys
		? 'Execute the workflow again to send those that were not tried.'
		: "To send those that were not tried, set 'On Error' to 'Continue', save, and choose 'Retry with currently saved workflow' for this execution in the list.";
}

function couldNotTell(error: unknown): string {
	return `n8n could not tell whether this was sent before: ${messageOf(error)}`;
}

function unknown(happened: string, advice: string[], wording: Wording): Failure {
	const words = { outcome: 'unknown', origin: 'n8n', advice: advice.join(' ') } as const;
	return new Failure(happened, { ...words, toId: recipientOf(wording) });
}

/** Of an execution that left no record, the ID is not known. */
function executionOf(original = ''): string {
	return /^\d+$/.test(original) ? `execution ${original}` : 'the same execution';
}
