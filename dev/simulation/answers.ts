export type Outcome = 'sent' | 'rejected' | 'notSent' | 'unknown';

/** What the service does with one request. Why it does so is known here alone. */
export interface Answer {
	/** Whether the message is delivered. */
	accepted: boolean;
	/** What can truly be said after this request. */
	outcome: Outcome;
	status: number;
	body: string;
	/** The connection is lost before the answer, or in its middle, or no answer ever comes. */
	ending: 'whole' | 'drop' | 'half' | 'silent';
}

const done: Answer = {
	accepted: true,
	outcome: 'sent',
	status: 200,
	body: '{"ok":true,"code":0,"message":"done","request_id":"svc_simulation","data":{}}',
	ending: 'whole',
};
const refused: Answer = {
	...done,
	accepted: false,
	outcome: 'rejected',
	body: '{"ok":false,"code":7,"message":"no","request_id":"svc_simulation"}',
};
/** What leaves open whether it was delivered. */
const open = (accepted: boolean, more: Partial<Answer>): Answer => ({
	...done,
	accepted,
	outcome: 'unknown',
	...more,
});
const badGateway = { status: 502, body: '' };

export const ANSWERS = {
	done,
	refused,
	busy: { ...refused, status: 429 },
	lost: open(false, { ending: 'drop' }),
	'done, lost': open(true, { ending: 'drop' }),
	half: open(false, { ending: 'half' }),
	'done, half': open(true, { ending: 'half' }),
	silent: open(false, { ending: 'silent' }),
	'done, silent': open(true, { ending: 'silent' }),
	'bad gateway': open(false, badGateway),
	'done, bad gateway': open(true, badGateway),
};

export type AnswerName = keyof typeof ANSWERS;
