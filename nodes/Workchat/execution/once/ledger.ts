import type { IContextObject, IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { Breather } from '../../service/breather';
import { Failure, type FailureOptions } from '../../service/failure/failure';
import type { Operation, Output } from '../operation';
import { isTool } from '../tool';
import { digestOf, digestOnce } from './names';

/** How a message ended, in plain data, as n8n saves it with the execution. */
interface Note {
	/** Of the items that it was in one try or another. */
	sources: string[];
	/** Of the request and the key it goes out with. */
	digest: string;
	/** The json that a sent item put out. */
	json?: IDataObject;
	/** The failure of an item that may have been sent. */
	unknown?: FailureOptions & { happened: string };
	/** The ID of the execution that left it unknown. */
	execution?: string;
}

/** The run of the node that began last: n8n runs them one after another (n8n-core 2.41.1, workflow-execute). */
interface Kept {
	run: string;
	notes: Note[];
	/** The Send Once Key, as it is written, of all of these; none where they differ. */
	key?: string;
}

/** How an item ended when the node ran before: it was sent, or may have been. */
export interface Recalled {
	digest: string;
	end: Output | Failure;
	/** Whether a failure is of this execution, before n8n's Retry On Fail. */
	isOfThisExecution: boolean;
}

const KEY = 'workchatLedger';
/** What a chain of Retries goes back to; it stays, as a loop may fail later on. */
const ORIGINAL_KEY = 'workchatExecution';
const TOOL_RUN = 'tool';

/**
 * How the messages of this run of the node ended. n8n's Retry On Fail, and its Retry of a failed
 * execution, run the node again with every item; the ledger survives both, as it stands in the
 * node's context. It holds results and digests, no request.
 *
 * Two digests tell whether an item is a message of an earlier try. Its source is what the user
 * wrote and the input item, whatever expressions such as `$now` make of them; that can be told before
 * anything is evaluated. Else its request is the same, wherever it stood. Each note stands for one
 * item of a try. An AI agent calls its tool with new words, so there the request alone tells.
 */
export class Ledger {
	/** Loops run a node several times within an execution, each time with items of its own. */
	readonly runKey: string;
	/** Whether the node ran before in this execution, for other items: in a loop. */
	readonly isLaterRun: boolean;
	/**
	 * In a Retry: what all Retries of that execution know each other by. Its ID; or, where the node
	 * left no record in it, `of` and when it began in milliseconds since 1970.
	 */
	readonly original: string | undefined;
	/** When the execution began, in milliseconds since 1970; its Retries keep it. None in n8n 1. */
	readonly establishedAt: number | undefined;

	private readonly nodeContext: IContextObject;
	private readonly isTool: boolean;
	private readonly parameters: string;
	/** How often each source stood in the list by now. */
	private readonly repetitions = new Map<string, number>();
	/** By the item's index. */
	private readonly sources: string[] = [];
	private readonly bySource = new Map<string, Note>();
	/** Notes that no item of this list has by its source, the last first, by digest. */
	private readonly others = new Map<string, Note[]>();

	constructor(
		private readonly context: IExecuteFunctions,
		operation: Operation,
		/** As it is written. */
		private readonly sendOnceKey: string,
	) {
		this.nodeContext = context.getContext('node');
		this.isTool = isTool(context);
		const runIndex = context.getWorkflowDataProxy(0).$runIndex as number;
		this.isLaterRun = runIndex > 0;
		this.runKey = this.isTool ? TOOL_RUN : String(runIndex);
		this.parameters = digestOf(writtenContent(context, operation));
		this.establishedAt = context.getExecutionContext?.()?.establishedAt;
		this.original = this.traceOriginal();
	}

	/** Whether this is a Retry of a try that left no record. */
	get isUnrecorded(): boolean {
		return this.original === originalOf(this.establishedAt);
	}

	/** Whether all that is kept went out, or may have, under the present Send Once Key. */
	get isOfThisKey(): boolean {
		const { kept } = this;
		return kept === undefined || (kept.key ?? '') === this.sendOnceKey;
	}

	/** How an item ended as far as its source tells: whatever its expressions say now, or if they fail. */
	recall(itemIndex: number): Recalled | undefined {
		return this.recalled(this.bySource.get(this.sourceOf(itemIndex)));
	}

	/** How an item ended, by its source or by its digest; that note is its own from now on. */
	recallByDigest(itemIndex: number, digest: string): Recalled | undefined {
		const source = this.sourceOf(itemIndex);
		if (this.isTool) return this.recalled(this.notes.find((note) => note.digest === digest));
		const note = this.bySource.get(source) ?? this.others.get(digest)?.pop();
		if (note && !this.bySource.has(source)) {
			note.sources.push(source);
			this.bySource.set(source, note);
		}
		return this.recalled(note);
	}

	/** What is known of messages that no item was found to be. */
	left(): Recalled[] {
		return [...this.others.values()].flat().flatMap((note) => this.recalled(note) ?? []);
	}

	/** Keeps that a message was sent, or may have been. Of any other result there is nothing to keep. */
	keep(itemIndex: number, digest: string, result: Output | Failure): void {
		const ended = endOf(result);
		if (!ended) return;
		const source = this.sourceOf(itemIndex);
		const before = this.isTool
			? this.notes.find((note) => note.digest === digest)
			: this.bySource.get(source);
		const execution = ended.unknown && this.context.getExecutionId();
		const note = { sources: before?.sources ?? [source], digest, ...ended, execution };
		const { notes, isOfThisKey } = this;
		if (before) notes[notes.indexOf(before)] = note;
		else notes.push(note);
		const key = isOfThisKey && this.sendOnceKey;
		this.nodeContext[KEY] = { run: this.runKey, notes, ...(key && { key }) };
		this.bySource.set(source, note);
	}

	/** What an item is called as it is written, the same in every try; the second of two equal ones, apart. */
	sourceOf(itemIndex: number): string {
		const items = this.context.getInputData();
		for (let next = this.sources.length; next <= itemIndex; next++) {
			const source = digestOnce(this.parameters, items[next]?.json ?? {});
			const repetition = this.repetitions.get(source) ?? 0;
			this.repetitions.set(source, repetition + 1);
			this.sources.push(`${source} ${repetition}`);
		}
		return this.sources[itemIndex] ?? '';
	}

	/** Forgets this run of the node, as nothing can repeat it any more. A tool may always be called again. */
	close(): void {
		if (!this.isTool) delete this.nodeContext[KEY];
	}

	private recalled(note?: Note): Recalled | undefined {
		if (!note) return undefined;
		const { digest, json = {}, unknown, execution } = note;
		const isOfThisExecution =
			execution !== undefined && execution === this.context.getExecutionId();
		return {
			digest,
			end: unknown ? new Failure(unknown.happened, unknown) : { json },
			isOfThisExecution,
		};
	}

	private get notes(): Note[] {
		return this.kept?.notes ?? [];
	}

	private get kept(): Kept | undefined {
		const kept = this.nodeContext[KEY] as Kept | undefined;
		return kept?.run === this.runKey ? kept : undefined;
	}

	/** Sorts what was sent before by what it can be found. Nothing is recalled until then. */
	async sort(): Promise<void> {
		if (this.notes.length === 0) return;
		const breather = new Breather();
		const present = new Set<string>();
		for (const itemIndex of this.context.getInputData().keys()) {
			if (breather.isDue()) await breather.breathe();
			present.add(this.sourceOf(itemIndex));
		}
		for (const note of this.notes.toReversed()) {
			const source = note.sources.find((source) => present.has(source));
			if (source !== undefined) {
				this.bySource.set(source, note);
				continue;
			}
			const left = this.others.get(note.digest) ?? [];
			left.push(note);
			this.others.set(note.digest, left);
		}
	}

	/** In a Retry, what it goes back to. Kept through Retries: n8n 2.40, execution-context. */
	private traceOriginal(): string | undefined {
		const { context, nodeContext, establishedAt } = this;
		const present = context.getExecutionId();
		const isRetry = context.getMode() === 'retry';
		const isUnrecorded = isRetry && establishedAt !== undefined;
		nodeContext[ORIGINAL_KEY] ??= isUnrecorded ? originalOf(establishedAt) : present;
		const original = nodeContext[ORIGINAL_KEY] as string;
		return isRetry && original !== present ? original : undefined;
	}
}

/** What an execution is called in Retries that bring no record of it: not by an ID. */
function originalOf(establishedAt: number | undefined): string {
	return `of ${establishedAt}`;
}

/** The parameters that make the messages, as the user wrote them: what differs from its default. */
function writtenContent(context: IExecuteFunctions, operation: Operation): unknown {
	const { value, contentParameters = [] } = operation;
	const { parameters } = context.getNode();
	const written = contentParameters.filter(
		(parameter) =>
			JSON.stringify(parameters[parameter.name] ?? parameter.default) !==
			JSON.stringify(parameter.default),
	);
	return [value, Object.fromEntries(written.map(({ name }) => [name, parameters[name]]))];
}

function endOf(result: Output | Failure): Pick<Note, 'json' | 'unknown'> | undefined {
	if (!(result instanceof Failure)) return { json: result.json };
	const { happened, outcome, origin, advice, details } = result;
	return outcome === 'unknown'
		? { unknown: { happened, outcome, origin, advice, ...details } }
		: undefined;
}
