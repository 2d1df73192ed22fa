import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { Breather } from '../service/breather';
import { Failure } from '../service/failure';
import { Guard } from './guard';
import { Hints, listedItems } from './hints';
import { runTasks, type Task } from './keyedQueue';
import { Ledger, type Recalled } from './ledger';
import type { Operation, Remark, RunSettings } from './operation';
import { NodeOutput } from './output';
import { Performer, type Result } from './performer';
import { attempt, prepareEach, type Item, type Prepared } from './prepare';
import { StopSignal } from './stopSignal';
import { isTool, oneAfterAnother } from './tool';

/** Runs an operation for every input item. */
export async function runOperation(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<INodeExecutionData[]> {
	const settings = await attempt(() => operation.readSettings(context));
	const run = async () => {
		const ledger = operation.isRepeatable ? undefined : await Ledger.open(context);
		return await new OperationRun(context, operation, settings, ledger).outputs();
	};
	return isTool(context) ? await oneAfterAnother(context.getContext('node'), run) : await run();
}

/** Where those of the node are wrong, which leaves nothing to perform. */
const NO_SETTINGS: RunSettings = {
	maxConcurrency: 1,
	requestInterval: 0,
	maxTries: 1,
	repeatsUnknown: false,
	mayHaveKeys: false,
};

class OperationRun {
	private readonly stopSignal: StopSignal;
	private readonly output: NodeOutput;
	private readonly hints = new Hints();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: Operation,
		private readonly settings: RunSettings | Failure,
		/** None where doing an item twice harms nobody. */
		private readonly ledger: Ledger | undefined,
	) {
		this.stopSignal = new StopSignal(context.getExecutionCancelSignal());
		this.output = new NodeOutput(context, operation.isRepeatable);
	}

	/**
	 * Where a bad item is to stop the run before the first request leaves, all are read before;
	 * elsewhere each is read when its turn comes.
	 */
	async outputs(): Promise<INodeExecutionData[]> {
		const { context, operation, settings, ledger, stopSignal } = this;
		const source = prepareEach(context, { operation, settings, ledger, stopSignal });
		const items: Item[] = [];
		let guard: Guard | undefined;
		const isReadFirst = this.output.stopsOnError || this.mayNeedGuard();
		if (isReadFirst) {
			for await (const item of source) items.push(item);
			if (this.output.stopsOnError) this.throwFirstFailure(items, items);
			guard = await this.openGuard(items);
			if (this.output.stopsOnError) this.throwFirstFailure(items, items);
		}
		const waiting = isReadFirst ? items : kept(source, items);
		const results = await this.performAll(waiting, items, guard).finally(
			async () => await guard?.close(),
		);
		// Of a cancelled execution n8n says so itself, unless the node throws (n8n-core 2.41.1,
		// workflow-execute: processRunExecutionData).
		const isCancelled = this.context.getExecutionCancelSignal()?.aborted === true;
		if (this.output.stopsOnError && !isCancelled) this.throwFirstFailure(results, items);
		if (guard?.remark) this.hints.add({ text: guard.remark }, [...items.keys()]);
		this.showHints(results);
		const outputs = results.flatMap((result, itemIndex) => this.outputOf(result, itemIndex));
		this.closeLedger(outputs);
		return outputs;
	}

	/** Whether n8n may have to be asked about all items before the first request leaves. */
	private mayNeedGuard(): boolean {
		const { ledger, settings } = this;
		const mayHaveKeys = !(settings instanceof Failure) && settings.mayHaveKeys;
		return ledger !== undefined && (mayHaveKeys || ledger.original !== undefined);
	}

	/** Where other executions may know of messages. If n8n cannot tell, they fail, or a hint says so. */
	private async openGuard(items: Item[]): Promise<Guard | undefined> {
		const { context, operation, settings, ledger, stopSignal } = this;
		if (!ledger || settings instanceof Failure) return undefined;
		const opened = await Guard.open(context, operation, settings, ledger, items, stopSignal);
		const { itemIndexes, guard, failure, remark } = opened;
		if (failure) for (const itemIndex of itemIndexes) items[itemIndex] = failure;
		if (remark) this.hints.add({ text: remark }, itemIndexes);
		return guard;
	}

	/** @param items what is read; each is let go of once it is performed, as its request may be large */
	private async performAll(
		source: Iterable<Item> | AsyncIterable<Item>,
		items: Array<Item | undefined>,
		guard?: Guard,
	): Promise<Result[]> {
		const { context, operation, ledger, stopSignal } = this;
		const settings = this.settings instanceof Failure ? NO_SETTINGS : this.settings;
		const performer = new Performer(context, operation, settings, ledger, stopSignal, guard);
		const results: Result[] = [];
		const breather = new Breather();
		const task = (item: Prepared | Recalled, itemIndex: number): Task => {
			const run = async () => {
				// Items that were sent before take no time that would give the event loop back.
				if (breather.isDue()) await breather.breathe();
				const result = await performer.perform(item, itemIndex);
				results[itemIndex] = result;
				if ('request' in item) this.remark(itemIndex, item.request.remarks);
				items[itemIndex] = undefined;
				if (this.output.stopsOnError && result instanceof Failure) this.stopSignal.stop();
			};
			const orderKey = 'request' in item ? operation.orderKeyOf?.(item.request) : undefined;
			return { key: orderKey ?? `item ${itemIndex}`, run };
		};
		async function* tasks(): AsyncGenerator<Task> {
			for await (const item of source) {
				const itemIndex = results.push(item instanceof Failure ? item : undefined) - 1;
				if (!(item instanceof Failure)) yield task(item, itemIndex);
			}
		}
		const most = Math.min(settings.maxConcurrency, context.getInputData().length);
		await runTasks(tasks(), most, stopSignal);
		return results;
	}

	private throwFirstFailure(results: Array<Item | Result>, items: Array<Item | undefined>): void {
		const failed = indexesOf(results, (result) => result instanceof Failure);
		const [first = 0, ...others] = failed;
		const failure = results[first];
		if (!(failure instanceof Failure)) return;

		const more = others.length > 0 ? [`Also failed: ${listedItems(others)}.`] : [];
		if (this.ledger && !isTool(this.context)) more.push(sentSoFar(results, items, this.ledger));
		throw this.output.error(failure, first, more);
	}

	/**
	 * Unless the execution was cancelled, or Retry On Fail may follow, nothing runs this again. n8n
	 * runs it again where the first item has an `error` (n8n-core 2.41.1, workflow-execute:
	 * checkFailure; 1.122 and 2.0 do so whatever its value), even where the service itself wrote it
	 * into a success.
	 */
	private closeLedger(outputs: INodeExecutionData[]): void {
		const [first] = outputs;
		const looksFailed = first !== undefined && 'error' in first.json;
		const mayRunAgain = looksFailed && this.context.getNode().retryOnFail === true;
		if (!mayRunAgain && !this.stopSignal.isStopped) this.ledger?.close();
	}

	private remark(itemIndex: number, remarks: Remark[] = []): void {
		for (const remark of remarks) this.hints.add(remark, [itemIndex]);
	}

	private showHints(results: Result[]): void {
		const { hints } = this;
		for (const [itemIndex, result] of results.entries()) {
			if (result && 'remarks' in result) this.remark(itemIndex, result.remarks);
		}
		const failed = indexesOf(results, (result) => result instanceof Failure);
		if (failed.length > 0) {
			hints.add({ text: `${failed.length} of ${results.length} items failed` }, failed);
		}
		hints.show(this.context);
	}

	private outputOf(result: Result, itemIndex: number): INodeExecutionData[] {
		if (!result) return [];
		return result instanceof Failure
			? [this.output.errorItem(result, itemIndex)]
			: [this.output.item(result, itemIndex)];
	}
}

