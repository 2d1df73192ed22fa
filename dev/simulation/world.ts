import type {
	IContextObject,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	INodeType,
} from 'n8n-workflow';

import { nodeOf } from '../engine/workflows';
import { ANSWERS, type Answer } from './answers';
import { Chance } from './chance';
import { Clock, type SimulatedProcess } from './clock';
import { SimulatedMemory } from './memory';
import { loadNode } from './node';
import {
	reportsOf,
	thrownBy,
	type Execution,
	type Observed,
	type RawError,
	type Seen,
} from './observed';
import { MOST_NODE_TRIES, TIMEOUT, type Options, type Plan, type PlannedRun } from './plan';

/** Milliseconds after which all has to be over. */
const PATIENCE = 600_000;

const CREDENTIAL = {
	apiKey: 'fake-key',
	baseUrl: 'https://example.com',
	defaultInstanceGuid: 'guid',
};
const parametersOf = (options: Options): IDataObject => ({
	resource: 'message',
	operation: 'sendFeedVideo',
	toId: '={{ $json.toId }}',
	channelName: 'Example Channel',
	channelUrl: 'https://example.com/channel',
	coverUrl: 'https://example.com/cover.jpg',
	encodeData: 'fake-data',
	headImgUrl: 'https://example.com/head.jpg',
	feedId: 'fake-feed-id',
	username: 'fake-username',
	feedNo: '={{ $json.item }}',
	simplify: false,
	options: { ...options, timeout: TIMEOUT },
});

/** What n8n keeps of an execution. */
interface Run {
	id: string;
	planned: PlannedRun;
	establishedAt: number;
	/** The node's context. */
	saved: IContextObject;
	controller: AbortController;
	/** None where it failed before the node. */
	execution?: Execution;
}

interface Process extends SimulatedProcess {
	chance: Chance;
	node: INodeType;
	helpers: ReturnType<ReturnType<SimulatedMemory['of']>['helpersFor']>;
	running: Set<Execution>;
}

/** Runs a plan on the node's built code, with several processes, in virtual time. */
export async function simulate(plan: Plan): Promise<Observed> {
	return await new World(plan).observe();
}

class World {
	private readonly clock = new Clock();
	private readonly service: Chance;
	private readonly memory: SimulatedMemory;
	private readonly processes: Process[] = [];
	/** By their index in the plan: those that began. */
	private readonly runs = new Map<number, Run>();
	private readonly inputs: INodeExecutionData[];
	private readonly seen: Seen[] = [];
	private readonly log: string[] = [];
	private started = 0;

	constructor(private readonly plan: Plan) {
		const { seed, items, inputs, processes } = plan;
		this.service = new Chance(seed, 'service');
		this.memory = new SimulatedMemory(this.clock, new Chance(seed, 'memory'), plan.memory);
		this.inputs = inputs.map((item) => ({
			json: { item, toId: items[item]?.toId, isDry: items[item]?.isDry },
		}));
		for (let index = 0; index < processes; index++) this.processes.push(this.newProcess());
	}

	async observe(): Promise<Observed> {
		const { clock, plan, memory } = this;
		const planned = [...plan.runs.entries()];
		for (const [index, run] of planned.filter(([, { isCalm }]) => !isCalm)) {
			clock.after(run.at, undefined, () => this.begin(index, run));
		}
		for (const { at, process } of plan.kills) clock.after(at, undefined, () => this.kill(process));
		for (const { at, process, lasts } of plan.pauses) {
			clock.after(at, undefined, () => {
				const one = this.processes[process]!;
				one.standsUntil = Math.max(one.standsUntil, clock.now + lasts);
			});
		}
		await this.pass();
		memory.isHealthy = true;
		this.processes.push(this.newProcess());
		for (const [index, run] of planned.filter(([, { isCalm }]) => isCalm)) {
			this.begin(index, run);
			await this.pass();
		}
		const executions = [...this.runs.values()].flatMap(({ execution }) => execution ?? []);
		return { plan, seen: this.seen, executions, memory, log: this.log };
	}

