import type { StopSignal } from '../stopSignal';
import type { Claim, Journal, State } from './journal';

/** Fewest that are claimed ahead: a claim takes longer than a message. */
const FEWEST_AHEAD = 10;
/** Most, as all of them are in doubt if n8n is killed. */
const MOST_AHEAD = 400;
/** Messages that are sent until a claim is certain, for each that is sent at the same time. */
const TIMES_AHEAD = 4;

/** Writes a line to n8n's log for what becomes of a message. */
export type Trace = (what: string, names: string[]) => void;

/** Claims messages a little ahead of their sending, as it takes time until a claim is certain. */
export class Claims {
	private readonly ahead: number;
	/** By the first of their names: what has the same is one message. */
	private readonly claims = new Map<string, Promise<Claim>>();
	/** Asked for, and not begun: by the first of their names. */
	private readonly waiting = new Map<string, string[]>();
	private next = 0;
	/** Why n8n did not answer: it is not asked any more. */
	private failure: unknown;

	/** @param queue the names of each message, in the order in which they are likely to be sent */
	constructor(
		private readonly journal: Journal,
		private readonly stopSignal: StopSignal,
		private readonly queue: string[][],
		maxConcurrency: number,
		private readonly trace: Trace,
	) {
		const ahead = Math.max(FEWEST_AHEAD, TIMES_AHEAD * maxConcurrency);
		this.ahead = Math.min(ahead, MOST_AHEAD);
	}

	/**
	 * Waits until it is certain whose message this is. If it is free, it counts as begun from now on.
	 * @returns none if the stop came before
	 */
	async take(names: string[]): Promise<State | undefined> {
		if (this.failure !== undefined && !this.isAsked(names)) throw this.failure;
		this.claimWithNext(names);
		let claim = await this.claimOf(names);
		// Whoever claimed it before may have settled it meanwhile.
		if (claim.state === 'claimed' && !this.stopSignal.isStopped) {
			this.claim([names]);
			claim = await this.claimOf(names);
		}
		const isWaiting = this.waiting.delete(nameOf(names));
		if (claim.state !== 'free') return claim.state;
		if (!isWaiting) return undefined;
		const begun = this.journal.begin(names, claim).then((state) => ({ state }));
		// For another item with the same names, also where this fails.
		this.claims.set(nameOf(names), begun);
		const { state } = await begun;
		if (!this.stopSignal.isStopped) return state;
		if (state === 'free') this.letGo(names);
		return undefined;
	}

	/** Whether n8n was asked about it, and may have noted it whatever it answered. */
	isAsked(names: string[]): boolean {
		return this.claims.has(nameOf(names));
	}

	/** Keeps that it was sent. */
	markSent(names: string[]): void {
		this.trace('sent', names);
		this.know(names, 'sent');
		this.journal.markSent(names);
	}

	/** Keeps that it may have been sent. */
	markUnknown(names: string[]): void {
		this.know(names, 'claimed');
	}

	/** Keeps that it is sent again, though it is claimed. */
	resend(names: string[]): void {
		this.journal.resend(names, this);
	}

	/** Frees it, as it was certainly not sent. */
	free(names: string[]): void {
		this.claims.delete(nameOf(names));
		this.letGo(names);
	}

	/** Frees what was not begun, and resolves once all is noted. */
	async close(): Promise<void> {
		const waiting = [...this.waiting.values()];
		await Promise.allSettled(waiting.map(async (names) => await this.giveUp(names)));
		await this.journal.flush();
	}

	/** Several at a time, as for each call n8n reads and writes all that it keeps. */
	private claimWithNext(names: string[]): void {
		const isClaimed = this.claims.has(nameOf(names));
		if (
			this.failure !== undefined ||
			this.stopSignal.isStopped ||
			(isClaimed && this.waiting.size > this.ahead * 0.75)
		)
			return;
		const some = new Map<string, string[]>(isClaimed ? [] : [[nameOf(names), names]]);
		while (this.waiting.size + some.size < this.ahead && this.next < this.queue.length) {
			const next = this.queue[this.next++] ?? [];
			if (!this.claims.has(nameOf(next))) some.set(nameOf(next), next);
		}
		if (some.size > 0) this.claim([...some.values()]);
	}

	private async giveUp(names: string[]): Promise<void> {
		const { state } = await this.claimOf(names);
		if (this.waiting.delete(nameOf(names)) && state === 'free') this.letGo(names);
	}

	private letGo(names: string[]): void {
		for (const freed of this.journal.free([names], this)) this.trace('freed', freed);
	}

	private claim(messages: string[][]): void {
		const claimed = this.journal.claim(messages);
		for (const names of messages) {
			this.waiting.set(nameOf(names), names);
			const claim = claimed.then((claims) => {
				const claim = claims.get(names) ?? NOBODYS;
				this.trace(`asked: ${claim.state}`, names);
				return claim;
			});
			// Who waits for it is told of an error.
			claim.catch((error: unknown) => (this.failure ??= error));
			this.claims.set(nameOf(names), claim);
		}
	}

	private async claimOf(names: string[]): Promise<Claim> {
		return (await this.claims.get(nameOf(names))) ?? NOBODYS;
	}

	private know(names: string[], state: State): void {
		this.claims.set(nameOf(names), Promise.resolve({ state }));
	}
}

const NOBODYS: Claim = { state: 'claimed' };

function nameOf([name = '']: string[]): string {
	return name;
}
