import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { Breather } from '../../service/breather';
import { addressOf } from '../../service/credential';
import { Failure, notSentAgain, stillUnknown } from '../../service/failure/failure';
import type { Wording } from '../../service/failure/wording';
import type { Item, Known, Message, Prepared, Result } from '../item';
import { likelyOrder } from '../keyedQueue';
import type { Operation, Output, RunSettings } from '../operation';
import type { StopSignal } from '../stopSignal';
import { isTool } from '../tool';
import { Begun } from './begun';
import { Claims, type Trace } from './claims';
import { journalOf, type Journal, type State } from './journal';
import { Ledger, type Recalled } from './ledger';
import { begunName, digestOf, hashOf, keyName, retryName } from './names';
import * as words from './words';

/** Messages of which n8n keeps all entries, even where every one of them is left open. */
const MOST_KEYS = 20_000;
/** Milliseconds that the node goes on for, at its end, until all is noted. */
const LONGEST_CLOSE = 3000;

/**
 * Keeps a message from being sent twice: within an execution and its Retries by the ledger, which is
 * saved with it; by other executions by the journal, in n8n's memory. Every item of a run passes here.
 */
export class Once {
	/** By the item's index, as far as its turn has come. */
	private readonly ends = new Map<number, End>();
	/** Items that are in doubt because of what another execution did. */
	private readonly fromBefore = new Set<number>();
	/** Items for which this execution made a request, before n8n's Retry On Fail. */
	private readonly triedBefore = new Set<number>();
	/** Items of a Retry that went out though n8n could not tell whether another one sent them. */
	private readonly unguarded: number[] = [];
	private readonly begun: Begun;
	private readonly isTool: boolean;
	private readonly journal: Journal;
	private claims: Claims | undefined;
	/** By the first names of their messages. */
	private readonly items = new Map<string, number>();
	/** Entries that n8n had dropped before. */
	private readonly dropped: number;

	/** One line for each message that n8n's memory is asked about, off by n8n's log level. */
	private readonly trace: Trace = (what, names) => {
		const itemIndex = this.items.get(names[0] ?? '');
		const { name } = this.context.getNode();
		this.context.logger.debug(`${name}: ${what}`, { itemIndex, entries: names.map(hashOf) });
	};

	private constructor(
		private readonly context: IExecuteFunctions,
		private readonly settings: RunSettings,
		private readonly stopSignal: StopSignal,
		private readonly ledger: Ledger,
	) {
		this.isTool = isTool(context);
		this.journal = journalOf(context);
		const { row } = this.journal;
		this.dropped = row.dropped;
		this.begun = new Begun(row, ledger.establishedAt ?? 0, this.trace);
	}

	static async open(
		context: IExecuteFunctions,
		operation: Operation,
		settings: RunSettings,
		stopSignal: StopSignal,
	): Promise<Once> {
		const ledger = new Ledger(context, operation, settings.sendOnceKey);
		await ledger.sort();
		return new Once(context, settings, stopSignal, ledger);
	}

	/** Whether n8n has to be asked about all items before the first message leaves. */
	get isShared(): boolean {
		return this.ledger.original !== undefined || this.settings.sendOnceKey !== '';
	}

	/** Reads an item, unless it is known how it ended: then it does not matter what it reads as now. */
	async prepare(itemIndex: number, read: () => Promise<Prepared | Known | Failure>): Promise<Item> {
		const bySource = this.ledger.recall(itemIndex);
		this.noteTried(itemIndex, bySource);
		if (bySource && !this.isTool && this.isOver(bySource)) return known(bySource);
		const item = await read();
		if (item instanceof Failure) {
			// In a Retry, $fromAI fails for all calls of a tool but the first (n8n 2.40).
			return bySource && this.isTool ? known(bySource) : inDoubtStill(doubtOf(bySource), item);
		}
		if ('known' in item) return item;
		const { request, credential } = item;
		const digest = digestOf([credential.apiKey, request.body]);
		const recalled = this.ledger.recallByDigest(itemIndex, digest);
		this.noteTried(itemIndex, recalled);
		if (recalled && this.isOver(recalled)) return known(recalled);
		return Object.assign(item, { digest, doubt: doubtOf(recalled) });
	}

	/** Finds out which messages other executions may know of. Where n8n cannot tell, items fail. */
	async share(items: Item[]): Promise<void> {
		const shared = await this.nameAll(items);
		const keyed = shared.filter(([, { request }]) => request.sendOnceKey !== undefined);
		if (shared.length === 0) return;
		const failAll = (failure: (wording: Wording) => Failure) => {
			for (const [itemIndex, { doubt, request }] of keyed)
				items[itemIndex] = inDoubtStill(doubt, failure(request.wording));
		};
		const count = new Set(keyed.map(([, { names }]) => names?.[0])).size;
		if (count > MOST_KEYS) {
			return failAll((wording) => words.tooManyKeys(count, MOST_KEYS, wording));
		}
		try {
			await this.untilStop(this.journal.row.count());
		} catch (error) {
			for (const [itemIndex, item] of shared) this.goUnguarded(itemIndex, item);
			return failAll((wording) => words.noAnswer(error, this.ledger.isUnrecorded, wording));
		}
		const { maxConcurrency } = this.settings;
		const tasks = shared.map(([, { orderKey: key, names = [] }]) => ({ key, names }));
		const queue = likelyOrder(tasks, maxConcurrency).map(({ names }) => names);
		this.journal.beginRun();
		this.claims = new Claims(this.journal, this.stopSignal, queue, maxConcurrency, this.trace);
	}

