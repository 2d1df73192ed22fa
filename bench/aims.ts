import type { Cold } from './cold';
import type { Summary } from './report';
import type { ContenderName, Work } from './work';

export interface Aim {
	aim: string;
	reached: string;
	isMet: boolean;
}

/** What the node is meant to reach, and whether it did. */
export function aimsOf(summaries: Summary[], cold: Cold): Aim[] {
	const all = (contender: ContenderName, matches: (work: Work) => boolean) =>
		summaries.filter((summary) => summary.contender === contender && matches(summary.work));
	const figures = (contender: ContenderName, matches: (work: Work) => boolean) => {
		const [found] = all(contender, matches);
		if (!found) throw new Error('The plan lacks what an aim is about');
		return found.figures;
	};
	const sent = (latency: number) => (work: Work) =>
		work.kind === 'send' && work.items === 1000 && work.latency === latency;
	const fifty = (latency: number) => (work: Work) => sent(latency)(work) && work.concurrency === 50;
	/** The better of HTTP Request with and without its Batching. */
	const httpRequestRate = (latency: number) =>
		Math.max(...all('httpRequest', sent(latency)).map(({ figures: { rate } }) => rate.median));
	const gigabyte = (as: string) => (work: Work) =>
		work.kind === 'download' && work.bytes === 1e9 && work.as === as;
	const grown = (items: number) =>
		// 1,000 messages are also sent elsewhere, but not 10 at once and in this section.
		summaries.findLast(
			({ contender, work }) =>
				contender === 'workchat' && work.kind === 'send' && work.items === items,
		)?.figures.millisecondsPerItem.median ?? NaN;

	return [
		...[50, 0].map((latency) => {
			const ours = figures('workchat', fifty(latency)).rate.median;
			return atLeast(
				`Send at ${latency} ms: twice as fast as HTTP Request`,
				ours / httpRequestRate(latency),
				2,
			);
		}),
		atMost(
			'Send, 50 at once: no more than that in flight',
			figures('workchat', fifty(50)).mostInFlight.max,
			50,
		),
		atLeast(
			'Send at 0 ms: half as fast as bare axios',
			figures('workchat', fifty(0)).rate.median / figures('axios', fifty(0)).rate.median,
			0.5,
		),
		...['link', 'body'].flatMap((as) => {
			const ours = figures('workchat', gigabyte(as));
			const theirs = figures('httpRequest', gigabyte(as));
			return [
				atLeast(`1 GB by ${as}: as fast as HTTP Request`, ours.rate.median / theirs.rate.median, 1),
				atMost(`1 GB by ${as}: memory in MB`, ours.peakMegabytes.median, 64),
			];
		}),
		atMost('50,000 items: time per item against 1,000', grown(50_000) / grown(1000), 1.2),
		atMost('Size of the package in kB', cold.tarballBytes / 1e3, 40),
		atMost('Loading the package in ms', cold.requireMilliseconds.median, 10),
	];
}

function atLeast(aim: string, value: number, limit: number): Aim {
	return { aim, reached: `${value.toFixed(2)} (at least ${limit})`, isMet: value >= limit };
}

function atMost(aim: string, value: number, limit: number): Aim {
	return { aim, reached: `${value.toFixed(2)} (at most ${limit})`, isMet: value <= limit };
}
