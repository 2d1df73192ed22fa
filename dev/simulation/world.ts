import { randomUUID } from 'node:crypto';

import {
	assert,
	type IContextObject,
	type IDataObject,
	type IExecuteFunctions,
	type IHttpRequestOptions,
	type INodeExecutionData,
	type INodeType,
} from 'n8n-workflow';

import { nodeOf, SEND, VIDEO } from '../engine/workflows';
import { Chance } from './chance';
import { Clock, type SimulatedProcess } from './clock';
import { SimulatedStore } from './store';
import { loadNode } from './node';
import { reportsOf, thrownBy, type Execution, type Observed, type Seen } from './observed';
import { ANSWERS, keyOf, type Answer, type Plan, type PlannedRun } from './plan';

/** Milliseconds after which everything has to have ended. */
const TIMEOUT = 600_000;

const baseUrl = 'https://example.com';
const CREDENTIAL = { apiKey: 'fake-key', baseUrl, defaultInstanceGuid: 'guid' };

/** What n8n saves of an execution. */
interface Run {
	establishedAt: number;
	/** The mode in which it was established. */
	source: 'manual' | 'retry';
	/** Whether n8n has saved its start. */
	isRecorded: boolean;
	/** The node's context, if n8n saved the execution after its start; and the input to continue with. */
	saved?: IContextObject;
	firstInput: number;
	/** Missing if it failed before the node. */
	execution?: Execution;
}

interface Process extends SimulatedProcess {
	workflowId: string;
	node: INodeType;
	helpers: Partial<IExecuteFunctions['helpers']>;
}

/** Runs a plan with the node's built code, in several processes and in virtual time. */
export async function simulate(plan: Plan): Promise<Observed> {
	assert(isComplete(plan), 'The plan refers to something that it does not have');
	return await new World(plan).observe();
}

function isComplete({ processes, items, inputs, runs, kills, pauses }: Plan): boolean {
	return (
		inputs.every((item) => items[item]) &&
		[...kills, ...pauses].every(({ process }) => process < processes) &&
		runs.every(
			({ process, isCalm, retryOf = -1 }, index) =>
				retryOf < index && (isCalm ? process === processes : process < processes),
		)
	);
}

class World {
	private readonly clock = new Clock();
	private readonly service: Chance;
	private readonly store: SimulatedStore;
	private readonly processes: Process[] = [];
	/** The runs that have started, by their index in the plan. */
	private readonly runs = new Map<number, Run>();
	private readonly inputs: INodeExecutionData[];
	private readonly seen: Seen[] = [];
	private readonly log: string[] = [];
	private started = 0;

	constructor(private readonly plan: Plan) {
		const { seed, items, inputs, processes } = plan;
		this.service = new Chance(seed, 'service');
		this.store = new SimulatedStore(this.clock, new Chance(seed, 'memory'), plan.store);
		this.inputs = inputs.map((item) => {
			const feedVideo = JSON.stringify({ ...VIDEO, feedNo: String(item) });
			return { json: { toId: items[item]?.toId, feedVideo } };
		});
		for (let index = 0; index < processes; index++) this.processes.push(this.newProcess());
	}

	async observe(): Promise<Observed> {
		const { clock, plan, store, seen, log } = this;
		this.startAll(undefined);
		for (const { at, process } of plan.kills) clock.after(at, undefined, () => this.kill(process));
		for (const { at, process, lasts } of plan.pauses) {
			clock.after(at, undefined, () => {
				const one = this.processes[process]!;
				one.pausedUntil = Math.max(one.pausedUntil, clock.now + lasts);
			});
		}
		await this.pass();
		store.isHealthy = true;
		this.processes.push(this.newProcess());
		for (const [index, run] of plan.runs.entries()) {
			if (!run.isCalm) continue;
			this.start(index, run);
			await this.pass();
		}
		const executions = [...this.runs.values()].flatMap(({ execution }) => execution ?? []);
		return { plan, seen, executions, store, log };
	}

	/** Starts new executions, or the Retries of one that has ended. */
	private startAll(retryOf: number | undefined): void {
		for (const [index, run] of this.plan.runs.entries()) {
			if (run.isCalm || run.retryOf !== retryOf) continue;
			this.clock.after(run.at, undefined, () => this.start(index, run));
		}
	}

	private async pass(): Promise<void> {
		const end = this.clock.now + TIMEOUT;
		await this.clock.run(() => this.clock.now > end);
	}

