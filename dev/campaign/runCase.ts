import type { INodeExecutionData, IRun } from 'n8n-workflow';

import type { Engine, Running } from '../engine/engine';
import { settingsIn, type Case } from './case';
import type { LoopWatch } from './loopWatch';
import { secretsIn } from './secrets';
import type { Log, Seen, StandIn } from './standIn';
import { hangs, type Outcome } from './step';
import { NODE, workflowOf } from './workflow';

/** What the node said of an input. */
export interface Report {
	/** Of the input, in their order. */
	input: number;
	/** `garbled`: neither a result nor an error of the node's kind. */
	outcome: Outcome | 'garbled';
	output: number;
	/** Of a download: whether it is the file, byte by byte. */
	isFile?: boolean;
	/** The beginning of its json. */
	text: string;
	/** Characters of its json. */
	length: number;
}

export interface Thrown {
	name: string;
	message: string;
	description?: string;
	input?: number;
	outcome?: Outcome;
}

/** One execution of a case's workflow. */
export interface Execution {
	status: string;
	reports: Report[];
	thrown?: Thrown;
	/** Words of secrets in what n8n saves, beside what the user put in. */
	told: string[];
	/** Whether it had to be cancelled because it did not end. */
	isHung: boolean;
	cancelledAt?: number;
	/** Milliseconds from being cancelled to its end. */
	tookToCancel?: number;
	/** The longest standstill of this process meanwhile. */
	standstill: number;
	/** All of them together. */
	standstills: number;
}

/** All that is known of a case that was run. */
export interface Observed {
	given: Case;
	seen: Seen[];
	executions: Execution[];
}

export interface Stage {
	engine: Engine;
	standIn: StandIn;
	loopWatch: LoopWatch;
}

/** A run that takes longer than this, and than what the service costs it, hangs. */
const PATIENCE = 10_000;
/** The longest wait before the next try, as the service asks for none. */
const BACKOFF = 1500;
/** For requests that were on their way when their execution ended. */
const ON_THEIR_WAY = 50;
const TURNS = 20;
/** So many times its Timeout the node may wait for an answer that comes in drips. */
const DRIPPING = 12;
const LONGEST_TEXT = 300;

const now = () => performance.now();
const wait = async (milliseconds: number) =>
	await new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Runs a case with all its retries. */
export async function runCase(given: Case, stage: Stage): Promise<Observed> {
	const log = stage.standIn.begin(given);
	const executions: Execution[] = [];
	let failed: IRun | undefined;
	for (let run = 0; run <= given.retries; run++) {
		log.run = run;
		const workflow = workflowOf(given, run);
		const begin = () =>
			failed ? stage.engine.beginRetry(workflow, failed) : stage.engine.begin(workflow);
		const { result, execution } = await execute(begin, log, stage);
		executions.push(execution);
		failed = result;
		const { timeout } = settingsIn(given, run);
		const wasCutOff = timeout < 1000 || execution.cancelledAt !== undefined || execution.isHung;
		if (wasCutOff) await letArrive();
		if (execution.status !== 'error' || execution.isHung) break;
	}
	stage.standIn.end(log);
	return { given, seen: log.seen, executions };
}

