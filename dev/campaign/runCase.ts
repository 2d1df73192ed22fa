import type { IRun } from 'n8n-workflow';

import type { Engine, Running } from '../engine/engine';
import { settingsIn, type Case } from './case';
import type { LoopWatch } from './loopWatch';
import type { Execution, Observed } from './observed';
import { readRun } from './readRun';
import type { Log, StandIn } from './standIn';
import { hangs } from './step';
import { workflowOf } from './workflow';

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
