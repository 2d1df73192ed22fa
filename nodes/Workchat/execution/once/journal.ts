import { Batches } from './batches';
import { newMarks, type Call } from './call';
import { entriesOf, openName } from './names';
import type { Row } from './row';

/**
 * What is known of a message before it is sent.
 * - `free`: nobody sent it or is sending it: it is ours now.
 * - `sent`: it was sent.
 * - `claimed`: it may have been sent: somebody claimed it, and how that ended is not known.
 */
export type State = 'free' | 'sent' | 'claimed';

export interface Claim {
	state: State;
	/** What wrote it, where it is ours. */
	call?: Call;
}

/** Writes a line to n8n's log for what becomes of a message. */
export type Trace = (what: string, names: string[]) => void;

/** A claim that is overwritten time and again is nobody's. */
const MOST_TRIES = 10;
/** Of each name. */
const ENTRIES = 2;

/**
 * How a message is sent once. For each of its names `N`, two entries stand in n8n's memory, which all
 * executions share:
 *
 * | `N` | `N open` | it means                    | asking makes it | what may follow           |
 * | --- | -------- | --------------------------- | --------------- | ------------------------- |
 * | –   | –        | free                        | ours            | it is sent, or let go of  |
 * | yes | yes      | being sent, or nobody knows | the same        | only its owner goes on    |
 * | yes | –        | sent                        | claimed         | `open` is removed again   |
 *
 * 1. Asking n8n for an entry writes it, so a message is claimed by asking for both entries; it is ours
 *    if neither was there, and if both still stand a moment later, as n8n's memory has no lock.
 * 2. Once it was sent, `open` is removed.
 * 3. Once it certainly was not, both are, unless somebody else has sent it meanwhile.
 * 4. A question that fails may have been heard: it is asked again as if for the first time, and what
 *    it left reads as claimed.
 * 5. So whatever is cut off leaves a message claimed, never sent and never free.
 */
export class Journal {
	private readonly sent: Batches<string[]>;
	private readonly unsent: Batches<string[]>;

	constructor(
		private readonly row: Row,
		private readonly trace: Trace,
	) {
		const most = () => row.mostRemoved / ENTRIES;
		this.sent = new Batches(async (some) => await this.noteSent(some), most);
		this.unsent = new Batches(async (some) => await this.release(some), most);
	}

	/** Claims messages, each under all its names: what one of them is known as, it is. */
	async claim(messages: string[][]): Promise<Map<string[], Claim>> {
		await Promise.all(messages.flat().map(async (name) => await this.row.leaving.get(name)));
		const claims = new Map<string[], Claim>();
		let free = messages;
		for (let tries = 1; free.length > 0; tries++) {
			const call = await this.ask(free, claims);
			free = free.filter((names) => claims.get(names)?.state === 'free');
			if (free.length === 0 || (await this.row.stands(call))) break;
			if (tries < MOST_TRIES) continue;
			for (const names of free) claims.set(names, { state: 'claimed' });
			this.letGo(free.splice(0));
		}
		if (free.length > 0 && (await this.row.isRestored())) await this.askAgain(free, claims);
		return claims;
	}

	/** The state of a claimed message right before it is sent: it was free when it was claimed. */
	async begin(names: string[], claim: Claim): Promise<State> {
		const stands = !claim.call || (await this.row.stillStands(claim.call));
		const { state = 'claimed' } = stands ? claim : ((await this.claim([names])).get(names) ?? {});
		if (state === 'free') this.row.remember(names, false);
		return state;
	}

	/** Keeps that a message was sent. */
	settle(names: string[]): void {
		this.trace('sent', names);
		this.row.remember(names, true);
		void this.sent.add([names]);
	}

	/** Lets go of messages that were certainly not sent. */
	letGo(messages: string[][]): void {
		const names = messages.flat();
		for (const message of messages) this.trace('let go', message);
		this.row.forget(names);
		const gone = this.unsent.add(messages);
		for (const name of names) this.row.leaving.set(name, gone);
		void gone.then(() => {
			for (const name of names) this.row.leaving.delete(name);
		});
	}

	/** Resolves once all is noted. */
	async close(): Promise<void> {
		await this.unsent.close();
		await this.sent.close();
	}

	private async ask(messages: string[][], claims: Map<string[], Claim>): Promise<Call> {
		const entries = messages.flat().flatMap(entriesOf);
		return await this.row.record(
			() => entries,
			({ known, call, isLate }) => {
				const wrong: string[][] = [];
				for (const names of messages) {
					const state = stateOf(names, known);
					this.trace(`asked: ${state}`, names);
					claims.set(names, { state, call });
					// What asking wrote of messages that are not ours.
					if (state === 'sent') void this.sent.add([names]);
					const isNew = (name: string) => !known.has(name) && !known.has(openName(name));
					if (state === 'claimed') wrong.push(names.filter(isNew));
					if (state === 'free' && isLate) wrong.push(names);
				}
				if (wrong.flat().length > 0) this.letGo(wrong);
				return call;
			},
		);
	}

	/** Asks whether somebody sent meanwhile what this process was told is free. */
	private async askAgain(free: string[][], claims: Map<string[], Claim>): Promise<void> {
		const entries = free.flat().flatMap(entriesOf);
		const known = await this.row.record(
			() => entries,
			(answer) => answer.known,
		);
		for (const names of free.filter((names) => stateOf(names, known) === 'sent')) {
			claims.set(names, { state: 'sent' });
			void this.sent.add([names]);
		}
	}

	/** A name that somebody let go of meanwhile is written again. */
	private async noteSent(messages: string[][]): Promise<boolean> {
		const names = messages.flat();
		const marks = newMarks();
		const call = await this.row.record(
			() => [...marks, ...names],
			({ call }) => call,
		);
		const isCertain = await this.row.erase(names.map(openName), marks, call);
		this.row.remember(names, true);
		return isCertain === true;
	}

	/**
	 * Unless somebody else sent them meanwhile. Once they were removed, they may be anybody's: so the
	 * marks that tell of it have to be there for certain before, and it is not done again on suspicion.
	 */
	private async release(messages: string[][]): Promise<boolean> {
		const marks = newMarks();
		const entries = messages.flat().flatMap(entriesOf);
		const { known, call } = await this.row.record(
			() => [...marks, ...entries],
			(answer) => answer,
		);
		if (!(await this.row.stands(call))) return false;
		const isSent = (names: string[]) => stateOf(names, known) === 'sent';
		void this.sent.add(messages.filter(isSent));
		const unsent = messages.filter((names) => !isSent(names)).flat();
		const all = unsent.flatMap(entriesOf);
		return (await this.row.erase(all, marks, call)) !== false;
	}
}

function stateOf(names: string[], known: Set<string>): State {
	const isOpen = (name: string) => known.has(openName(name));
	if (names.some((name) => known.has(name) && !isOpen(name))) return 'sent';
	return names.some(isOpen) ? 'claimed' : 'free';
}
