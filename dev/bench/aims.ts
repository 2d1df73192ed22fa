import type { Cold } from './cold';
import type { SectionSummary } from './report';
import type { ContenderName, Work } from './work';

export interface Aim {
	aim: string;
	reached: string;
	isMet: boolean;
}

/** What the node is meant to reach, and whether it did. */
export function aimsOf(sections: SectionSummary[], cold: Cold): Aim[] {
	const all = (section: string, contender: ContenderName, matches: (work: Work) => boolean) =>
		(sections.find(({ name }) => name === section)?.entries ?? [])
			.filter((summary) => summary.contender === contender && matches(summary.work))
			.map(({ figures }) => figures);
	const sole = (...which: Parameters<typeof all>) => {
		const [found] = all(...which);
		if (!found) throw new Error('The plan lacks what an aim is about');
		return found;
	};
	const sent = (contender: ContenderName, latency: number) =>
		sole(
			'Send',
			contender,
			(work) => work.kind === 'send' && work.latency === latency && work.concurrency === 50,
		);
	/** The better of HTTP Request with and without its Batching. */
	const httpRequestRate = (latency: number) =>
		Math.max(
			...all('Send', 'httpRequest', (work) => work.kind === 'send' && work.latency === latency).map(
				({ rate }) => rate.median,
			),
		);
	const gigabyte = (contender: ContenderName, as: string) =>
		sole(
			'Download',
			contender,
			(work) => work.kind === 'download' && work.bytes === 1e9 && work.as === as,
		);
	const timePerItem = (items: number) =>
		sole('Growth', 'workchat', (work) => work.items === items).millisecondsPerItem.median;

	return [
		...[50, 0].map((latency) => {
			const ours = sent('workchat', latency).rate.median;
			return atLeast(
				`Send at ${latency} ms: twice as fast as HTTP Request`,
				ours / httpRequestRate(latency),
				2,
			);
		}),
		atMost(
			'Send, 50 at once: no more than that in flight',
			sent('workchat', 50).mostInFlight.max,
			50,
		),
		atLeast(
			'Send at 0 ms: half as fast as bare axios',
			sent('workchat', 0).rate.median / sent('axios', 0).rate.median,
			0.5,
		),
		...['link', 'body'].flatMap((as) => {
			const ours = gigabyte('workchat', as);
			const theirs = gigabyte('httpRequest', as);
			return [
				atLeast(`1 GB by ${as}: as fast as HTTP Request`, ours.rate.median / theirs.rate.median, 1),
				atMost(`1 GB by ${as}: memory in MB`, ours.peakMegabytes.median, 64),
			];
		}),
		atMost(
			'50,000 items: time per item against 1,000',
			timePerItem(50_000) / timePerItem(1000),
			1.2,
		),
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
