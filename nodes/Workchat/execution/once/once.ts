import type { IExecuteFunctions } from 'n8n-workflow';

import { addressOf } from '../../service/credential';
import { Failure } from '../../service/failure/failure';
import type { Item, Known, Message, Prepared, Result } from '../item';
import type { Operation, Output, Remark, RunSettings } from '../operation';
import { notSentAgain, stillUnknown } from '../retry';
import { aborted, type StopSignal } from '../stopSignal';
import { journalOf, type Journal, type State } from './journal';
import type { Ledger } from './ledger';
import { digestOf, keyName } from './names';
import { MOST_ENTRIES } from './row';
import { RunClaim } from './runClaim';
import * as words from './words';

/** Messages that are claimed ahead, for each that is sent at the same time: a claim takes a while. */
const TIMES_AHEAD = 6;
/** Messages with a key that n8n keeps of a node: two entries each, of which it keeps {@link MOST_ENTRIES}. */
const MOST_KEPT = Math.floor(MOST_ENTRIES / 2);
/** Milliseconds that the node goes on for, at its end, until all is noted. */
const LONGEST_CLOSE = 3000;

/** Whether a message may go out, or what became of it. */
type Verdict = 'ours' | Output | Failure;

/**
 * Keeps a message from being sent twice. Every item of a run passes here, and three guards. Which of
 * them knows what was sent, and what is in doubt:
 *
 * | What runs again                        | Ledger  | Run claim, without a key | Key claim |
 * | -------------------------------------- | ------- | ------------------------ | --------- |
 * | the node, by Retry On Fail             | each    | ours already             | each      |
 * | a failed execution, by Retry           | each    | ours                     | each      |
 * | the same once more, by another Retry   | some    | not ours: all in doubt   | each      |
 * | an execution that was killed, by Retry | lost    | not ours: all in doubt   | each      |
 * | the workflow, by another execution     | –       | –                        | each      |
 *
 * The ledger is saved with the execution. The claims stand in the journal, outside all of them, and
 * are made at the same moment by one execution only.
 */
