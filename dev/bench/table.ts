import { MAPPINGS, NODES, type Contender, type Mapping } from './contenders';

/** Messages per second, of all rounds. */
export type Result = Contender & Record<'median' | 'least' | 'most', number>;

/** What was measured, and how: it is kept in a file. */
export interface Results {
	/** ISO 8601. */
	date: string;
	machine: string;
	versions: Record<'package' | 'n8n' | 'node', string>;
	rows: number;
	/** Milliseconds that the service took for each message. */
	serviceTime: number;
	/** Of all but HTTP Request, which has no such limit. */
	concurrency: number;
	rounds: number;
	results: Result[];
}

export function rateOf(rates: number[]): Omit<Result, keyof Contender> {
	const sorted = rates.map(Math.round).toSorted((a, b) => a - b);
	const at = (place: number) => sorted.at(place) ?? NaN;
	return { median: at(Math.floor(sorted.length / 2)), least: at(0), most: at(-1) };
}

/** Stands above the figures. */
export function titleOf({ rows, serviceTime, concurrency }: Results): string {
	return `Messages per second (${rows.toLocaleString('en')} rows, the service takes ${serviceTime} ms, Max Concurrency ${concurrency})`;
}

/** In Markdown, as docs/speed.md has it. */
export function tableOf(measured: Results): string {
	const { date, machine, versions, rounds, results } = measured;
	const nodes = Object.keys(NODES) as Array<Contender['node']>;
	const cell = (node: Contender['node'], mapping: Mapping) => {
		const result = results.find((each) => each.node === node && each.mapping === mapping);
		return result ? `${result.median} (${result.least}–${result.most})` : '–';
	};
	const rows = Object.entries(MAPPINGS).map(([mapping, name]) => [
		name,
		...nodes.map((node) => cell(node, mapping as Mapping)),
	]);
	const lines = [
		['Filled in', ...Object.values(NODES)],
		['---', ...nodes.map(() => '---')],
		...rows,
	];
	return [
		`${titleOf(measured)}.\n`,
		...lines.map((cells) => `| ${cells.join(' | ')} |`),
		`\n_Median (least–most) of ${rounds} rounds, ${date}, ${machine}: version ${versions.package} in n8n ${versions.n8n} on Node.js ${versions.node}._`,
	].join('\n');
}
