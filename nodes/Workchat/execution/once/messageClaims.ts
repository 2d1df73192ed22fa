import { Failure } from '../../service/failure/failure';
import type { Item, Items } from '../item';
import type { RunSettings } from '../operation';
import type { StopSignal } from '../stopSignal';
import type { ClaimResult } from './claim';
import { keyOf } from './claimKeys';
import type { ClaimStore } from './claimStore';
import type { ExecutionClaim } from './executionClaim';

/** Items that are read ahead for their keys, for each of Max Concurrency, as a claim takes several calls. */
const MESSAGES_AHEAD = 6;
/**
 * With this many claims of messages that are not in flight, for each of Max Concurrency, no more keys are
 * claimed ahead: those that were read ahead, and one whose turn has come. Only a list to one recipient
 * reaches this limit, as it is read at once (see keyedQueue.ts). A kill makes all these messages unknown.
 */
export const MAX_CLAIMS = MESSAGES_AHEAD + 1;
/** With a Request Interval this long (ms), no key is claimed ahead: a kill would make it unknown. */
export const LONG_INTERVAL = 500;

/** Claims the Send Once Keys of the messages of a run, some of them before their turn. */
export class MessageClaims {
	/** Claims of messages that are not in flight yet, by key. A kill leaves them claimed. */
	private readonly claims = new Map<string, Promise<ClaimResult>>();
	/** Why no more keys are claimed: n8n did not answer, or the run has ended. */
	private stopReason: unknown;

	constructor(
		private readonly store: ClaimStore,
		private readonly executionClaim: ExecutionClaim,
		private readonly settings: RunSettings,
		private readonly stopSignal: StopSignal,
	) {}

	/** Passes all items on, in order, and claims the keys of those that come next. */
	async *claimAhead(source: Items): AsyncGenerator<Item> {
		const { keySetting, maxConcurrency, requestInterval } = this.settings;
		if (keySetting) await this.probe();
		const claimsAhead = keySetting !== '' && requestInterval < LONG_INTERVAL;
		const maxItems = claimsAhead ? MESSAGES_AHEAD * maxConcurrency : 0;
		/** Items that were read ahead. */
		const items: Item[] = [];
		for await (const item of source) {
			const isPrepared = !(item instanceof Failure) && item.kind === 'prepared';
			const key = claimsAhead && isPrepared ? keyOf(item) : '';
			const isLimited = this.claims.size >= MAX_CLAIMS * maxConcurrency;
			if (key && !isLimited && !this.claims.has(key)) this.claimNow(key).catch(() => {});
			items.push(item);
			if (items.length > maxItems) yield* items.splice(0, 1);
		}
		yield* items;
	}

	/** Returns the claim of a message whose turn has come, or claims its key now. */
	async claim(key: string): Promise<ClaimResult> {
		const claimed = await (this.claims.get(key) ?? this.claimNow(key));
		if (claimed.state !== 'claimed') return claimed;
		// A key claimed ahead was not to be reopened, and its other execution may have ended since.
		return await this.claimNow(key, this.settings.resendUnknown);
	}

	/** Whether n8n may have recorded a claim of the key. */
	has(key: string): boolean {
		return this.claims.has(key);
	}

	/** Called when `Once.perform` got the claim of a message, which it ends. Until then, `end` does. */
	handOver(key: string): void {
		this.claims.delete(key);
	}

	/** Called at the end of the run. Releases the claims of messages whose turn did not come. */
	async end(): Promise<void> {
		this.stopReason ??= new Error('The run is over');
		const released = [...this.claims.values()].map(async (one) => (await one).claim?.end('free'));
		await Promise.allSettled(released);
	}

	/**
	 * Checks whether n8n answers. If it does not, no key is claimed, and no message is sent: otherwise, n8n
	 * may have recorded the claims, and the outcome of these messages would be unknown.
	 */
	private async probe(): Promise<void> {
		const probed = this.store.row.record([]).catch((error: unknown) => (this.stopReason = error));
		await this.stopSignal.unlessStopped(probed);
	}

	private async claimNow(key: string, mayReopen = false): Promise<ClaimResult> {
		if (this.stopReason !== undefined) throw this.stopReason;
		// Started early, so that the execution marker is usually written twice before the first message: until
		// then, another worker may overwrite it.
		this.executionClaim.ensureClaimed().catch(() => {});
		const claimed = this.store.claim(key, mayReopen);
		this.claims.set(key, claimed);
		claimed.catch((error: unknown) => (this.stopReason ??= error));
		return await claimed;
	}
}
