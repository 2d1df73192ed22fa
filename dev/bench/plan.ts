import { MAPPINGS, type ContenderName, type DownloadWork, type SendWork, type Work } from './work';

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
const GB = 1e9;

/** Each contender, as concurrently as it can be told: HTTP Request always starts all items at once. */
function send(work: Omit<SendWork, 'kind'>, contenders: ContenderName[]): Entry[] {
	return contenders.map((contender): Entry => {
		const ours: SendWork = { kind: 'send', ...work };
		if (contender !== 'httpRequest') return { contender, work: ours };
		return { contender, work: { ...ours, concurrency: undefined } };
	});
}

/** Messages that differ in their recipient only. */
function simple(items: number, latency: number): Entry[] {
	const work = { items, latency };
	return [
		...send(work, ['httpRequest']),
		// What a careful user sets against starting all at once.
		...send({ ...work, batchSize: 50 }, ['httpRequest']),
		...[50, 10, 1].flatMap((concurrency) => send({ ...work, concurrency }, ['workchat', 'axios'])),
		...send({ ...work, concurrency: 50 }, ['floor']),
		...send({ ...work, concurrency: 50, continues: true }, ['workchat']),
	];
}

/** A campaign, mapped in each way. HTTP Request knows no From Input Item. */
function campaign(work: Omit<SendWork, 'kind' | 'mapping'>, contenders: ContenderName[]): Entry[] {
	return MAPPINGS.flatMap((mapping) =>
		send(
			{ ...work, mapping },
			contenders.filter((name) => name !== 'httpRequest' || mapping !== 'input'),
		),
	);
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

const ALL: ContenderName[] = ['httpRequest', 'workchat', 'floor'];

/** Everything that docs/speed.md and README.md tell. */
export const PLAN: Section[] = [
	{
		name: 'Send',
		groups: [0, 50].map((latency) => simple(1000, latency)),
	},
	{
		name: 'Campaign',
		groups: [
			campaign({ items: 1000, latency: 0, concurrency: 10 }, ALL),
			campaign({ items: 3000, latency: 0, concurrency: 10 }, ALL),
			campaign({ items: 3000, latency: 50, concurrency: 50 }, ALL),
			campaign({ items: 3000, latency: 50, concurrency: 10 }, ['workchat']),
			// Where the service takes no time, concurrency should make no difference.
			[1, 50].flatMap((concurrency) =>
				send({ items: 3000, latency: 0, concurrency, mapping: 'input' }, ['workchat']),
			),
			// One at a time, the default: the service alone takes 50 s.
			send({ items: 1000, latency: 50, concurrency: 1, mapping: 'input' }, ['workchat']),
			[10, 50].flatMap((concurrency) =>
				send({ items: 3000, latency: 50, concurrency, mapping: 'input', hasKey: true }, [
					'workchat',
				]),
			),
		],
	},
	{
		name: 'Large campaign',
		groups: [campaign({ items: 10_000, latency: 0, concurrency: 10 }, ALL)],
	},
	{
		name: 'Line',
		groups: [20, 80].map((roundTrip) =>
			[1, 2, 3, 5, 10, 20].flatMap((concurrency) =>
				send({ items: 40 + 20 * concurrency, latency: 0, roundTrip, concurrency }, ['workchat']),
			),
		),
	},
	{
		name: 'Download',
		groups: [
			// First, as memory that larger works leave behind would hide what it takes. Not as base64:
			// that is more text than Node.js can hold.
			...(['link', 'body'] as const).map((as) => download(as, 1, GB, 1)),
			...(['link', 'body'] as const).map((as) => download(as, 1, 10 * GB, 1).slice(1, 2)),
			...(['link', 'body', 'base64'] as const).map((as) => download(as, 200, 100 * KB, 4)),
			...(['link', 'body', 'base64'] as const).map((as) => download(as, 20, 50 * MB, 20)),
			// Its envelope is 40 MB of JSON.
			download('base64', 1, 30 * MB, 1),
		],
	},
	{
		name: 'Growth',
		groups: [1000, 10_000, 50_000].map((items) => [
			// HTTP Request would take four minutes for 50,000.
			...send({ items, latency: 0 }, items <= 10_000 ? ['httpRequest'] : []),
			...send({ items, latency: 0, concurrency: 10 }, ['workchat', 'floor', 'axios']),
		]),
	},
];
