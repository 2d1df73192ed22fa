import type { IContextObject, IDataObject, IExecuteFunctions, Logger } from 'n8n-workflow';

import { DeduplicationStandIn, type Faults } from '../../dev/engine/deduplicationStandIn';
import { Clock } from '../../dev/simulation/clock';
import type { Operation, RunSettings } from '../../nodes/Workchat/execution/operation';
import { runOperation } from '../../nodes/Workchat/execution/run';
import { waitForAbort } from '../../nodes/Workchat/common/abort';
import { adviceForUnknown, Failure } from '../../nodes/Workchat/service/failure/failure';
import { endsOf } from './messages';
import { about } from './about';
import { sentencesIn } from './sentences';

/** Import this file before any of the node that sleeps. */
const mockTime = { clock: new Clock() };
jest.mock('n8n-workflow', () => ({
	...jest.requireActual<object>('n8n-workflow'),
	sleep: async (delay: number) => await mockTime.clock.sleep(delay),
}));

/** Virtual milliseconds after which a run counts as hanging. */
const TIMEOUT = 600_000;

/** Maximum reads of the clock in a test. An endless loop would hang Jest without naming the test. */
const MAX_READS = 10_000;

/** The result of a request: a `lost` message may have been sent; `invalid` is refused for a value. */
export type Fate = 'accepted' | 'refused' | 'invalid' | 'lost';

/** `key` is appended to the Send Once Key of the settings. */
type Item = IDataObject & { toId: string; key?: string };

/** By default, On Error is Continue, and one message is sent at a time, with one try. */
export interface Settings extends Partial<Omit<RunSettings, 'keySetting'>> {
	sendOnceKey?: string;
	stopsOnError?: boolean;
	apiKey?: string;
	baseUrl?: string;
	/** Returns the content of each message. */
	content?: () => unknown;
	/** The node's context in an execution of an AI agent, if the node is its tool. */
	asTool?: IContextObject;
}

/** An execution, and how it ended. */
interface Execution {
	id: string;
	items: Item[];
	settings: Settings;
	/** Milliseconds since 1970; its Retries keep it. */
	establishedAt: number;
	/** The node's context, as n8n saves it. */
	saved: IContextObject;
	/** The result of each item, in one word. */
	ends: string[];
	error?: Error & { description: string; context: { itemIndex: number } };
	hints: string[];
	/** Milliseconds. */
	took: number;
	cancel(): void;
	ended: Promise<Execution>;
}

let workflows = 0;

/** n8n for `execution/`, in virtual time, with a small operation instead of requests. */
class VirtualN8n {
	readonly clock = new Clock();
	store = new DeduplicationStandIn();
	/** The service. */
	answer: (toId: string) => Fate | Promise<Fate> = () => 'accepted';
	operation = 'send';
	/** Recipients of the requests. */
	readonly requested: string[] = [];
	/** Recipients of the messages that were sent. */
	readonly accepted: string[] = [];
	/** Debug lines of the node in n8n's log. */
	readonly logged: string[] = [];
	readonly logger = { debug: (line: string) => void this.logged.push(line) } as Logger;
	/** Always new, as the node keeps data of each workflow in its process. */
	readonly workflowId = String(workflows++);
	private executions = 0;

	async run(items: Item[], settings: Settings = {}): Promise<Execution> {
		return await this.until(this.start(items, settings).ended);
	}

	/** A Retry in the list of executions, with the current items and settings. */
	async retry(failed: Execution, settings = failed.settings, items = failed.items) {
		return await this.until(this.start(items, settings, failed).ended);
	}

	/** n8n's Retry On Fail: the same execution runs the node again. */
	async retryOnFail(failed: Execution): Promise<Execution> {
		return await this.until(this.start(failed.items, failed.settings, failed, failed.id).ended);
	}

	/** @param sameId the ID of the execution, if it runs the node again */
	start(items: Item[], settings: Settings = {}, retried?: Execution, sameId?: string): Execution {
		const controller = new AbortController();
		const execution = {
			id: sameId ?? String(++this.executions),
			items,
			settings,
			establishedAt: retried?.establishedAt ?? 1e12 + this.executions,
			saved: settings.asTool ?? structuredClone(retried?.saved ?? {}),
			ends: [],
			hints: [],
			cancel: () => controller.abort(),
		} as unknown as Execution;
		const mode = retried && sameId === undefined ? 'retry' : 'manual';
		const context = this.contextOf(execution, mode, controller.signal);
		const startedAt = this.clock.now;
		execution.ended = runOperation(context, this.operationOf(settings))
			.then(
				(outputs) => (execution.ends = endsOf(outputs.map(({ json }) => json))),
				(error: unknown) => {
					execution.error = error as NonNullable<Execution['error']>;
					expect(sentencesIn(execution.error.description).length).toBeLessThanOrEqual(3);
				},
			)
			.then(() => Object.assign(execution, { took: this.clock.now - startedAt }));
		return execution;
	}

