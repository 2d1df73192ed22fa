import type { Entry } from './plan';
import type { Sample } from './stage';
import type { DownloadWork, SendWork, Work } from './work';

export interface Spread {
	median: number;
	min: number;
	max: number;
}

export interface Figures {
	/** Items per second, or MB per second. */
	rate: Spread;
	/** The most memory beyond what the process had at the beginning, in MB. */
	megabytes: Spread;
	/** The longest time in which the event loop stood still, in ms, where that is watched. */
	standstill?: Spread;
}

/** What the rounds of an entry of the plan came to. */
export interface Measured extends Entry {
	section: string;
	figures: Figures;
}

/** @param work as it was done: in a short run less than the plan says */
export function figuresOf(work: Work, samples: Sample[]): Figures {
	const standstills = samples.flatMap(({ standstill }) => standstill ?? []);
	const amount = work.kind === 'send' ? work.items : (work.items * work.bytes) / 1e6;
	return {
		rate: spreadOf(samples.map(({ seconds }) => amount / seconds)),
		megabytes: spreadOf(samples.map(({ peakBytes }) => peakBytes / 1e6)),
		...(standstills.length > 0 && { standstill: spreadOf(standstills) }),
	};
}

function spreadOf(values: number[]): Spread {
	const sorted = values.toSorted((a, b) => a - b);
	const at = (place: number) => Number((sorted[place] ?? NaN).toPrecision(4));
	const middle = (sorted.length - 1) / 2;
	const median = (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2;
	return { median, min: at(0), max: at(sorted.length - 1) };
}

/** What to look for: an entry's section, contender and work, as far as they are told. */
export type Wanted = Partial<Pick<Measured, 'section' | 'contender'>> &
	Partial<Omit<SendWork, 'kind'> & Omit<DownloadWork, 'kind'>>;

/** The first that is as wanted. What is `undefined` there has to be left out here. */
export function find(results: Measured[], wanted: Wanted): Measured | undefined {
	return results.find(({ section, contender, work }) => {
		const facts: Record<string, unknown> = { ...work, section, contender };
		return Object.entries(wanted).every(([name, value]) => facts[name] === value);
	});
}