	private async pass(): Promise<void> {
		const end = this.clock.now + PATIENCE;
		await this.clock.run(() => this.clock.now > end);
	}

	private newProcess(): Process {
		const process = { isAlive: true, standsUntil: 0, running: new Set() } as unknown as Process;
		const chance = new Chance(this.plan.seed, `process ${this.started++}`);
		const about = { workflow: { id: 'workflow', active: true }, node: { id: 'node' } as never };
		return Object.assign(process, {
			node: loadNode(this.clock, chance, process),
			helpers: this.memory.of(process).helpersFor(about),
		});
	}

	private kill(index: number): void {
		const process = this.processes[index]!;
		process.isAlive = false;
		for (const execution of process.running) {
			execution.status = 'crashed';
			execution.endedAt = this.clock.now;
		}
		this.processes[index] = this.newProcess();
	}

	/** A Retry needs an execution that failed; where there is none (yet), nothing begins. */
	private begin(index: number, planned: PlannedRun): void {
		const original = this.runs.get(planned.retryOf ?? NaN);
		const { status = 'error' } = original?.execution ?? {};
		const mayBegin = original ? /error|crashed/.test(status) : planned.retryOf === undefined;
		if (!mayBegin) return;
		const run: Run = {
			id: String(1000 + index),
			planned,
			establishedAt: original?.establishedAt ?? 1e12 + index,
			// What a Retry was given, n8n keeps also if it is killed.
			saved: original?.saved ?? {},
			controller: new AbortController(),
		};
		this.runs.set(index, run);
		if (this.plan.failsBefore && index === 0) return;
		const startedAt = this.clock.now;
		run.execution = { run: index, status: 'running', startedAt, reports: [] };
		this.countRequests(index);
		void this.execute(run, run.execution);
	}

	/** Cancels a run when its time has come. */
	private countRequests(index: number): void {
		const { planned, controller, execution } = this.runs.get(index) ?? {};
		const requests = this.seen.filter(({ run }) => run === index).length;
		if (!planned?.cancel || planned.cancel.requests !== requests) return;
		this.clock.after(planned.cancel.delay, undefined, () => {
			if (execution?.status !== 'running') return;
			execution.cancelledAt = this.clock.now;
			controller?.abort();
		});
	}

	private async execute(run: Run, execution: Execution): Promise<void> {
		const process = this.processes[run.planned.process]!;
		process.running.add(execution);
		const nodeContext = structuredClone(run.saved);
		const { signal } = run.controller;
		let outputs: INodeExecutionData[] = [];
		let error: RawError | undefined;
		for (let tries = this.plan.retryOnFail ? MOST_NODE_TRIES : 1; tries > 0; tries--) {
			error = undefined;
			const context = this.contextOf(run, execution, process, nodeContext);
			try {
				[outputs = []] = (await process.node.execute!.call(context)) as INodeExecutionData[][];
			} catch (thrown) {
				error = thrown as RawError;
				outputs = [];
			}
			// As n8n does (n8n-core 2.41.1, workflow-execute: checkFailure).
			const looksFailed = error ?? outputs[0]?.json.error;
			if (signal.aborted || looksFailed === undefined) break;
		}
		process.running.delete(execution);
		if (error) {
			execution.thrown = thrownBy(error);
			this.listen(execution, execution.thrown.text);
		}
		execution.reports = reportsOf(outputs);
		execution.status = signal.aborted ? 'canceled' : error ? 'error' : 'success';
		execution.endedAt = this.clock.now;
		run.saved = structuredClone(nodeContext);
	}

	private listen(execution: Execution, text: string): void {
		this.log.push(`${this.clock.now.toFixed()} ms, run ${execution.run}: ${text}`);
	}

