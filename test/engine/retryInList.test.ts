import type { IRun } from 'n8n-workflow';

import { isOlder } from '../../dev/engine/coreVersion';
import { endsOfRun, sending, useCampaigns, wordsOf } from '../support/campaigns';
import { all, CONTINUE, customers, retrying, toIds } from '../support/messages';
import { recipients, workflowOf } from '../support/setup';

/** Retries of a failed execution. For a killed one, see test/e2e/killed.test.ts. */

const { bench, refuse, accepted } = useCampaigns();
/** Another Retry has these messages in its ledger, so no option makes this one send. */
const TAKEN_OVER = /^Not sent again: Another Retry of this execution (?!.*'Resend if Unknown')/;

const workflow = workflowOf(recipients(4), sending());
const resending = workflowOf(recipients(4), sending({ resendUnknown: true }), CONTINUE);
const retry = async (failed: IRun) => wordsOf(await bench.engine.retry(workflow, failed));

test('several Retries, or a Retry of a Retry, send each message once, even if one resends', async () => {
	refuse('customer-2');
	const failed = await bench.engine.run(workflow);
	refuse('customer-3', 2);
	const again = workflowOf(recipients(4), sending(), retrying(2));
	const first = await bench.engine.retry(again, failed);
	expect(await retry(failed)).toMatch(TAKEN_OVER);
	expect(accepted()).toEqual(customers(1, 2));
	expect(await retry(first)).toMatch(/^success/);
	expect(await retry(first)).toMatch(TAKEN_OVER);
	const ends = endsOfRun(await bench.engine.retry(resending, failed));
	expect(ends).toEqual(['sent', ...all(3, 'unknown')]);
	expect(accepted()).toEqual(toIds(4));
});

/** In n8n 1 and 2.0, a Retry does not know the start of the original execution. */
(isOlder ? test.skip : test)(
	'if an execution failed before our node, its first Retry sends',
	async () => {
		const parameters = { fieldToSplitOut: '={{ $json.nothing.at.all }}' };
		const nodes = workflow.nodes.map((node) =>
			node.name === 'Split' ? { ...node, parameters } : node,
		);
		const failed = await bench.engine.run({ ...workflow, nodes });
		expect(await retry(failed)).toMatch(/^success/);
		expect(await retry(failed)).toMatch(TAKEN_OVER);
		expect(accepted()).toEqual(toIds(4));
	},
);
