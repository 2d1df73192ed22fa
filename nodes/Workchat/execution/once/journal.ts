import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { Batches } from './batches';
import { entriesOf, openName } from './names';
import { Row } from './row';

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
	call?: number;
}

/** Milliseconds before each look for what a worker that stood still overwrites after a run. */
const LATE_LOOKS = [1000, 1000, 2000, 4000];
/** How often a claim has noted what is still to be noted of its messages, before it asks. */
const MOST_FLUSHES = 3;
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
 * | –   | –        | free                        | ours            | it is sent, or freed      |
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
	/** Names of what is sent again though it is claimed, and by whom, while runs are under way. */
	private readonly resent = new Map<string, object>();
	/** Names that are being freed. */
	private readonly leaving = new Map<string, Promise<void>>();
	/** Runs under way. */
	private runs = 0;
	/** Runs that ended: only after the last one is it looked again. */
	private ended = 0;

	constructor(readonly row = new Row()) {
		const most = () => row.mostRemoved / ENTRIES;
		this.sent = new Batches(async (some) => await this.noteSent(some), most);
		this.unsent = new Batches(async (some) => await this.removeUnsent(some), most);
	}

	/** Claims messages, each under all its names: what one of them is known as, it is. */
	async claim(messages: string[][]): Promise<Map<string[], Claim>> {
		for (let tries = 1; tries <= MOST_FLUSHES && messages.some(this.isLeaving); tries++) {
			await this.flush();
		}
		const claims = new Map<string[], Claim>();
		let free = messages;
		let areOurs = false;
		for (let tries = 1; ; tries++) {
			const call = await this.ask(free, claims, areOurs);
			free = free.filter((names) => claims.get(names)?.call === call);
			if (free.length === 0) return claims;
			areOurs = await this.row.stands(call);
			// Others may have sent meanwhile what this process was told is free.
			if (areOurs && !(await this.row.isRestored())) return claims;
			if (tries < MOST_TRIES) continue;
			for (const names of free) claims.set(names, { state: 'claimed' });
			this.free(free);
			return claims;
		}
	}

	/** The state of a claimed message right before it is sent: it was free when it was claimed. */
	async begin(names: string[], claim: Claim): Promise<State> {
		const stands = claim.call === undefined || (await this.row.stillStands(claim.call));
		const now = stands ? claim : (await this.claim([names])).get(names);
		if (names.some((name) => this.resent.has(name))) return 'claimed';
		const { state = 'claimed' } = now ?? {};
		if (state === 'free') this.row.remember(names);
		return state;
	}

	/** Keeps that `run` sends a claimed message again: nobody else begins it, or frees it, any more. */
	resend(names: string[], run: object): void {
		for (const name of names) this.resent.set(name, run);
	}

	/** Keeps that a message was sent. */
	markSent(names: string[]): void {
		this.rememberSent(names);
		const leaving = names.flatMap((name) => this.leaving.get(name) ?? []);
		if (leaving.length === 0) return void this.sent.add([names]);
		// Another execution is freeing it, and would take away what is noted now.
		const noted = Promise.all(leaving).then(async () => await this.sent.add([names]));
		this.leave(names, noted);
	}

	/**
	 * Frees messages that `run` certainly did not send.
	 * @returns those that no other execution sent meanwhile, or may have sent
	 */
	free(messages: string[][], run?: object): string[][] {
		const isKept = (names: string[]) =>
			this.row.isSent(names) || names.some((name) => (this.resent.get(name) ?? run) !== run);
		const unsent = messages.filter((names) => !isKept(names));
		this.row.forget(unsent.flat());
		this.leave(unsent.flat(), this.unsent.add(unsent));
		return unsent;
	}

	/** Resolves once all is noted. */
	async flush(): Promise<void> {
		await this.unsent.close();
		await this.sent.close();
	}

	beginRun(): void {
		this.runs++;
	}

	/** Looks for what another worker, which stands still now, overwrites after a run: nothing tells of it before. */
	async endRun(): Promise<void> {
		if (--this.runs === 0) this.resent.clear();
		const mine = ++this.ended;
		for (const pause of LATE_LOOKS) {
			await sleep(pause);
			if (this.ended !== mine) return;
			await this.row.check().catch(() => {});
			await this.flush();
		}
		if (this.ended !== mine || this.runs > 0) return;
		// What n8n could not do by then stays as it is: it reads as claimed.
		this.sent.forget();
		this.unsent.forget();
	}

	private readonly isLeaving = (names: string[]): boolean =>
		names.some((name) => this.leaving.has(name));

	/** Whoever claims these sees to it that they are gone first. */
	private leave(names: string[], gone: Promise<void>): void {
		for (const name of names) this.leaving.set(name, gone);
		void gone.then(() => {
			for (const name of names) if (this.leaving.get(name) === gone) this.leaving.delete(name);
		});
	}

	private rememberSent(names: string[]): void {
		this.row.remember(names, (name) => void this.sent.add([[name]]));
	}

	/** @param areOurs whether what is open was claimed by this process a moment ago */
	private async ask(
		messages: string[][],
		claims: Map<string[], Claim>,
		areOurs: boolean,
	): Promise<number> {
		const entries = messages.flat().flatMap(entriesOf);
		const { call } = await this.row.record(
			() => entries,
			({ known, call }, isLate) => {
				const wrong: string[][] = [];
				for (const names of messages) {
					const seen = stateOf(names, known);
					if (areOurs && seen === 'claimed') continue;
					// A question whose answer was lost has left it open.
					const wasSent = seen === 'claimed' && this.row.isSent(names);
					// What is still to be removed would be removed while it is sent.
					const isTaken = seen === 'free' && this.isLeaving(names);
					const state = wasSent ? 'sent' : isTaken ? 'claimed' : seen;
					claims.set(names, state === 'free' ? { state, call } : { state });
					// What asking wrote of messages that are not ours.
					if (state === 'sent') void this.sent.add([names]);
					const isNew = (name: string) => !known.has(name) && !known.has(openName(name));
					if (state === 'claimed') wrong.push(names.filter(isNew));
					if (state === 'free' && isLate) wrong.push(names);
				}
				if (wrong.flat().length > 0) this.free(wrong);
			},
		);
		return call;
	}

	/** A name that somebody freed meanwhile is written again. */
	private async noteSent(messages: string[][]): Promise<boolean> {
		const names = messages.flat();
		const marked = await this.row.recordMarked(names);
		const isCertain = await this.row.erase(names.map(openName), marked);
		this.rememberSent(names);
		return isCertain;
	}

	/**
	 * Unless somebody else sent them meanwhile. Once they were removed, they may be anybody's: so the
	 * marks that tell of it have to be there for certain before, and it is not begun again after.
	 */
	private async removeUnsent(messages: string[][]): Promise<boolean> {
		const marked = await this.row.recordMarked(messages.flat().flatMap(entriesOf));
		if (!(await this.row.stands(marked.call))) return false;
		const isSent = (names: string[]) => stateOf(names, marked.known) === 'sent';
		void this.sent.add(messages.filter(isSent));
		const mayGo = (names: string[]) => !isSent(names) && !this.row.isSent(names);
		await this.row.erase(messages.filter(mayGo).flat().flatMap(entriesOf), marked);
		return true;
	}
}

function stateOf(names: string[], known: Set<string>): State {
	const isOpen = (name: string) => known.has(openName(name));
	if (names.some((name) => known.has(name) && !isOpen(name))) return 'sent';
	return names.some(isOpen) ? 'claimed' : 'free';
}

/** By workflow and node. */
const journals = new Map<string, Journal>();

/** The journal of a node, which all its executions in this process share. */
export function journalOf(context: IExecuteFunctions): Journal {
	const id = `${context.getWorkflow().id} ${context.getNode().id}`;
	const journal = journals.get(id) ?? new Journal();
	journals.set(id, journal);
	// These alone, as the others hold all data of the execution (n8n-core 2.41.1, execute-context).
	const { checkProcessedAndRecord, removeProcessed, getProcessedDataCount } = context.helpers;
	journal.row.helpers = { checkProcessedAndRecord, removeProcessed, getProcessedDataCount };
	return journal;
}
