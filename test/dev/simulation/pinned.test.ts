import { Draw } from '../../dev/campaign/draw';
import { breachesOf } from '../../dev/campaign/oracle/invariants';
import { parametersOf, sendFields } from '../../dev/campaign/parameters';
import type { Plan, PlannedItem, PlannedRun } from '../../dev/campaign/plan';
import { sends } from '../../dev/campaign/service/sends';
import type { Step } from '../../dev/campaign/service/step';
import { simulate } from '../../dev/campaign/simulated/world';
import { PLAN, RUN } from '../support/plans';

/** Plans that once broke a promise, as small as they go: with a key, on two processes. */

const options = { ...RUN.options, maxConcurrency: 1, maxTries: 1, sendOnceKey: 'spring' };
const refused: Step = {
	...sends.plain,
	label: 'refused',
	accepted: false,
	outcomes: ['rejected'],
	body: '{"ok":false,"code":7}',
};

/** @param number decides what chance brings */
function planOf(
	number: number,
	scripts: Step[][],
	runs: Array<Partial<PlannedRun>>,
	{ latency, slow, fails }: { latency: number; slow: number; fails: number },
): Plan {
	const items = scripts.map(
		(script, index): PlannedItem => ({ marker: `i${index}`, toId: 'customer', script }),
	);
	const fields = sendFields(new Draw(9, number), items);
	const parameters = parametersOf({
		kind: 'send',
		fields,
		way: 'fields',
		simplify: false,
		options,
	});
	return {
		...PLAN,
		number,
		items,
		inputs: [...items.keys()],
		maxNodeTries: 1,
		runs: runs.map((run) => ({ ...RUN, parameters, options, ...run })),
		trouble: {
			processes: 2,
			failsBefore: false,
			kills: [],
			pauses: [],
			memory: { latency: 20, slow, failsBefore: fails, failsAfter: fails, late: 0 },
			latency,
		},
	};
}

test.each<[string, Plan]>([
	[
		'freed a second time, when another execution had claimed it',
		planOf(
			132,
			[[refused, sends.plain]],
			[{}, { at: 760, process: 1 }, { at: 880, process: 1 }, { isCalm: true, process: 2 }],
			{ latency: 400, slow: 0, fails: 0.1 },
		),
	],
	[
		'no output for the second item with a key that turned out to be claimed by another execution',
		planOf(314, [[sends.plain], [sends.plain]], [{}, { at: 9, process: 1 }], {
			latency: 5,
			slow: 0.05,
			fails: 0.3,
		}),
	],
])('%s', async (_, plan) => {
	expect(breachesOf(await simulate(plan))).toEqual([]);
});
