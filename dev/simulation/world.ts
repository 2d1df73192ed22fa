import type {
	IContextObject,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
} from 'n8n-workflow';

import type { Operation } from '../../nodes/Workchat/execution/operation';
import { Draw } from '../campaign/draw';
import { Clock, type SimulatedProcess } from './clock';
import { SimulatedMemory } from './memory';
import { loadNode } from './node';
import type { Fate, Plan, PlannedRun } from './plan';

/** Milliseconds after the last planned moment, by which all has to be over. */
const PATIENCE = 600_000;

const UNGUARDED = /could not tell whether another Retry/;

/** A request that left. */
export interface Request {
	at: number;
	run: Run;
	toId: string;
	fate: Fate;
}

/** What an execution said of an item. */
export interface Word {
	outcome: 'sent' | 'skipped' | 'rejected' | 'notSent' | 'unknown';
	text: string;
}

/** An execution, and how it ended. */
export interface Run {
	id: string;
	planned: PlannedRun;
	establishedAt: number;
	status: 'new' | 'running' | 'success' | 'error' | 'canceled' | 'crashed';
	/** The node's context, as n8n saved it. */
	saved: IContextObject;
	original: Run | undefined;
	startedAt?: number;
	stoppedAt?: number;
	endedAt?: number;
	/** By the item's index; where it stopped with an error, of that item alone. */
	words: Map<number, Word>;
	error?: string;
	/** Whether it said that n8n did not answer, and went on without a key all the same. */
	isUnguarded?: boolean;
}

/** The execution that a chain of Retries goes back to. */
export function rootOf(run: Run): Run {
	return run.original ? rootOf(run.original) : run;
}

/** What a recipient gets at most one message of, or one for each row: of all runs with the same. */
export function campaignOf({ plan }: World, run: Run): string {
	return plan.isKeyed ? run.planned.key : rootOf(run).id;
}

interface Process extends SimulatedProcess {
	node: ReturnType<typeof loadNode>;
	running: Set<Run>;
}

/** Lets a plan happen. */
export class World {
	readonly clock = new Clock();
	readonly requests: Request[] = [];
	readonly runs: Run[] = [];
	readonly memory: SimulatedMemory;
	isHealthy = false;
	/** Gets what the node writes to n8n's log. */
	trace?: (run: Run, text: string, about: object) => void;
	private readonly draw: Draw;
	private readonly processes: Process[] = [];

	constructor(
		readonly plan: Plan,
		seed: number,
	) {
		this.draw = new Draw(seed, 1);
		this.memory = new SimulatedMemory(this.clock, this.draw, plan.memory);
		for (let index = 0; index < plan.processes; index++) this.processes.push(this.newProcess());
	}

	async happen(): Promise<void> {
		const { clock, plan } = this;
		for (const planned of plan.runs) clock.after(planned.at, undefined, () => this.begin(planned));
		for (const { at, process } of plan.kills) clock.after(at, undefined, () => this.kill(process));
		for (const { at, process, lasts } of plan.pauses) {
			clock.after(at, undefined, () => {
				const one = this.processes[process]!;
				one.standsUntil = Math.max(one.standsUntil, clock.now + lasts);
			});
		}
		const end = PATIENCE;
		await clock.run(() => clock.now > end);
	}

	/** When everything is well again, a last execution runs. */
	async end(planned: PlannedRun): Promise<Run> {
		this.isHealthy = true;
		this.memory.isHealthy = true;
		this.processes.push(this.newProcess());
		const run = this.begin({ ...planned, process: this.processes.length - 1 });
		const end = this.clock.now + PATIENCE;
		await this.clock.run(() => this.clock.now > end);
		return run!;
	}

	private newProcess(): Process {
		const process = { isAlive: true, standsUntil: 0, running: new Set<Run>() } as Process;
		process.node = loadNode(this.clock, this.draw, process);
		return process;
	}

	private kill(index: number): void {
		const process = this.processes[index]!;
		process.isAlive = false;
		for (const run of process.running) {
			run.status = 'crashed';
			run.endedAt = this.clock.now;
		}
		this.processes[index] = this.newProcess();
	}

	/** A Retry needs an execution that failed; where there is none (yet), nothing begins. */
	private begin(planned: PlannedRun): Run | undefined {
		const original = planned.retryOf === undefined ? undefined : this.runs[planned.retryOf];
		const mayBegin = planned.retryOf === undefined || /error|crashed/.test(original?.status ?? '');
		const run: Run = {
			id: String(1000 + this.runs.length),
			planned,
			establishedAt: original?.establishedAt ?? 1e12 + this.runs.length,
			status: 'new',
			// What a Retry was given, n8n keeps also if it is killed.
			saved: original?.saved ?? {},
			original,
			words: new Map(),
		};
		this.runs.push(run);
		if (!mayBegin) return undefined;
		if (this.plan.failsBefore && this.runs.length === 1) {
			run.status = 'error';
			return run;
		}
		void this.execute(run);
		return run;
	}

	private async execute(run: Run): Promise<void> {
		const { clock } = this;
		const { planned, original } = run;
		const process = this.processes[planned.process]!;
		process.running.add(run);
		run.status = 'running';
		run.startedAt = clock.now;
		const nodeContext = structuredClone(original?.saved ?? {});
		const controller = new AbortController();
		if (planned.cancelAfter !== undefined) {
			clock.after(planned.cancelAfter, undefined, () => {
				if (run.status !== 'running') return;
				run.stoppedAt = clock.now;
				controller.abort();
			});
		}
		const context = this.contextOf(run, process, nodeContext, controller.signal);
		let items: INodeExecutionData[] = [];
		try {
			items = await process.node.runOperation(
				context,
				this.operationOf(run, process, controller.signal),
			);
			run.status = controller.signal.aborted ? 'canceled' : 'success';
		} catch (error) {
			run.status = controller.signal.aborted ? 'canceled' : 'error';
			this.keepError(run, error as Error);
		}
		process.running.delete(run);
		run.endedAt = clock.now;
		run.saved = structuredClone(nodeContext);
		for (const { json, pairedItem } of items) {
			const { error, skipped } = json as {
				error?: { outcome: Word['outcome']; message: string };
				skipped?: boolean;
			};
			const outcome = error?.outcome ?? (skipped ? 'skipped' : 'sent');
			run.words.set((pairedItem as { item: number }).item, { outcome, text: error?.message ?? '' });
		}
	}