	/** Lets time pass until a promise is settled. */
	async until<T>(end: Promise<T>): Promise<T> {
		let isOver = false;
		const over = () => (isOver = true);
		void end.then(over, over);
		await this.clock.run(() => isOver);
		if (!isOver) throw new Error('It never ends');
		return await end;
	}

	/** Lets time pass; by default, until everything has ended. */
	async pass(milliseconds = TIMEOUT): Promise<void> {
		await this.until(this.clock.sleep(milliseconds));
	}

	private contextOf(
		{ id, items, settings, establishedAt, saved, hints }: Execution,
		mode: string,
		signal: AbortSignal,
	): IExecuteFunctions {
		const type = settings.asTool ? 'workchatTool' : 'workchat';
		const node = { id: 'node', name: 'Workchat', type, parameters: {} };
		const inputData = items.map((json) => ({ json }));
		const { apiKey = 'key', baseUrl = 'https://example.com', stopsOnError = false } = settings;
		const credential = { apiKey, baseUrl };
		return {
			getContext: () => saved,
			getExecutionContext: () => ({ establishedAt }),
			getExecutionId: () => id,
			getMode: () => mode,
			getNode: () => node,
			getWorkflow: () => ({ id: this.workflowId }),
			getWorkflowDataProxy: () => ({ $runIndex: 0 }),
			getInputData: () => inputData,
			getExecutionCancelSignal: () => signal,
			getCredentials: async () => await Promise.resolve(credential),
			continueOnFail: () => !stopsOnError,
			addExecutionHints: (...more: Array<{ message: string }>) =>
				void hints.push(...more.map(({ message }) => message)),
			helpers: this.store.helpersFor(),
			logger: this.logger,
		} as unknown as IExecuteFunctions;
	}

	private operationOf({ content, sendOnceKey: keySetting = '', ...settings }: Settings): Operation {
		const pace = { maxConcurrency: 1, requestInterval: 0, maxTries: 1 };
		const all = { ...pace, resendUnknown: false, keySetting, isDryRun: false, ...settings };
		return {
			value: this.operation,
			path: '/send',
			isRepeatable: false,
			readSettings: () => all,
			read: async (context, itemIndex) => {
				const { toId, key = '' } = context.getInputData()[itemIndex]!.json as Item;
				const body = { toId, content: content?.() as string };
				const sendOnceKey = keySetting + key || undefined;
				const perform = async () => await this.send(toId, context.getExecutionCancelSignal());
				const request = { body, about: { ...about, toId }, orderKey: toId, sendOnceKey, perform };
				return await Promise.resolve(request);
			},
		};
	}

	private async send(toId: string, signal?: AbortSignal): Promise<{ json: IDataObject }> {
		this.requested.push(toId);
		const answered = Promise.resolve(this.answer(toId)).then((fate) => {
			if (fate === 'accepted') this.accepted.push(toId);
			return fate;
		});
		const fate = await Promise.race([answered, waitForAbort(signal)]);
		if (fate === 'accepted') return { json: { code: 0 } };
		const outcome = fate === 'lost' ? 'unknown' : 'rejected';
		const fix = fate === 'invalid' ? ('values' as const) : undefined;
		const advice = fate === 'lost' ? adviceForUnknown(about) : { advice: 'Wait.', fix };
		throw new Failure(`It was ${fate}`, { outcome, origin: 'service', ...advice, toId });
	}
}

/** Faults of n8n's store. @param fails which checks fail, counted from 1 */
export function failing(fails: (check: number) => boolean): Faults {
	let checks = 0;
	const before = (operation: string) => {
		if (operation === 'find' && fails(++checks)) throw new Error('gone');
	};
	return { before };
}

/** Creates a new one before each test of a file. After a test, everything has to end. */
export function useVirtualN8n(): VirtualN8n {
	const n8n = new VirtualN8n();
	beforeEach(() => {
		Object.assign(n8n, new VirtualN8n());
		mockTime.clock = n8n.clock;
		const reads = jest.spyOn(performance, 'now').mockImplementation(() => {
			if (reads.mock.calls.length > MAX_READS) throw new Error('It is in an endless loop');
			return n8n.clock.now;
		});
		jest.spyOn(AbortSignal, 'timeout').mockImplementation((delay) => n8n.clock.timeout(delay));
	});
	afterEach(async () => {
		const end = n8n.clock.now + TIMEOUT;
		await n8n.clock.run(() => n8n.clock.now > end);
		expect(n8n.clock.now).toBeLessThanOrEqual(end);
		expect(jest.mocked(performance.now).mock.calls.length).toBeLessThan(MAX_READS);
		jest.restoreAllMocks();
	});
	return n8n;
}
