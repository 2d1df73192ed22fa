import type { Begun } from './names';

/**
 * What becomes of a message. Three tell of it, each in the same four words:
 *
 * |            | its line in the record | its key, a name in n8n's memory | its execution, a name there too      |
 * | ---------- | ---------------------- | ------------------------------- | ------------------------------------ |
 * | `free`     | none                   | nobody began it; now we did     | we send what the record does not have |
 * | `reopened` | unknown, to be resent  | was open; now we resend it      | was cut off; now we resend it        |
 * | `open`     | unknown                | being sent, or nobody knows     | was cut off, or another Retry sends it |
 * | `closed`   | sent                   | sent                            | another record, or another key, tells |
 *
 * They are asked in this order, until one is open or closed. `reopened` comes with Resend if Unknown
 * alone, and to one at a time.
 *
 * | What they tell         | What is done          | What is written                                        |
 * | ---------------------- | --------------------- | ------------------------------------------------------ |
 * | its line is closed     | `tell`, as it came out | –                                                     |
 * | its key is closed      | `skip`                | the key is closed again: the question had opened it    |
 * | the execution is closed | `leave`, as unknown  | the key, if it was free, is freed                      |
 * | one is open            | `leave`, as unknown   | the same                                               |
 * | one is reopened        | `resend`; unknown unless it succeeds | as for `send`, but a key in doubt is never freed |
 * | all are free           | `send`                | the key is open; then closed if sent, freed if not, left open if unknown. A line, if sent or unknown |
 */
export type State = 'free' | 'reopened' | 'open' | 'closed';
/** `byKey`: executions with this key send these messages, so it alone tells. */
export type Standing = State | 'byKey';
export type Deed = 'send' | 'resend' | 'leave' | 'skip' | 'tell';

/** What was not asked, or is not there, has no say. */
export interface Told {
	line: State;
	key?: State | undefined;
	execution?: Standing | undefined;
}

const IN_ORDER = ['line', 'key', 'execution'] as const;
const IF_CLOSED = { line: 'tell', key: 'skip', execution: 'leave' } as const;

/** @returns also which is the first in doubt: its words are told */
export function decide(told: Told): { deed: Deed; inDoubt?: keyof Told | undefined } {
	const stateOf = (one: keyof Told): State => {
		const state = told[one] ?? 'free';
		if (state !== 'byKey') return state;
		// An item that could not be read has no key to ask.
		return told.key ? 'free' : 'open';
	};
	const inDoubt = IN_ORDER.find((one) => stateOf(one) !== 'free');
	const last = IN_ORDER.find((one) => isDecided(stateOf(one)));
	if (!last) return { deed: inDoubt ? 'resend' : 'send', inDoubt };
	return { deed: stateOf(last) === 'closed' ? IF_CLOSED[last] : 'leave', inDoubt };
}

function isDecided(state: Standing): state is 'open' | 'closed' {
	return state === 'open' || state === 'closed';
}

/** Whose the record is, as n8n saved it. */
export interface Owner {
	/** The execution that wrote it. */
	id: string;
	/** How many runs of the node in it the record has. */
	runs: number;
	/** The name that it shares with others that have the same key. */
	shared?: Begun | undefined;
	/** What the execution was to it. */
	standing: Exclude<Standing, 'open' | 'closed'>;
}

/** What n8n tells of the execution that runs now. */
export interface Now {
	id: string;
	isRetry: boolean;
	/** When it began, or what it is a Retry of. */
	begun?: Begun | undefined;
	/** Whether it is the Retry of one that n8n knows no beginning of. */
	isOfUnknown: boolean;
	resends: boolean;
}

/**
 * What a run of the node does about its execution before it sends.
 *
 * | The run                                      | Before it sends                          |
 * | -------------------------------------------- | ---------------------------------------- |
 * | of a first execution, and each further one   | leaves a trace, for the Retry of a kill  |
 * | of a Retry, the first                        | claims the name of what it retries       |
 * | of a Retry whose record is in doubt          | the same to resend, and otherwise nothing: it is open |
 * | where the name is shared, each further one   | nothing: the key tells                   |
 * | where n8n tells neither a beginning nor a record | nothing                              |
 *
 * The name tells when the execution began; where there is a record, whose that is, and how many runs
 * it has. So a Retry asks for what was left after the record was saved, and for nothing before it.
 */
export function approach(
	owner: Owner | undefined,
	{ id, isRetry, begun, isOfUnknown, resends }: Now,
): { standing: Standing; trace?: Begun; claim?: Begun } {
	const claims = isRetry && owner?.id !== id;
	const standing = owner?.standing ?? (claims && isOfUnknown ? 'reopened' : 'free');
	const name = owner ? (owner.shared ?? { id: owner.id, runs: owner.runs }) : begun;
	if (!name) return { standing };
	if (!claims) return owner?.shared ? { standing } : { standing, trace: name };
	return standing === 'reopened' && !resends ? { standing: 'open' } : { standing, claim: name };
}

/**
 * What the execution is to a Retry that has claimed its name, and the name beside it by its key.
 *
 * | Its name   | By the key | It is      | Who sends the messages          | What is written                 |
 * | ---------- | ---------- | ---------- | ------------------------------- | ------------------------------- |
 * | any        | `closed`   | `byKey`    | all with this key               | its name is closed              |
 * | `free`     | `free`     | `free`     | we, and all with this key       | both are closed                 |
 * | `free`     | other      | `free`     | we alone                        | open, until we end: then closed |
 * | `reopened` | other      | `reopened` | we; one was cut off             | the same                        |
 * | `open`     | other      | `open`     | another Retry, or it was cut off | –                              |
 * | `closed`   | other      | `closed`   | one whose own record tells, or those with another key | –         |
 *
 * @param before what it was to the record: a doubt there stays
 */
export function standingOf(
	before: Standing,
	name: State,
	key?: State,
): { standing: Standing; isShared: boolean } {
	const isShared = key === 'closed' || (name === 'free' && key === 'free');
	const standing = key === 'closed' ? 'byKey' : name;
	const isOfBefore = standing === 'free' || (before === 'reopened' && !isDecided(standing));
	return { standing: isOfBefore ? before : standing, isShared };
}
