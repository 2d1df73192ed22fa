import type { IContextObject, IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { secretKeyOf, type Connection } from '../service/credential';
import { Failure, type FailureOptions } from '../service/failure';
import { fingerprint } from './fingerprint';
import type { Output } from './operation';
import { isTool } from './tool';

/** How an item ended, in plain data, as n8n saves it with the execution. */
interface Entry {
	/** Of the node's parameters as they are written, and of the input item. */
	source?: string;
	/** Of the request and the key it goes out with. */
	message?: string;
	/** Of the request alone: all that version 0.1.0 wrote. */
	hash?: string;
	/** The json that a sent item put out. */
	json?: IDataObject;
	/** The failure of an item that may have been sent. */
	unknown?: FailureOptions & { happened: string };
}

/** Entries by the item's index; of those that lost their place to another item, by any other name. */
type Run = Record<string, Entry>;
type Runs = Record<string, Run>;

/** How an item ended when the node ran before. */
export type Recalled = { json: IDataObject } | { failure: Failure };

const KEY = 'workchatLedger';
/** The execution that a chain of Retries goes back to; it stays, as a loop may fail later on. */
const ORIGIN_KEY = 'workchatExecution';
const TOOL_RUN = 'tool';
const NOT_AGAIN = 'This try did not send it again.';

/**
 * What became of each item of this run of the node. n8n's Retry On Fail, and its Retry of a failed
 * execution, run the node again with every item; the ledger survives both, as it stands in the
 * node's context. It holds results and fingerprints, no request.
 *
 * Which message an item is: within an execution its place tells, as nobody edits a workflow between
 * two tries. In a Retry somebody may have: there the same place, parameters and input item are the
 * same message, whatever expressions such as `$now` make of them, and so is the same request. An AI
 * agent's tool gets a place of its own for every call, so there the request alone tells.
 */
export class Ledger {
	private readonly nodeContext: IContextObject;
	private readonly isTool: boolean;
	/** Loops run a node several times within an execution, each time with items of its own. */
	private readonly runKey: string;
	/** In a Retry: entries whose place now holds another item. */
	private readonly displaced = new Map<string, Entry>();

	private parameters = '';
	/** In a Retry: the execution in which the node ran first, if that was another one. */
	original: string | undefined;

	private readonly entries = new Map<number, Promise<LedgerEntry>>();

	private constructor(private readonly context: IExecuteFunctions) {
		this.nodeContext = context.getContext('node');
		this.isTool = isTool(context);
		const runIndex = context.getWorkflowDataProxy(0).$runIndex as number;
		this.runKey = this.isTool ? TOOL_RUN : String(runIndex);
		if (!this.isTool) this.forgetRunsBefore(runIndex);
	}

	static async open(context: IExecuteFunctions): Promise<Ledger> {
		const ledger = new Ledger(context);
		ledger.parameters = await fingerprint(context.getNode().parameters);
		ledger.original = await ledger.traceOriginal();
		if (context.getMode() === 'retry' && !ledger.isTool) await ledger.makeRoom();
		return ledger;
	}

	/**
	 * What another Retry of the same execution would call an item, as far as it is the same message
	 * there: by its place, and by its content.
	 * @param repetition how often the same content stands in the list before
	 */
	namesOf(itemIndex: number, { source, message }: LedgerEntry, repetition: number): string[] {
		const run = [this.original, this.runKey];
		const byContent = JSON.stringify([...run, message, repetition]);
		if (this.isTool) return [byContent];
		return [JSON.stringify([...run, itemIndex, source]), byContent];
	}

	/** Whether nothing is known of any item. */
	get isEmpty(): boolean {
		return this.run === undefined;
	}

	/** How many messages of this run were sent. */
	get sent(): number {
		return Object.values(this.run ?? {}).filter(({ json }) => json).length;
	}

	/** The entry of an item, to be kept with what becomes of it. */
	async entryOf(
		itemIndex: number,
		body: IDataObject,
		connection: Connection,
	): Promise<LedgerEntry> {
		const entry = this.entries.get(itemIndex) ?? this.findEntry(itemIndex, body, connection);
		this.entries.set(itemIndex, entry);
		return await entry;
	}

	/**
	 * How an item ended that cannot be read any more: n8n evaluates expressions anew for every try,
	 * and not all of them can be evaluated twice ($fromAI in a Retry, n8n 2.40).
	 */
	async recallUnread(itemIndex: number): Promise<Recalled | undefined> {
		const run = this.run ?? {};
		const source = this.isTool ? await this.sourceOf(itemIndex) : undefined;
		const entry = this.isTool
			? Object.values(run).find((one) => one.source === source)
			: run[itemIndex];
		return recalledOf(entry);
	}

	private async findEntry(
		itemIndex: number,
		body: IDataObject,
		connection: Connection,
	): Promise<LedgerEntry> {
		const [source, message] = await Promise.all([
			this.sourceOf(itemIndex),
			fingerprint([secretKeyOf(connection.credential), body]),
		]);
		const place = this.isTool ? message : String(itemIndex);
		const before = this.run?.[place] ?? (await this.takeDisplaced(message, body));
		const keep = (entry: Entry) => {
			const runs = (this.nodeContext[KEY] ??= {}) as Runs;
			(runs[this.runKey] ??= {})[place] = { ...entry, source, message };
		};
		// An entry that moved with its item belongs to the new place from now on.
		if (before && this.run?.[place] !== before) keep(before);
		return new LedgerEntry(source, message, before, keep);
	}

	/** Forgets this run of the node, as nothing can repeat it any more. A tool may always be called again. */
	close(): void {
		if (!this.isTool) this.forget([this.runKey]);
	}

	private get run(): Run | undefined {
		return (this.nodeContext[KEY] as Runs | undefined)?.[this.runKey];
	}

	private async sourceOf(itemIndex: number): Promise<string> {
		return await fingerprint([this.parameters, this.context.getInputData()[itemIndex]?.json]);
	}

	/** Takes entries from places that now hold another item, before that overwrites them. */
	private async makeRoom(): Promise<void> {
		const { run } = this;
		if (!run) return;
		for (const [place, entry] of Object.entries(run)) {
			if (entry.source && entry.source === (await this.sourceOf(Number(place)))) continue;
			const name = isIndex(place) ? freeName(run, place) : place;
			delete run[place];
			run[name] = entry;
			this.displaced.set(name, entry);
		}
	}

	/** The first displaced entry of the same message; each stands for one item only. */
	private async takeDisplaced(message: string, body: IDataObject): Promise<Entry | undefined> {
		if (this.displaced.size === 0) return undefined;
		const hash = await fingerprint(body);
		for (const [name, entry] of this.displaced) {
			if (entry.message ? entry.message !== message : entry.hash !== hash) continue;
			this.displaced.delete(name);
			delete this.run?.[name];
			return entry;
		}
		return undefined;
	}

	/** Version 0.1.0 kept no origin, but all Retries of an execution find the same ledger. */
	private async traceOriginal(): Promise<string | undefined> {
		const { nodeContext } = this;
		const present = this.context.getExecutionId();
		const isRetry = this.context.getMode() === 'retry';
		if (isRetry && KEY in nodeContext)
			nodeContext[ORIGIN_KEY] ??= await fingerprint(nodeContext[KEY]);
		nodeContext[ORIGIN_KEY] ??= present;
		const origin = nodeContext[ORIGIN_KEY] as string;
		return isRetry && origin !== present ? origin : undefined;
	}

	/** n8n runs a node's runs one after another, so nothing can repeat those before this. */
	private forgetRunsBefore(runIndex: number): void {
		const runs = Object.keys((this.nodeContext[KEY] ?? {}) as Runs);
		this.forget(runs.filter((key) => isIndex(key) && Number(key) < runIndex));
	}

	private forget(runKeys: string[]): void {
		const runs = (this.nodeContext[KEY] ?? {}) as Runs;
		for (const key of runKeys) delete runs[key];
		if (Object.keys(runs).length === 0) delete this.nodeContext[KEY];
	}
}

/** The place of one item in the ledger. */
export class LedgerEntry {
	constructor(
		/** As in an {@link Entry}. */
		readonly source: string,
		readonly message: string,
		private readonly before: Entry | undefined,
		private readonly write: (entry: Entry) => void,
	) {}

	/** How the item ended when the node ran before, if it was or may have been sent then. */
	recall(): Recalled | undefined {
		return recalledOf(this.before);
	}

	/** Keeps that the message was sent, or may have been. Of any other result there is nothing to keep. */
	keep(result: Output | Failure | undefined): void {
		if (result instanceof Failure) {
			if (result.outcome === 'unknown') this.write({ unknown: unknownOf(result) });
		} else if (result) this.write({ json: result.json });
	}
}

function recalledOf({ json, unknown }: Entry = {}): Recalled | undefined {
	if (json) return { json };
	return unknown && { failure: new Failure(unknown.happened, unknown) };
}

function unknownOf({ happened, outcome, origin, advice, details }: Failure): Entry['unknown'] {
	const notAgain = advice.startsWith(NOT_AGAIN) ? advice : `${NOT_AGAIN} ${advice}`;
	return { happened, outcome, origin, advice: notAgain, ...details };
}

function freeName(run: Run, place: string): string {
	let count = 1;
	while (`${place} before ${count}` in run) count++;
	return `${place} before ${count}`;
}

function isIndex(key: string): boolean {
	return /^\d+$/.test(key);
}
