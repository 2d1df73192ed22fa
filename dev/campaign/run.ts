import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import spawn from 'cross-spawn';

import { selfSigned } from '../certificate';
import type { Breach } from './invariants';
import type { Figures, News, Order, Tls } from './worker';

/** `npm run campaign`: many generated cases, in some processes, and what became of them. */

/** A process that says nothing for so long is frozen; milliseconds. */
const SILENCE = 60_000;
/** Of one invariant. */
const MOST_SHOWN = 4;
const LONGEST_SHOWN = 1000;
const MOST_NUMBERS = 5;
/** Cases that a process gets at a time: at the end of each share it waits for the slowest. */
const MOST_SHARED = 2500;

interface Wanted {
	runs: number;
	seed: number;
	from: number;
	jobs: number;
}

function wanted(): Wanted {
	const text = { type: 'string' } as const;
	const { values } = parseArgs({ options: { runs: text, seed: text, from: text, jobs: text } });
	const number = (value: string | undefined, preset: number) => {
		const given = value === undefined ? preset : Number(value);
		if (!Number.isSafeInteger(given) || given < 0) throw new Error(`${value} is not a number`);
		return given;
	};
	return {
		runs: number(values.runs, 1000),
		seed: number(values.seed, 1),
		from: number(values.from, 0),
		jobs: Math.max(1, number(values.jobs, availableParallelism())),
	};
}

const say = (text: string) => process.stdout.write(`${text}\n`);

/** Hands out the cases, and adds up what comes back. */
class Campaign {
	readonly figures: Figures = {};
	/** How many breaches of each invariant. */
	readonly violations: Figures = {};
	done = 0;
	lost = 0;
	peakMemory = 0;
	private next: number;

	constructor(private readonly wanted: Wanted) {
		this.next = wanted.from;
	}

	take(): Order | undefined {
		const { from, runs, seed, jobs } = this.wanted;
		const left = from + runs - this.next;
		if (left <= 0) return undefined;
		const share = Math.min(left, MOST_SHARED, Math.ceil(runs / jobs));
		const order = { seed, from: this.next, runs: share, isVerbose: runs === 1 };
		this.next += share;
		return order;
	}

	onNews(news: News): void {
		switch (news.kind) {
			case 'done':
				this.done++;
				for (const [name, count] of Object.entries(news.figures)) {
					this.figures[name] = (this.figures[name] ?? 0) + count;
				}
				for (const breach of news.breaches) this.note([news.number], breach);
				if (news.observed) say(news.observed);
				break;
			case 'breach':
				this.note(news.numbers, news.breach);
				break;
			case 'finished':
				this.peakMemory = Math.max(this.peakMemory, news.peakMemory);
				break;
			default:
		}
	}

	/** Shows the first ones of each kind, each with the command that runs its case again. */
	private note(numbers: number[], breach: Breach): void {
		const { invariant, text } = breach;
		const count = (this.violations[invariant] = (this.violations[invariant] ?? 0) + 1);
		if (count > MOST_SHOWN) return;
		say(`\n${invariant}: ${text.slice(0, LONGEST_SHOWN)}`);
		for (const number of numbers.slice(0, MOST_NUMBERS)) {
			say(`  npm run campaign -- --seed ${this.wanted.seed} --from ${number} --runs 1`);
		}
	}

	onFreeze(numbers: number[], left: number): void {
		this.lost += left;
		const text = `a process said nothing for ${SILENCE / 1000} s and was ended`;
		this.note(numbers, { invariant: 'never stands still', text });
	}
}

interface Surroundings {
	folder: string;
	tls: Tls;
}

/** One process after the other, as a frozen one has to be replaced. */
async function work(campaign: Campaign, surroundings: Surroundings): Promise<void> {
	for (let order = campaign.take(); order; order = campaign.take()) {
		await workUntilFrozen(order, campaign, surroundings);
	}
}

