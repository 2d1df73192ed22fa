import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { Claim, type ClaimResult, type Stage } from './claim';
import { entriesOf } from './claimKeys';
import { DedupRow, MAX_ATTEMPTS } from './dedupRow';

/** Milliseconds in which claims and removals gather for the first round. */
const BATCH_DELAY = 20;
/**
 * Milliseconds until a claim is checked again: at least `min`, or so many times as long as the last call
 * took, at most `max`. With 100, no claim of 300 was lost on two workers with PostgreSQL; with 20, some (n8n 2.40).
 */
const CONFIRM_DELAY = { min: 100, calls: 8, max: 2000 };
/** Removals in one call: n8n reads the whole row for each entry, 100 of a full row in 40 ms. */
const MAX_REMOVALS = 100;
/** Execution markers that stay after the node has ended, as its execution may go on. */
export const MAX_MARKERS = 500;

/** Entries to remove in so many rounds. `onRemoved` is called after the first one. */
type Removal = { entries: string[]; rounds: number; onRemoved?: (() => void) | undefined };

/**
 * Claims keys in n8n's deduplication store, so that only one execution sends a message. All executions
 * of a node share a row there, a list of texts called entries. A claim key has two: the key itself, and
 * its open entry, `<key> open`.
 *
 * | Key | Open entry | The key is | Its message is        | Next                                    |
 * | --- | ---------- | ---------- | --------------------- | --------------------------------------- |
 * | –   | –          | free       | never started         | an execution claims it                  |
 * | yes | yes        | claimed    | in flight, or unknown | its claim ends, or is reopened          |
 * | yes | –          | completed  | sent                  | a check adds the open entry, for a time |
 * | –   | yes        | claimed    | in flight, or unknown | the same; n8n dropped the key as oldest |
 *
 * 1. A check also writes: n8n adds the entries that it does not have. A claim checks both entries of its
 *    key, and a nonce, which is an entry of this check alone.
 * 2. A claim is held if its key was free, and a round later both entries and the nonce are still there:
 *    no other worker has overwritten them (see once.ts). Otherwise, the entries found then decide.
 * 3. To complete a key, its open entry is removed in three rounds. Another worker may read the row before a
 *    removal and write it afterwards. The entry would be back, and the sent message unknown for ever.
 *    After a check of a completed key, it is removed in the same way.
 * 4. To release a key, both entries are removed once. Later, they may be another execution's.
 * 5. If a check fails, n8n may have written the entries, so the key stays claimed.
 * 6. An execution has a claim key of its own, and writes entries for it before it sends: its execution
 *    marker. It does so without a round, as no other execution can claim this key yet. If it is killed,
 *    its Retry finds the key claimed, or completed if it has a Send Once Key (see executionClaim.ts).
 *
 * So whatever is interrupted leaves its key claimed: never completed, and never free. The claims of all
 * executions in this process share calls, in rounds: first the removals, then a check.
 */
export class ClaimStore {
	private readonly claims = new Map<string, Claim>();
	private removals: Removal[] = [];
	/**
	 * Written by the latest check, one for each attempt of the next check. As long as n8n has it, no other
	 * worker has overwritten the latest check.
	 */
	private nonces: string[] = [];
	/** Markers of finished executions, oldest first; markers of the same execution are adjacent. */
	private markers: Array<[executionId: string, entries: string[]]> = [];
	private isRunning = false;

	constructor(readonly row: DedupRow) {}

	/** @param mayReopen whether to claim a key that is claimed already, to resend its message */
	async claim(key: string, mayReopen = false): Promise<ClaimResult> {
		const other = this.claims.get(key);
		if (other) return { state: other.stage === 'completing' ? 'completed' : 'claimed' };
		return await new Promise((resolve, reject) => {
			this.claims.set(key, new Claim(key, mayReopen, resolve, reject, this));
			void this.runRounds();
		});
	}

	/** Writes an execution marker. */
	async writeMarker(entries: string[]): Promise<void> {
		const start = performance.now();
		await this.row.record(entries);
		// Another worker may overwrite it, and after a kill, a Retry would send everything again. So it is
		// written a second time, in the background.
		const again = async () => await this.row.record(entries).catch(() => {});
		void sleep(confirmDelay(start)).then(again);
	}

	/** Called at the end of a run. If more markers than the limit have ended, removes the oldest. */
	retireMarker(executionId: string, entries: string[]): void {
		const others = this.markers.filter(([id]) => id !== executionId);
		const own = this.markers.filter(([id]) => id === executionId);
		own.push([executionId, entries]);
		if (others.length + own.length > MAX_MARKERS) {
			// A loop of more runs than the limit keeps the marker of its first run, at index 0: a Retry looks for
			// that if n8n saved no ledger.
			const oldest = others.shift() ?? own.splice(1, 1)[0];
			if (oldest) this.remove(oldest[1], 1);
		}
		this.markers = [...others, ...own];
	}

