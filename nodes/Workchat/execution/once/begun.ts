import type { Trace } from './claims';
import type { Row } from './row';

/** Without a key, messages wait no longer for n8n's memory: milliseconds. */
const LONGEST_WAIT = 1000;
/** Executions that ran this node, and may still be at work elsewhere. */
const MOST_EXECUTIONS = 20;
/** Names of runs that ended, by the executions that began last. */
const ended = new WeakMap<Row, Map<number, string[]>>();

/**
 * Tells a Retry that a run began to send. Where n8n is killed, the record in the execution is lost, and
 * its Retry begins at the trigger (n8n 2.40). So an entry stands in n8n's memory from before the first
 * message until later executions have ended: its own may still be at work at other nodes.
 */
export class Begun {
	private readonly known = new Map<string, Promise<boolean>>();
	private readonly written: string[] = [];

	/** @param establishedAt when the execution began, in milliseconds since 1970 */
	constructor(
		private readonly row: Row,
		private readonly establishedAt: number,
		private readonly trace: Trace,
	) {}

	/** Whether a run began before, if this is its Retry. If not, it is noted that it begins. */
	async wasBegun(name: string, isRetry: boolean): Promise<boolean> {
		const known = this.known.get(name) ?? (isRetry ? this.ask(name) : this.note(name));
		this.known.set(name, known);
		return await known;
	}

	/** Takes away what nobody needs any more. */
	close(): void {
		const executions = ended.get(this.row) ?? new Map<number, string[]>();
		const names = executions.get(this.establishedAt) ?? [];
		names.push(...this.written);
		executions.set(this.establishedAt, names);
		ended.set(this.row, executions);
		for (const [establishedAt, gone] of executions) {
			if (executions.size <= MOST_EXECUTIONS) break;
			executions.delete(establishedAt);
			while (gone.length > 0) void this.row.remove(gone.splice(0, this.row.mostRemoved));
		}
	}

	/** Resolves once it stands there, or n8n does not answer: messages go out all the same. */
	private async note(name: string): Promise<boolean> {
		this.written.push(name);
		const noted = this.row.record(
			() => [name],
			() => this.row.remember([name], () => {}),
			LONGEST_WAIT,
		);
		await noted.catch(() => this.trace('not noted as begun', [name]));
		return false;
	}

	/** Asking writes it, so it is taken away again. */
	private async ask(name: string): Promise<boolean> {
		const marked = await this.row.recordMarked([name]);
		const isKnown = marked.known.has(name);
		if (!isKnown) void this.row.erase([name], marked);
		return isKnown;
	}
}
