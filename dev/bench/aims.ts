import type { Cold } from './cold';
import { rateOf, type SectionSummary, type Summary } from './report';
import type { ContenderName, DownloadWork, SendWork } from './work';

export interface Aim {
	aim: string;
	reached: string;
	isMet: boolean;
}

/** What the node is meant to reach in the works of a section, and whether it did. */
export function aimsOf({ name, entries }: SectionSummary): Aim[] {
	return AIMS[name]?.(new Results(entries)) ?? [];
}

export function coldAims({ tarballBytes, requireMilliseconds }: Cold): Aim[] {
	return [
		atMost('Size of the package in kB', tarballBytes / 1e3, 48),
		atMost('Loading nodes and credential in ms', requireMilliseconds.median, 10),
	];
}

type Wanted = Partial<SendWork> | Partial<DownloadWork>;

class Results {
	constructor(private readonly entries: Summary[]) {}

	of(contender: ContenderName, wanted: Wanted): Summary {
		const found = this.entries.find(
			({ contender: name, work }) =>
				name === contender &&
				Object.entries(wanted).every(([key, value]) => work[key as keyof typeof work] === value),
		);
		if (!found) throw new Error(`The plan lacks ${contender}: ${JSON.stringify(wanted)}`);
		return found;
	}

	/** How many times as fast as another one our node is. */
	times(other: ContenderName, wanted: Wanted, mapping?: SendWork['mapping']): number {
		const { work, figures } = this.of('workchat', wanted);
		return figures.rate.median / (rateOf(this.entries, other, work, mapping) ?? NaN);
	}

	/** How long n8n stands still because of our node, and of HTTP Request. */
	standstill(wanted: Wanted, theirs: Wanted = wanted): [number, number] {
		const ours = this.of('workchat', wanted).figures.standstill.median;
		return [ours, this.of('httpRequest', theirs).figures.standstill.median];
	}
}

const AIMS: Record<string, (results: Results) => Aim[]> = {
	Send: (results) => [
		...[0, 50].flatMap((latency) => {
			const wanted: Wanted = { latency, concurrency: 50, continues: undefined };
			return [
				atLeast(`${latency} ms: HTTP Request`, results.times('httpRequest', wanted), 2),
				atLeast(`${latency} ms: smallest node`, results.times('floor', wanted), 0.9),
			];
		}),
		atLeast(
			'50 ms, Continue: HTTP Request',
			results.times('httpRequest', { latency: 50, continues: true }),
			2,
		),
		atLeast('0 ms: bare axios', results.times('axios', { latency: 0, concurrency: 50 }), 0.5),
		atMost(
			'50 at once: in flight',
			results.of('workchat', { latency: 50, concurrency: 50 }).figures.mostInFlight.max,
			50,
		),
	],
	Campaign: (results) => {
		const base = { items: 3000, latency: 0, concurrency: 10, hasKey: undefined };
		const input: Wanted = { ...base, mapping: 'input' };
		const fields = { concurrency: 10, mapping: 'fields' } as const;
		return [
			atLeast('Item: HTTP Request with fields', results.times('httpRequest', input, 'fields'), 5),
			atLeast(
				'JSON: HTTP Request with fields',
				results.times('httpRequest', { ...base, mapping: 'json' }, 'fields'),
				3.5,
			),
			...[1000, 3000].map((items) =>
				atLeast(
					`${items} by fields: HTTP Request`,
					results.times('httpRequest', { ...fields, items, latency: 0 }),
					1,
				),
			),
			...(['fields', 'json', 'input'] as const).map((mapping) =>
				atLeast(`${mapping}: smallest node`, results.times('floor', { ...base, mapping }), 0.9),
			),
		];
	},
	'Large campaign': (results) =>
		(['fields', 'json'] as const).flatMap((mapping) => [
			atLeast(`${mapping}: HTTP Request`, results.times('httpRequest', { mapping }), 1),
			noLonger(`${mapping}: standstill`, results.standstill({ mapping })),
		]),
	Download: (results) => [
		...(['link', 'body'] as const).flatMap((as) => {
			const one: Wanted = { as, bytes: 1e9 };
			const memoryOf = (bytes: number) =>
				results.of('workchat', { as, bytes }).figures.peakMegabytes.median;
			return [
				atLeast(`1 GB by ${as}: HTTP Request`, results.times('httpRequest', one), 1),
				...[1, 10].map((gigabytes) =>
					atMost(`${gigabytes} GB by ${as}: memory in MB`, memoryOf(gigabytes * 1e9), 64),
				),
			];
		}),
		noLonger('Envelope of 40 MB: standstill', results.standstill({ as: 'base64', bytes: 30e6 })),
	],
	Growth: (results) => {
		const ours = (items: number) => results.of('workchat', { items }).figures;
		return [
			atMost(
				'50,000 items: time per item against 1,000',
				ours(50_000).millisecondsPerItem.median / ours(1000).millisecondsPerItem.median,
				1.2,
			),
			atMost('50,000 items: memory in MB', ours(50_000).peakMegabytes.median, 460),
			atMost(
				'50,000 items: memory against the smallest node',
				ours(50_000).peakMegabytes.median /
					results.of('floor', { items: 50_000 }).figures.peakMegabytes.median,
				1,
			),
		];
	},
};

function atLeast(aim: string, value: number, limit: number): Aim {
	return { aim, reached: `${value.toFixed(2)} (at least ${limit})`, isMet: value >= limit };
}

function atMost(aim: string, value: number, limit: number): Aim {
	return { aim, reached: `${value.toFixed(2)} (at most ${limit})`, isMet: value <= limit };
}

function noLonger(aim: string, [ours, theirs]: [number, number]): Aim {
	const reached = `${ours.toFixed(0)} ms (HTTP Request ${theirs.toFixed(0)} ms)`;
	return { aim, reached, isMet: ours <= theirs };
}
