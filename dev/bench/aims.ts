import { find, type Figures, type Measured, type Wanted } from './figures';

/** A figure of our node, or how many times that of another one it is. */
interface Aim {
	of: Wanted;
	against?: Wanted;
	/** Unless told: `rate`. */
	figure?: keyof Figures;
	atLeast?: number;
	atMost?: number;
}

const HTTP_REQUEST: Wanted = { contender: 'httpRequest', concurrency: undefined };
const FLOOR: Wanted = { contender: 'floor' };
const AXIOS: Wanted = { contender: 'axios' };

const send = (latency: number): Wanted => ({
	section: 'Send',
	latency,
	concurrency: 50,
	continues: undefined,
});
const campaign = (mapping: Wanted['mapping'], items = 3000): Wanted => ({
	...{ section: 'Campaign', items, mapping },
	...{ latency: 0, concurrency: 10, hasKey: undefined },
});
const large = (mapping: Wanted['mapping']): Wanted => ({ section: 'Large campaign', mapping });
const BY_FIELDS: Wanted = { ...HTTP_REQUEST, mapping: 'fields' };
const ENVELOPE: Wanted = { section: 'Download', as: 'base64', bytes: 30e6 };
const growth = (items: number): Wanted => ({ section: 'Growth', items });

/** What the node is meant to reach. */
const AIMS: Aim[] = [
	...[0, 50].flatMap((latency): Aim[] => [
		{ of: send(latency), against: { ...HTTP_REQUEST, batchSize: undefined }, atLeast: 1.3 },
		{ of: send(latency), against: FLOOR, atLeast: 0.9 },
	]),
	{ of: send(0), against: AXIOS, atLeast: 0.35 },
	{ of: campaign('input'), against: BY_FIELDS, atLeast: 4 },
	{ of: campaign('json'), against: BY_FIELDS, atLeast: 2.75 },
	...(['fields', 'json', 'input'] as const).flatMap((mapping): Aim[] => [
		{ of: campaign(mapping), against: FLOOR, atLeast: 0.9 },
		{ of: campaign(mapping, 1000), against: FLOOR, atLeast: 0.85 },
	]),
	...(['fields', 'json'] as const).flatMap((mapping): Aim[] => [
		{ of: large(mapping), against: HTTP_REQUEST, atLeast: 1 },
		{ of: large(mapping), against: HTTP_REQUEST, figure: 'standstill', atMost: 1 },
	]),
	...(['link', 'body'] as const).flatMap((as): Aim[] => {
		const file: Wanted = { section: 'Download', as, items: 1, bytes: 1e9 };
		return [
			{ of: file, against: HTTP_REQUEST, atLeast: 0.95 },
			{ of: file, figure: 'megabytes', atMost: 160 },
			{ of: { ...file, bytes: 10e9 }, figure: 'megabytes', atMost: 64 },
		];
	}),
	{ of: ENVELOPE, against: HTTP_REQUEST, figure: 'standstill', atMost: 1 },
	{ of: growth(50_000), against: { contender: 'workchat', items: 1000 }, atLeast: 0.83 },
	// Most of it is garbage, of which Node.js 24 leaves much.
	{ of: growth(50_000), figure: 'megabytes', atMost: 1300 },
];

/** A line for each aim that can be judged by these results. */
export function judged(results: Measured[]): string[] {
	return AIMS.flatMap(
		({ of, against, figure = 'rate', atLeast = -Infinity, atMost = Infinity }) => {
			const medianOf = (wanted: Wanted) => find(results, wanted)?.figures[figure]?.median;
			const ours = medianOf({ contender: 'workchat', ...of });
			const theirs = against ? medianOf({ ...of, ...against }) : 1;
			if (ours === undefined || theirs === undefined) return [];
			const value = ours / theirs;
			const isMet = value >= atLeast && value <= atMost;
			const wanted = atMost < Infinity ? `at most ${atMost}` : `at least ${atLeast}`;
			const what = `${figure} of ${JSON.stringify(of)}${against ? ` against ${JSON.stringify(against)}` : ''}`;
			return `${isMet ? 'met' : 'MISSED'}: ${value.toFixed(2)}, ${wanted}: ${what}`;
		},
	);
}
