import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import spawn from 'cross-spawn';

import { selfSigned } from '../certificate';
import type { Breach } from './oracle/invariants';
import type { EngineName } from './plan';
import { count, type Figures } from './figures';
import type { News, Order } from './worker';

/** `npm run campaign` and `npm run simulate`: many plans, in some processes, and what became of them. */

/** A process that says nothing for so long is frozen; milliseconds. */
const SILENCE = 60_000;
/** Of one kind. */
const MOST_SHOWN = 4;
const LONGEST_SHOWN = 1000;
const MOST_NUMBERS = 5;

const say = (text: string) => process.stdout.write(`${text}\n`);

/** As numbers: the first two also without their names. */
function wantedPlans() {
	const text = { type: 'string' } as const;
	const options = { engine: text, runs: text, seed: text, from: text, jobs: text };
	const { values, positionals } = parseArgs({ options, allowPositionals: true });
	const number = (value: string | undefined, preset: number) => {
		const given = Number(value ?? preset);
		if (!Number.isSafeInteger(given) || given < 0) throw new Error(`${value} is not a number`);
		return given;
	};
	return {
		engine: (values.engine === 'simulated' ? 'simulated' : 'real') as EngineName,
		runs: number(values.runs ?? positionals[0], 1000),
		from: number(values.from ?? positionals[1], 0),
		seed: number(values.seed, 1),
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
	private peakMemory = 0;

	constructor(private readonly wanted: ReturnType<typeof wantedPlans>) {}

	get isBroken(): boolean {
		return Object.keys(this.violations).length > 0;
	}

	onNews(news: News): void {
		if (news.kind === 'breach') this.note(news.numbers, news.breach);
		if (news.kind === 'finished') this.peakMemory = Math.max(this.peakMemory, news.peakMemory);
		if (news.kind !== 'done') return;
		this.done++;
		for (const [name, times] of Object.entries(news.figures)) count(this.figures, name, times);
		for (const breach of news.breaches) this.note([news.number], breach);
		if (news.observed) say(news.observed);
	}

	progress(): string {
		const violations = Object.values(this.violations).reduce((sum, number) => sum + number, 0);
		const rate = (this.done / this.seconds).toFixed(1);
		return `\r${this.done} of ${this.wanted.runs} plans, ${violations} violations, ${rate} plans/s `;
	}

	report(): void {
		const rows = Object.entries({
			plans: this.done,
			...Object.fromEntries(Object.entries(this.figures).sort()),
			seconds: this.seconds.toFixed(0),
			'plans per second': (this.done / this.seconds).toFixed(1),
			'peak memory of a process': `${Math.round(this.peakMemory / 1e6)} MB`,
		});
		const widest = Math.max(...rows.map(([name]) => name.length));
		for (const [name, value] of rows) say(`${name.padEnd(widest)}  ${String(value).padStart(9)}`);
		const list = (title: string, counts: Figures) => {
			say(`\n${title}`);
			for (const [name, times] of Object.entries(counts)) say(`  ${name}: ${times}`);
		};
		if (Object.keys(this.excused).length > 0) list('As docs/delivery.md tells', this.excused);
		list(this.isBroken ? 'Violations' : 'No violations', this.violations);
	}

	private get seconds(): number {
		return (performance.now() - this.startedAt) / 1000;
	}

	/** Shows the first ones of each kind, each with the command that runs its plan again. */
	note(numbers: number[], { invariant, text, excuse }: Breach): void {
		const counts = excuse ? this.excused : this.violations;
		const name = excuse ? `${invariant}, ${excuse}` : invariant;
		if (count(counts, name) > MOST_SHOWN || excuse) return;
		say(`\n${invariant}: ${text.slice(0, LONGEST_SHOWN)}`);
		const { engine, seed } = this.wanted;
		const script = engine === 'real' ? 'campaign' : 'simulate';
		for (const number of numbers.slice(0, MOST_NUMBERS)) {
			say(`  npm run ${script} -- --seed ${seed} --from ${number} --runs 1`);
		}
	}
}

/** Resolves when the process has ended: one that is frozen is ended, and what it had left is not done. */
async function work(order: Order, campaign: Campaign, folder: string): Promise<void> {
	const child = spawn(process.execPath, [join(__dirname, 'worker.js')], {
		stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
		env: {
			...process.env,
			TMPDIR: folder,
			NODE_EXTRA_CA_CERTS: join(folder, 'certificate.pem'),
		},
	});
	const underWay = new Set<number>();
	const silence = setTimeout(() => {
		const text = `a process said nothing for ${SILENCE / 1000} s and was ended`;
		campaign.note([...underWay], { invariant: 'never stands still', text });
		child.kill('SIGKILL');
	}, SILENCE);
	child.on('message', (news: News) => {
		silence.refresh();
		campaign.onNews(news);
		if (news.kind === 'begun') underWay.add(news.number);
		if (news.kind === 'done') underWay.delete(news.number);
		if (news.kind === 'finished') child.disconnect();
	});
	child.send(order);
	const [code] = (await once(child, 'exit')) as [number | null];
	clearTimeout(silence);
	if (code !== 0 && code !== null) throw new Error(`A process of the campaign ended with ${code}`);
}

async function main(): Promise<void> {
	const options = wantedPlans();
	const { engine, seed, runs, jobs } = options;
	const folder = mkdtempSync(join(tmpdir(), 'workchat-campaign-'));
	const tls = selfSigned();
	writeFileSync(join(folder, 'certificate.pem'), tls.cert);
	const campaign = new Campaign(options);
	const progress = setInterval(() => process.stderr.write(campaign.progress()), 1000);
	process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
	// Ctrl-C also tells what was seen until then.
	process.once('SIGINT', () => {
		campaign.report();
		process.exit(130);
	});
	const share = async (job: number) => {
		const end = (part: number) => options.from + Math.round((runs * part) / jobs);
		const part = { from: end(job), until: end(job + 1) };
		await work({ engine, seed, ...part, isVerbose: runs === 1, tls }, campaign, folder);
	};
	await Promise.all(Array.from({ length: jobs }, async (_, job) => await share(job)));
	clearInterval(progress);
	process.stderr.write('\n');
	campaign.report();
	process.exitCode = campaign.isBroken ? 1 : 0;
}

void main();
