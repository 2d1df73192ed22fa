import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { Breather } from '../service/breather';
import { Failure } from '../service/failure/failure';
import { Hints } from './hints';
import type { Item, Known, Message, Prepared, Result } from './item';
import { runTasks, type Task } from './keyedQueue';
import { Ledger } from './once/ledger';
import { Once } from './once/once';
import type { Operation, Remark, RunSettings } from './operation';
import { NodeOutput } from './output';
import { attempt, prepareEach, type Run } from './prepare';
import { withRetries } from './retry';
import { StopSignal } from './stopSignal';
import { Throttle } from './throttle';
import { isTool, oneAfterAnother } from './tool';

/** Runs an operation for every input item. */
export async function runOperation(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<INodeExecutionData[]> {
	const perform = async () => await new OperationRun(await open(context, operation)).outputs();
	return isTool(context)
		? await oneAfterAnother(context.getContext('node'), perform)
		: await perform();
}

async function open(context: IExecuteFunctions, operation: Operation): Promise<Run> {
	const stopSignal = new StopSignal(context.getExecutionCancelSignal());
	const read = await attempt(() => operation.readSettings(context));
	const settings = read instanceof Failure ? NO_SETTINGS : read;
	const cannotRun = read instanceof Failure ? read : undefined;
	const run = { context, operation, settings, stopSignal, cannotRun, once: undefined };
	if (operation.isRepeatable || settings.isDryRun) return run;
	const ledger = await attempt(async () => await Ledger.open(context, operation));
	if (ledger instanceof Failure) return { ...run, cannotRun: ledger };
	return { ...run, once: new Once(context, operation, settings, stopSignal, ledger) };
}

/** In place of wrong settings: every item fails then, and nothing is performed. */
const NO_SETTINGS: RunSettings = {
	maxConcurrency: 1,
	requestInterval: 0,
	maxTries: 1,
	repeatsUnknown: false,
	sendOnceKey: '',
	isDryRun: false,
};

const SAME_RECIPIENT = 'Several items have the same recipient, who gets a message for each';

class OperationRun {
	private readonly output: NodeOutput;
	private readonly hints = new Hints();
	private readonly throttle: Throttle;
	/** Items for which this try made a request. */
	private readonly tried = new Set<number>();

	constructor(private readonly run: Run) {
		this.throttle = new Throttle(run.settings.requestInterval, run.stopSignal);
		this.output = new NodeOutput(run.context, run.operation);
	}

	/**
	 * Where a bad item is to stop the run before the first request leaves, all are read before;
	 * elsewhere each is read when its turn comes.
	 */
	async outputs(): Promise<INodeExecutionData[]> {
		const { context, once } = this.run;
		const items = this.output.stopsOnError ? await this.readAll() : prepareEach(this.run);
		const waiting = once ? once.ahead(items) : items;
		const results = await this.performAll(waiting).finally(async () => await once?.close());
		// Of a cancelled execution n8n says so itself, unless the node throws (n8n-core 2.41.1,
		// workflow-execute: processRunExecutionData).
		const isCancelled = context.getExecutionCancelSignal()?.aborted === true;
		if (this.output.stopsOnError && !isCancelled) this.throwFirstFailure(results);
		this.showHints(results);
		const outputs = this.outputsOf(results);
		this.forgetRun(outputs);
		return outputs;
	}

	private async readAll(): Promise<Iterable<Item>> {
		const items: Item[] = [];
		for await (const item of prepareEach(this.run)) items.push(item);
		this.throwFirstFailure(items);
		return items;
	}

	private async performAll(source: Iterable<Item> | AsyncIterable<Item>): Promise<Result[]> {
		const { context, settings, once, stopSignal } = this.run;
		const results: Result[] = [];
		const breather = new Breather();
		const task = (item: Prepared | Known, itemIndex: number): Task => {
			const run = async () => {
				// Items that were sent before take no time that would give the event loop back.
				if (breather.isDue()) await breather.breathe();
				const result = await this.perform(item, itemIndex);
				results[itemIndex] = result;
				this.remark(itemIndex, item.request?.remarks);
				const isFailed = result instanceof Failure && !once?.fromBefore.has(result);
				if (this.output.stopsOnError && isFailed) stopSignal.stop();
			};
			return { key: item.orderKey ?? `item ${itemIndex}`, run };
		};

		const firstOf = new Map<string, number>();
		const { hints } = this;
		async function* tasks(): AsyncGenerator<Task> {
			for await (const item of source) {
				const itemIndex = results.push(item instanceof Failure ? item : undefined) - 1;
				if (item instanceof Failure) continue;
				const { orderKey, request } = item;
				const { recipient: subject, sendOnceKey } = request ?? {};
				if (orderKey !== undefined && subject !== undefined && !sendOnceKey) {
					const first = firstOf.get(orderKey) ?? itemIndex;
					firstOf.set(orderKey, first);
					if (first !== itemIndex) hints.add({ text: SAME_RECIPIENT, subject }, [first, itemIndex]);
				}
				yield task(item, itemIndex);
			}
		}
		const most = Math.min(settings.maxConcurrency, context.getInputData().length);
		await runTasks(tasks(), most, stopSignal);
		return results;
	}

	private async perform(item: Prepared | Message | Known, itemIndex: number): Promise<Result> {
		if ('known' in item) return item.known;
		const send = async () => {
			this.tried.add(itemIndex);
			return await this.send(item);
		};
		const { once } = this.run;
		return once && 'digest' in item ? await once.perform(itemIndex, item, send) : await send();
	}

	private async send({ request, credential }: Prepared): Promise<Result> {
		const { context, operation, settings, stopSignal } = this.run;
		// What may have been done is not repeated, unless doing it twice is harmless or wanted.
		const isSafe = operation.isRepeatable || settings.repeatsUnknown;
		return await withRetries(async () => await operation.perform(context, credential, request), {
			stopSignal,
			throttle: this.throttle,
			maxTries: settings.maxTries,
			mayRepeat: ({ transient, outcome }) => transient && (outcome !== 'unknown' || isSafe),
			wording: request.wording,
		});
	}

	/** Failures of this run come first, before what was in doubt already. */
	private throwFirstFailure(results: Array<Item | Result>): void {
		const { context, once } = this.run;
		const failed = [...results.entries()].filter(
			(entry): entry is [number, Failure] => entry[1] instanceof Failure,
		);
		const first = failed.find(([, failure]) => !once?.fromBefore.has(failure)) ?? failed[0];
		if (!first) return;
		const others = failed.filter((one) => one !== first);
		const more = others.length > 0 ? [`Also failed: ${this.output.namedItems(others)}.`] : [];
		if (once && !isTool(context)) more.push(once.sentSoFar(results));
		throw this.output.error(first[1], first[0], more);
	}

	/**
	 * Unless the execution was cancelled, or Retry On Fail may follow, nothing runs this again. n8n
	 * runs it again where the first item has an `error` (n8n-core 2.41.1, workflow-execute:
	 * checkFailure; 1.122 and 2.0 do so whatever its value), even where the service itself wrote it
	 * into a success.
	 */
	private forgetRun(outputs: INodeExecutionData[]): void {
		const { context, once, stopSignal } = this.run;
		const [first] = outputs;
		const looksFailed = first !== undefined && 'error' in first.json;
		const mayRunAgain = looksFailed && context.getNode().retryOnFail === true;
		if (!mayRunAgain && !stopSignal.isStopped) once?.ledger.close();
	}

	private remark(itemIndex: number, remarks: Remark[] = []): void {
		for (const remark of remarks) this.hints.add(remark, [itemIndex]);
	}

	private showHints(results: Result[]): void {
		const { hints } = this;
		for (const [itemIndex, result] of results.entries()) {
			if (result && 'remarks' in result) this.remark(itemIndex, result.remarks);
		}
		for (const remark of this.run.once?.remarks() ?? []) hints.add(remark, [...results.keys()]);
		const failed = results.flatMap((result, index) => (result instanceof Failure ? [index] : []));
		if (failed.length > 0) {
			hints.add({ text: `${failed.length} of ${results.length} items failed` }, failed);
		}
		hints.show(this.run.context);
	}

	private outputsOf(results: Result[]): INodeExecutionData[] {
		const { once } = this.run;
		return results.flatMap((result, itemIndex) => {
			if (!(result instanceof Failure)) return result ? this.output.item(result, itemIndex) : [];
			const tried = this.tried.has(itemIndex) || once?.ledger.wasTried(itemIndex) === true;
			return this.output.errorItem(result, itemIndex, tried);
		});
	}
}
