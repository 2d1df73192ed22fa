import { breachesOf } from '../../../dev/simulation/oracle';
import type { Plan, PlannedRun } from '../../../dev/simulation/plan';
import { simulate } from '../../../dev/simulation/world';
import { healthy, keyed, keyless, planOf, to } from './simplePlans';

const at = (at: number, process: number, run = keyed): PlannedRun => ({ ...run, at, process });
const retryOf = (run: number): PlannedRun => ({ ...keyless, retryOf: run });
const stopping = (run: PlannedRun): PlannedRun => ({ ...run, onError: 'stopWorkflow' });
const byExecution = {
	...keyed,
	options: { ...keyed.options, sendOnceKey: '={{ $execution.id }}' },
};
const resendingRetry = { ...retryOf(0), options: { ...keyless.options, resendUnknown: true } };

/**
 * Plans that broke a promise, as small as they go: of the node as it once was, or with a guard taken
 * away on purpose.
 */
const PINNED: Record<string, Plan> = {
	'no output for the second item with a key that turned out to be claimed by another execution':
		planOf(254, [keyed, at(9, 1)], {
			items: [to('customer'), to('customer')],
			memory: { ...healthy, latency: 20, slow: 0.05, failsBefore: 0.3, failsAfter: 0.3 },
			processes: 2,
		}),
	'refused after a kill, in the second try of a Retry, and called rejected': planOf(
		1,
		[
			{ ...keyless, options: { ...keyless.options, maxConcurrency: 2 } },
			at(6000, 0, stopping(resendingRetry)),
			{ ...retryOf(1), process: 1, isCalm: true }, // when all is well again
		],
		{
			items: [to('customer-0', 'silent', 'refused'), to('customer-1', 'silent', 'refused')],
			kills: [{ at: 100, process: 0 }],
			retryOnFail: true,
		},
	),
	'sent in a later round, after the last record that n8n saved': planOf(
		1,
		[keyless, at(5000, 0, retryOf(0))],
		{
			items: [to('customer-0'), to('customer-1'), to('customer-2', 'silent')],
			rounds: 3,
			savesProgress: true,
			kills: [{ at: 3000, process: 0 }],
		},
	),
	'in doubt in a Retry, as an earlier round had left the same name': planOf(
		1,
		[stopping(keyless), at(1000, 0, retryOf(0))],
		{
			items: [to('customer-0'), to('customer-1'), to('customer-2', 'refused')],
			rounds: 3,
		},
	),
	'sent in a later round by another Retry with the same key': planOf(
		1,
		[
			stopping(keyless),
			at(1000, 0, stopping({ ...keyed, retryOf: 0 })),
			at(3000, 0, { ...keyed, retryOf: 0 }),
			at(6000, 0, retryOf(1)),
		],
		{
			items: [to('customer-0', 'refused'), to('customer-1', 'refused')],
			rounds: 2,
		},
	),
	'sent by a sub-workflow that was killed': planOf(1, [keyless, at(5000, 0, retryOf(0))], {
		items: [to('customer-0'), to('customer-1', 'silent')],
		areOfSubWorkflow: true,
		kills: [{ at: 3000, process: 0 }],
	}),
	'cancelled while n8n is asked about an item that a Retry cannot read': planOf(
		1393023521,
		[keyless, { ...retryOf(0), isUnreadable: true, cancelAfter: 0 }, retryOf(0)],
		{
			kills: [{ at: 0, process: 0 }],
			memory: { ...healthy, work: 266, outage: { at: 582, lasts: 2402 } },
		},
	),
	'in doubt in a Retry, as the round before, which sent nothing, was not done with the name yet':
		planOf(2026567171, [stopping(keyed), at(2004, 0, { ...keyed, retryOf: 0 })], {
			items: [to('customer-0', 'lost'), to('customer-1')],
			rounds: 2,
			memory: { ...healthy, work: 89 },
		}),
	'sent by a killed execution, whose trace another worker wrote over': planOf(
		1985968540,
		[
			byExecution,
			at(2496, 1, byExecution),
			{ ...byExecution, process: 2, retryOf: 0, isCalm: true },
		],
		{
			kills: [{ at: 2982, process: 0 }],
			memory: { ...healthy, latency: 20, work: 184 },
			processes: 2,
		},
	),
};
/** If the node draws one more random number, a seed near by may still bring the breach. */
const SEEDS = 20;

test.each(Object.entries(PINNED))('%s', async (_, plan) => {
	for (let seed = plan.seed; seed < plan.seed + SEEDS; seed++) {
		const breaches = breachesOf(await simulate({ ...plan, seed }));
		expect(breaches.filter(({ excuse }) => !excuse)).toEqual([]);
	}
});

test('a plan that names what is not there is refused', async () => {
	await expect(simulate(planOf(1, [retryOf(0)]))).rejects.toThrow('names what is not there');
});
