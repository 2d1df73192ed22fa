import type {
	IContextObject,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	INodeParameters,
	INodeType,
} from 'n8n-workflow';

import { nodeOf } from '../../engine/workflows';
import { Draw } from '../draw';
import type { Execution, Observed } from '../oracle/observed';
import { reportsOf, thrownBy, type RawError } from '../oracle/reports';
import type { Plan, PlannedRun, Trouble } from '../plan';
import { markerOf, Script } from '../service/script';
import { credentialFor, secretsIn } from '../service/secrets';
import type { Step } from '../service/step';
import { inputsOf } from '../workflow';
import { Clock, type SimulatedProcess } from './clock';
import { SimulatedMemory } from './memory';
import { loadNode } from './node';

/** Milliseconds after which all has to be over. */
const PATIENCE = 600_000;
const UNGUARDED = /could not tell whether another Retry|not noted as begun|unguarded/;

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
	outputs: INodeExecutionData[];
}

interface Process extends SimulatedProcess {
	node: INodeType;
	running: Set<Execution>;
}

/** Runs a plan on the node's built code, with several processes, in virtual time. */
export async function simulate(plan: Plan, watch?: (text: string) => void): Promise<Observed> {
	const world = new World(plan, plan.trouble as Trouble, watch);
	return await world.observe();
}

class World {
	private readonly clock = new Clock();
	private readonly draw: Draw;
	private readonly memory: SimulatedMemory;
	private readonly processes: Process[] = [];
	private readonly script: Script;
	/** By their index in the plan: those that began. */
	private readonly runs = new Map<number, Run>();
	private readonly inputs: INodeExecutionData[];

	constructor(
		private readonly plan: Plan,
		private readonly trouble: Trouble,
		/** Gets what the node writes to n8n's log. */
		private readonly watch: (text: string) => void = () => {},
	) {
		this.draw = new Draw(plan.number, 1);
		this.memory = new SimulatedMemory(this.clock, this.draw, trouble.memory);
		this.inputs = inputsOf(plan).map((json) => ({ json }));
		this.script = new Script(plan, () => this.clock.now);
		for (let index = 0; index < trouble.processes; index++) this.processes.push(this.newProcess());
	}

	async observe(): Promise<Observed> {
		const { clock, plan, memory } = this;
		const { kills, pauses } = this.trouble;
		const planned = [...plan.runs.entries()];
		for (const [index, run] of planned.filter(([, { isCalm }]) => !isCalm)) {
			clock.after(run.at, undefined, () => this.begin(index, run));
		}
		for (const { at, process } of kills) clock.after(at, undefined, () => this.kill(process));
		for (const { at, process, lasts } of pauses) {
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
		const executions: Execution[] = [];
		const nobody = async () => await Promise.reject<Buffer>(new Error('There are no files'));
		for (const { execution, outputs } of this.runs.values()) {
			if (!execution) continue;
			execution.reports = await reportsOf(plan, [outputs], nobody);
			executions.push(execution);
		}
		return { plan, seen: this.script.seen, executions, memory };
	}

	private async pass(): Promise<void> {
		const end = this.clock.now + PATIENCE;
		await this.clock.run(() => this.clock.now > end);
	}

	private newProcess(): Process {
		const process = { isAlive: true, standsUntil: 0, running: new Set() } as unknown as Process;
		process.node = loadNode(this.clock, this.draw, process);
		return process;
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
			outputs: [],
		};
		this.runs.set(index, run);
		if (this.trouble.failsBefore && index === 0) return;
		const lasts = this.trouble.pauses
			.filter(({ process }) => process === planned.process)
			.map((pause) => pause.lasts);
		run.execution = {
			run: index,
			status: 'running',
			startedAt: this.clock.now,
			reports: [],
			told: [],
			standstill: Math.max(0, ...lasts),
			standstills: lasts.reduce((sum, one) => sum + one, 0),
		};
		this.countRequests(index);
		void this.execute(run, run.execution);
	}

	/** Cancels a run when its time has come. */
	private countRequests(index: number): void {
		const { planned, controller, execution } = this.runs.get(index) ?? {};
		const requests = this.script.seen.filter(({ run }) => run === index).length;
		if (!planned?.cancel || planned.cancel.requests !== requests) return;
		this.clock.after(planned.cancel.delay, undefined, () => {
			if (execution?.status !== 'running') return;
			execution.cancelledAt = this.clock.now;
			controller?.abort();
		});
	}

