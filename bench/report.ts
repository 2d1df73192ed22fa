import type { Entry } from './plan';
import type { Seen } from './sandbox';
import { NAMES, type Work } from './work';
import type { Measured } from './worker';

/** Everything known of one measurement. */
export interface Sample extends Measured, Omit<Seen, 'cpuSeconds'> {
	/** Of the sandbox: near `seconds`, the sandbox was what limited. */
	sandboxCpuSeconds: number;
}

interface Spread {
	median: number;
	min: number;
	max: number;
}

type Figures = Record<keyof ReturnType<typeof figuresOf>, Spread>;

export interface Summary extends Entry {
	figures: Figures;
}

/** What the rounds of an entry came to. */
export function summaryOf(entry: Entry, samples: Sample[]): Summary {
	const all = samples.map((sample) => figuresOf(entry.work, sample));
	const names = Object.keys(all[0] ?? {}) as Array<keyof Figures>;
	const spreads = names.map((name) => [name, spreadOf(all.map((figures) => figures[name]))]);
	return { ...entry, figures: Object.fromEntries(spreads) as Figures };
}

function figuresOf(work: Work, sample: Sample) {
	const { seconds, cpuSeconds, peakMemory, connections, mostInFlight, sandboxCpuSeconds } = sample;
	return {
		rate: work.kind === 'send' ? work.items / seconds : (work.items * work.bytes) / 1e6 / seconds,
		connections,
		mostInFlight,
		peakMegabytes: peakMemory / 1e6,
		cpuMillisecondsPerItem: (cpuSeconds * 1000) / work.items,
		sandboxBusyPercent: (sandboxCpuSeconds / seconds) * 100,
	};
}

function spreadOf(values: number[]): Spread {
	const sorted = values.toSorted((a, b) => a - b);
	const middle = (sorted.length - 1) / 2;
	const median = ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle)] ?? NaN)) / 2;
	return { median, min: sorted[0] ?? NaN, max: sorted.at(-1) ?? NaN };
}

const HEADS = ['Work', 'Contender', 'Items/s or MB/s', 'Connections', 'In flight', 'Memory, MB'];

/** A Markdown table: each figure's median, and its least and most where they differ. */
export function tableOf(summaries: Summary[]): string {
	const rows = summaries.map(({ work, contender, figures }) => [
		titleOf(work),
		NAMES[contender],
		shown(figures.rate),
		shown(figures.connections),
		shown(figures.mostInFlight),
		shown(figures.peakMegabytes),
		shown(figures.cpuMillisecondsPerItem, 2),
		shown(figures.sandboxBusyPercent),
	]);
	const heads = [...HEADS, 'CPU ms/item', 'Sandbox busy, %'];
	return [heads, heads.map(() => '---'), ...rows]
		.map((cells) => `| ${cells.join(' | ')} |`)
		.join('\n');
}

function titleOf(work: Work): string {
	const { items, concurrency } = work;
	return work.kind === 'send'
		? `${items} messages, ${work.latency} ms, ${concurrency} at once`
		: `${items} × ${work.bytes / 1e6} MB by ${work.as}, ${concurrency} at once`;
}

function shown({ median, min, max }: Spread, digits = 0): string {
	const [middle, least, most] = [median, min, max].map((value) => value.toFixed(digits));
	return least === most ? String(middle) : `${middle} (${least}–${most})`;
}
