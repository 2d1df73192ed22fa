import type { Plan, PlannedRun } from '../../dev/campaign/plan';

/** A run that continues after errors. */
export const RUN: PlannedRun = {
	parameters: {},
	options: {
		maxConcurrency: 2,
		maxTries: 2,
		requestInterval: 0,
		resendUnknown: false,
		timeout: 10_000,
	},
	onError: 'continueRegularOutput',
	edition: 0,
	isCalm: false,
	at: 0,
	process: 0,
};

/** Two messages to one recipient. */
export const PLAN: Plan = {
	number: 0,
	kind: 'send',
	line: 'http',
	items: [0, 1].map((index) => ({ marker: `c0i${index}`, toId: 'customer', script: [] })),
	inputs: [0, 1],
	retryOnFail: false,
	maxNodeTries: 2,
	mayComeOutEmpty: false,
	runs: [RUN],
};
