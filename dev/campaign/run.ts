import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import spawn from 'cross-spawn';

import { selfSigned } from '../certificate';
import type { Breach } from './oracle/invariants';
import type { EngineName } from './plan';
import type { Figures, News, Order } from './worker';

/** `npm run campaign` and `npm run simulate`: many plans, in some processes, and what became of them. */

/** A process that says nothing for so long is frozen; milliseconds. */
const SILENCE = 60_000;
/** Of one kind. */
const MOST_SHOWN = 4;
const LONGEST_SHOWN = 1000;
const MOST_NUMBERS = 5;

const say = (text: string) => process.stdout.write(`${text}\n`);

interface Wanted {
	engine: EngineName;
	runs: number;
	seed: number;
	from: number;
	jobs: number;
}

function wanted(): Wanted {
	const text = { type: 'string' } as const;
	const options = { engine: text, runs: text, seed: text, from: text, jobs: text };
	const { values, positionals } = parseArgs({ options, allowPositionals: true });
	const number = (value: string | undefined, preset: number) => {
		const given = value === undefined ? preset : Number(value);
		if (!Number.isSafeInteger(given) || given < 0) throw new Error(`${value} is not a number`);
		return given;
	};
	return {
		engine: values.engine === 'simulated' ? 'simulated' : 'real',
		runs: number(values.runs ?? positionals[0], 1000),
		seed: number(values.seed, 1),
		from: number(values.from ?? positionals[1], 0),
		jobs: Math.max(1, number(values.jobs, availableParallelism())),
	};
}

/** Adds up what comes back. */
class Campaign {
	private readonly figures: Figures = {};
	/** How many breaches of each kind: those that docs/delivery.md tells of, apart. */
	private readonly violations: Figures = {};
	private readonly excused: Figures = {};
	private readonly startedAt = performance.now();
	private done = 0;
	private lost = 0;
	private peakMemory = 0;

	constructor(private readonly wanted: Wanted) {}

	get isBroken(): boolean {
		return Object.keys(this.violations).length > 0 || this.lost > 0;
	}

	onNews(news: News): void {
		if (news.kind === 'done') {
			this.done++;
			for (const [name, count] of Object.entries(news.figures)) {
				this.figures[name] = (this.figures[name] ?? 0) + count;
			}
			for (const breach of news.breaches) this.note([news.number], breach);
			if (news.observed) say(news.observed);
		} else if (news.kind === 'breach') this.note(news.numbers, news.breach);
		else if (news.kind === 'finished') {
			this.peakMemory = Math.max(this.peakMemory, news.peakMemory);
		}
	}

	onFreeze(numbers: number[]): void {
		this.lost += numbers.length;
		const text = `a process said nothing for ${SILENCE / 1000} s and was ended`;
		this.note(numbers, { invariant: 'never stands still', text });
	}

	progress(): string {
		const count = Object.values(this.violations).reduce((sum, number) => sum + number, 0);
		const rate = (this.done / this.seconds).toFixed(1);
		return `\r${this.done} of ${this.wanted.runs} plans, ${count} violations, ${rate} plans/s `;
	}

	report(): void {
		const rows = Object.entries({
			plans: this.done,
			...(this.lost > 0 && { 'plans lost': this.lost }),
			...Object.fromEntries(Object.entries(this.figures).sort()),
			seconds: this.seconds.toFixed(0),
			'plans per second': (this.done / this.seconds).toFixed(1),
			'peak memory of a process': `${Math.round(this.peakMemory / 1e6)} MB`,
		});
		const widest = Math.max(...rows.map(([name]) => name.length));
		for (const [name, value] of rows) say(`${name.padEnd(widest)}  ${String(value).padStart(9)}`);
		const list = (title: string, counts: Figures) => {
			say(`\n${title}`);
			for (const [name, count] of Object.entries(counts)) say(`  ${name}: ${count}`);
		};
		if (Object.keys(this.excused).length > 0) list('As docs/delivery.md tells', this.excused);
		list(this.isBroken ? 'Violations' : 'No violations', this.violations);
	}

	private get seconds(): number {
		return (performance.now() - this.startedAt) / 1000;
	}

	/** Shows the first ones of each kind, each with the command that runs its plan again. */
	private note(numbers: number[], { invariant, text, excuse }: Breach): void {
		const counts = excuse ? this.excused : this.violations;
		const name = excuse ? `${invariant}, ${excuse}` : invariant;
		const count = (counts[name] = (counts[name] ?? 0) + 1);
		if (count > MOST_SHOWN || excuse) return;
		say(`\n${invariant}: ${text.slice(0, LONGEST_SHOWN)}`);
		const { engine, seed } = this.wanted;
		const script = engine === 'real' ? 'campaign' : 'simulate';
		for (const number of numbers.slice(0, MOST_NUMBERS)) {
			say(`  npm run ${script} -- --seed ${seed} --from ${number} --runs 1`);
		}
	}
}

/** @returns the number to go on from, as a frozen process is ended */
async function work(order: Order, campaign: Campaign, folder: string): Promise<number> {
	const child = spawn(process.execPath, [join(__dirname, 'worker.js')], {
		stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
		env: {
			...process.env,
			TMPDIR: folder,
			NODE_EXTRA_CA_CERTS: join(folder, 'certificate.pem'),
		},
	});
	let next = order.from;
	const underWay = new Set<number>();
	let silence: NodeJS.Timeout | undefined;
	const listen = () => {
		clearTimeout(silence);
		silence = setTimeout(() => {
			campaign.onFreeze([...underWay]);
			child.kill('SIGKILL');
		}, SILENCE);
	};
	child.on('message', (news: News) => {
		listen();
		campaign.onNews(news);
		if (news.kind === 'begun') underWay.add(news.number);
		if (news.kind === 'begun') next = news.number + 1;
		if (news.kind === 'done') underWay.delete(news.number);
		if (news.kind === 'finished') child.disconnect();
	});
	listen();
	child.send(order);
	const [code] = (await once(child, 'exit')) as [number | null];
	clearTimeout(silence);
	if (code !== 0 && code !== null) throw new Error(`A process of the campaign ended with ${code}`);
	return next;
}

async function main(): Promise<void> {
	const options = wanted();
	const { engine, seed, runs, jobs } = options;
	const folder = mkdtempSync(join(tmpdir(), 'workchat-campaign-'));
	const tls = selfSigned();
	writeFileSync(join(folder, 'certificate.pem'), tls.cert);
	const campaign = new Campaign(options);
	const progress = setInterval(() => process.stderr.write(campaign.progress()), 1000);
	// Ctrl-C also tells what was seen until then.
	process.once('SIGINT', () => {
		campaign.report();
		rmSync(folder, { recursive: true, force: true });
		process.exit(130);
	});
	const share = async (job: number) => {
		const end = (part: number) => options.from + Math.round((runs * part) / jobs);
		const until = end(job + 1);
		for (let from = end(job); from < until; ) {
			const order = { engine, seed, from, until, isVerbose: runs === 1, tls };
			from = await work(order, campaign, folder);
		}
	};
	try {
		await Promise.all(Array.from({ length: jobs }, async (_, job) => await share(job)));
	} finally {
		clearInterval(progress);
		process.stderr.write('\n');
		rmSync(folder, { recursive: true, force: true });
	}
	campaign.report();
	process.exitCode = campaign.isBroken ? 1 : 0;
}

void main();
