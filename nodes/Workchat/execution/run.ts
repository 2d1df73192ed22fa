import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { asFailure, Failure, inputFailure, messageOf } from '../service/failure';
import { connect, type Connection } from '../service/workchat';
import { errorItem, nodeError } from './failedItem';
import { Halt } from './halt';
import { Hints, listedItems } from './hints';
import { runInLanes } from './lanes';
import { hashOf, Ledger } from './ledger';
import type { Operation, Output, Request, RunSettings } from './operation';
import { Pace } from './pace';
import { withRetries } from './retry';

/** What became of an item; `undefined` where the run halted before its turn. */
type Result = Output | Failure | undefined;

/** Runs an operation for every input item. */
export async function run(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<INodeExecutionData[]> {
	const connection = await connect(context);
	const settings = read(() => operation.readSettings(context));
	if (settings instanceof Failure) return failAll(context, settings);
	return await new Run(context, operation, connection, settings).outputs();
}

class Run {
	private readonly stopsOnError: boolean;
	private readonly halt: Halt;
	private readonly pace: Pace;
	private readonly ledger: Ledger;
	private readonly hints = new Hints();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: Operation,
		private readonly connection: Connection,
		private readonly settings: RunSettings,
	) {
		this.stopsOnError = !context.continueOnFail();
		this.halt = new Halt(context.getExecutionCancelSignal());
		this.pace = new Pace(settings.requestInterval, this.halt);
		this.ledger = new Ledger(context);
	}

	async outputs(): Promise<INodeExecutionData[]> {
		const { context, operation, connection } = this;
		const requests = context
			.getInputData()
			.map((_, itemIndex) => read(() => operation.read(context, itemIndex, connection)));
		// Before the first request leaves, so that a bad item does not stop a run half-way.
		if (this.stopsOnError) this.throwFirstFailure(requests);

		const results = await this.performAll(requests);
		// Of a cancelled execution n8n says so itself, unless the node throws.
		const isCancelled = this.context.getExecutionCancelSignal()?.aborted === true;
		if (this.stopsOnError && !isCancelled) this.throwFirstFailure(results);
		this.showHints(requests, results);
		this.closeLedger(results);
		return results.flatMap((result, itemIndex) => this.outputOf(result, itemIndex));
	}

	private async performAll(requests: Array<Request | Failure>): Promise<Result[]> {
		const results = requests.map(
			(request): Result => (request instanceof Failure ? request : undefined),
		);
		const jobs = requests.flatMap((request, itemIndex) => {
			if (request instanceof Failure) return [];
			const run = async () => {
				const result = await this.performItem(request, itemIndex);
				results[itemIndex] = result;
				if (this.stopsOnError && result instanceof Failure) this.halt.reach();
			};
			return [{ lane: this.operation.laneOf?.(request) ?? `item ${itemIndex}`, run }];
		});
		await runInLanes(jobs, this.settings.maxConcurrency, this.halt);
		return results;
	}

	private async performItem(request: Request, itemIndex: number): Promise<Result> {
		const { operation, settings, ledger, halt, pace } = this;
		const hash = operation.isOnceOnly ? await hashOf(request.body) : undefined;
		try {
			const known = hash && ledger.recall(itemIndex, hash, settings.repeatsUnknown);
			if (known) return { json: known };

			const output = await withRetries(
				async () => await operation.perform(this.context, this.connection, request),
				{
					halt,
					pace,
					maxTries: settings.maxTries,
					mayRepeat: (failure) => this.mayRepeat(failure),
				},
			);
			if (hash && output) ledger.keepSent(itemIndex, hash, output.json);
			return output;
		} catch (error) {
			const failure = asFailure(error);
			if (hash && failure.outcome === 'unknown') ledger.keepUnknown(itemIndex, hash, failure);
			return failure;
		}
	}

	/** Something that may have been done is not repeated, unless doing it twice is harmless or wanted. */
	private mayRepeat({ transient, outcome }: Failure): boolean {
		const isSafe = !this.operation.isOnceOnly || this.settings.repeatsUnknown;
		return transient && (outcome !== 'unknown' || isSafe);
	}

	private throwFirstFailure(results: Array<Request | Result>): void {
		const failed = indexesOf(results, (result) => result instanceof Failure);
		const [first = 0, ...others] = failed;
		const failure = results[first];
		if (!(failure instanceof Failure)) return;

		const advice = [failure.advice];
		if (others.length > 0) advice.push(`Also failed: ${listedItems(others)}.`);
		const done = indexesOf(results, (result) => !!result && 'json' in result).length;
		if (done > 0 && this.operation.isOnceOnly) {
			advice.push(
				`${done} of ${results.length} items were sent. Retry On Fail, and Retry in the list of executions, do not send these again.`,
			);
		}
		throw nodeError(this.context.getNode(), failure, first, advice.join(' '));
	}

	/** Unless the execution was cancelled, or Retry On Fail may follow, nothing runs this again. */
	private closeLedger(results: Result[]): void {
		// n8n also takes the first item for failed where the service itself wrote an `error` into it.
		const [first] = results;
		const looksFailed = !!first && 'json' in first && !!first.json.error;
		const hasFailed = looksFailed || results.some((result) => result instanceof Failure);
		const mayRunAgain = hasFailed && this.context.getNode().retryOnFail === true;
		if (!mayRunAgain && !this.halt.isReached) this.ledger.close();
	}

	private showHints(requests: Array<Request | Failure>, results: Result[]): void {
		for (const [itemIndex, item] of [...requests.entries(), ...results.entries()]) {
			if (item && 'remark' in item && item.remark) this.hints.add(item.remark, [itemIndex]);
		}
		const failed = indexesOf(results, (result) => result instanceof Failure);
		if (failed.length > 0) {
			this.hints.add(`${failed.length} of ${results.length} items failed`, failed);
		}
		this.hints.show(this.context);
	}

	private outputOf(result: Result, itemIndex: number): INodeExecutionData[] {
		if (result instanceof Failure) return [errorItem(result, itemIndex)];
		if (!result) return [];
		const { json, binary } = result;
		return [{ json, ...(binary && { binary }), pairedItem: { item: itemIndex } }];
	}
}

/** Where the settings of the run are wrong, so is every item. */
function failAll(context: IExecuteFunctions, failure: Failure): INodeExecutionData[] {
	if (!context.continueOnFail()) throw nodeError(context.getNode(), failure, 0);
	return context.getInputData().map((_, itemIndex) => errorItem(failure, itemIndex));
}

/** What was read, or the failure that it threw. n8n itself throws where an expression fails. */
function read<T>(reader: () => T): T | Failure {
	try {
		return reader();
	} catch (error) {
		if (error instanceof Failure) return error;
		return inputFailure(messageOf(error), 'Nothing was sent. Correct the parameters of the node.');
	}
}

function indexesOf<T>(values: T[], matches: (value: T) => boolean): number[] {
	return values.flatMap((value, index) => (matches(value) ? [index] : []));
}
