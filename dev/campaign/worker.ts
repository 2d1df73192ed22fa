import { Engine } from '../engine/engine';

import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

import { count, figuresOf, type Figures } from './figures';
import { drawPlan } from './generate';
import { breachesOf, type Breach } from './oracle/invariants';
import type { Observed } from './oracle/observed';
import type { EngineName, Line, Plan } from './plan';
import { LoopWatch } from './real/loopWatch';
import { runPlan, type Stage } from './real/runPlan';
import { StandIn } from './real/standIn';
import { credentialFor } from './service/secrets';
import { simulate } from './simulated/world';

/** A process of the campaign: it runs the plans that it is told, and says what it saw. */

export interface Order {
	engine: EngineName;
	seed: number;
	from: number;
	/** Not included. */
	until: number;
	/** Also says what every plan looked like. */
	isVerbose: boolean;
	/** Of the service that speaks TLS. */
	tls: { cert: string; key: string };
}

export type News =
	| { kind: 'begun'; number: number }
	| { kind: 'done'; number: number; figures: Figures; breaches: Breach[]; observed?: string }
	/** Of the whole process; the numbers are those of plans that were under way. */
	| { kind: 'breach'; numbers: number[]; breach: Breach }
	| { kind: 'finished'; peakMemory: number };

/** More at once would only wait for the processor. */
const MOST_AT_ONCE = 48;
/** Milliseconds between two starts, so that it shows whether the process is busy. */
const PAUSE = 10;
/** After which everything must have gone. */
const BATCH = 2500;
const AFTERWARDS = 1000;

const say = (news: News) => process.send?.(news);

const underWay = new Set<number>();
const breach = (invariant: string, text: string) =>
	say({ kind: 'breach', numbers: [...underWay], breach: { invariant, text } });

type Run = (plan: Plan) => Promise<Observed>;

async function carryOut(order: Order): Promise<void> {
	if (order.engine === 'simulated') {
		const watch = order.isVerbose
			? (text: string) => void process.stdout.write(`${text}\n`)
			: undefined;
		for (let number = order.from; number < order.until; number++) {
			await runOne(order, number, async (plan) => await simulate(plan, watch));
		}
		return;
	}
	const stage = await stageOf(order);
	for (let from = order.from; from < order.until; from += BATCH) {
		const before = openResources();
		await runBatch({ ...order, from, until: Math.min(from + BATCH, order.until) }, stage);
		await checkLeftovers(before, stage);
	}
}

async function stageOf({ tls }: Order): Promise<Stage> {
	const standIn = await StandIn.start(tls);
	const engine = await Engine.start({
		credential: (line) => credentialFor(standIn.baseUrl(line as Line)),
	});
	let isReady = false;
	const loopWatch = new LoopWatch(
		() => standIn.watchMemory(),
		(milliseconds) => {
			const text = `for ${Math.round(milliseconds)} ms, perhaps after ${standIn.lastAnswer}`;
			if (isReady) breach('never stands still', text);
		},
	);
	process.on('warning', ({ name, message }) => {
		if (name === 'MaxListenersExceededWarning') breach('nothing unexpected', message);
	});
	const stage = { engine, standIn, loopWatch };
	// The first run loads what n8n loads late.
	await runPlan(drawPlan('real', 0, 0), stage);
	await sleep(AFTERWARDS);
	isReady = true;
	return stage;
}

/** Many at once. */
async function runBatch(order: Order, stage: Stage): Promise<void> {
	const running = new Set<Promise<void>>();
	for (let number = order.from; number < order.until; number++) {
		while (running.size >= MOST_AT_ONCE) await Promise.race(running);
		while (running.size > 0 && stage.loopWatch.isBusy) await sleep(5);
		const one = runOne(order, number, async (plan) => await runPlan(plan, stage));
		running.add(one);
		void one.then(() => running.delete(one));
		await sleep(PAUSE);
	}
	await Promise.all(running);
}

async function runOne(order: Order, number: number, run: Run): Promise<void> {
	underWay.add(number);
	say({ kind: 'begun', number });
	try {
		const observed = await run(drawPlan(order.engine, order.seed, number));
		const breaches = breachesOf(observed);
		const words = order.isVerbose && { observed: shown(observed) };
		say({ kind: 'done', number, figures: figuresOf(observed), breaches, ...words });
	} catch (error) {
		const text = `the run broke: ${error instanceof Error ? error.stack : String(error)}`;
		const breaches = [{ invariant: 'nothing unexpected', text }];
		say({ kind: 'done', number, figures: {}, breaches });
	}
	underWay.delete(number);
}

/** A second after the last run nothing of it may be open. */
async function checkLeftovers(before: string, { standIn, engine }: Stage): Promise<void> {
	await sleep(AFTERWARDS);
	const after = openResources();
	if (after !== before) breach('nothing left open', `${after || 'nothing'} instead of ${before}`);
	if (standIn.openRequests > 0) {
		breach('nothing left open', `${standIn.openRequests} requests are under way`);
	}
	for (const marker of standIn.strays.splice(0)) {
		breach('stops when cancelled', `a request came after its plan was over: ${marker}`);
	}
	if ('isPolluted' in {}) breach('nothing unexpected', 'Object.prototype was changed');
	await rm(engine.storagePath, { recursive: true, force: true });
}

/** Files that are being written, and the line to the parent. */
const OF_THE_PROCESS = ['FSReqPromise', 'PipeWrap'];

function openResources(): string {
	const counts: Figures = {};
	for (const name of process.getActiveResourcesInfo()) count(counts, name);
	return Object.entries(counts)
		.filter(([name]) => !OF_THE_PROCESS.includes(name))
		.map(([name, count]) => `${count} ${name}`)
		.sort()
		.join(', ');
}

const LONGEST_SHOWN = 300;

function shown({ memory, ...others }: Observed): string {
	const { troubles, stalls } = memory ?? {};
	const options = { depth: Infinity, maxArrayLength: Infinity, maxStringLength: LONGEST_SHOWN };
	return inspect({ ...others, troubles, stalls }, options);
}

process.on('unhandledRejection', (reason) => breach('nothing unexpected', String(reason)));
process.on('message', (order: Order) => {
	void carryOut(order).then(() =>
		say({ kind: 'finished', peakMemory: process.resourceUsage().maxRSS * 1024 }),
	);
});
// Whoever started it removes its files.
process.on('disconnect', () => process.exit());
