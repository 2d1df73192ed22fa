import { MAPPINGS, NODES } from './contenders';
import { titleOf, type Result, type Results } from './table';

const WIDTH = 760;
const LABEL = 230;
const BAR = 22;
const GAP = 6;
const HEAD = 34;
/** For the number beside a bar. */
const NUMBER = 60;

/** The table as bars in SVG, the fastest first. */
export function plotOf(measured: Results): string {
	const sorted = measured.results.toSorted((a, b) => b.median - a.median);
	const height = HEAD + sorted.length * (BAR + GAP);
	const most = sorted[0]?.median ?? 1;
	const bars = sorted.map((result, row) => barOf(result, HEAD + row * (BAR + GAP), most));
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
<style>
text { font: 13px sans-serif; fill: #24292f; }
.title { font-weight: bold; }
.workchat { fill: #07a35a; }
.httpRequest { fill: #8b7cc8; }
.smallest { fill: #9aa4ad; }
@media (prefers-color-scheme: dark) { text { fill: #d0d7de; } }
</style>
<text class="title" x="0" y="20">${titleOf(measured)}</text>
${bars.join('\n')}
</svg>
`;
}

function barOf({ node, mapping, median }: Result, y: number, most: number): string {
	const length = Math.max(1, (median / most) * (WIDTH - LABEL - NUMBER));
	const baseline = y + BAR - 6;
	return [
		`<text x="${LABEL - 8}" y="${baseline}" text-anchor="end">${NODES[node]}, ${MAPPINGS[mapping]}</text>`,
		`<rect class="${node}" x="${LABEL}" y="${y}" width="${length.toFixed(1)}" height="${BAR}"/>`,
		`<text x="${(LABEL + length + 6).toFixed(1)}" y="${baseline}">${median}</text>`,
	].join('\n');
}
