import type { Claim, Journal } from './journal';

/** A message, and the keys that the journal knows it by. */
export interface Message {
	/** Items of one name are one message. */
	name: string;
	keys: string[];
}

/** Claims messages a little ahead of their sending, as it takes time until a claim is certain. */
export class Claims {
	/** Entries of all that was claimed and not released. */
	written = 0;

	private readonly messages: Message[];
	private readonly claims = new Map<string, Promise<Claim>>();
	/** Claimed by us, and not begun. */
	private readonly waiting = new Map<string, Message>();
	private next = 0;

	/**
	 * @param messages in the order in which they are likely to be sent
	 * @param ahead how many are claimed that are not begun: all of them are in doubt if n8n is killed
	 */
	constructor(
		private readonly journal: Journal,
		messages: Message[],
		private readonly ahead: number,
	) {
		this.messages = [...new Map(messages.map((message) => [message.name, message])).values()];
	}

	/** Waits until it is certain whose message this is; it counts as begun from now on. */
	async take(message: Message): Promise<Claim> {
		this.waiting.delete(message.name);
		this.claimWithNext(message);
		const claim = await this.claims.get(message.name);
		// Whoever claimed it before may have settled it meanwhile.
		if (claim === 'claimed') this.claim([message]);
		return (await this.claims.get(message.name)) ?? 'claimed';
	}

	/** Keeps that it was sent. */
	markSent({ name, keys }: Message): void {
		this.claims.set(name, Promise.resolve('sent'));
		this.journal.markSent(keys);
	}

	/** Keeps that it may have been sent. */
	markUnknown({ name }: Message): void {
		this.claims.set(name, Promise.resolve('claimed'));
	}

	/** Lets go of it, as it was certainly not sent. */
	release({ name, keys }: Message): void {
		this.written -= 2 * keys.length;
		this.claims.delete(name);
		this.journal.release(keys);
	}

	/** Lets go of what was not begun, and waits until all is written. */
	async close(): Promise<void> {
		const waiting = [...this.waiting.values()].map(async (message) => {
			const claim = await this.claims.get(message.name)?.catch(() => 'claimed');
			if (claim === 'free') this.release(message);
		});
		await Promise.all(waiting);
		await this.journal.close();
	}

	/** Several at a time, as for each call n8n reads and writes all that it keeps. */
	private claimWithNext(message: Message): void {
		const isClaimed = this.claims.has(message.name);
		if (isClaimed && this.waiting.size > this.ahead / 2) return;
		const batch = isClaimed ? [] : [message];
		while (this.waiting.size < this.ahead && this.next < this.messages.length) {
			const next = this.messages[this.next++];
			if (!next || next.name === message.name || this.claims.has(next.name)) continue;
			this.waiting.set(next.name, next);
			batch.push(next);
		}
		if (batch.length > 0) this.claim(batch);
	}

	private claim(messages: Message[]): void {
		const claimed = this.journal.claim(messages.map(({ keys }) => keys));
		for (const [index, { name, keys }] of messages.entries()) {
			const claim = claimed.then((claims) => {
				if (claims[index] === 'free') this.written += 2 * keys.length;
				return claims[index] ?? 'claimed';
			});
			// Who waits for it is told of an error.
			claim.catch(() => {});
			this.claims.set(name, claim);
		}
	}
}
