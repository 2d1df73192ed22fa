import type { Measured } from './figures';
import { MAPPING_NAMES, NAMES } from './work';

const WIDTH = 760;
const LABEL = 270;
const BAR = 22;
const GAP = 6;
const HEAD = 34;
/** For the number beside a bar. */
const NUMBER = 60;

/** What is shown: how long the service takes, in milliseconds, and how many messages at once. */
const PANELS = [
	{ latency: 0, concurrency: 10 },
	{ latency: 50, concurrency: 50 },
];

/** How fast a campaign of 3,000 messages is sent, as bars. */
export function plotOf(results: Measured[]): string {
	const panels = PANELS.map(({ latency, concurrency }) =>
		results.filter(
			({ work }) =>
				work.kind === 'send' &&
				work.items === 3000 &&
				work.latency === latency &&
				(work.concurrency ?? concurrency) === concurrency &&
				!work.hasKey,
		),
	);
	let y = 0;
	const parts = panels.map((panel, index) => {
		const top = y;
		const most = Math.max(...panel.map(({ figures }) => figures.rate.median));
		const rows = panel
			.toSorted((a, b) => b.figures.rate.median - a.figures.rate.median)
			.map((measured, row) => barOf(measured, top + HEAD + row * (BAR + GAP), most));
		y += HEAD + panel.length * (BAR + GAP) + 10;
		const { latency = 0, concurrency = 0 } = PANELS[index] ?? {};
		const service = `${latency === 0 ? 'answers at once' : `takes ${latency} ms`}, Max Concurrency ${concurrency}`;
		const title = `3,000 messages, ten differing fields, service ${service}: messages per second`;
		return [`<text class="title" x="0" y="${top + 20}">${title}</text>`, ...rows].join('\n');
	});
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" width="${WIDTH}" height="${y}" role="img">
<style>
text { font: 13px sans-serif; fill: #24292f; }
.title { font-weight: bold; }
.workchat { fill: #07a35a; }
.httpRequest { fill: #8b7cc8; }
.floor { fill: #9aa4ad; }
@media (prefers-color-scheme: dark) { text { fill: #d0d7de; } }
</style>
${parts.join('\n')}
</svg>
`;
}

function barOf({ contender, work, figures }: Measured, y: number, most: number): string {
	const { rate } = figures;
	const length = Math.max(1, (rate.median / most) * (WIDTH - LABEL - NUMBER));
	const mapping = work.kind === 'send' && work.mapping;
	const baseline = y + BAR - 6;
	return [
		`<text x="${LABEL - 8}" y="${baseline}" text-anchor="end">${NAMES[contender]}${mapping ? `, ${MAPPING_NAMES[mapping]}` : ''}</text>`,
		`<rect class="${contender}" x="${LABEL}" y="${y}" width="${length.toFixed(1)}" height="${BAR}"/>`,
		`<text x="${(LABEL + length + 6).toFixed(1)}" y="${baseline}">${rate.median.toFixed(0)}</text>`,
	].join('\n');
}
