import type { Target } from '../target';
import type { Work } from '../work';

/** What came out, to be compared with what was asked for. */
export interface Done {
	items: number;
	/** Of all files together. */
	bytes: number;
}

/** Somebody who is ready to work. */
export interface Contender {
	perform(work: Work, target: Target): Promise<Done>;
	/** Removes everything that was stored. */
	stop(): Promise<void>;
}