export class Once {
	/** Failures because of what happened before this run: they do not stop it. */
	readonly fromBefore = new WeakSet<Failure>();
	private readonly journal: Journal;
	private readonly runClaim: RunClaim;
	private readonly hasKeys: boolean;
	/** What was claimed for this run, and has not begun. */
	private readonly claims = new Map<string, Promise<State>>();
	/** Why n8n did not answer: it is not asked any more. */
	private failure: unknown;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: Operation,
		private readonly settings: RunSettings,
		private readonly stopSignal: StopSignal,
		readonly ledger: Ledger,
	) {
		this.journal = journalOf(context);
		this.runClaim = new RunClaim(context, this.journal, settings.repeatsUnknown);
		this.hasKeys = settings.sendOnceKey !== '';
	}

	/** Reads an item, unless it is known how it ended: then it does not matter what it reads as now. */
	async prepare(itemIndex: number, read: () => Promise<Prepared | Known | Failure>): Promise<Item> {
		const { isTool } = this.ledger;
		const bySource = this.ledger.recall(itemIndex);
		if (bySource && !isTool && this.isOver(bySource)) return this.notAgain(bySource);
		const item = await read();
		if (item instanceof Failure) {
			// In a Retry, $fromAI fails for all calls of a tool but the first (n8n 2.40).
			return bySource && isTool ? this.notAgain(bySource) : inDoubtStill(doubtOf(bySource), item);
		}
		if ('known' in item) return item;
		const { request, credential, orderKey } = item;
		const digest = digestOf([this.operation.value, credential.apiKey, request.body]);
		const recalled = this.ledger.recall(itemIndex, digest);
		if (recalled && this.isOver(recalled)) return this.notAgain(recalled);
		const { sendOnceKey } = request;
		const name = sendOnceKey && keyName(addressOf(credential), orderKey, sendOnceKey);
		return Object.assign(item, { digest, name, doubt: doubtOf(recalled) });
	}

	/** Passes items on, and claims their keys a little before their turn comes. */
	async *ahead(source: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<Item> {
		if (!this.hasKeys) return yield* source;
		// Where n8n cannot note anything, no message is asked for.
		const noted = this.journal.row.ask(() => []).catch((error: unknown) => (this.failure = error));
		await Promise.race([noted, this.stopSignal.stopped]);
		const size = TIMES_AHEAD * this.settings.maxConcurrency;
		const items: Item[] = [];
		for await (const item of source) {
			const name = 'digest' in item ? item.name : undefined;
			if (name && !this.claims.has(name)) this.claim(name).catch(() => {});
			items.push(item);
			if (items.length > size) yield* items.splice(0, 1);
		}
		yield* items;
	}

	/** Sends an item unless it was sent, or may have been. */
	async perform(itemIndex: number, item: Message, send: () => Promise<Result>): Promise<Result> {
		const { name } = item;
		const asked = name === undefined ? this.askForRun(item) : this.askForKey(item, name);
		const verdict = await Promise.race([asked, this.stopSignal.stopped]);
		if (verdict instanceof Failure) this.fromBefore.add(verdict);
		if (verdict !== 'ours') return verdict;
		this.claims.delete(name ?? '');
		const result = await send();
		const end = result instanceof Failure ? stillUnknown(item.doubt, result) : result;
		if (end) this.ledger.keep(itemIndex, item.digest, end);
		if (name !== undefined) this.settle(name, end ?? item.doubt);
		return end;
	}

	/** What the user should know of all items. */
	remarks(): Remark[] {
		return this.journal.count > MOST_KEPT ? [{ text: words.dropped(MOST_KEPT) }] : [];
	}

	/** What an error that stops the run says of all items. @param results of those that have ended */
	sentSoFar(results: Array<Item | Result>): string {
		const { notes } = this.ledger;
		const doubtful = notes.filter(({ unknown }) => unknown).length;
		const untried = this.context.getInputData().filter((_, itemIndex) => {
			const result = results[itemIndex];
			const hasEnded = result instanceof Failure || (result && 'json' in result);
			return !hasEnded && !this.ledger.recall(itemIndex);
		}).length;
		return words.sentSoFar(notes.length - doubtful, doubtful, untried, this.hasKeys);
	}

	/** Forgets what was not begun. Resolves once all is noted; what takes longer is noted later. */
	async close(): Promise<void> {
		this.failure ??= new Error('The run is over');
		const unbegun = [...this.claims].map(async ([name, claim]) => {
			if ((await claim) === 'ours') this.journal.forget(name);
		});
		const settled = Promise.allSettled([this.runClaim.close(), ...unbegun]);
		const closed = settled.then(async () => {
			await this.journal.removeAll();
			await this.journal.row.last;
		});
		const isLate = aborted(AbortSignal.timeout(LONGEST_CLOSE));
		await Promise.race([closed, isLate, this.stopSignal.cancelled]);
	}

	private notAgain({ known }: Known): Known {
		if (!(known instanceof Failure)) return { known };
		const failure = notSentAgain(known);
		this.fromBefore.add(failure);
		return { known: failure };
	}

	private isOver({ known }: Known): boolean {
		return !(known instanceof Failure) || !this.settings.repeatsUnknown;
	}

	/** Without a key, the messages of an execution are all ours, or none. */
	private async askForRun(item: Message): Promise<Verdict> {
		try {
			const state = await this.runClaim.state();
			if (state === 'ours' && !this.runClaim.isInDoubt) return state;
			item.doubt ??= words.retriedBefore(item.request.wording, state === 'sent');
			return state === 'ours' ? state : notSentAgain(item.doubt);
		} catch (error) {
			return inDoubtStill(item.doubt, words.noAnswer(error, true, item.request.wording));
		}
	}

	private async askForKey(item: Message, name: string): Promise<Verdict> {
		const { request } = item;
		try {
			let state = await (this.claims.get(name) ?? this.claim(name));
			// By now the other one may be done with it.
			if (state === 'doubtful') state = await this.claim(name);
			if (state === 'doubtful') {
				item.doubt ??= words.inDoubt(request);
				if (this.settings.repeatsUnknown) state = await this.claim(name, true);
			}
			if (state === 'ours') return state;
			return state === 'sent' ? words.skipped(request) : item.doubt!;
		} catch (error) {
			const isAsked = this.claims.has(name) || this.context.getMode() === 'retry';
			return inDoubtStill(item.doubt, words.noAnswer(error, isAsked, request.wording));
		}
	}

	private async claim(name: string, resends = false): Promise<State> {
		if (this.failure !== undefined) throw this.failure;
		const claim = this.journal.claim(name, resends);
		this.claims.set(name, claim);
		claim.catch((error: unknown) => (this.failure ??= error));
		return await claim;
	}

	private settle(name: string, end: Result): void {
		if (end && !(end instanceof Failure)) this.journal.markSent(name);
		else if (end?.outcome === 'unknown') this.journal.release(name);
		else this.journal.forget(name);
	}
}

/** Why an item that could not be read, or asked about, is in doubt: an earlier try may have sent it. */
function inDoubtStill(doubt: Failure | undefined, now: Failure): Failure {
	return doubt && now.outcome !== 'unknown' ? notSentAgain(doubt, now) : now;
}

function doubtOf({ known }: Partial<Known> = {}): Failure | undefined {
	return known instanceof Failure ? known : undefined;
}
