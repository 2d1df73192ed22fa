import type { IContextObject, IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { DeduplicationStandIn, type Faults } from '../../dev/engine/deduplicationStandIn';
import { Clock } from '../../dev/simulation/clock';
import type { Operation } from '../../nodes/Workchat/execution/operation';
import { runOperation } from '../../nodes/Workchat/execution/run';
import { Failure } from '../../nodes/Workchat/service/failure/failure';
import { endsOf } from './messages';
import { wording } from './wording';

/** Import this file before any of the node that sleeps. */
const mockTime = { clock: new Clock() };
jest.mock('n8n-workflow', () => ({
	...jest.requireActual<object>('n8n-workflow'),
	sleep: async (delay: number) => await mockTime.clock.sleep(delay),
}));

/** Virtual milliseconds after which something hangs. */
const PATIENCE = 600_000;

const NO_MEMORY = new DeduplicationStandIn({}, 'another workflow');

/** What becomes of a message: `lost` may have been sent. */
export type Fate = 'accepted' | 'refused' | 'lost';

export interface Item extends IDataObject {
	toId: string;
	/** Instead of the one of all. */
	sendOnceKey?: string;
}

/** Of a run. Unless told, On Error is Continue, and each message has one try. */
export interface Settings {
	sendOnceKey?: string;
	resends?: boolean;
	maxConcurrency?: number;
	requestInterval?: number;
	stopsOnError?: boolean;
	/** What else is in each message, anew for each. */
	content?: () => unknown;
	/** The process of n8n that it runs in. */
	worker?: number;
}

/** An execution, and how it ended. */
export interface Execution {
	id: string;
	items: Item[];
	settings: Settings;
	/** Milliseconds since 1970; its Retries keep it. */
	establishedAt: number;
	/** The node's context, as n8n saves it. */
	saved: IContextObject;
	jsons: IDataObject[];
	/** How each item ended, in one word. */
	ends: string[];
	error?: Error & { description: string; context: { itemIndex: number } };
	hints: string[];
	/** Lines in n8n's log at the level `debug`. */
	log: Array<[text: string, about: { itemIndex: number; entries: string[] }]>;
	/** Milliseconds. */
	took: number;
	cancel(): void;
	ended: Promise<Execution>;
}

/**
 * n8n as far as `execution/` sees it, in virtual time: the node's own code, a small operation instead
 * of requests, and n8n's memory with all that can befall it.
 */
export class VirtualN8n {
	clock!: Clock;
	rows!: DeduplicationStandIn;
	/** The same, or none where n8n has no memory. */
	memory: DeduplicationStandIn | undefined;
	/** Of workers that reach the rows in another way. */
	rowsOf!: Map<number, DeduplicationStandIn>;
	/** The service. */
	answer!: (toId: string) => Fate | Promise<Fate>;
	/** Whose name messages go by, instead of one of its own. */
	operation: Pick<Operation, 'value'> | undefined;
	/** Recipients of the messages that came to the service. */
	asked!: string[];
	/** Recipients of those that it sent. */
	accepted!: string[];
	private workflow = 0;
	private executions = 0;

	reset(): void {
		this.clock = mockTime.clock = new Clock();
		this.beginMemory();
		this.answer = () => 'accepted';
		this.asked = [];
		this.accepted = [];
	}

	/** As a worker knows it. */
	workflowId(worker = 0): string {
		return `${this.workflow} in worker ${worker}`;
	}

	/** Lets the memory begin anew, with rows that behave as told. */
	beginMemory(
		latency: Faults['latency'] = () => 0,
		before?: Faults['before'],
		after?: Faults['after'],
	): void {
		// What the node knows of a workflow stays in its process.
		this.workflow++;
		this.rows = new DeduplicationStandIn({ latency, before, after });
		this.rowsOf = new Map();
		this.memory = this.rows;
	}

	async run(items: Item[], settings: Settings = {}): Promise<Execution> {
		return await this.until(this.begin(items, settings).ended);
	}

	/** A Retry from the list of executions, with items and settings as they are now. */
	async retry(failed: Execution, settings = failed.settings, items = failed.items) {
		return await this.until(this.beginRetry(failed, settings, items).ended);
	}

	begin(items: Item[], settings: Settings = {}): Execution {
		return this.execute({ items, settings, establishedAt: 1e12 + this.executions, saved: {} });
	}

	beginRetry(failed: Execution, settings = failed.settings, items = failed.items): Execution {
		const { establishedAt } = failed;
		const saved = structuredClone(failed.saved);
		return this.execute({ items, settings, establishedAt, saved }, 'retry');
	}

	/** Lets time pass until this is over. */
	async until<T>(end: Promise<T>): Promise<T> {
		let isOver = false;
		const over = () => (isOver = true);
		void end.then(over, over);
		await this.clock.run(() => isOver);
		if (!isOver) throw new Error('It never ends');
		return await end;
	}

	/** Lets so many milliseconds pass, or all that is still to happen. */
	async pass(milliseconds = PATIENCE): Promise<void> {
		await this.until(this.clock.sleep(milliseconds));
	}

	/** What stands in the memory: names of messages, and what tells of their state. */
	entries(): string[] {
		return this.rows.entries();
	}

	private execute(
		given: Pick<Execution, 'items' | 'settings' | 'establishedAt' | 'saved'>,
		mode = 'manual',
	): Execution {
		const controller = new AbortController();
		const execution = {
			...given,
			id: String(++this.executions),
			jsons: [],
			ends: [],
			hints: [],
			log: [],
			cancel: () => controller.abort(),
		} as unknown as Execution;
		const context = this.contextOf(execution, mode, controller.signal);
		const began = this.clock.now;
		execution.ended = runOperation(context, this.operationOf(execution, controller.signal))
			.then(
				(outputs) => {
					execution.jsons = outputs.map(({ json }) => json);
					execution.ends = endsOf(execution.jsons);
				},
				(error: unknown) => (execution.error = error as NonNullable<Execution['error']>),
			)
			.then(() => Object.assign(execution, { took: this.clock.now - began }));
		return execution;
	}

	private contextOf(
		{ id, items, settings, establishedAt, saved, hints, log }: Execution,
		mode: string,
		signal: AbortSignal,
	): IExecuteFunctions {
		const { worker = 0, stopsOnError = false } = settings;
		const node = { id: 'node', name: 'Workchat', type: 'workchat', parameters: {} };
		const inputData = items.map((json) => ({ json }));
		return {
			getContext: () => saved,
			getExecutionContext: () => ({ establishedAt }),
			getExecutionId: () => id,
			getMode: () => mode,
			getNode: () => node,
			getWorkflow: () => ({ id: this.workflowId(worker) }),
			getWorkflowDataProxy: () => ({ $runIndex: 0 }),
			getInputData: () => inputData,
			getExecutionCancelSignal: () => signal,
			getCredentials: async () =>
				await Promise.resolve({ apiKey: 'key', baseUrl: 'https://example.com' }),
			continueOnFail: () => !stopsOnError,
			addExecutionHints: (...more: Array<{ message: string }>) =>
				void hints.push(...more.map(({ message }) => message)),
			logger: { debug: (...line: Execution['log'][number]) => void log.push(line) },
			helpers: (this.rowsOf.get(worker) ?? this.memory ?? NO_MEMORY).helpersFor(),
		} as unknown as IExecuteFunctions;
	}

	private operationOf({ settings }: Execution, signal: AbortSignal): Operation {
		const { sendOnceKey, content, resends = false } = settings;
		const { maxConcurrency = 1, requestInterval = 0 } = settings;
		const cancelled = new Promise<Fate>((resolve) => {
			signal.addEventListener('abort', () => resolve('lost'));
		});
		return {
			value: this.operation?.value ?? 'send',
			name: 'Send',
			action: 'Send',
			description: '',
			path: '/send',
			fields: [],
			isRepeatable: false,
			parameters: [],
			readSettings: () => ({
				maxConcurrency,
				requestInterval,
				maxTries: 1,
				repeatsUnknown: resends,
				sendOnceKey: sendOnceKey ?? '',
				isDryRun: false,
			}),
			async read(context, itemIndex) {
				const item = context.getInputData()[itemIndex]!.json as Item;
				const key = item.sendOnceKey ?? sendOnceKey;
				return await Promise.resolve({
					body: { toId: item.toId, content: content?.() as string },
					wording,
					recipient: item.toId,
					...(key !== undefined && { sendOnceKey: key }),
				});
			},
			orderKeyOf: ({ body }) => String(body.toId),
			perform: async (_, __, { body }) => await this.send(String(body.toId), cancelled),
		};
	}

	private async send(toId: string, cancelled: Promise<Fate>): Promise<{ json: IDataObject }> {
		this.asked.push(toId);
		const answered = Promise.resolve(this.answer(toId)).then((fate) => {
			if (fate === 'accepted') this.accepted.push(toId);
			return fate;
		});
		const fate = await Promise.race([answered, cancelled]);
		if (fate === 'accepted') return { json: { code: 0 } };
		const outcome = fate === 'refused' ? 'rejected' : 'unknown';
		throw new Failure(`It was ${fate}`, { outcome, origin: 'service', advice: 'Wait.' });
	}
}

/** Of a test file: new before each test, and nothing goes on for ever after it. */
export function useVirtualN8n(): VirtualN8n {
	const n8n = new VirtualN8n();
	beforeEach(() => {
		n8n.reset();
		jest.spyOn(performance, 'now').mockImplementation(() => n8n.clock.now);
		jest.spyOn(AbortSignal, 'timeout').mockImplementation((delay) => {
			const controller = new AbortController();
			n8n.clock.after(delay, undefined, () => controller.abort());
			return controller.signal;
		});
	});
	afterEach(async () => {
		const { now } = n8n.clock;
		await n8n.clock.run(() => n8n.clock.now > now + PATIENCE);
		expect(n8n.clock.now).toBeLessThanOrEqual(now + PATIENCE);
		jest.restoreAllMocks();
	});
	return n8n;
}
