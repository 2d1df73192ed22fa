import type { IRun } from 'n8n-workflow';

import { isOlder } from '../../dev/engine/coreVersion';
import { endsOfRun, sending, useCampaigns, wordsOf } from '../support/campaigns';
import { all, CONTINUE, customers, retrying, toIds } from '../support/messages';
import { recipients, workflowOf } from '../support/setup';

/** Retries of an execution that failed; of one that was killed, see test/e2e/killed.test.ts. */

const { bench, refuse, accepted } = useCampaigns();
/** Another Retry has its own record of these messages, so no option makes this one send. */
const TAKEN = /^Not sent again: This execution was cut off before (?!.*'Resend if Unknown')/;

const workflow = workflowOf(recipients(4), sending());
const resending = workflowOf(recipients(4), sending({ resendUnknown: true }), CONTINUE);
const retry = async (failed: IRun) => wordsOf(await bench.engine.retry(workflow, failed));

test('each Retry, or Retry of a Retry, sends what no other has, and nothing twice, even if one resends', async () => {
	refuse('customer-2');
	const failed = await bench.engine.run(workflow);
	refuse('customer-3', 2);
	const again = workflowOf(recipients(4), sending(), retrying(2));
	const first = await bench.engine.retry(again, failed);
	expect(await retry(failed)).toMatch(TAKEN);
	expect(accepted()).toEqual(customers(1, 2));
	expect(await retry(first)).toMatch(/^success/);
	expect(await retry(first)).toMatch(TAKEN);
	const ends = endsOfRun(await bench.engine.retry(resending, failed));
	expect(ends).toEqual(['sent', ...all(3, 'unknown')]);
	expect(accepted()).toEqual(toIds(4));
});

/** A Retry of n8n 1 and 2.0 does not tell when its first execution began. */
(isOlder ? test.skip : test)(
	'of an execution that failed before our node, the first sends',
	async () => {
		const parameters = { fieldToSplitOut: '={{ $json.nothing.at.all }}' };
		const nodes = workflow.nodes.map((node) =>
			node.name === 'Split' ? { ...node, parameters } : node,
		);
		const failed = await bench.engine.run({ ...workflow, nodes });
		expect(await retry(failed)).toMatch(/^success/);
		expect(await retry(failed)).toMatch(TAKEN);
		expect(accepted()).toEqual(toIds(4));
	},
);
