import type { IContextObject, IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { inputFailure, type FailureOptions } from '../../service/failure/failure';
import type { Owner } from './decide';

/** How a message ended, in plain data. */
export interface Line {
	/** The source of its item in the latest try: see {@link Ledger}. */
	source: string;
	/** SHA-256 of the request and of the API key it goes out with. */
	digest: string;
	/** The json that a sent item put out, or the failure of one that may have been sent. */
	json?: IDataObject | undefined;
	unknown?: (FailureOptions & { happened: string }) | undefined;
	/** The ID of the execution that made the request. */
	execution: string;
}

interface Saved {
	version: number;
	/** Whose the record is. */
	owner?: Owner | undefined;
	/** The number of the node's run that has these lines: loops run it several times (n8n-core 2.41.1). */
	runIndex?: string | undefined;
	lines: Line[];
}

const KEY = 'workchatLedger';
const VERSION = 4;
/** Up to version 3, the owner stood here. */
const OLD_KEY = 'workchatExecution';

/**
 * All that stands in n8n's context of the node. n8n saves it with an execution that fails or is
 * cancelled, and hands it on to the node's next run, to Retry On Fail and to a Retry; a killed
 * execution loses it. It holds results and digests, no request.
 */
export class ExecutionRecord {
	private readonly saved: Saved;

	/** Throws a {@link Failure} where another version of the node wrote it. */
	constructor(private readonly nodeContext: IContextObject) {
		const saved = nodeContext[KEY] as Saved | undefined;
		if (OLD_KEY in nodeContext || (saved && saved.version !== VERSION)) {
			throw inputFailure(
				'This execution was begun with another version of the Workchat node, whose notes of what was sent cannot be read',
				'Nothing was sent now. Execute the workflow anew, with those who did not get the message.',
			);
		}
		this.saved = saved ?? { version: VERSION, lines: [] };
	}

	get owner(): Owner | undefined {
		return this.saved.owner;
	}

	/** The lines of this run of the node, as far as it was tried before. */
	linesOf(runIndex: string): Line[] {
		return this.saved.runIndex === runIndex ? this.saved.lines : [];
	}

	/** Changes a part of it. */
	save(part: Partial<Pick<Saved, 'owner' | 'runIndex' | 'lines'>>): void {
		Object.assign(this.saved, part);
		this.nodeContext[KEY] = this.saved;
	}
}

/**
 * n8n's context of the node, in which the record stands. n8n's own Agents run a node outside of any
 * execution: each call by itself, and this throws (n8n 2.41, ephemeral-node-executor.js).
 */
export function nodeContextOf(context: IExecuteFunctions): IContextObject | undefined {
	const nodeContext = () => context.getContext('node');
	if (context.getExecutionId()) return nodeContext();
	try {
		return nodeContext();
	} catch {
		return undefined;
	}
}
