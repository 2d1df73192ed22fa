import { setTimeout as sleep } from 'node:timers/promises';

import type { INodeExecutionData, IRun } from 'n8n-workflow';

import type { Engine, Running } from '../../engine/engine';
import { NODE } from '../../engine/workflows';
import type { Execution, Observed, Report } from '../oracle/observed';
import { reportsOf, thrownBy, type RawError } from '../oracle/reports';
import type { Plan, PlannedRun } from '../plan';
import { secretsIn } from '../service/secrets';
import { hangs } from '../service/step';
import type { LoopWatch } from './loopWatch';
import type { Log, StandIn } from './standIn';
import { workflowAt } from '../workflow';

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

const now = () => performance.now();

/** Runs a plan: one execution, and its Retries for as long as they fail. */
export async function runPlan(plan: Plan, stage: Stage): Promise<Observed> {
	const log = stage.standIn.begin(plan);
	const executions: Execution[] = [];
	let failed: IRun | undefined;
	for (const [run, planned] of plan.runs.entries()) {
		log.run = run;
		const workflow = workflowAt(plan, planned);
		const begin = () =>
			failed ? stage.engine.beginRetry(workflow, failed) : stage.engine.begin(workflow);
		const { result, execution } = await execute(begin, planned, log, stage);
		executions.push(execution);
		failed = result;
		const isCut = execution.cancelledAt !== undefined || execution.endedAt === undefined;
		if (planned.options.timeout < 1000 || isCut) await letArrive();
		if (execution.status !== 'error') break;
	}
	stage.standIn.end(log);
	return { plan, seen: log.seen, executions };
}

/** Both sides are in this process: after some turns of its loop, all that was sent has been read. */
async function letArrive(): Promise<void> {
	await sleep(ON_THEIR_WAY);
	for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function execute(begin: () => Running, planned: PlannedRun, log: Log, stage: Stage) {
	const { engine, loopWatch } = stage;
	const startedAt = now();
	const running = begin();
	let cancelledAt: number | undefined;
	const cancel = () => {
		cancelledAt ??= now();
		running.cancel();
	};
	let later: NodeJS.Timeout | undefined;
	log.onRequest = () => {
		const requests = log.seen.filter(({ run }) => run === log.run).length;
		if (requests !== planned.cancel?.requests) return;
		const { delay } = planned.cancel;
		if (delay === 0) cancel();
		else later = setTimeout(cancel, delay);
	};

	const standstills = () => loopWatch.delaysSince(startedAt).reduce((sum, delay) => sum + delay, 0);
	const allowed = () => startedAt + allowance(planned, log) + standstills();
	const result = await endOf(running, () => now() < allowed());
	const endedAt = result && now();
	if (!result) {
		cancel();
		await endOf(running, () => now() < (cancelledAt ?? 0) + PATIENCE);
	}
	log.onRequest = undefined;
	clearTimeout(later);
	// It had come to its end before, or did not end.
	const isOver = result && result.status !== 'canceled' && planned.cancel?.delay !== 0;
	if (isOver || !result) cancelledAt = undefined;
	const execution: Execution = {
		run: log.run,
		...(result
			? await readRun(result, log.plan, planned, engine)
			: { status: 'running', reports: [], told: [] }),
		startedAt,
		...(endedAt !== undefined && { endedAt }),
		...(cancelledAt !== undefined && { cancelledAt }),
		standstill: Math.max(...loopWatch.delaysSince(startedAt)),
		standstills: standstills(),
	};
	return { result, execution };
}

/** What the service did so far gives the node so much time, in milliseconds. */
function allowance({ options }: PlannedRun, { plan, run, seen }: Log): number {
	const { timeout, maxTries } = options;
	const costs = seen
		.filter((request) => request.run === run)
		.map(({ step }) => BACKOFF + (hangs(step) ? DRIPPING * timeout : 0));
	// Of what never arrives, nobody knows how often it was tried.
	const unseen = plan.line === 'http' || plan.line === 'https' ? 0 : plan.inputs.length;
	const tries = unseen * maxTries * (plan.retryOnFail ? plan.maxNodeTries : 1);
	return costs.reduce((sum, cost) => sum + cost, PATIENCE + tries * BACKOFF);
}

async function endOf(running: Running, mayGoOn: () => boolean): Promise<IRun | undefined> {
	let result: IRun | undefined;
	const ended = running.finished.then((run) => void (result = run));
	while (!result && mayGoOn()) await Promise.race([ended, sleep(100)]);
	return result;
}

/** What n8n says of a run that ended. */
async function readRun(
	{ status, data }: IRun,
	plan: Plan,
	{ onError }: PlannedRun,
	engine: Engine,
) {
	const isTool = plan.kind === 'tool';
	const { error, runData } = data.resultData;
	const tasks = runData[NODE] ?? [];
	const rounds = isTool ? tasks : tasks.slice(-1);
	const bytesOf = engine.bytesOf.bind(engine);
	const reports: Report[] = [];
	for (const [call, { data: put, error: failure }] of rounds.entries()) {
		if (failure && isTool && put) {
			// An agent tells its model this error; the engine alone passes the input on instead.
			const { outcome = 'garbled', message } = thrownBy(failure as unknown as RawError);
			const output = onError === 'continueErrorOutput' ? 1 : 0;
			reports.push({ input: call, outcome, output, text: message, length: message.length });
			continue;
		}
		reports.push(...(await reportsOf(plan, put?.main ?? [], bytesOf, isTool ? call : undefined)));
	}
	const saved = {
		error,
		stack: error?.stack,
		tasks: tasks.map((task) => ({ ...task, data: ownWords(task.data?.main) })),
		context: data.executionData?.contextData[`node:${NODE}`],
		metadata: data.resultData.metadata,
	};
	const continued = isTool ? undefined : rounds.at(-1)?.error;
	const raw = (error ?? continued) as unknown as RawError | undefined;
	return {
		status,
		reports,
		told: secretsIn(JSON.stringify(saved)),
		...(raw && { thrown: thrownBy(raw) }),
	};
}

/** What the node itself says: the envelope beside a file may hold its link, and n8n adds the input. */
function ownWords(outputs: Array<INodeExecutionData[] | null> = []) {
	const withoutInput = (item: INodeExecutionData) => ({
		...item,
		json: { ...item.json, body: undefined },
	});
	return outputs.map((items) => items?.filter(({ binary }) => !binary).map(withoutInput));
}