	/** Sends an item unless it was sent, or may have been. */
	async perform(itemIndex: number, item: Message, send: () => Promise<Result>): Promise<Result> {
		const verdict = await this.admit(itemIndex, item);
		if (verdict === 'stopped') return undefined;
		const isAdmitted = verdict === 'admitted';
		const result = isAdmitted ? await send() : verdict;
		const end = result instanceof Failure ? stillUnknown(item.doubt, result) : result;
		this.ends.set(itemIndex, endOf(end));
		if (isAdmitted) this.settle(itemIndex, item, end);
		return end;
	}

	/** Whether an item failed for what happened before this run. */
	isFromBefore(itemIndex: number): boolean {
		return this.fromBefore.has(itemIndex);
	}

	/** Whether this execution made a request for an item, before n8n's Retry On Fail. */
	wasTried(itemIndex: number): boolean {
		return this.triedBefore.has(itemIndex);
	}

	/**
	 * Says how many items were sent, and how many may have been, in this try and the ones before.
	 * @param unread items that could not be read: they may be any that the ledger knows
	 * @param untried items whose turn did not come in this try
	 */
	sentSoFar(items: number, unread: number, untried: number[]): string {
		const { ledger } = this;
		const recalled = Array.from({ length: items }, (_, itemIndex) => ledger.recall(itemIndex));
		recalled.push(...ledger.left().slice(0, unread));
		const ends = recalled.map((one, itemIndex) => this.ends.get(itemIndex) ?? endOf(one?.end));
		const count = (wanted: End) => ends.filter((end) => end === wanted).length;
		const counts = {
			sent: count('sent'),
			unknown: count('unknown'),
			untried: untried.filter((itemIndex) => ends[itemIndex] === undefined).length,
		};
		return words.sentSoFar(counts, items, {
			hasKeys: this.settings.sendOnceKey !== '' && ledger.isOfThisKey,
			isUnrecorded: ledger.isUnrecorded,
			isSubWorkflow: this.context.getMode() === 'integrated',
			isLaterRun: ledger.isLaterRun,
			resends: this.settings.repeatsUnknown,
		});
	}

	/** What the user should know, each with the items that it is about. */
	remarks(items: number): Array<[text: string, itemIndexes: number[]]> {
		const remarks: Array<[string, number[]]> = [];
		const isDropped = this.claims !== undefined && this.journal.row.dropped > this.dropped;
		if (isDropped) remarks.push([words.dropped(MOST_KEYS), [...Array(items).keys()]]);
		if (this.unguarded.length > 0) remarks.push([words.UNGUARDED, this.unguarded]);
		return remarks;
	}

	/** Resolves once all is noted; what takes longer is noted later. */
	async close(): Promise<void> {
		this.begun.close();
		const closed = this.claims?.close();
		if (!closed) return;
		void closed.then(async () => await this.journal.endRun());
		await Promise.race([closed, sleep(LONGEST_CLOSE), this.stopSignal.cancelled]);
	}

	/** Forgets the ledger of this run, as nothing can repeat it any more. */
	forget(): void {
		this.ledger.close();
	}

	private noteTried(itemIndex: number, recalled: Recalled | undefined): void {
		if (recalled?.isOfThisExecution) this.triedBefore.add(itemIndex);
	}

	private isOver({ end }: Recalled): boolean {
		return !(end instanceof Failure) || !this.settings.repeatsUnknown;
	}

	/** Names the messages that other executions may know: those with a key, and in a Retry all. */
	private async nameAll(items: Item[]): Promise<Array<[number, Message]>> {
		const shared: Array<[number, Message]> = [];
		/** How often each message stood in the list by now. */
		const repetitions = new Map<string, number>();
		const breather = new Breather();
		for (const [itemIndex, item] of items.entries()) {
			if (breather.isDue()) await breather.breathe();
			if (item instanceof Failure || !('digest' in item)) continue;
			const { digest = '' } = item;
			const repetition = repetitions.get(digest) ?? 0;
			repetitions.set(digest, repetition + 1);
			if ('known' in item) continue;
			const names = this.namesOf(itemIndex, item, repetition);
			if (!names) continue;
			this.items.set(names[0] ?? '', itemIndex);
			shared.push([itemIndex, Object.assign(item, { names })]);
		}
		return shared;
	}