	private contextOf(
		{ id, establishedAt, controller, planned }: Run,
		execution: Execution,
		process: Process,
		nodeContext: IContextObject,
	): IExecuteFunctions {
		const { retryOf, onError, options } = planned;
		const { retryOnFail } = this.plan;
		const parameters = parametersOf(options);
		const listen = (text: string) => this.listen(execution, text);
		const send = async ({ body }: IHttpRequestOptions, signal: AbortSignal) =>
			await this.answer(execution, process, Number((body as IDataObject).feedNo), signal);
		return {
			getContext: () => nodeContext,
			getExecutionContext: () => ({ version: 1, establishedAt, source: 'manual' }),
			getExecutionId: () => id,
			getMode: () => (retryOf === undefined ? 'manual' : 'retry'),
			getNode: () => ({ ...nodeOf('Workchat', 'workchat', { onError }), parameters, retryOnFail }),
			getNodeParameter: (
				name: string,
				item: number,
				preset?: unknown,
				{ rawExpressions = false } = {},
			) => {
				const raw = parameters[name] ?? preset;
				return rawExpressions ? raw : resolved(raw, this.inputs[item]?.json);
			},
			getWorkflow: () => ({ id: 'workflow', name: 'Workflow', active: true }),
			getWorkflowDataProxy: () => ({ $runIndex: 0 }),
			getInputData: () => this.inputs,
			getExecutionCancelSignal: () => controller.signal,
			getCredentials: async () => await Promise.resolve(CREDENTIAL),
			continueOnFail: () => onError !== 'stopWorkflow',
			addExecutionHints: (...hints: Array<{ message: string }>) =>
				hints.forEach(({ message }) => listen(message)),
			logger: {
				debug: (text: string, about: object) => listen(`${text} ${JSON.stringify(about)}`),
			},
			helpers: {
				...process.helpers,
				// The node's Timeout is in the signal that it has put in place of the execution's.
				async httpRequestWithAuthentication(
					this: IExecuteFunctions,
					_: string,
					options: IHttpRequestOptions,
				) {
					return await send(options, this.getExecutionCancelSignal()!);
				},
			},
		} as unknown as IExecuteFunctions;
	}

	/** The request reaches the service, whatever becomes of the process. */
	private async answer(execution: Execution, process: Process, item: number, signal: AbortSignal) {
		const { clock, plan, seen } = this;
		const { run } = execution;
		const isCalm = plan.runs[run]?.isCalm;
		const takes = isCalm ? 1 : this.service.next() * plan.latency;
		return await new Promise((resolve, reject) => {
			clock.after(takes / 2, undefined, () => {
				const place = seen.filter((one) => one.item === item).length;
				const name = (!isCalm && plan.items[item]?.troubles[place]) || 'done';
				const answer = ANSWERS[name];
				const request: Seen = { item, run, name, ...answer, startedAt: clock.now };
				seen.push(request);
				this.listen(execution, `item ${item} at the service: ${name}`);
				const end = (by: 'service' | 'client') => {
					request.endedAt ??= clock.now;
					request.endedBy ??= by;
				};
				this.countRequests(run);
				if (signal.aborted) end('client');
				signal.addEventListener('abort', () => end('client'));
				if (answer.ending === 'silent') return;
				clock.after(takes / 2, process, () => {
					end('service');
					if (answer.ending !== 'drop') resolve(responseOf(answer));
					else reject(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
				});
			});
			signal.addEventListener('abort', () => reject(new Error('canceled')));
		});
	}
}

/** Of expressions, those that name a field of the item. */
function resolved(raw: unknown, json: IDataObject = {}): unknown {
	if (typeof raw === 'object' && raw !== null) {
		const values = Object.entries(raw).map(([name, value]) => [name, resolved(value, json)]);
		return Object.fromEntries(values);
	}
	const field = /^=\{\{ \$json\.(\w+) \}\}$/.exec(String(raw))?.[1];
	return field ? json[field] : raw;
}

function responseOf({ status, body, ending }: Answer) {
	const bytes = Buffer.from(body);
	async function* parts(): AsyncGenerator<Buffer, void> {
		if (ending !== 'half') return yield bytes;
		yield bytes.subarray(0, bytes.length / 2);
		throw await Promise.resolve(new Error('aborted'));
	}
	const none = () => {};
	const stream = { on: none, destroy: none, [Symbol.asyncIterator]: parts };
	const headers = { 'content-type': 'application/json' };
	return { statusCode: status, headers, body: stream };
}
