import type { Claim, Journal } from './journal';

/** A message, and the keys that the journal knows it by. */
export interface Message {
	/** Items of one name are one message. */
	name: string;
	keys: string[];
}

/** Claims messages a little ahead of their sending, as it takes time until a claim is certain. */
export class Claims {
	private readonly order: Message[];
	private readonly positions = new Map<string, number>();
	private readonly claims = new Map<string, Promise<Claim>>();
	/** Claimed by us, and not begun. */
	private readonly waiting = new Map<string, Message>();
	private next = 0;

	/**
	 * @param messages in the order in which they are sent
	 * @param ahead how many are claimed that are not begun: all of them are in doubt if n8n is killed
	 */
	constructor(
		private readonly journal: Journal,
		messages: Message[],
		private readonly ahead: number,
	) {
		const byName = new Map(messages.map((message) => [message.name, message]));
		this.order = [...byName.values()];
		for (const [position, { name }] of this.order.entries()) this.positions.set(name, position);
	}

	/** Waits until it is certain whose message this is; it counts as begun from now on. */
	async take(message: Message): Promise<Claim> {
		this.claimUpTo((this.positions.get(message.name) ?? 0) + this.ahead);
		const claim = this.claims.get(message.name) ?? this.claim([message])[0];
		this.waiting.delete(message.name);
		return (await claim) ?? 'claimed';
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
		this.claims.delete(name);
		this.journal.release(keys);
	}

	/** Lets go of what was not begun, and waits until all is written. */
	async close(): Promise<void> {
		for (const message of this.waiting.values()) {
			if ((await this.claims.get(message.name)?.catch(() => 'claimed')) === 'free') {
				this.release(message);
			}
		}
		await this.journal.close();
	}

	private claimUpTo(position: number): void {
		if (position < this.next) return;
		const messages = this.order.slice(this.next, position + 1);
		this.next = position + 1;
		this.claim(messages);
	}

	private claim(messages: Message[]): Array<Promise<Claim>> {
		const claimed = this.journal.claim(messages.map(({ keys }) => keys));
		// Who waits for its own claim is told of an error.
		claimed.catch(() => {});
		return messages.map((message, index) => {
			const claim = claimed.then((claims) => claims[index] ?? 'claimed');
			claim.catch(() => {});
			this.claims.set(message.name, claim);
			this.waiting.set(message.name, message);
			return claim;
		});
	}
}