	private newProcess(): Process {
		const chance = new Chance(this.plan.seed, `process ${this.started++}`);
		const process = { chance, isAlive: true, pausedUntil: 0 };
		const helpers = this.store.of(process).helpersFor();
		const node = loadNode(this.clock);
		return Object.assign(process, { workflowId: randomUUID(), node, helpers });
	}

	private kill(index: number): void {
		this.processes[index]!.isAlive = false;
		for (const { execution } of this.runs.values()) {
			if (execution?.status !== 'running' || execution.planned.process !== index) continue;
			execution.status = 'crashed';
			execution.endedAt = this.clock.now;
			this.startAll(execution.run);
		}
		this.processes[index] = this.newProcess();
	}

	/** Starts a run. A Retry needs an execution that failed. */
	private start(index: number, planned: PlannedRun): void {
		const original = this.runs.get(planned.retryOf ?? NaN);
		const { status = 'error' } = original?.execution ?? {};
		// A cancelled execution can be retried by n8n's public API.
		const isOver = /error|crashed|canceled/.test(status) && !original?.execution?.planned.hasNoId;
		if (original ? !isOver : planned.retryOf !== undefined) return;
		// If a Retry is killed, n8n still has the data with which it started.
		const isLost = status === 'crashed' && !original?.saved && !original?.isRecorded;
		const isRecorded = original ? !isLost : !this.plan.areOfSubWorkflow;
		const own = { establishedAt: 1e12 + index, source: isLost ? 'retry' : 'manual' } as const;
		const { establishedAt, source } = isLost ? own : (original ?? own);
		const { saved, firstInput = 0 } = original ?? {};
		const run: Run = { establishedAt, source, isRecorded, saved, firstInput };
		this.runs.set(index, run);
		if (this.plan.failsBefore && index === 0) return this.startAll(index);
		const startedAt = this.clock.now;
		run.execution = { run: index, planned, firstInput, startedAt, status: 'running', reports: [] };
		void this.execute(run, run.execution);
	}

	private async execute(run: Run, execution: Execution): Promise<void> {
		const { clock, plan } = this;
		const { cancelAfter, process: index } = execution.planned;
		const process = this.processes[index]!;
		clock.running = process;
		const controller = new AbortController();
		const saved = structuredClone(run.saved ?? {});
		let first = run.firstInput;
		let record: Pick<Run, 'saved' | 'firstInput'> | undefined;
		const save = () =>
			Object.assign(run, (record ??= structuredClone({ saved, firstInput: first })));
		const cancel = () => {
			if (execution.status !== 'running') return;
			execution.cancelledAt = clock.now;
			controller.abort();
			// n8n saves it once, without waiting for the node (n8n-core 2.41.1, workflow-execute:
			// setupCancellation).
			clock.after(1, process, save);
		};
		if (cancelAfter !== undefined) clock.after(cancelAfter, process, cancel);
		const size = Math.ceil(this.inputs.length / plan.rounds);
		while (first < this.inputs.length) {
			const inputs = this.inputs.slice(first, first + size);
			const now = { ...run, saved, firstInput: first };
			const context = this.contextOf(now, inputs, execution, process, controller.signal);
			await this.runNode(process.node, context, execution, first);
			if (controller.signal.aborted || execution.thrown) break;
			first += size;
			if (plan.savesProgress) Object.assign(run, structuredClone({ saved, firstInput: first }));
			if (first < this.inputs.length) await clock.sleep(0, process);
		}
		const status = controller.signal.aborted ? 'canceled' : execution.thrown ? 'error' : 'success';
		Object.assign(execution, { status, endedAt: clock.now });
		save();
		this.startAll(execution.run);
	}

	private async runNode(
		node: INodeType,
		context: IExecuteFunctions,
		execution: Execution,
		first: number,
	): Promise<void> {
		let outputs: INodeExecutionData[] = [];
		let error: unknown;
		for (let tries = this.plan.retryOnFail ? 2 : 1; tries > 0; tries--) {
			error = undefined;
			try {
				[outputs = []] = (await node.execute!.call(context)) as INodeExecutionData[][];
			} catch (thrown) {
				error = thrown;
				outputs = [];
			}
			// As n8n does (n8n-core 2.41.1, workflow-execute: checkFailure).
			const looksFailed = error ?? outputs[0]?.json.error;
			if (context.getExecutionCancelSignal()?.aborted || looksFailed === undefined) break;
		}
		execution.reports.push(...reportsOf(outputs, first));
		if (!error) return;
		execution.thrown = thrownBy(error, first);
		this.record(execution, execution.thrown.text);
	}

