import { isDeepStrictEqual } from 'node:util';

import type { Entry } from './plan';
import type { Sample } from './stage';
import { NAMES, type ContenderName, type Mapping, type Work } from './work';

export interface Spread {
	median: number;
	min: number;
	max: number;
}

type Figures = Record<keyof ReturnType<typeof figuresOf>, Spread>;

export interface Summary extends Entry {
	figures: Figures;
}

export interface SectionSummary {
	name: string;
	entries: Summary[];
}

/** What the rounds of an entry came to. */
export function summaryOf(entry: Entry, samples: Sample[]): Summary {
	const all = samples.map((sample) => figuresOf(entry.work, sample));
	const names = Object.keys(all[0] ?? {}) as Array<keyof Figures>;
	const spreads = names.map((name) => [name, spreadOf(all.map((figures) => figures[name]))]);
	return { ...entry, figures: Object.fromEntries(spreads) as Figures };
}

function figuresOf(work: Work, sample: Sample) {
	const { seconds, wholeSeconds = seconds, cpuSeconds, sandboxCpuSeconds } = sample;
	const amount = work.kind === 'send' ? work.items : (work.items * work.bytes) / 1e6;
	return {
		/** Items per second, or MB per second. */
		rate: amount / seconds,
		wholeSeconds,
		connections: sample.connections,
		mostInFlight: sample.mostInFlight,
		peakMegabytes: sample.peakBytes / 1e6,
		peakKilobytesPerItem: sample.peakBytes / 1e3 / work.items,
		millisecondsPerItem: (seconds * 1000) / work.items,
		cpuMillisecondsPerItem: (cpuSeconds * 1000) / work.items,
		standstill: sample.standstill ?? NaN,
		sandboxBusyPercent: (sandboxCpuSeconds / seconds) * 100,
	};
}

export function spreadOf(values: number[]): Spread {
	const sorted = values.toSorted((a, b) => a - b);
	const middle = (sorted.length - 1) / 2;
	const median = ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle)] ?? NaN)) / 2;
	return { median, min: sorted[0] ?? NaN, max: sorted.at(-1) ?? NaN };
}

/** Its columns: head, figure, decimal places. */
const COLUMNS: Array<[string, keyof Figures, number]> = [
	['items/s or MB/s', 'rate', 0],
	['Connections', 'connections', 0],
	['Most in flight', 'mostInFlight', 0],
	['Memory, MB', 'peakMegabytes', 0],
	['Memory, kB/item', 'peakKilobytesPerItem', 1],
	['ms/item', 'millisecondsPerItem', 2],
	['CPU ms/item', 'cpuMillisecondsPerItem', 2],
	['Longest standstill, ms', 'standstill', 0],
	['Whole workflow, s', 'wholeSeconds', 1],
	['Sandbox busy, %', 'sandboxBusyPercent', 0],
];

/** Each figure's median, and its least and most where they differ. */
export function tableOf(summaries: Summary[]): string {
	return markdown(
		['Work', 'Contender', ...COLUMNS.map(([head]) => head)],
		summaries.map(({ work, contender, figures }) => [
			titleOf(work),
			NAMES[contender],
			...COLUMNS.map(([, name, digits]) => shown(figures[name], digits)),
		]),
	);
}

/** How each contender's rate compares with others', which depends least on the machine. */
export function ratiosOf(summaries: Summary[]): string {
	const rows = summaries
		.filter(({ contender }) => contender === 'workchat' || contender === 'axios')
		.map(({ work, contender, figures }) => {
			const times = (other: ContenderName, mapping = mappingOf(work)) => {
				const rate = rateOf(summaries, other, work, mapping);
				return rate === undefined ? '–' : (figures.rate.median / rate).toFixed(2);
			};
			const inFlight = shown(figures.mostInFlight, 0);
			const byHand = mappingOf(work) ? times('httpRequest', 'fields') : '–';
			const json = times('httpRequest', mappingOf(work) && 'json');
			return [titleOf(work), NAMES[contender], json, byHand, times('floor'), inFlight];
		});
	const heads = [
		'Work',
		'Contender',
		'Times HTTP Request (JSON)',
		'… field by field',
		'Times smallest node',
	];
	return markdown([...heads, 'Most in flight'], rows);
}

const mappingOf = (work: Work) => (work.kind === 'send' ? work.mapping : undefined);

/** The rate with which another one did this, as many at once; of HTTP Request, the best one. */
export function rateOf(
	summaries: Summary[],
	contender: ContenderName,
	work: Work,
	mapping = mappingOf(work),
): number | undefined {
	const factsOf = (work: Work, mapping = mappingOf(work)) =>
		work.kind === 'send'
			? [work.items, work.latency, mapping, work.roundTrip]
			: [work.items, work.bytes, work.as];
	const wanted = factsOf(work, mapping);
	const rates = summaries
		.filter(
			(other) => other.contender === contender && isDeepStrictEqual(factsOf(other.work), wanted),
		)
		.filter(
			(other) => other.contender === 'httpRequest' || other.work.concurrency === work.concurrency,
		)
		.map(({ figures }) => figures.rate.median);
	return rates.length > 0 ? Math.max(...rates) : undefined;
}

export function markdown(heads: string[], rows: string[][]): string {
	const table = [heads, heads.map(() => '---'), ...rows];
	return table.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** In words. */
export const MAPPING_NAMES: Record<Mapping, string> = {
	fields: 'field by field',
	json: 'one JSON',
	input: 'From Input Item',
};

export function titleOf(work: Work): string {
	const { items, concurrency } = work;
	const atOnce = concurrency ? `${concurrency} at once` : 'no limit';
	if (work.kind === 'download') {
		return `${items} × ${work.bytes / 1e6} MB by ${work.as}, ${atOnce}`;
	}
	const pace = work.batchSize ? `batches of ${work.batchSize}` : atOnce;
	const { mapping, roundTrip, hasKey, continues } = work;
	return [
		`${items} messages`,
		...(mapping ? [MAPPING_NAMES[mapping]] : []),
		roundTrip ? `round trip ${roundTrip} ms` : `${work.latency} ms`,
		pace,
		...(hasKey ? ['Send Once Key'] : []),
		...(continues ? ['Continue'] : []),
	].join(', ');
}

function shown({ median, min, max }: Spread, digits = 0): string {
	if (Number.isNaN(median)) return '–';
	const [middle, least, most] = [median, min, max].map((value) => value.toFixed(digits));
	return least === most ? String(middle) : `${middle} (${least}–${most})`;
}
