import { Failure, type FailureOptions } from './failure';
import { recipientOf } from './redact';
import type { Secrets } from './secrets';

/** What a request is about: what its failures need to know to be put in words. */
export interface Wording {
	/** Who is asked, as the subject of a sentence: "The Workchat service". */
	receiver: string;
	/** Whether doing it twice harms nobody. */
	isRepeatable: boolean;
	/** Values that may stand in no error, even if the response repeats them. */
	secrets: Secrets;
	/** Of the envelope that led to this request. */
	requestId?: string;
	/** Who gets the message. */
	toId?: string;
}

/**
 * The failure of a request.
 * @param happened completes the sentence that begins with the receiver
 */
export function failureOf(wording: Wording, happened: string, options: FailureOptions): Failure {
	const { receiver, secrets, requestId } = wording;
	const about = { secrets, request_id: requestId, toId: recipientOf(wording) };
	return new Failure(`${receiver} ${happened}`, { ...about, ...options });
}

/** What to do about a request that may have been done. */
export function adviceForUnknown({ isRepeatable }: Wording): string {
	return isRepeatable
		? 'Try again.'
		: 'The message may or may not have been sent: check with the recipient before you send it again.';
}
