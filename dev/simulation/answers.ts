export type Outcome = 'sent' | 'rejected' | 'notSent' | 'unknown';

/** What the service does with one request. Why it does so is known here alone. */
export interface Answer {
	/** Whether the message is delivered. */
	accepted: boolean;
	/** What can truly be said after this request. */
	outcome: Outcome;
	/** What comes back, if anything ever does. */
	reply?: Reply | 'connection lost';
}

export interface Reply {
	status: number;
	ok: boolean;
	code: number;
}

const refusal = { ok: false, code: 7 };

export const ANSWERS = {
	done: { accepted: true, outcome: 'sent', reply: { status: 200, ok: true, code: 0 } },
	refused: { accepted: false, outcome: 'rejected', reply: { status: 200, ...refusal } },
	busy: { accepted: false, outcome: 'rejected', reply: { status: 429, ...refusal } },
	lost: { accepted: false, outcome: 'unknown', reply: 'connection lost' },
	'done, lost': { accepted: true, outcome: 'unknown', reply: 'connection lost' },
	silent: { accepted: false, outcome: 'unknown' },
	'done, silent': { accepted: true, outcome: 'unknown' },
} satisfies Record<string, Answer>;

export type AnswerName = keyof typeof ANSWERS;
