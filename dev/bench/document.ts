import { find, type Figures, type Measured, type Spread, type Wanted } from './figures';
import { MAPPINGS, MAPPING_NAMES } from './work';

/** How the results of a section came about. */
export interface Circumstances {
	/** ISO 8601. */
	date: string;
	rounds: number;
	/** Of the package, of n8n and of Node.js. */
	versions: Record<'package' | 'n8n' | 'node', string>;
}

/** A section's results, as they are kept. */
export interface Kept extends Circumstances {
	results: Measured[];
}

/** A table of docs/speed.md or README.md: what a row and a column want together is found in a cell. */
interface Table {
	section: string;
	/** Heads of the first columns, which say what a row is about. */
	heads: string[];
	columns: Array<[head: string, wanted: Wanted]>;
	rows: Array<[about: string[], wanted: Wanted]>;
	/** What the figures of a cell are compared with. */
	against?: Wanted;
	/** What a cell shows. */
	cell: (figures: Figures, others: Figures) => string;
}

const WORKCHAT: [string, Wanted] = ['Workchat', { contender: 'workchat' }];
/** It has no limit of requests in flight. */
const HTTP_REQUEST: [string, Wanted] = [
	'HTTP Request',
	{ contender: 'httpRequest', concurrency: undefined, batchSize: undefined },
];
const FLOOR: [string, Wanted] = ['smallest node', { contender: 'floor' }];
const AXIOS: [string, Wanted] = ['axios', { contender: 'axios' }];

const perSecond = ({ rate }: Figures) => shown(rate);
const milliseconds = ({ standstill }: Figures) => `${shown(standstill)} ms`;
const withMemory =
	(unit: string) =>
	({ rate, megabytes }: Figures) =>
		`${shown(rate)}${unit}, ${shown(megabytes)} MB`;

/** Each way of filling in the fields. */
const mapped = (about: string[], wanted: Wanted): Table['rows'] =>
	MAPPINGS.map((mapping) => [[MAPPING_NAMES[mapping], ...about], { ...wanted, mapping }]);
const atOnce = { latency: 0, concurrency: 10, hasKey: undefined };
const file = (as: Wanted['as'], items: number, bytes: number): Wanted => ({ as, items, bytes });

/** By their names in the documents. */
const TABLES: Record<string, Table> = {
	campaign: {
		section: 'Campaign',
		heads: ['Filled in', 'The service …'],
		columns: [WORKCHAT, HTTP_REQUEST, FLOOR],
		rows: [
			...mapped(['answers at once'], { ...atOnce, items: 3000 }),
			...mapped(['takes 50 ms, 50 at once'], { items: 3000, latency: 50, concurrency: 50 }),
			...mapped(['takes 50 ms, 10 at once'], { ...atOnce, items: 3000, latency: 50 }),
			...[50, 10].map((concurrency): Table['rows'][number] => [
				['From Input Item', `takes 50 ms, ${concurrency} at once, with a Send Once Key`],
				{ items: 3000, latency: 50, concurrency, hasKey: true },
			]),
			[
				['From Input Item', 'takes 50 ms, one at a time'],
				{ mapping: 'input', latency: 50, concurrency: 1 },
			],
		],
		cell: perSecond,
	},
	'first thousand': {
		section: 'Campaign',
		heads: ['Filled in'],
		columns: [WORKCHAT, HTTP_REQUEST, FLOOR],
		rows: mapped([], { ...atOnce, items: 1000 }),
		cell: perSecond,
	},
	compared: {
		section: 'Campaign',
		heads: ['Filled in'],
		columns: [1000, 3000].map((items) => [`${items.toLocaleString('en')} messages`, { items }]),
		rows: mapped([], { ...atOnce, contender: 'workchat' }),
		against: { ...HTTP_REQUEST[1], mapping: 'fields' },
		cell: ({ rate }, others) => (rate.median / others.rate.median).toFixed(1),
	},
	line: {
		section: 'Line',
		heads: ['Max Concurrency'],
		columns: [1, 2, 3, 5, 10, 20].map((concurrency) => [String(concurrency), { concurrency }]),
		rows: [
			[['20 ms, the same region'], { roundTrip: 20 }],
			[['80 ms, another continent'], { roundTrip: 80 }],
		],
		cell: perSecond,
	},
	growth: {
		section: 'Growth',
		heads: ['Messages'],
		columns: [WORKCHAT, HTTP_REQUEST, FLOOR, AXIOS],
		rows: [1000, 10_000, 50_000].map((items) => [[items.toLocaleString('en')], { items }]),
		cell: withMemory('/s'),
	},
	'large campaign': {
		section: 'Large campaign',
		heads: ['Filled in'],
		columns: [WORKCHAT, HTTP_REQUEST, FLOOR],
		rows: mapped([], {}),
		cell: withMemory('/s'),
	},
	standstill: {
		section: 'Large campaign',
		heads: ['Work'],
		columns: [WORKCHAT, HTTP_REQUEST, FLOOR],
		rows: [
			[['10,000 messages, field by field'], { mapping: 'fields' }],
			[
				['3,000 messages, field by field'],
				{ ...atOnce, section: 'Campaign', items: 3000, mapping: 'fields' },
			],
			[['An envelope of 40 MB'], { section: 'Download', ...file('base64', 1, 30e6) }],
		],
		cell: milliseconds,
	},
	files: {
		section: 'Download',
		heads: ['Work'],
		columns: [WORKCHAT, HTTP_REQUEST, AXIOS],
		rows: [
			[['200 files of 100 kB behind links, 4 at once'], file('link', 200, 1e5)],
			[['One file of 1 GB behind a link'], file('link', 1, 1e9)],
			[["One file of 1 GB as the response's body"], file('body', 1, 1e9)],
			[['One file of 10 GB behind a link'], file('link', 1, 10e9)],
			[["One file of 10 GB as the response's body"], file('body', 1, 10e9)],
			[['20 files of 50 MB in base64, 20 at once'], file('base64', 20, 5e7)],
		],
		cell: withMemory(' MB/s'),
	},
	'one field': {
		section: 'Send',
		heads: ['The service …'],
		columns: [
			WORKCHAT,
			['with Continue', { contender: 'workchat', continues: true }],
			HTTP_REQUEST,
			FLOOR,
			AXIOS,
		],
		rows: [
			[['answers at once, 50 at once'], { latency: 0, concurrency: 50 }],
			...[50, 10, 1].map((concurrency): Table['rows'][number] => [
				[`takes 50 ms, ${concurrency} at once`],
				{ latency: 50, concurrency },
			]),
		],
		cell: perSecond,
	},
};

