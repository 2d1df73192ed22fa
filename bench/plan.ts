import type { ContenderName, DownloadWork, Work } from './work';

/** Who does what. */
export interface Entry {
	contender: ContenderName;
	work: Work;
}

/** What is shown together, under one heading. */
export interface Section {
	name: string;
	entries: Entry[];
}

const KB = 1e3;
const MB = 1e6;

/** HTTP Request has one entry, as it starts all items at once and cannot be told otherwise. */
function send(items: number, latency: number, concurrencies: number[]): Entry[] {
	const work = { kind: 'send', items, latency } as const;
	return [
		{ contender: 'httpRequest', work: { ...work, concurrency: items } },
		...concurrencies.flatMap((concurrency): Entry[] => [
			{ contender: 'workchat', work: { ...work, concurrency } },
			{ contender: 'axios', work: { ...work, concurrency } },
		]),
	];
}

function download(
	as: DownloadWork['as'],
	items: number,
	bytes: number,
	concurrency: number,
): Entry[] {
	const work = { kind: 'download', as, items, bytes, concurrency } as const;
	return [
		{ contender: 'httpRequest', work: { ...work, concurrency: items } },
		{ contender: 'workchat', work },
		{ contender: 'axios', work },
	];
}

export const FULL: Section[] = [
	{ name: 'Send', entries: [0, 50].flatMap((latency) => send(1000, latency, [50, 10, 1])) },
	{
		name: 'Download',
		entries: [
			...(['link', 'body', 'base64'] as const).flatMap((as) => download(as, 200, 100 * KB, 4)),
			// Not as base64: that is more text than Node.js can hold.
			...(['link', 'body'] as const).flatMap((as) => download(as, 1, 1000 * MB, 1)),
			...(['link', 'body', 'base64'] as const).flatMap((as) => download(as, 20, 50 * MB, 20)),
		],
	},
	{ name: 'Growth', entries: [100, 1000, 10_000, 50_000].flatMap((items) => send(items, 0, [10])) },
];

/** Enough to see that everything works, and how the contenders compare. */
export const SHORT: Section[] = [
	{ name: 'Send', entries: [0, 50].flatMap((latency) => send(500, latency, [50])) },
	{
		name: 'Download',
		entries: [...download('link', 50, 100 * KB, 4), ...download('link', 1, 100 * MB, 1)],
	},
];
