import type { Begun } from './names';

/**
 * What is done with a message. Three tell of it, each in the same four words:
 *
 * |            | its line in the record | its key, in n8n's memory    | its execution, there too               |
 * | ---------- | ---------------------- | --------------------------- | -------------------------------------- |
 * | `free`     | none                   | nobody began it: now we did | we send what the record does not have  |
 * | `reopened` | unknown, to be resent  | was open: now we resend it  | was cut off: now we resend it          |
 * | `open`     | unknown                | being sent, or nobody knows | was cut off, or another Retry sends it |
 * | `closed`   | sent                   | sent                        | another record, or another key, tells  |
 *
 * They are asked in this order, until one is open or closed. Only with Resend if Unknown is one
 * reopened, and for one execution at a time.
 *
 * | They tell               | Done     | The item comes out as  | Written                                   |
 * | ----------------------- | -------- | ---------------------- | ----------------------------------------- |
 * | its line is closed      | `tell`   | it did before          | –                                         |
 * | its key is closed       | `skip`   | skipped                | the key closed: the question opened it    |
 * | the execution is closed | `leave`  | unknown                | the key freed, if it was free             |
 * | one is open             | `leave`  | unknown                | the same                                  |
 * | one is reopened         | `resend` | sent, or still unknown | as for `send`; a key in doubt stays open  |
 * | all are free            | `send`   | what became of it      | the key open; then closed if sent, freed  |
 * |                         |          |                        | if not; and a line, if sent or unknown    |
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

/** @returns also by which of them: the first that is not free, whose words are told */
export function decide(told: Told): { deed: Deed; by?: keyof Told | undefined } {
	const stateOf = (one: keyof Told): State => {
		const state = told[one] ?? 'free';
		if (state !== 'byKey') return state;
		// An item that could not be read has no key to ask.
		return told.key ? 'free' : 'open';
	};
	const by = IN_ORDER.find((one) => stateOf(one) !== 'free');
	const last = IN_ORDER.find((one) => isLast(stateOf(one)));
	if (!last) return { deed: by ? 'resend' : 'send', by };
	return { deed: stateOf(last) === 'closed' ? IF_CLOSED[last] : 'leave', by };
}

/** Whether nothing else has a say. */
function isLast(state: Standing): state is 'open' | 'closed' {
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
 * | The run                                  | Before it sends                                      |
 * | ---------------------------------------- | ---------------------------------------------------- |
 * | of a first execution, or a later one     | leaves a trace, for the Retry of one that was killed |
 * | of a Retry, the first                    | claims the name of what it retries                   |
 * | the same, where the record is in doubt   | the same to resend; else nothing: it is open         |
 * | a later one, where the name is shared    | nothing: the key tells                               |
 * | where n8n tells no beginning, no record  | nothing                                              |
 *
 * The name tells when the execution began; with a record, whose that is, and how many runs it has. So
 * a Retry asks for what was left since the record was saved, and for nothing that was left before.
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
 * What the execution is to a Retry that has claimed its name, and the one beside it by its key.
 *
 * | Its name   | By the key | It is      | Who sends its messages            | Written                     |
 * | ---------- | ---------- | ---------- | --------------------------------- | --------------------------- |
 * | any        | `closed`   | `byKey`    | all with this key                 | its name closed             |
 * | `free`     | `free`     | `free`     | we, and then all with this key    | both closed                 |
 * | `free`     | else       | `free`     | we                                | open; closed as we end      |
 * | `reopened` | else       | `reopened` | we, after one that was cut off    | the same                    |
 * | `open`     | else       | `open`     | another Retry, or who was cut off | –                           |
 * | `closed`   | else       | `closed`   | one with a record, or another key | –                           |
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
	const isOfBefore = standing === 'free' || (before === 'reopened' && !isLast(standing));
	return { standing: isOfBefore ? before : standing, isShared };
}