	private record({ run }: Execution, text: string): void {
		this.log.push(`${this.clock.now.toFixed()} ms, run ${run}: ${text}`);
	}

	private contextOf(
		{ establishedAt, source, saved, firstInput }: Run,
		inputs: INodeExecutionData[],
		execution: Execution,
		process: Process,
		signal: AbortSignal,
	): IExecuteFunctions {
		const { retryOf, onError, hasNoId, isRewritten, isUnreadable, ...planned } = execution.planned;
		const { retryOnFail } = this.plan;
		const options = { ...planned.options, timeout: 10_000 };
		const sendOnceKey = keyOf(this.plan.runs, execution.run);
		const valueOf = (name: string, item: number): unknown => {
			if (isUnreadable && name === 'toId' && item % 2 === 0) throw new Error('No such node');
			return name === 'options' ? { ...options, sendOnceKey } : inputs[item]?.json[name];
		};
		const feedVideo = isRewritten ? '={{ $json["feedVideo"] }}' : '={{ $json.feedVideo }}';
		const parameters: IDataObject = { ...SEND, feedVideo, simplify: false, options };
		const answer = this.answer.bind(this, execution, process);
		return {
			getContext: () => saved,
			getExecutionContext: () => ({ version: 1, establishedAt, source }),
			getExecutionId: () => (hasNoId ? undefined : String(1000 + execution.run)),
			getMode: () => (retryOf === undefined ? 'manual' : 'retry'),
			getNode: () => ({ ...nodeOf('Workchat', 'workchat', { onError }), parameters, retryOnFail }),
			// Every expression is the field of the item with the parameter's name.
			getNodeParameter: (name: string, item: number, preset?: unknown, isRaw?: object) =>
				(isRaw ? undefined : valueOf(name, item)) ?? parameters[name] ?? preset,
			getWorkflow: () => ({ id: process.workflowId, name: 'Workflow', active: true }),
			getWorkflowDataProxy: () => ({ $runIndex: firstInput }),
			getInputData: () => inputs,
			getExecutionCancelSignal: () => signal,
			getCredentials: async () => await Promise.resolve(CREDENTIAL),
			continueOnFail: () => onError !== 'stopWorkflow',
			addExecutionHints: (...hints: Array<{ message: string }>) =>
				hints.forEach(({ message }) => this.record(execution, message)),
			logger: { debug: () => {} },
			helpers: {
				...process.helpers,
				// The node puts its Timeout into a signal that replaces the execution's.
				async httpRequestWithAuthentication(
					this: IExecuteFunctions,
					_: string,
					{ body }: IHttpRequestOptions,
				) {
					const { feedNo } = body as IDataObject;
					return await answer(Number(feedNo), this.getExecutionCancelSignal()!);
				},
			},
		} as unknown as IExecuteFunctions;
	}

	/** Answers a request. It reaches the service even if its process is killed. */
	private async answer(execution: Execution, process: Process, item: number, signal: AbortSignal) {
		const { clock, plan, seen } = this;
		const { run, planned } = execution;
		const { isCalm } = planned;
		const half = (isCalm ? 1 : this.service.next() * plan.latency) / 2;
		const isAfterStop = execution.cancelledAt !== undefined;
		return await new Promise((resolve, reject) => {
			clock.after(half, undefined, () => {
				const place = seen.filter((one) => one.item === item).length;
				const name = (!isCalm && plan.items[item]?.answers[place]) || 'done';
				const answer: Answer = ANSWERS[name];
				seen.push({ item, run, name, ...answer, at: clock.now, isAfterStop });
				this.record(execution, `item ${item} at the service: ${name}`);
				const { reply } = answer;
				if (!reply) return;
				clock.after(half, process, () => {
					if (reply !== 'connection lost') resolve(responseOf(reply));
					else reject(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
				});
			});
			signal.addEventListener('abort', () => reject(new Error('canceled')));
		});
	}
}

function responseOf({ status, code }: { status: number; code: number }) {
	const bytes = Buffer.from(JSON.stringify({ ok: code === 0, code }));
	const none = () => {};
	const body = Object.assign([bytes], { on: none, destroy: none });
	return { statusCode: status, headers: { 'content-type': 'application/json' }, body };
}