/** Every table of these results. */
export function tablesOf(kept: Kept[]): string[] {
	return Object.keys(TABLES).flatMap((name) => tableOf(name, kept) ?? []);
}

/** The document with the tables of these results, and as it was where there are none. */
export function withTables(document: string, kept: Kept[]): string {
	return document.replace(
		/(<!-- bench: (.+?) -->\n).*?(<!-- end -->)/gs,
		(block, begin: string, name: string, end: string) => {
			const table = tableOf(name, kept);
			return table === undefined ? block : `${begin}\n${table}\n\n${end}`;
		},
	);
}

function tableOf(name: string, kept: Kept[]): string | undefined {
	const table = TABLES[name];
	if (!table)
		throw new Error(`No table is named "${name}": there is ${Object.keys(TABLES).join(', ')}`);
	const { section, heads, columns, rows, against, cell } = table;
	const results = kept.flatMap((one) => one.results);
	const how = kept.find((one) => one.results.some((result) => result.section === section));
	if (!how) return undefined;
	const cells = rows.map(([about, wanted]) => [
		...about,
		...columns.map(([, more]) => {
			const all: Wanted = { section, continues: undefined, ...wanted, ...more };
			const measured = find(results, all);
			const other = find(results, { ...all, ...against });
			return measured && other ? cell(measured.figures, other.figures) : '–';
		}),
	]);
	return `${markdown([...heads, ...columns.map(([head]) => head)], cells)}\n\n${captionOf(how)}`;
}

function captionOf({ date, rounds, versions }: Circumstances): string {
	const what = rounds === 1 ? 'One round' : `Medians of ${rounds} rounds, with least and most`;
	const { package: own, n8n, node } = versions;
	return `_${what}, on ${date}: version ${own} in n8n ${n8n} on Node.js ${node.replace('v', '')}._`;
}

/** As wide as Prettier makes it. */
function markdown(heads: string[], rows: string[][]): string {
	const widths = heads.map((_, column) =>
		Math.max(3, ...[heads, ...rows].map((cells) => cells[column]?.length ?? 0)),
	);
	const line = (cells: string[]) =>
		`| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
	return [line(heads), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join(
		'\n',
	);
}

function shown(spread: Spread | undefined): string {
	if (!spread) return '–';
	const [middle, least, most] = [spread.median, spread.min, spread.max].map((value) =>
		Math.round(value).toLocaleString('en'),
	);
	return least === most ? String(middle) : `${middle} (${least}–${most})`;
}