	/**
	 * Makes each waiting removal once, without waiting for a round; further rounds of it follow in the
	 * background. Resolves once no call to n8n is in flight.
	 */
	async removeNow(): Promise<void> {
		await this.runRemovals();
		await this.row.idle();
	}

	/** Removes entries, in each of so many rounds. @param onRemoved called after the first one */
	remove(entries: string[], rounds: number, onRemoved?: () => void): void {
		this.removals.push({ entries, rounds, onRemoved });
		void this.runRounds();
	}

	/** Lets other executions of this process claim the key. */
	forget({ key }: Claim): void {
		this.claims.delete(key);
	}

	log(text: string): void {
		this.row.helpers.logger.debug(`Workchat: ${text}`);
	}

	/** Runs rounds as long as there is work. After a failure, removals wait for the next claim or removal. */
	private async runRounds(): Promise<void> {
		if (this.isRunning) return;
		this.isRunning = true;
		await sleep(BATCH_DELAY);
		let hasRemovals = false;
		do {
			// Read before the removals: a claim that is added during them may be for a key that is still being
			// removed, so it waits for the next round.
			const queued = this.claimsIn('queued');
			const areRemoved = await this.runRemovals();
			const start = performance.now();
			const isAnswered = (await this.check(queued)) && areRemoved;
			await sleep(confirmDelay(start));
			hasRemovals = isAnswered && this.removals.length > 0;
		} while (hasRemovals || this.claimsIn('queued', 'written').length > 0);
		this.isRunning = false;
	}

	private claimsIn(...stages: Stage[]): Claim[] {
		return [...this.claims.values()].filter(({ stage }) => stages.includes(stage));
	}

	/**
	 * Makes each waiting removal once, and keeps those with more rounds. One without is not repeated after
	 * a failure: see `DedupRow.remove`.
	 * @returns whether all calls worked; after a failure, which may take ten seconds, the rest waits
	 */
	private async runRemovals(): Promise<boolean> {
		for (let rest = this.removals.length; rest > 0; rest -= MAX_REMOVALS) {
			const batch = this.removals.splice(0, Math.min(rest, MAX_REMOVALS));
			const again = batch.filter(({ rounds }) => rounds > 1);
			try {
				await this.row.remove(batch.flatMap(({ entries }) => entries));
			} catch {
				this.removals.push(...again);
				return false;
			}
			for (const { onRemoved } of batch) onRemoved?.();
			this.removals.push(...again.map((one) => ({ entries: one.entries, rounds: one.rounds - 1 })));
		}
		return true;
	}

	/** Checks queued claims for the first time, and written ones again. @returns whether n8n answered */
	private async check(queued: Claim[]): Promise<boolean> {
		const claims = [...this.claimsIn('written'), ...queued];
		if (claims.length === 0) return true;
		const previousNonces = this.nonces;
		const nonce = crypto.randomUUID();
		this.nonces = Array.from({ length: MAX_ATTEMPTS }, (_, attempt) => `${nonce} ${attempt}`);
		const entries = [...this.nonces, ...claims.flatMap(({ key }) => entriesOf(key))];
		// A check also writes. So a failed attempt may have written the nonce that it checked, though another
		// worker had overwritten it, and the next attempt checks another nonce.
		const entriesAt = (attempt: number) => [
			...previousNonces.slice(attempt, attempt + 1),
			...entries,
		];
		const answer = await this.row.check(entriesAt).catch((error: unknown) => {
			for (const claim of claims) claim.fail(error);
		});
		if (answer) {
			const [found, attempt] = answer;
			const isIntact = found.has(previousNonces[attempt] ?? '');
			for (const claim of claims) claim.checked(found, isIntact);
		}
		if (previousNonces.length > 0) this.remove(previousNonces, 1);
		// Without a written claim, no next check needs them.
		if (this.claimsIn('written').length === 0) this.remove(this.nonces.splice(0), 1);
		return answer !== undefined;
	}
}

/** Partly random, as workers in step would overwrite each other again and again. */
function confirmDelay(start: number): number {
	const { min, calls, max } = CONFIRM_DELAY;
	const delay = Math.min(Math.max(calls * (performance.now() - start), min), max);
	return delay * (1 + Math.random() / 2);
}

const stores = new Map<string, ClaimStore>();

/** The claim store of a node, shared by all its executions in this process. */
export function claimStoreOf(context: IExecuteFunctions): ClaimStore {
	const id = `${context.getWorkflow().id} ${context.getNode().id}`;
	const { logger } = context;
	// Only these: `context` itself would keep all data of the execution (n8n-core 2.41.1, execute-context).
	const { checkProcessedAndRecord, removeProcessed, getProcessedDataCount } = context.helpers;
	const helpers = { checkProcessedAndRecord, removeProcessed, getProcessedDataCount, logger };
	const store = stores.get(id) ?? new ClaimStore(new DedupRow(helpers));
	stores.set(id, store);
	store.row.helpers = helpers;
	return store;
}
