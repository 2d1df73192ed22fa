import { Engine } from '../engine/engine';

import { rm } from 'node:fs/promises';

import type { Line } from './case';
import { generate } from './generate';
import { breachesOf, type Breach } from './invariants';
import { LoopWatch } from './loopWatch';
import type { Observed } from './observed';
import { runCase, type Stage } from './runCase';
import { SECRETS } from './secrets';
import { StandIn } from './standIn';

/** A process of the campaign: it runs the cases that it is told, and says what it saw. */

export interface Order {
	seed: number;
	from: number;
	runs: number;
	/** Also says what every case looked like. */
	isVerbose: boolean;
}

/** What is counted, by name. */
export type Figures = Record<string, number>;

export type News =
	| { kind: 'ready' }
	| { kind: 'begun'; number: number }
	| { kind: 'done'; number: number; figures: Figures; breaches: Breach[]; observed?: string }
	/** Of the whole process; the numbers are those of cases that were under way. */
	| { kind: 'breach'; numbers: number[]; breach: Breach }
	| { kind: 'finished'; peakMemory: number };

export interface Tls {
	cert: string;
	key: string;
}

/** More at once would only wait for the processor. */
const MOST_AT_ONCE = 48;
/** Milliseconds between two starts, so that it shows whether the process is busy. */
const PAUSE = 10;
/** After which everything must have gone. */
const BATCH = 2500;
const AFTERWARDS = 1000;

const wait = async (milliseconds: number) =>
	await new Promise((resolve) => setTimeout(resolve, milliseconds));
const say = (news: News) => process.send?.(news);

const underWay = new Set<number>();
const breach = (invariant: string, text: string) =>
	say({ kind: 'breach', numbers: [...underWay], breach: { invariant, text } });

async function main(tls: Tls): Promise<void> {
	const standIn = await StandIn.start(tls);
	const engine = await Engine.start({
		credential: (line) => ({
			apiKey: SECRETS.apiKey,
			baseUrl: standIn.baseUrl(line as Line),
			defaultInstanceGuid: 'campaign-instance',
		}),
	});
	let isReady = false;
	const loopWatch = new LoopWatch(
		() => standIn.watchMemory(),
		(milliseconds) => {
			const text = `for ${Math.round(milliseconds)} ms, perhaps after ${standIn.lastAnswer}`;
			if (isReady) breach('never stands still', text);
		},
	);
	process.on('unhandledRejection', (reason) => breach('nothing unexpected', String(reason)));
	process.on('warning', ({ name, message }) => {
		if (name === 'MaxListenersExceededWarning') breach('nothing unexpected', message);
	});
	process.on('message', (order: Order) => {
		void carryOut(order, { engine, standIn, loopWatch }).then(() =>
			say({ kind: 'finished', peakMemory: process.resourceUsage().maxRSS * 1024 }),
		);
	});
	// Whoever started it removes its files.
	process.on('disconnect', () => process.exit());
	// The first run loads what n8n loads late.
	await runCase(generate(0, 0), { engine, standIn, loopWatch });
	await wait(AFTERWARDS);
	isReady = true;
	say({ kind: 'ready' });
}

async function carryOut({ seed, from, runs, isVerbose }: Order, stage: Stage): Promise<void> {
	for (let batch = from; batch < from + runs; batch += BATCH) {
		const before = openResources();
		await runBatch(seed, batch, Math.min(batch + BATCH, from + runs), isVerbose, stage);
		await checkLeftovers(before, stage);
	}
}

async function runBatch(
	seed: number,
	from: number,
	until: number,
	isVerbose: boolean,
	stage: Stage,
): Promise<void> {
	const running = new Set<Promise<void>>();
	for (let number = from; number < until; number++) {
		while (running.size >= MOST_AT_ONCE) await Promise.race(running);
		while (running.size > 0 && stage.loopWatch.isBusy) await wait(5);
		const one: Promise<void> = runOne(seed, number, isVerbose, stage).finally(() =>
			running.delete(one),
		);
		running.add(one);
		await wait(PAUSE);
	}
	await Promise.all(running);
}

async function runOne(
	seed: number,
	number: number,
	isVerbose: boolean,
	stage: Stage,
): Promise<void> {
	underWay.add(number);
	say({ kind: 'begun', number });
	try {
		const observed = await runCase(generate(seed, number), stage);
		say({
			kind: 'done',
			number,
			figures: figuresOf(observed),
			breaches: breachesOf(observed),
			...(isVerbose && { observed: shown(observed) }),
		});
	} catch (error) {
		const text = `the run broke: ${error instanceof Error ? error.stack : String(error)}`;
		say({
			kind: 'done',
			number,
			figures: {},
			breaches: [{ invariant: 'nothing unexpected', text }],
		});
	}
	underWay.delete(number);
}

/** A second after the last run nothing of it may be open. */
async function checkLeftovers(before: string, { standIn, engine }: Stage): Promise<void> {
	await wait(AFTERWARDS);
	const after = openResources();
	if (after !== before) breach('nothing left open', `${after || 'nothing'} instead of ${before}`);
	if (standIn.openRequests > 0) {
		breach('nothing left open', `${standIn.openRequests} requests are under way`);
	}
	for (const marker of standIn.strays.splice(0)) {
		breach('stops when cancelled', `a request came after its case was over: ${marker}`);
	}
	if ('isPolluted' in {}) breach('nothing unexpected', 'Object.prototype was changed');
	await rm(engine.storagePath, { recursive: true, force: true });
}

/** Files that are being written, and the line to the parent. */
const OF_THE_PROCESS = ['FSReqPromise', 'PipeWrap'];

function openResources(): string {
	const counts: Figures = {};
	for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1;
	return Object.entries(counts)
		.filter(([name]) => !OF_THE_PROCESS.includes(name))
		.map(([name, count]) => `${count} ${name}`)
		.sort()
		.join(', ');
}

function figuresOf({ given, seen, executions }: Observed): Figures {
	const figures: Figures = { [`cases: ${given.kind}`]: 1 };
	const count = (name: string, times = 1) => (figures[name] = (figures[name] ?? 0) + times);
	count('items', given.inputs.length);
	count('executions', executions.length);
	count('retried executions', executions.length - 1);
	count('requests', seen.length);
	if (given.kind !== 'download') {
		count('delivered messages', seen.filter(({ step }) => step.accepted).length);
	}
	for (const { reports, thrown, cancelledAt, isHung } of executions) {
		for (const { outcome } of reports) count(`outcome: ${outcome}`);
		if (thrown?.outcome) count(`outcome: ${thrown.outcome}`);
		if (cancelledAt !== undefined) count('cancelled executions');
		if (isHung) count('hung executions');
	}
	return figures;
}

const LONGEST_SHOWN = 300;

function shown(observed: Observed): string {
	const short = (_: string, value: unknown) => {
		if (typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer') {
			return '(bytes)';
		}
		const isLong = typeof value === 'string' && value.length > LONGEST_SHOWN;
		return isLong ? `${value.slice(0, LONGEST_SHOWN)}…` : value;
	};
	return JSON.stringify(observed, short, 2);
}

void main(JSON.parse(process.env.CAMPAIGN_TLS ?? '{}') as Tls);
