/** What a request is about: what its failures need to know to be put in words. */
export interface Call {
	/** Who is called, as the subject of a sentence: "The Workchat service". */
	receiver: string;
	/** Whether doing it twice harms nobody. */
	repeatable: boolean;
	/** Values that may stand in no error, even if the reply repeats them. */
	secrets: string[];
	/** Of the envelope that led to this call. */
	requestId?: string;
}

export function adviceForUnknown(call: Call): string {
	return call.repeatable
		? 'Try again. If the service is only slow, raise the Timeout option.'
		: 'It may or may not have been done: check with the recipient before you send it again. If the service is only slow, raise the Timeout option.';
}
