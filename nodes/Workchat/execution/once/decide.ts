import type { Begun } from './names';

/**
 * What is done with a message. Three tell of it, and are asked in this order:
 *
 * |            | its line | its key, in n8n's memory    | its execution, by a name there too | so       |
 * | ---------- | -------- | --------------------------- | ---------------------------------- | -------- |
 * | `free`     | none     | nobody began it: now we did | we send what has no line           | `send`   |
 * | `reopened` | unknown  | in doubt: now we resend it  | cut off: now we resend that        | `resend` |
 * | `open`     | unknown  | in doubt, or being sent     | cut off, or a Retry sends that     | `leave`  |
 * | `closed`   | sent     | sent                        | another record, or key, tells      | as below |
 *
 * The first that is open or closed decides, and else one that is reopened, as Resend if Unknown wants.
 * Written: while it is sent, its key is open; then closed if sent, freed if not, and left so if unknown;
 * a line, if sent or unknown. What is left has its key put back: one in doubt is never freed.
 */
export type State = 'free' | 'reopened' | 'open' | 'closed';
/** `byKey`: all executions with this key send these messages, so it alone tells. */
export type Standing = State | 'byKey';
type Teller = 'line' | 'key' | 'execution';
/** What was not asked has no say. */
export type Told = { [teller in Teller]?: Standing | undefined };
type Deed = 'send' | 'resend' | 'leave' | 'skip' | 'tell';

const IF_CLOSED = { line: 'tell', key: 'skip', execution: 'leave' } as const;

/** @returns also who tells why: the first that is not free */
export function decide(told: Told): { deed: Deed; by?: Teller | undefined } {
	const stateOf = (teller: Teller) => {
		const state = told[teller] ?? 'free';
		if (state !== 'byKey') return state;
		// An item that could not be read has no key.
		return told.key ? 'free' : 'open';
	};
	const doubts = (['line', 'key', 'execution'] as const).filter((one) => stateOf(one) !== 'free');
	const last = doubts.find((one) => stateOf(one) !== 'reopened');
	if (!last) return { deed: doubts[0] ? 'resend' : 'send', by: doubts[0] };
	return { deed: stateOf(last) === 'closed' ? IF_CLOSED[last] : 'leave', by: doubts[0] };
}

/** The execution whose record it is, with so many runs of the node; `shared` is its name, if by key. */
export type Owner = { id: string; runs: number; shared?: Begun | undefined; standing: Standing };
/** An execution, as n8n tells it. `isStray`: a Retry whose own beginning is all that n8n knows. */
export type Now = { id: string; isRetry: boolean; begun?: Begun | undefined; isStray: boolean };

/**
 * What a run does about its execution before it sends: a Retry claims its name; any other run leaves a
 * trace there, for the Retry of one that is killed. The name tells when the execution began; with a
 * record, whose that is, and how many runs it has: it is about what was sent since that was saved.
 */
export function approach(owner: Owner | undefined, now: Now, resends: boolean) {
	const isClaim = now.isRetry && owner?.id !== now.id;
	const standing = owner?.standing ?? (isClaim && now.isStray ? 'reopened' : 'free');
	const name = owner ? (owner.shared ?? { id: owner.id, runs: owner.runs }) : now.begun;
	if (isClaim && name && standing === 'reopened' && !resends) return { standing: 'open' } as const;
	return isClaim
		? { standing, claim: name }
		: { standing, trace: owner?.shared ? undefined : name };
}

/**
 * What the execution is to a Retry that claims its name, and the name beside it by its key:
 *
 * | Its name   | By the key | It is      | Who sends its messages            | Written                |
 * | ---------- | ---------- | ---------- | --------------------------------- | ---------------------- |
 * | any        | `closed`   | `byKey`    | all with this key                 | if ours, name closed   |
 * | `free`     | `free`     | `free`     | we, and then all with this key    | both closed            |
 * | `free`     | else       | `free`     | we                                | open; closed as we end |
 * | `reopened` | else       | `reopened` | we, after one that was cut off    | the same               |
 * | `open`     | else       | `open`     | another Retry, or who was cut off | –                      |
 * | `closed`   | else       | `closed`   | one with a record, or another key | –                      |
 *
 * @param before what it is to the record: a doubt there stays
 */
export function standingOf(before: Standing, name: State, key?: State) {
	const isShared = key === 'closed' || (name === 'free' && key === 'free');
	const standing = key === 'closed' ? 'byKey' : name;
	const isAsBefore = standing === 'free' || (before === 'reopened' && standing === 'byKey');
	return { standing: isAsBefore ? before : standing, isShared };
}