	private namesOf(
		itemIndex: number,
		{ digest, credential, orderKey, request }: Message,
		repetition: number,
	): string[] | undefined {
		const { sendOnceKey } = request;
		const { original, runKey } = this.ledger;
		if (sendOnceKey !== undefined) {
			return [keyName(addressOf(credential), orderKey, sendOnceKey)];
		}
		if (original === undefined) return undefined;
		const byDigest = retryName(original, runKey, digest, repetition);
		const bySource = retryName(original, runKey, this.ledger.sourceOf(itemIndex));
		return this.isTool ? [byDigest] : [bySource, byDigest];
	}

	/** Whether an item may be sent; if not, what became of it. */
	private async admit(
		itemIndex: number,
		item: Message,
	): Promise<'admitted' | 'stopped' | Output | Failure> {
		if (item.request.sendOnceKey === undefined && (await this.wasBegun(itemIndex, item))) {
			item.doubt ??= words.cutOff(item.request.wording);
			if (!this.settings.repeatsUnknown) return this.fromEarlier(itemIndex, item.doubt);
		}
		const { names } = item;
		if (!names || !this.claims) return 'admitted';
		try {
			const state = await this.untilStop(this.claims.take(names));
			return state ? this.judge(itemIndex, item, state) : 'stopped';
		} catch (error) {
			if (item.request.sendOnceKey !== undefined) {
				const isAsked = this.ledger.isUnrecorded || this.claims.isAsked(names);
				return words.noAnswer(error, isAsked, item.request.wording);
			}
			this.goUnguarded(itemIndex, item);
			return 'admitted';
		}
	}

	private judge(itemIndex: number, item: Message, state: State): 'admitted' | Output | Failure {
		if (state === 'free') return 'admitted';
		const { sendOnceKey, wording } = item.request;
		const original = this.ledger.original;
		if (state === 'sent' && sendOnceKey !== undefined) return words.skipped(item.request);
		if (state === 'sent')
			return this.fromEarlier(itemIndex, words.sentByAnother(original, wording));
		item.doubt ??= words.inDoubt(item.request, original);
		const { doubt } = item;
		if (!this.settings.repeatsUnknown) return this.fromEarlier(itemIndex, doubt);
		this.claims?.resend(item.names ?? []);
		return 'admitted';
	}

	private fromEarlier(itemIndex: number, doubt: Failure): Failure {
		this.fromBefore.add(itemIndex);
		return this.ledger.original === undefined ? doubt : notSentAgain(doubt);
	}

	/** Whether the run was cut off before, if this is its Retry. If not, its Retry will know. */
	private async wasBegun(itemIndex: number, item: Message): Promise<boolean> {
		const { establishedAt, original, isUnrecorded, runKey } = this.ledger;
		const hasRecord = original !== undefined && !isUnrecorded;
		if (establishedAt === undefined || hasRecord) return false;
		const ofCall = this.isTool ? [item.digest] : [];
		const name = begunName(establishedAt, runKey, ...ofCall);
		try {
			const wasBegun = this.begun.wasBegun(name, original !== undefined);
			return (await this.untilStop(wasBegun)) === true;
		} catch {
			this.goUnguarded(itemIndex, item);
			return false;
		}
	}

	/** What n8n's memory tells, unless the stop comes before. */
	private async untilStop<T>(answer: Promise<T>): Promise<T | undefined> {
		return await Promise.race([answer, this.stopSignal.stopped]);
	}

	/** A Retry without a key goes on, as its messages are meant to be sent. */
	private goUnguarded(itemIndex: number, item: Message): void {
		if (item.request.sendOnceKey !== undefined) return;
		if (this.unguarded.at(-1) !== itemIndex) this.unguarded.push(itemIndex);
		this.trace('goes unguarded', item.names ?? []);
		delete item.names;
	}

	/** Keeps how an item ended that was admitted; `undefined` where it was not begun. */
	private settle(itemIndex: number, { names, digest, doubt }: Message, end: Result): void {
		if (end) this.ledger.keep(itemIndex, digest, end);
		if (!names || !this.claims) return;
		const ended = endOf(end ?? doubt);
		if (ended === 'unknown') this.claims.markUnknown(names);
		else if (ended === 'sent') this.claims.markSent(names);
		else this.claims.free(names);
	}
}

/** How an item counts: neither where it certainly was not sent. */
type End = 'sent' | 'unknown' | undefined;

function endOf(result: Result): End {
	if (result instanceof Failure) return result.outcome === 'unknown' ? 'unknown' : undefined;
	return result && 'sent';
}

/** An item that ended before, in this try or another. */
function known({ digest, end }: Recalled): Known {
	return { digest, known: end instanceof Failure ? notSentAgain(end) : end };
}

/** Why an item that could not be read, or asked about, is in doubt: an earlier try may have sent it. */
function inDoubtStill(doubt: Failure | undefined, now: Failure): Failure {
	return doubt && now.outcome !== 'unknown' ? notSentAgain(doubt, now) : now;
}

function doubtOf({ end }: Partial<Recalled> = {}): Failure | undefined {
	return end instanceof Failure ? end : undefined;
}
