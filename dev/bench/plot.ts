import { NAMES } from './work';
import type { Summary } from './report';

const WIDTH = 760;
const LABEL = 250;
const BAR = 22;
const GAP = 6;
const HEAD = 34;
/** For the number beside a bar. */
const NUMBER = 200;

/** How fast 1,000 messages are sent, as bars. */
export function plotOf(summaries: Summary[]): string {
	const panels = [0, 50].map((latency) =>
		summaries.filter(({ work }) => work.kind === 'send' && work.latency === latency),
	);
	let y = 0;
	const parts = panels.map((panel, index) => {
		const top = y;
		const most = Math.max(...panel.map(({ figures }) => figures.rate.median));
		const rows = panel
			.toSorted((a, b) => b.figures.rate.median - a.figures.rate.median)
			.map((summary, row) => barOf(summary, top + HEAD + row * (BAR + GAP), most));
		y += HEAD + panel.length * (BAR + GAP) + 10;
		const title = `1,000 messages to a service that takes ${[0, 50][index]} ms: messages per second`;
		return [`<text class="title" x="0" y="${top + 20}">${title}</text>`, ...rows].join('\n');
	});
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" width="${WIDTH}" height="${y}" role="img">
<style>
text { font: 13px sans-serif; fill: #24292f; }
.title { font-weight: bold; }
.workchat { fill: #07a35a; }
.httpRequest { fill: #8b7cc8; }
.axios { fill: #9aa4ad; }
@media (prefers-color-scheme: dark) { text { fill: #d0d7de; } }
</style>
${parts.join('\n')}
</svg>
`;
}

function barOf({ contender, work, figures }: Summary, y: number, most: number): string {
	const { rate, mostInFlight, connections } = figures;
	const length = Math.max(1, (rate.median / most) * (WIDTH - LABEL - NUMBER));
	const isBatched = 'batchSize' in work;
	const mode = work.concurrency ? `, ${work.concurrency} at once` : isBatched ? ', batches' : '';
	const beside = `${rate.median.toFixed(0)}  (${mostInFlight.median} in flight, ${connections.median} conn.)`;
	const baseline = y + BAR - 6;
	return [
		`<text x="${LABEL - 8}" y="${baseline}" text-anchor="end">${NAMES[contender]}${mode}</text>`,
		`<rect class="${contender}" x="${LABEL}" y="${y}" width="${length.toFixed(1)}" height="${BAR}"/>`,
		`<text x="${(LABEL + length + 6).toFixed(1)}" y="${baseline}">${beside}</text>`,
	].join('\n');
}
