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
	private readonly written = new Map<string, Promise<unknown>>();
	private readonly known = new Map<string, Promise<boolean>>();

	/** @param establishedAt when the execution began, in milliseconds since 1970 */
	constructor(
		private readonly row: Row,
		private readonly establishedAt: number,
		private readonly trace: Trace,
	) {}

	/** Resolves once it stands there, or n8n does not answer: messages go out all the same. */
	async write(name: string): Promise<void> {
		const writing = this.written.get(name) ?? this.note(name);
		this.written.set(name, writing);
		await writing;
	}

	/** Whether a run began, of an execution whose Retry this is. */
	async has(name: string): Promise<boolean> {
		const known = this.known.get(name) ?? this.ask(name);
		this.known.set(name, known);
		return await known;
	}

	/** Takes away what nobody needs any more. */
	close(): void {
		const executions = ended.get(this.row) ?? new Map<number, string[]>();
		const names = executions.get(this.establishedAt) ?? [];
		names.push(...this.written.keys());
		executions.set(this.establishedAt, names);
		ended.set(this.row, executions);
		for (const [establishedAt, gone] of executions) {
			if (executions.size <= MOST_EXECUTIONS) break;
			executions.delete(establishedAt);
			while (gone.length > 0) void this.row.remove(gone.splice(0, this.row.mostRemoved));
		}
	}

	private async note(name: string): Promise<void> {
		const written = this.row.record(
			() => [name],
			() => this.row.remember([name], () => {}),
			LONGEST_WAIT,
		);
		await written.catch(() => this.trace('not noted as begun', [name]));
	}

	/** Asking writes it, so it is taken away again. */
	private async ask(name: string): Promise<boolean> {
		const marked = await this.row.recordMarked([name]);
		const isKnown = marked.known.has(name);
		if (!isKnown) void this.row.erase([name], marked);
		return isKnown;
	}
}
