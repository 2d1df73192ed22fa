import type { ContenderName, DownloadWork, SendWork, Work } from './work';

/** Who does what. */
export interface Entry {
	contender: ContenderName;
	work: Work;
}

/** What is shown together, under one heading, and has processes of its own. */
export interface Section {
	name: string;
	/** Entries of a group are compared: their order changes from round to round. */
	groups: Entry[][];
}

const KB = 1e3;
const MB = 1e6;

function send(items: number, latency: number, concurrencies: number[]): Entry[] {
	const work: SendWork = { kind: 'send', items, latency };
	return concurrencies.flatMap((concurrency): Entry[] => [
		{ contender: 'workchat', work: { ...work, concurrency } },
		{ contender: 'axios', work: { ...work, concurrency } },
	]);
}

/** HTTP Request starts all items at once; its Batching is what a careful user sets against that. */
function httpRequest(items: number, latency: number): Entry[] {
	const work: SendWork = { kind: 'send', items, latency };
	return [
		{ contender: 'httpRequest', work },
		{ contender: 'httpRequest', work: { ...work, batchSize: 50 } },
	];
}

function download(
	as: DownloadWork['as'],
	items: number,
	bytes: number,
	concurrency: number,
): Entry[] {
	const work: DownloadWork = { kind: 'download', as, items, bytes };
	return [
		{ contender: 'httpRequest', work },
		{ contender: 'workchat', work: { ...work, concurrency } },
		{ contender: 'axios', work: { ...work, concurrency } },
	];
}

export const FULL: Section[] = [
	{
		name: 'Send',
		groups: [0, 50].map((latency) => [
			...httpRequest(1000, latency),
			...send(1000, latency, [50, 10, 1]),
		]),
	},
	{
		name: 'Download',
		groups: [
			// First, as memory that larger works leave behind would hide what it takes. Not as base64:
			// that is more text than Node.js can hold.
			...(['link', 'body'] as const).map((as) => download(as, 1, 1000 * MB, 1)),
			...(['link', 'body', 'base64'] as const).map((as) => download(as, 200, 100 * KB, 4)),
			...(['link', 'body', 'base64'] as const).map((as) => download(as, 20, 50 * MB, 20)),
		],
	},
	{
		name: 'Growth',
		groups: [100, 1000, 10_000, 50_000].map((items) => [
			// HTTP Request would take four minutes for 50,000.
			...(items <= 10_000 ? httpRequest(items, 0).slice(0, 1) : []),
			...send(items, 0, [10]),
		]),
	},
];

/** Enough to see that everything works, and how the contenders compare. */
export const SHORT: Section[] = [
	{
		name: 'Short',
		groups: [
			...[0, 50].map((latency) => [
				...httpRequest(500, latency).slice(0, 1),
				...send(500, latency, [50]),
			]),
			download('link', 50, 100 * KB, 4),
			download('body', 1, 100 * MB, 1),
		],
	},
];

/** What has to be known to read the results. */
export const NOTES = [
	'Both nodes run in n8n processes of their own, with SQLite, encrypted credentials and files on disk, as "Execute workflow" runs them. Times are those of the node itself (of both nodes where HTTP Request needs a second one); "whole workflow" adds making the items and saving the execution, which stays on.',
	'Memory is the most resident memory while the node runs, beyond what the process had when the node began. Each section of each round starts new n8n processes; each measurement begins with a small warm-up.',
	'HTTP Request has no limit of requests in flight. Its Batching (50 items, then 1 ms) only pauses between starts.',
	'No file of 1 GB by base64: that is more text than Node.js can hold. No 50,000 messages by HTTP Request: that takes minutes and shows nothing more.',
];
