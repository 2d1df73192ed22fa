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

/** How an item ended when the node ran before: it was sent, or may have been. */
export type Recalled = { json: IDataObject } | { failure: Failure };

const KEY = 'workchatLedger';
/** The execution that a chain of Retries goes back to; it stays, as a loop may fail later on. */
const ORIGIN_KEY = 'workchatExecution';
const TOOL_RUN = 'tool';
/** 0.1.0 kept these with the advice; now they are added where they hold. */
const WORDS_OF_0_1_0 = 'This try did not send it again. ';

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
	/** Whether the node ran before in this execution, for other items: in a loop. */
	readonly isLaterRun: boolean;
	/** Loops run a node several times within an execution, each time with items of its own. */
	private readonly runKey: string;
	/** In a Retry: names of entries whose place now holds another item, the last first, by message. */
	private readonly displaced = new Map<string, string[]>();

	private readonly entries = new Map<number, Promise<LedgerEntry>>();
	private parameters = '';
	/** In a Retry: the execution in which the node ran first, if that was another one. */
	original: string | undefined;

	private constructor(private readonly context: IExecuteFunctions) {
		this.nodeContext = context.getContext('node');
		this.isTool = isTool(context);
		const runIndex = context.getWorkflowDataProxy(0).$runIndex as number;
		this.isLaterRun = runIndex > 0;
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

	/** How an item ended as far as its place tells: whatever its expressions say now, or if they fail. */
	recall(itemIndex: number): Recalled | undefined {
		return this.isTool ? undefined : recalled(this.run?.[itemIndex]);
	}

	/**
	 * How the call of a tool ended that cannot be read any more: in a Retry, $fromAI fails for all
	 * calls but the first (n8n 2.40).
	 */
	async recallUnread(itemIndex: number): Promise<Recalled | undefined> {
		if (!this.isTool) return undefined;
		const source = await this.sourceOf(itemIndex);
		if (source === undefined) return undefined;
		return recalled(Object.values(this.run ?? {}).find((entry) => entry.source === source));
	}

	/**
	 * How many of the items were sent, and how many may have been.
	 * @param isUnread of an item that does not tell which message it is now: its place has to
	 */
	count(
		items: number,
		isUnread: (itemIndex: number) => boolean,
	): { sent: number; unknown: number } {
		const sent = new Set<number>();
		const unknown = new Set<number>();
		for (const [name, { json }] of Object.entries(this.run ?? {})) {
			const place = placeOf(name);
			if (place < items && (isIndex(name) || isUnread(place))) (json ? sent : unknown).add(place);
		}
		for (const place of sent) unknown.delete(place);
		return { sent: sent.size, unknown: unknown.size };
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

	/** In a Retry: gives an item the entry of the same message that stood elsewhere before. */
	async makePlace(itemIndex: number, body: IDataObject, connection: Connection): Promise<void> {
		if (this.displaced.size > 0) await this.entryOf(itemIndex, body, connection);
	}

	/** Whether nothing is known of any item. */
	get isEmpty(): boolean {
		return this.run === undefined;
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

	/** Lets go of what an item does not need any more: lists may be long. */
	release(itemIndex: number): void {
		this.entries.delete(itemIndex);
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

	/** None of an input item that has no JSON, such as one with a circle in it. */
	private async sourceOf(itemIndex: number): Promise<string | undefined> {
		try {
			return await fingerprint([this.parameters, this.context.getInputData()[itemIndex]?.json]);
		} catch {
			return undefined;
		}
	}

	/**
	 * Takes entries from places that now hold another item, before that overwrites them, and puts
	 * them back once their item is there again, as after an edit that was taken back.
	 */
	private async makeRoom(): Promise<void> {
		const { run } = this;
		if (!run) return;
		const rename = (name: string, entry: Entry, newName: string) => {
			delete run[name];
			run[newName] = entry;
		};
		const isAtHome = async (place: number, { source }: Entry) =>
			source !== undefined && source === (await this.sourceOf(place));
		for (const [name, entry] of Object.entries(run)) {
			if (!isIndex(name) || (await isAtHome(placeOf(name), entry))) continue;
			rename(name, entry, freeName(run, name));
		}
		for (const [name, entry] of Object.entries(run).reverse()) {
			const place = placeOf(name);
			if (isIndex(name)) continue;
			if (!(place in run) && (await isAtHome(place, entry))) rename(name, entry, String(place));
			else this.displace(name, entry);
		}
	}

	private displace(name: string, { message, hash = '' }: Entry): void {
		const key = message ?? hash;
		const names = this.displaced.get(key);
		if (names) names.push(name);
		else this.displaced.set(key, [name]);
	}

	/** The first displaced entry of the same message; each stands for one item only. */
	private async takeDisplaced(message: string, body: IDataObject): Promise<Entry | undefined> {
		if (this.displaced.size === 0) return undefined;
		const hash = await fingerprint(body);
		const name = this.displaced.get(message)?.pop() ?? this.displaced.get(hash)?.pop();
		const entry = name === undefined ? undefined : this.run?.[name];
		if (name !== undefined) delete this.run?.[name];
		return entry;
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

	/**
	 * n8n runs a node's runs one after another (n8n-core 2.41.1, workflow-execute), so nothing can
	 * repeat those before this.
	 */
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
		readonly source: string | undefined,
		readonly message: string,
		private readonly before: Entry | undefined,
		private readonly write: (entry: Entry) => void,
	) {}

	/** How the item ended when the node ran before, if it was or may have been sent then. */
	recall(): Recalled | undefined {
		return recalled(this.before);
	}

	/** Keeps that the message was sent, or may have been. Of any other result there is nothing to keep. */
	keep(result: Output | Failure | undefined): void {
		if (!(result instanceof Failure)) {
			if (result) this.write({ json: result.json });
		} else if (result.outcome === 'unknown') {
			const { happened, outcome, origin, advice, details } = result;
			this.write({ unknown: { happened, outcome, origin, advice, ...details } });
		}
	}
}

function recalled({ json, unknown }: Entry = {}): Recalled | undefined {
	if (json) return { json };
	if (!unknown) return undefined;
	const advice = unknown.advice.replace(WORDS_OF_0_1_0, '');
	return { failure: new Failure(unknown.happened, { ...unknown, advice }) };
}

function freeName(run: Run, place: string): string {
	let count = 1;
	while (`${place} before ${count}` in run) count++;
	return `${place} before ${count}`;
}

function isIndex(name: string): boolean {
	return /^\d+$/.test(name);
}

/** The index in an entry's name, also where it has lost its place. */
function placeOf(name: string): number {
	return Number.parseInt(name, 10);
}