async function workUntilFrozen(
	first: Order,
	campaign: Campaign,
	{ folder, tls }: Surroundings,
): Promise<void> {
	const child = spawn(process.execPath, [join(__dirname, 'worker.js')], {
		stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
		env: {
			...process.env,
			TMPDIR: folder,
			CAMPAIGN_TLS: JSON.stringify(tls),
			NODE_EXTRA_CA_CERTS: join(folder, 'certificate.pem'),
		},
	});
	let order: Order | undefined = first;
	let left = first.runs;
	const underWay = new Set<number>();
	let silence: NodeJS.Timeout | undefined;
	const listen = () => {
		clearTimeout(silence);
		silence = setTimeout(() => {
			campaign.onFreeze([...underWay], left);
			child.kill('SIGKILL');
		}, SILENCE);
	};
	listen();
	child.on('message', (news: News) => {
		listen();
		campaign.onNews(news);
		if (news.kind === 'begun') underWay.add(news.number);
		if (news.kind === 'done') {
			left--;
			underWay.delete(news.number);
		}
		if (news.kind === 'ready') child.send(first);
		if (news.kind !== 'finished') return;
		order = campaign.take();
		left = order?.runs ?? 0;
		if (order) child.send(order);
		else child.disconnect();
	});
	const code = await ended(child);
	clearTimeout(silence);
	if (code !== 0 && code !== null) throw new Error(`A process of the campaign ended with ${code}`);
}

async function ended(child: ChildProcess): Promise<number | null> {
	return await new Promise((resolve, reject) => {
		child.once('error', reject);
		child.once('exit', resolve);
	});
}

function report({ figures, violations, done, lost, peakMemory }: Campaign, seconds: number): void {
	const rows: Array<[string, string]> = [
		['cases', String(done)],
		...(lost > 0 ? [['cases lost', String(lost)] as [string, string]] : []),
		...Object.entries(figures)
			.sort(([a], [b]) => a.localeCompare(b))
			.map(([name, count]): [string, string] => [name, String(count)]),
		['seconds', seconds.toFixed(0)],
		['cases per second', (done / seconds).toFixed(1)],
		['peak memory of a process', `${Math.round(peakMemory / 1e6)} MB`],
	];
	const widest = Math.max(...rows.map(([name]) => name.length));
	say(rows.map(([name, value]) => `${name.padEnd(widest)}  ${value.padStart(9)}`).join('\n'));

	const broken = Object.entries(violations);
	say(broken.length === 0 ? '\nNo violations' : '\nViolations');
	for (const [name, count] of broken) say(`  ${name}: ${count}`);
}

async function main(): Promise<void> {
	const options = wanted();
	const folder = mkdtempSync(join(tmpdir(), 'workchat-campaign-'));
	const tls = selfSigned();
	writeFileSync(join(folder, 'certificate.pem'), tls.cert);
	const campaign = new Campaign(options);
	const startedAt = performance.now();
	const seconds = () => (performance.now() - startedAt) / 1000;
	const progress = setInterval(() => {
		const { done, violations } = campaign;
		const count = Object.values(violations).reduce((sum, number) => sum + number, 0);
		process.stderr.write(
			`\r${done} of ${options.runs} cases, ${count} violations, ${(done / seconds()).toFixed(1)} cases/s `,
		);
	}, 1000);
	// Ctrl-C also tells what was seen until then.
	process.once('SIGINT', () => {
		report(campaign, seconds());
		rmSync(folder, { recursive: true, force: true });
		process.exit(130);
	});
	try {
		const workers = Array.from({ length: options.jobs }, () => work(campaign, { folder, tls }));
		await Promise.all(workers);
	} finally {
		clearInterval(progress);
		process.stderr.write('\n');
		rmSync(folder, { recursive: true, force: true });
	}
	report(campaign, seconds());
	process.exitCode = Object.keys(campaign.violations).length > 0 || campaign.lost > 0 ? 1 : 0;
}

void main();
