import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { Breather } from '../service/breather';
import { Failure } from '../service/failure';
import { Guard } from './guard';
import { Hints, listedItems } from './hints';
import { runTasks, type Task } from './keyedQueue';
import { Ledger } from './ledger';
import type { Operation, Output, RunSettings } from './operation';
import { NodeOutput } from './output';
import { Performer, type Result } from './performer';
import { attempt, prepareAll, type Prepared } from './prepare';
import { StopSignal } from './stopSignal';
import { isTool, oneAfterAnother } from './tool';

/** An item before its turn: to be performed, or with what is known of it already. */
type Item = Prepared | Output | Failure;

function isPrepared(item: Item): item is Prepared {
	return 'request' in item;
}

/** Runs an operation for every input item. */
export async function runOperation(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<INodeExecutionData[]> {
	const settings = await attempt(() => operation.readSettings(context));
	const output = new NodeOutput(context, operation.isRepeatable);
	if (settings instanceof Failure) return failAll(context, output, settings);
	const run = async () => {
		const ledger = operation.isRepeatable ? undefined : await Ledger.open(context);
		return await new OperationRun(context, operation, settings, ledger, output).outputs();
	};
	return isTool(context) ? await oneAfterAnother(context.getContext('node'), run) : await run();
}

class OperationRun {
	private readonly stopSignal: StopSignal;
	private readonly hints = new Hints();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: Operation,
		private readonly settings: RunSettings,
		/** None where doing an item twice harms nobody. */
		private readonly ledger: Ledger | undefined,
		private readonly output: NodeOutput,
	) {
		this.stopSignal = new StopSignal(context.getExecutionCancelSignal());
	}

	async outputs(): Promise<INodeExecutionData[]> {
		const prepared = await prepareAll(this.context, this.operation, this.stopSignal);
		const items = await Promise.all(
			prepared.map(async (item, index) => await this.known(item, index)),
		);
		// Before the first request leaves, so that a bad item does not stop a run half-way.
		if (this.output.stopsOnError) this.throwFirstFailure(items);
		const guard = await this.openGuard(items);
		if (this.output.stopsOnError) this.throwFirstFailure(items);
		const results = await this.performAll(items, guard).finally(async () => await guard?.close());
		// Of a cancelled execution n8n says so itself, unless the node throws.
		const isCancelled = this.context.getExecutionCancelSignal()?.aborted === true;
		if (this.output.stopsOnError && !isCancelled) this.throwFirstFailure(results);
		if (guard?.remark) this.hints.add(guard.remark, [...items.keys()]);
		this.showHints(items, results);
		const outputs = results.flatMap((result, itemIndex) => this.outputOf(result, itemIndex));
		this.closeLedger(outputs);
		return outputs;
	}

	/** What became of an item that could be read when the node ran before, and cannot now. */
	private async known(item: Prepared | Failure, itemIndex: number): Promise<Item> {
		if (!(item instanceof Failure)) return item;
		const recalled = await this.ledger?.recallUnread(itemIndex);
		if (!recalled) return item;
		return 'json' in recalled ? recalled : recalled.failure;
	}

	/** Where other executions may know of messages. If n8n cannot tell, they fail, or a hint says so. */
	private async openGuard(items: Item[]): Promise<Guard | undefined> {
		const { context, operation, settings, ledger, stopSignal } = this;
		if (!ledger) return undefined;
		const opened = await Guard.open(context, operation, settings, ledger, items, stopSignal);
		const { itemIndexes, guard, failure, remark } = opened;
		if (failure) for (const itemIndex of itemIndexes) items[itemIndex] = failure;
		if (remark) this.hints.add(remark, itemIndexes);
		return guard;
	}

	private async performAll(items: Item[], guard?: Guard): Promise<Result[]> {
		const { context, operation, settings, ledger, stopSignal } = this;
		const performer = new Performer(context, operation, settings, ledger, stopSignal, guard);
		const results = items.map((item): Result => (isPrepared(item) ? undefined : item));
		const breather = new Breather();
		const tasks = items.flatMap((item, itemIndex): Task[] => {
			if (!isPrepared(item)) return [];
			const run = async () => {
				// Items that were sent before take no time that would give the event loop back.
				if (breather.isDue()) await breather.breathe();
				const result = await performer.perform(item, itemIndex);
				results[itemIndex] = result;
				if (this.output.stopsOnError && result instanceof Failure) this.stopSignal.stop();
			};
			return [{ key: this.operation.orderKeyOf?.(item.request) ?? `item ${itemIndex}`, run }];
		});
		await runTasks(tasks, this.settings.maxConcurrency, this.stopSignal);
		return results;
	}

	private throwFirstFailure(results: Array<Item | Result>): void {
		const failed = indexesOf(results, (result) => result instanceof Failure);
		const [first = 0, ...others] = failed;
		const failure = results[first];
		if (!(failure instanceof Failure)) return;

		const more = others.length > 0 ? [`Also failed: ${listedItems(others)}.`] : [];
		if (this.ledger) more.push(sentSoFar(results, this.ledger.sent));
		throw this.output.error(failure, first, more);
	}

	/**
	 * Unless the execution was cancelled, or Retry On Fail may follow, nothing runs this again. n8n
	 * runs it again where the first item has an `error`, and 1.122 and 2.0 do so whatever its value
	 * (n8n-core, workflow-execute), even where the service itself wrote it into a success.
	 */
	private closeLedger(outputs: INodeExecutionData[]): void {
		const [first] = outputs;
		const looksFailed = first !== undefined && 'error' in first.json;
		const mayRunAgain = looksFailed && this.context.getNode().retryOnFail === true;
		if (!mayRunAgain && !this.stopSignal.isStopped) this.ledger?.close();
	}

	private showHints(items: Item[], results: Result[]): void {
		const { hints } = this;
		for (const [itemIndex, item] of items.entries()) {
			const remark = isPrepared(item) ? item.request.remark : undefined;
			if (remark) hints.add(remark, [itemIndex]);
		}
		for (const [itemIndex, result] of results.entries()) {
			if (result && 'remark' in result && result.remark) hints.add(result.remark, [itemIndex]);
		}
		const failed = indexesOf(results, (result) => result instanceof Failure);
		if (failed.length > 0) hints.add(`${failed.length} of ${results.length} items failed`, failed);
		hints.show(this.context);
	}

	private outputOf(result: Result, itemIndex: number): INodeExecutionData[] {
		if (!result) return [];
		return result instanceof Failure
			? [this.output.errorItem(result, itemIndex)]
			: [this.output.item(result, itemIndex)];
	}
}

function sentSoFar(results: Array<Item | Result>, sentByLedger: number): string {
	const total = results.length;
	const sent = Math.min(total, sentByLedger);
	const isUnknown = (result: Item | Result) =>
		result instanceof Failure && result.outcome === 'unknown';
	const unknown = indexesOf(results, isUnknown).length;
	const may = unknown > 0 ? `, and ${unknown} may have been` : '';
	if (sent > 0) {
		return `${sent} of ${total} items were sent${may}. Retry On Fail, and Retry in the list of executions, do not send these again; Execute Workflow does.`;
	}
	return unknown > 0
		? `None of ${total} items is known to have been sent${may}.`
		: `Nothing was sent to anyone (0 of ${total}).`;
}

/** Where the settings of the run are wrong, so is every item. */
function failAll(
	context: IExecuteFunctions,
	output: NodeOutput,
	failure: Failure,
): INodeExecutionData[] {
	if (output.stopsOnError) throw output.error(failure, 0);
	return context.getInputData().map((_, itemIndex) => output.errorItem(failure, itemIndex));
}

function indexesOf<T>(values: T[], matches: (value: T) => boolean): number[] {
	return values.flatMap((value, index) => (matches(value) ? [index] : []));
}