/** Both sides are in this process: after some turns of its loop, all that was sent has been read. */
async function letArrive(): Promise<void> {
	await wait(ON_THEIR_WAY);
	for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function execute(begin: () => Running, log: Log, { engine, loopWatch }: Stage) {
	const { given } = log;
	const startedAt = now();
	const running = begin();
	let cancelledAt: number | undefined;
	const cancel = () => {
		cancelledAt ??= now();
		running.cancel();
	};
	const { cancelling } = given;
	let later: NodeJS.Timeout | undefined;
	log.onRequest = () => {
		if (log.seen.length !== cancelling?.requests) return;
		if (cancelling.delay === 0) cancel();
		else later = setTimeout(cancel, cancelling.delay);
	};

	const standstills = () => loopWatch.delaysSince(startedAt).reduce((sum, delay) => sum + delay, 0);
	const result = await endOf(running, () => now() < startedAt + allowance(log) + standstills());
	const isHung = !result;
	if (isHung) {
		cancel();
		await endOf(running, () => now() < (cancelledAt ?? 0) + PATIENCE);
	}
	log.onRequest = undefined;
	clearTimeout(later);
	// It had come to its end before.
	if (result && result.status !== 'canceled' && cancelling?.delay !== 0) cancelledAt = undefined;
	const execution: Execution = {
		...(result
			? await readRun(result, given, engine)
			: { status: 'running', reports: [], told: [] }),
		isHung,
		...(cancelledAt !== undefined && !isHung && { cancelledAt, tookToCancel: now() - cancelledAt }),
		standstill: Math.max(...loopWatch.delaysSince(startedAt)),
		standstills: standstills(),
	};
	return { result, execution };
}

/** What the service did so far gives the node so much time, in milliseconds. */
function allowance({ given, run, seen }: Log): number {
	const { timeout, maxTries } = settingsIn(given, run);
	const costs = seen
		.filter((request) => request.run === run)
		.map(({ step }) => BACKOFF + (hangs(step) ? DRIPPING * timeout : 0));
	// Of what never arrives, nobody knows how often it was tried.
	const unseen = given.line === 'http' || given.line === 'https' ? 0 : given.inputs.length;
	const tries = unseen * maxTries * (given.retryOnFail ? given.maxNodeTries : 1);
	return costs.reduce((sum, cost) => sum + cost, PATIENCE + tries * BACKOFF);
}

async function endOf(running: Running, mayGoOn: () => boolean): Promise<IRun | undefined> {
	let result: IRun | undefined;
	let timer: NodeJS.Timeout | undefined;
	const tooLong = new Promise<void>((resolve) => {
		timer = setInterval(() => {
			if (!mayGoOn()) resolve();
		}, 100);
	});
	const ended = running.finished.then((run) => {
		result = run;
	});
	await Promise.race([ended, tooLong]);
	clearInterval(timer);
	return result;
}

async function readRun({ status, data }: IRun, given: Case, engine: Engine) {
	const { error, runData } = data.resultData;
	const tasks = runData[NODE] ?? [];
	const rounds = given.kind === 'tool' ? tasks : tasks.slice(-1);
	const reports: Report[] = [];
	for (const [round, { data: put, error: failure }] of rounds.entries()) {
		if (failure && given.kind === 'tool' && put) {
			// An agent tells its model this error; the engine alone passes the input on instead.
			const { outcome = 'garbled', message } = thrownBy(failure as unknown as RawError);
			const output = given.onError === 'continueErrorOutput' ? 1 : 0;
			reports.push({ input: round, outcome, output, text: message, length: message.length });
			continue;
		}
		for (const [output, items] of (put?.main ?? []).entries()) {
			for (const item of items ?? []) {
				const input = given.kind === 'tool' ? round : pairedWith(item);
				const outcome = outcomeOf(item, output, given);
				const json = JSON.stringify(item.json);
				const text = json.slice(0, LONGEST_TEXT);
				const file = await fileIn(item, input, given, engine);
				reports.push({ input, outcome, output, text, length: json.length, ...file });
			}
		}
	}
	const saved = {
		error,
		stack: error?.stack,
		tasks: tasks.map((task) => ({ ...task, data: withoutFiles(task.data?.main) })),
		context: data.executionData?.contextData,
		metadata: data.resultData.metadata,
	};
	const continued = given.kind === 'tool' ? undefined : rounds.at(-1)?.error;
	const raw = (error ?? continued) as unknown as RawError | undefined;
	const thrown = raw && thrownBy(raw);
	return {
		status,
		reports,
		told: secretsIn(JSON.stringify(saved)),
		...(thrown && { thrown }),
	};
}

/** The envelope beside a file may hold the link to it. */
function withoutFiles(outputs: Array<INodeExecutionData[] | null> = []) {
	return outputs.map((items) => items?.filter(({ binary }) => !binary));
}

function pairedWith({ pairedItem }: INodeExecutionData): number {
	return typeof pairedItem === 'object' && 'item' in pairedItem ? pairedItem.item : NaN;
}

function outcomeOf(
	{ json, error }: INodeExecutionData,
	output: number,
	given: Case,
): Report['outcome'] {
	const failure = json.error as { outcome?: Outcome } | string | undefined;
	if (given.kind === 'tool' && typeof failure === 'string' && typeof json.outcome === 'string') {
		return json.outcome as Outcome;
	}
	if (typeof failure === 'object' && failure !== null && typeof failure.outcome === 'string') {
		// On the error output, n8n adds the input.
		return output === 1 || Object.keys(json).length === 1 ? failure.outcome : 'garbled';
	}
	const looksFailed = Object.keys(json).every((key) =>
		['error', 'message', 'details'].includes(key),
	);
	return error || output === 1 || (json.error && looksFailed) ? 'garbled' : 'sent';
}

async function fileIn({ binary }: INodeExecutionData, input: number, given: Case, engine: Engine) {
	if (!binary?.data) return {};
	const content = given.items[given.inputs[input] ?? NaN]?.content;
	const bytes = await engine.bytesOf(binary.data);
	return { isFile: content !== undefined && bytes.equals(content) };
}

interface RawError {
	name: string;
	message: string;
	description?: string;
	context?: { itemIndex?: number };
	errorResponse?: { outcome?: Outcome };
}

function thrownBy({ name, message, description, context, errorResponse }: RawError): Thrown {
	const outcome = errorResponse?.outcome ?? (name === 'NodeOperationError' ? 'notSent' : undefined);
	return { name, message, description, input: context?.itemIndex, outcome };
}