/** Passes on what comes, and keeps it. */
async function* kept<T>(source: AsyncIterable<T>, values: T[]): AsyncGenerator<T> {
	for await (const value of source) {
		values.push(value);
		yield value;
	}
}

/** As the ledger tells it: items that were sent before this try count too. */
function sentSoFar(
	results: Array<Item | Result>,
	items: Array<Item | undefined>,
	ledger: Ledger,
): string {
	const total = items.length;
	const isUnread = (itemIndex: number) => items[itemIndex] instanceof Failure;
	const { sent, unknown: known } = ledger.count(total, isUnread);
	// What another execution sent, or may have, stands in no ledger of this one.
	const isUnknown = (result: Item | Result) =>
		result instanceof Failure && result.outcome === 'unknown';
	const unknown = Math.max(known, indexesOf(results, isUnknown).length);
	const may = unknown > 0 ? `, and ${unknown} may have been` : '';
	const rounds = ledger.isLaterRun ? ' Earlier runs of this node do not count here.' : '';
	if (sent > 0) {
		return `${sent} of ${total} items were sent${may}. Retry On Fail, and Retry in the list of executions, do not send these again; Execute Workflow does.${rounds}`;
	}
	if (unknown > 0) return `None of ${total} items is known to have been sent${may}.${rounds}`;
	return rounds
		? `0 of ${total} items were sent.${rounds}`
		: `Nothing was sent to anyone (0 of ${total}).`;
}

function indexesOf<T>(values: T[], matches: (value: T) => boolean): number[] {
	return values.flatMap((value, index) => (matches(value) ? [index] : []));
}
