import type { IContextObject, IDataObject, IExecuteFunctions, Logger } from 'n8n-workflow';

import { DeduplicationStandIn, type Faults } from '../../dev/engine/deduplicationStandIn';
import { Clock } from '../../dev/simulation/clock';
import type { Operation, RunSettings } from '../../nodes/Workchat/execution/operation';
import { runOperation } from '../../nodes/Workchat/execution/run';
import { waitForAbort } from '../../nodes/Workchat/common/abort';
import { adviceForUnknown, Failure } from '../../nodes/Workchat/service/failure/failure';
import { endsOf } from './messages';
import { about } from './about';

/** Import this file before any of the node that sleeps. */
const mockTime = { clock: new Clock() };
jest.mock('n8n-workflow', () => ({
	...jest.requireActual<object>('n8n-workflow'),
	sleep: async (delay: number) => await mockTime.clock.sleep(delay),
}));

/** Virtual milliseconds after which something hangs. */
const PATIENCE = 600_000;

/** Looks at the clock in a test: what turns on the spot would hang Jest without a name. */
const MOST_LOOKS = 10_000;

/** What becomes of a message: `lost` may have been sent. */
export type Fate = 'accepted' | 'refused' | 'lost';

/** `key` is put after the Send Once Key of the settings. */
type Item = IDataObject & { toId: string; key?: string };

/** A run. Unless told, On Error is Continue, and one message goes out at a time, in one try. */
export interface Settings extends Partial<RunSettings> {
	stopsOnError?: boolean;
	apiKey?: string;
	baseUrl?: string;
	/** What else is in each message, anew for each. */
	content?: () => unknown;
	/** The node's context in an execution of an AI agent, whose tool the node is. */
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
	/** How each item ended, in one word. */
	ends: string[];
	error?: Error & { description: string; context: { itemIndex: number } };
	hints: string[];
	/** Milliseconds. */
	took: number;
	cancel(): void;
	ended: Promise<Execution>;
}

let workflows = 0;

/**
 * n8n as far as `execution/` sees it, in virtual time: the node's own code, and a small operation
 * instead of requests.
 */
class VirtualN8n {
	readonly clock = new Clock();
	memory = new DeduplicationStandIn();
	/** The service. */
	answer: (toId: string) => Fate | Promise<Fate> = () => 'accepted';
	operation = 'send';
	/** Recipients of the messages that came to the service. */
	readonly asked: string[] = [];
	/** Recipients of those that it sent. */
	readonly accepted: string[] = [];
	/** What the node tells n8n's log at the level of debug. */
	readonly logged: string[] = [];
	readonly logger = { debug: (line: string) => void this.logged.push(line) } as Logger;
	/** A new one each, as what the node knows of a workflow stays in its process. */
	readonly workflowId = String(workflows++);
	private executions = 0;

	async run(items: Item[], settings: Settings = {}): Promise<Execution> {
		return await this.until(this.begin(items, settings).ended);
	}

	/** A Retry from the list of executions, with items and settings as they are now. */
	async retry(failed: Execution, settings = failed.settings, items = failed.items) {
		return await this.until(this.begin(items, settings, failed).ended);
	}

	begin(items: Item[], settings: Settings = {}, retried?: Execution): Execution {
		const controller = new AbortController();
		const execution = {
			id: String(++this.executions),
			items,
			settings,
			establishedAt: retried?.establishedAt ?? 1e12 + this.executions,
			saved: settings.asTool ?? structuredClone(retried?.saved ?? {}),
			ends: [],
			hints: [],
			cancel: () => controller.abort(),
		} as unknown as Execution;
		const context = this.contextOf(execution, retried ? 'retry' : 'manual', controller.signal);
		const began = this.clock.now;
		execution.ended = runOperation(context, this.operationOf(settings))
			.then(
				(outputs) => (execution.ends = endsOf(outputs.map(({ json }) => json))),
				(error: unknown) => (execution.error = error as NonNullable<Execution['error']>),
			)
			.then(() => Object.assign(execution, { took: this.clock.now - began }));
		return execution;
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
			helpers: this.memory.helpersFor(),
			logger: this.logger,
		} as unknown as IExecuteFunctions;
	}

	private operationOf({ content, ...settings }: Settings): Operation {
		const pace = { maxConcurrency: 1, requestInterval: 0, maxTries: 1 };
		const all = { ...pace, resendUnknown: false, sendOnceKey: '', isDryRun: false, ...settings };
		return {
			value: this.operation,
			path: '/send',
			isRepeatable: false,
			readSettings: () => all,
			read: async (context, itemIndex) => {
				const { toId, key = '' } = context.getInputData()[itemIndex]!.json as Item;
				const body = { toId, content: content?.() as string };
				const sendOnceKey = all.sendOnceKey + key || undefined;
				const perform = async () => await this.send(toId, context.getExecutionCancelSignal());
				const request = { body, about: { ...about, toId }, orderKey: toId, sendOnceKey, perform };
				return await Promise.resolve(request);
			},
		};
	}

	private async send(toId: string, signal?: AbortSignal): Promise<{ json: IDataObject }> {
		this.asked.push(toId);
		const answered = Promise.resolve(this.answer(toId)).then((fate) => {
			if (fate === 'accepted') this.accepted.push(toId);
			return fate;
		});
		const fate = await Promise.race([answered, waitForAbort(signal)]);
		if (fate === 'accepted') return { json: { code: 0 } };
		const outcome = fate === 'refused' ? 'rejected' : 'unknown';
		const told = fate === 'refused' ? { advice: 'Wait.' } : adviceForUnknown(about);
		throw new Failure(`It was ${fate}`, { outcome, origin: 'service', ...told, toId });
	}
}

/** What befalls n8n's memory where it fails. @param fails of the questions, counted from 1 */
export function failing(fails: (question: number) => boolean): Faults {
	let questions = 0;
	const before = (operation: string) => {
		if (operation === 'find' && fails(++questions)) throw new Error('gone');
	};
	return { before };
}

/** New before each test of a file; nothing may go on for ever after it. */
export function useVirtualN8n(): VirtualN8n {
	const n8n = new VirtualN8n();
	beforeEach(() => {
		Object.assign(n8n, new VirtualN8n());
		mockTime.clock = n8n.clock;
		const looks = jest.spyOn(performance, 'now').mockImplementation(() => {
			if (looks.mock.calls.length > MOST_LOOKS) throw new Error('It turns on the spot');
			return n8n.clock.now;
		});
		jest.spyOn(AbortSignal, 'timeout').mockImplementation((delay) => n8n.clock.timeout(delay));
	});
	afterEach(async () => {
		const end = n8n.clock.now + PATIENCE;
		await n8n.clock.run(() => n8n.clock.now > end);
		expect(n8n.clock.now).toBeLessThanOrEqual(end);
		expect(jest.mocked(performance.now).mock.calls.length).toBeLessThan(MOST_LOOKS);
		jest.restoreAllMocks();
	});
	return n8n;
}