	private async execute(run: Run, execution: Execution): Promise<void> {
		const { plan, clock } = this;
		const process = this.processes[run.planned.process]!;
		process.running.add(execution);
		const nodeContext = structuredClone(run.saved);
		const { signal } = run.controller;
		let outputs: INodeExecutionData[] = [];
		let error: Error | undefined;
		for (let tries = plan.retryOnFail ? plan.maxNodeTries : 1; tries > 0; tries--) {
			error = undefined;
			const context = this.contextOf(run, execution, process, nodeContext);
			try {
				[outputs = []] = (await process.node.execute!.call(context)) as INodeExecutionData[][];
			} catch (thrown) {
				error = thrown as Error;
				outputs = [];
			}
			// As n8n does (n8n-core 2.41.1, workflow-execute: checkFailure).
			const looksFailed = error ?? outputs[0]?.json.error;
			if (signal.aborted || looksFailed === undefined) break;
		}
		process.running.delete(execution);
		run.outputs = outputs;
		if (error) {
			execution.thrown = thrownBy(error as unknown as RawError);
			this.listen(execution, `${execution.thrown.message} ${execution.thrown.description}`);
		}
		execution.status = signal.aborted ? 'canceled' : error ? 'error' : 'success';
		execution.endedAt = clock.now;
		const { message, stack } = error ?? {};
		const told = {
			outputs: outputs.map(withoutBody),
			error: { ...error, message, stack },
			nodeContext,
		};
		execution.told = secretsIn(JSON.stringify(told));
		run.saved = structuredClone(nodeContext);
	}

	private listen(execution: Execution, text: string): void {
		this.watch(`run ${execution.run} at ${this.clock.now.toFixed()}: ${text}`);
		execution.isUnguarded ||= UNGUARDED.test(text);
	}

	private contextOf(
		run: Run,
		execution: Execution,
		process: Process,
		nodeContext: IContextObject,
	): IExecuteFunctions {
		const { establishedAt, id, controller } = run;
		const { parameters, retryOf, onError } = run.planned;
		const { retryOnFail } = this.plan;
		const node = nodeOf('Workchat', 'workchat', {
			parameters: parameters as INodeParameters,
			onError,
		});
		const listen = (text: string) => this.listen(execution, text);
		const send = async (options: IHttpRequestOptions, signal: AbortSignal) =>
			await this.answer(execution.run, process, options, signal);
		return {
			getContext: () => nodeContext,
			getExecutionContext: () => ({ version: 1, establishedAt, source: 'manual' }),
			getExecutionId: () => id,
			getMode: () => (retryOf === undefined ? 'manual' : 'retry'),
			getNode: () => ({ ...node, retryOnFail }),
			getNodeParameter: (
				name: string,
				item: number,
				preset?: unknown,
				options?: { rawExpressions?: boolean },
			) => {
				const raw = parameters[name] ?? preset;
				return options?.rawExpressions ? raw : resolved(raw, this.inputs[item]?.json);
			},
			getWorkflow: () => ({ id: 'workflow', name: 'Workflow', active: true }),
			getWorkflowDataProxy: () => ({ $runIndex: 0 }),
			getInputData: () => this.inputs,
			getExecutionCancelSignal: () => controller.signal,
			getCredentials: async () => await Promise.resolve(credentialFor('https://example.com')),
			continueOnFail: () => onError !== 'stopWorkflow',
			addExecutionHints: (...hints: Array<{ message: string }>) =>
				hints.forEach(({ message }) => listen(message)),
			logger: {
				debug: (text: string, about: object) => listen(`${text} ${JSON.stringify(about)}`),
			},
			helpers: {
				...this.memory.helpersOf(process),
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

	/** It reaches the service, whatever becomes of the process. */
	private async answer(
		run: number,
		process: Process,
		{ url, body }: IHttpRequestOptions,
		signal: AbortSignal,
	) {
		const { clock } = this;
		const isCalm = this.plan.runs[run]?.isCalm;
		const takes = isCalm ? 1 : this.draw.next() * this.trouble.latency;
		return await new Promise((resolve, reject) => {
			clock.after(takes / 2, undefined, () => {
				const about = { run, isLink: false, hasKey: true, startedAt: clock.now };
				const marker = markerOf(url, JSON.stringify(body));
				const { seen, end } = this.script.hear(marker, about);
				const { step } = seen;
				this.countRequests(run);
				if (signal.aborted) end('client');
				signal.addEventListener('abort', () => end('client'));
				if (step.ending === 'silent') return;
				clock.after(takes / 2, process, () => {
					end('service');
					if (step.ending !== 'drop') resolve(responseOf(step));
					else reject(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
				});
			});
			signal.addEventListener('abort', () => reject(new Error('canceled')));
		});
	}
}

/** What a dry run shows holds the secrets of the message, as they came in. */
function withoutBody({ json, ...item }: INodeExecutionData) {
	return { ...item, json: { ...json, request: { ...(json.request as object), body: undefined } } };
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

function responseOf({ status, headers = {}, body = '', ending }: Step) {
	const bytes = Buffer.from(body);
	async function* parts(): AsyncGenerator<Buffer, void> {
		if (ending !== 'half') return yield bytes;
		yield bytes.subarray(0, bytes.length / 2);
		throw await Promise.resolve(new Error('aborted'));
	}
	const none = () => {};
	const stream = { on: none, destroy: none, [Symbol.asyncIterator]: parts };
	return { statusCode: status, headers, body: stream };
}
