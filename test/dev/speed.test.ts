import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { judged } from '../../dev/bench/aims';
import { withTables, type Kept } from '../../dev/bench/document';
import { figuresOf } from '../../dev/bench/figures';
import { PLAN } from '../../dev/bench/plan';
import type { Work } from '../../dev/bench/work';
import { projectRoot } from '../../dev/projectRoot';

const read = (...path: string[]) => readFileSync(join(projectRoot, ...path), 'utf8');
const document = read('docs', 'speed.md') + read('dev', 'bench', 'README.md');
const RESULTS = ['dev', 'bench', 'results'];
const kept = readdirSync(join(projectRoot, ...RESULTS))
	.filter((name) => name.endsWith('.json'))
	.map((name) => JSON.parse(read(...RESULTS, name)) as Kept);

const work: Work = { kind: 'send', items: 100, latency: 0 };
const took = (seconds: number, standstill?: number) => ({ seconds, peakBytes: 1e6, standstill });

test('the tables of docs/speed.md and dev/bench/README.md are those of the results: `npm run bench -- --tables`', () => {
	expect(kept.length).toBeGreaterThan(0);
	expect(withTables(document, kept)).toBe(document);
});

test('a table without results stays as it is, and one that nobody knows is a mistake', () => {
	expect(withTables(document, [])).toBe(document);
	const unknown = '<!-- bench: nonsense -->\n<!-- end -->';
	expect(() => withTables(unknown, [])).toThrow('No table is named "nonsense"');
});

test('every cell and every aim has an entry in the plan', () => {
	const figures = figuresOf(work, [took(1, 20)]);
	const results = PLAN.flatMap(({ name, groups }) =>
		groups.flat().map((entry) => ({ section: name, ...entry, figures })),
	);
	const versions = { package: '1.2.3', n8n: '2.0.0', node: 'v24.0.0' };
	const whole = withTables(document, [{ date: '2026-01-01', rounds: 1, versions, results }]);
	const tables = [...whole.matchAll(/<!-- bench: (.+?) -->\n(.*?)<!-- end -->/gs)];
	for (const [, name, table = ''] of tables) {
		expect([name, table]).toEqual([name, expect.stringContaining('on 2026-01-01: version 1.2.3')]);
		const columns = table
			.trim()
			.split('\n')
			.map((line) => line.split('|').map((cell) => cell.trim()));
		for (const cells of columns.filter(({ length }) => length > 1).slice(2)) {
			const ours = columns[0]?.indexOf('Workchat') ?? -1;
			expect([name, cells, ours < 0 ? undefined : cells[ours]]).not.toEqual([name, cells, '–']);
		}
	}
	expect(tables).toHaveLength(9);
	expect(judged(results).filter((line) => /NaN/.test(line))).toEqual([]);
	expect(judged(results)).toHaveLength(26);
});

test.each([
	['one round', [took(2)], { median: 50, min: 50, max: 50 }],
	['two rounds', [took(2), took(1)], { median: 75, min: 50, max: 100 }],
	['three rounds', [took(2), took(1), took(4)], { median: 50, min: 25, max: 100 }],
])('the rate of %s', (_, samples, rate) => {
	expect(figuresOf(work, samples)).toEqual({ rate, megabytes: { median: 1, min: 1, max: 1 } });
});
