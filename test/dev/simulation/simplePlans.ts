import type { AnswerName, Plan, PlannedItem, PlannedRun } from '../../../dev/simulation/plan';

/** Plans without faults, to which tests add some. */

const pace = { maxConcurrency: 1, maxTries: 1, requestInterval: 0 };
const options = { ...pace, resendUnknown: false, sendOnceKey: '' };
export const keyless: PlannedRun = { at: 0, process: 0, options, onError: 'continueRegularOutput' };
export const keyed = { ...keyless, options: { ...options, sendOnceKey: 'spring' } };
export const resending = { ...keyed, options: { ...keyed.options, resendUnknown: true } };

export const to = (toId: string, ...answers: AnswerName[]): PlannedItem => ({ toId, answers });
const never = { slow: 0, failsBefore: 0, failsAfter: 0, late: 0 };
export const healthy = { ...never, hasRow: false, latency: 1, work: 0 };

/** One message, a healthy store, and no faults. */
export const planOf = (seed: number, runs: PlannedRun[], more: Partial<Plan> = {}): Plan => ({
	seed,
	items: [to('customer')],
	inputs: more.items ? [...more.items.keys()] : [0],
	retryOnFail: false,
	runs,
	processes: 1,
	failsBefore: false,
	rounds: 1,
	savesProgress: false,
	areOfSubWorkflow: false,
	kills: [],
	pauses: [],
	store: healthy,
	latency: 5,
	...more,
});