	private keepError(run: Run, error: Error): void {
		const { context, errorResponse, description } = error as Error & {
			context?: { itemIndex?: number };
			errorResponse?: { outcome?: Word['outcome'] };
			description?: string;
		};
		run.error = `${error.message} ${description}`;
		run.isUnguarded ||= UNGUARDED.test(run.error);
		const isMemory =
			/^(Another retry of|A message with the Send Once Key|This execution was cut off|.*may have noted)/;
		const outcome = errorResponse?.outcome ?? (isMemory.test(run.error) ? 'unknown' : 'notSent');
		run.words.set(context?.itemIndex ?? -1, { outcome, text: run.error });
	}

	private contextOf(
		run: Run,
		process: Process,
		nodeContext: IContextObject,
		signal: AbortSignal,
	): IExecuteFunctions {
		const { planned, establishedAt, id } = run;
		const { isKeyed, recipients } = this.plan;
		const items = recipients.map((recipient) => ({ json: { toId: `customer-${recipient}` } }));
		const node = {
			id: 'node',
			name: 'Workchat',
			type: 'workchat',
			typeVersion: 1,
			position: [0, 0],
		};
		return {
			getContext: () => nodeContext,
			getExecutionContext: () => ({ version: 1, establishedAt, source: 'manual' }),
			getExecutionId: () => id,
			getMode: () => (planned.retryOf === undefined ? 'manual' : 'retry'),
			getNode: () => ({
				...node,
				parameters: { options: isKeyed ? { sendOnceKey: planned.key } : {} },
			}),
			getWorkflow: () => ({ id: 'workflow', name: 'Workflow', active: true }),
			getWorkflowDataProxy: () => ({ $runIndex: 0 }),
			getInputData: () => items,
			getExecutionCancelSignal: () => signal,
			getCredentials: async () => ({ apiKey: 'key', baseUrl: 'https://example.com' }),
			continueOnFail: () => !planned.stopsOnError,
			addExecutionHints: (...hints: Array<{ message: string }>) => {
				run.isUnguarded ||= hints.some(({ message }) => UNGUARDED.test(message));
			},
			logger: {
				debug: (text: string, about: object) => {
					run.isUnguarded ||= /not noted as begun|unguarded/.test(text);
					this.trace?.(run, text, about);
				},
			},
			helpers: this.memory.helpersOf(process),
		} as unknown as IExecuteFunctions;
	}

	private operationOf(run: Run, process: Process, signal: AbortSignal): Operation {
		const cancelled = new Promise<void>((resolve) => {
			signal.addEventListener('abort', () => resolve());
		});
		const { planned } = run;
		const { isKeyed } = this.plan;
		const toIdOf = (body: IDataObject) => String(body.toId);
		return {
			value: 'send',
			name: 'Send',
			action: 'Send',
			description: '',
			path: '/send',
			fields: [],
			isRepeatable: false,
			parameters: [],
			readSettings: () => ({
				maxConcurrency: planned.maxConcurrency,
				requestInterval: 0,
				maxTries: 2,
				repeatsUnknown: planned.resends,
				mayHaveKeys: isKeyed,
			}),
			read: async (context, itemIndex) => {
				const { toId } = context.getInputData()[itemIndex]!.json;
				return await Promise.resolve({
					body: { toId, itemIndex: undefined },
					wording: {
						receiver: 'The service',
						isRepeatable: false,
						secrets: process.node.Secrets.NONE,
					},
					...(isKeyed && { sendOnceKey: planned.key }),
				});
			},
			orderKeyOf: ({ body }) => toIdOf(body),
			perform: async (context, _, { body }) =>
				await this.send(run, process, toIdOf(body), context, cancelled),
		};
	}

	private async send(
		run: Run,
		process: Process,
		toId: string,
		context: IExecuteFunctions,
		cancelled: Promise<void>,
	) {
		const fate = this.drawFate();
		const request: Request = { at: this.clock.now, run, toId, fate };
		const { latency } = this.plan.service;
		const takes = this.isHealthy ? 1 : this.draw.next() * latency;
		// It reaches the service, whatever becomes of the process.
		this.clock.after(takes / 2, undefined, () => this.requests.push(request));
		const signal = context.getExecutionCancelSignal();
		await Promise.race([this.clock.sleep(takes, process), cancelled]);
		if (fate === 'accepted' && !signal?.aborted) return { json: { code: 0 } };
		const outcome = !signal?.aborted && /refused|busy/.test(fate) ? 'rejected' : 'unknown';
		const transient = fate === 'busy';
		throw new process.node.Failure(fate, { outcome, origin: 'service', advice: '', transient });
	}

	private drawFate(): Fate {
		if (this.isHealthy) return 'accepted';
		const { refused, lost } = this.plan.service;
		const drawn = this.draw.next();
		if (drawn < refused) return this.draw.chance(0.5) ? 'refused' : 'busy';
		if (drawn < refused + lost) return this.draw.chance(0.5) ? 'lost' : 'lost, but accepted';
		return 'accepted';
	}
}
