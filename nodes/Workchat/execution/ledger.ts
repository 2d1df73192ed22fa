import type { IContextObject, IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { Failure, type FailureOptions } from '../service/failure';

/** How an item ended, in plain data, as n8n saves it with the execution. */
interface Entry {
	/** Of the body that was sent: a changed item is another message. */
	hash: string;
	/** The json that a sent item put out. */
	json?: IDataObject;
	/** The failure of an item that may have been sent. */
	unknown?: FailureOptions & { happened: string };
}

type Runs = Record<string, Record<string, Entry>>;

const KEY = 'workchatLedger';

const NOT_AGAIN = 'This try did not send it again.';

/**
 * What became of each item of this run of the node. n8n's Retry On Fail, and its retry of a failed
 * execution, run the node again with every item; the ledger survives both, as it stands in the
 * node's context. It holds results and hashes, no request.
 */
export class Ledger {
	private readonly nodeContext: IContextObject;
	/** Loops run a node several times within an execution, each time with items of its own. */
	private readonly runIndex: string;
	/** n8n gives every try of an AI agent's tool a run index of its own, so only the hash tells. */
	private readonly isTool: boolean;
	/** Runs that this one may forget. */
	private readonly own = new Set<string>();

	constructor(context: IExecuteFunctions) {
		this.nodeContext = context.getContext('node');
		this.runIndex = String(context.getWorkflowDataProxy(0).$runIndex);
		this.isTool = context.isToolExecution?.() === true;
	}

	/** The json of an item that was sent; throws the {@link Failure} of one that may have been. */
	recall(itemIndex: number, hash: string, repeatsUnknown: boolean): IDataObject | undefined {
		const entry = this.runs[this.runOf(hash)]?.[itemIndex];
		if (entry?.hash !== hash) return undefined;
		if (entry.unknown && !repeatsUnknown) throw new Failure(entry.unknown.happened, entry.unknown);
		return entry.json;
	}

	keepSent(itemIndex: number, hash: string, json: IDataObject): void {
		this.keep(itemIndex, { hash, json });
	}

	keepUnknown(itemIndex: number, hash: string, failure: Failure): void {
		const { happened, outcome, origin, advice, details } = failure;
		const notAgain = advice.startsWith(NOT_AGAIN) ? advice : `${NOT_AGAIN} ${advice}`;
		const unknown = { happened, outcome, origin, advice: notAgain, ...details };
		this.keep(itemIndex, { hash, unknown });
	}

	/** Forgets this run of the node, as nothing can repeat it any more. */
	close(): void {
		const { runs } = this;
		for (const run of this.own) delete runs[run];
		if (Object.keys(runs).length === 0) delete this.nodeContext[KEY];
	}

	private get runs(): Runs {
		return (this.nodeContext[KEY] ?? {}) as Runs;
	}

	private keep(itemIndex: number, entry: Entry): void {
		const runs = (this.nodeContext[KEY] ??= {}) as Runs;
		(runs[this.runOf(entry.hash)] ??= {})[itemIndex] = entry;
	}

	private runOf(hash: string): string {
		const run = this.isTool ? `tool ${hash}` : this.runIndex;
		this.own.add(run);
		return run;
	}
}

export async function hashOf(body: IDataObject): Promise<string> {
	const bytes = new TextEncoder().encode(JSON.stringify(body));
	return Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('base64');
}
