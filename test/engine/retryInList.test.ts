import type { IRun } from 'n8n-workflow';

import { isOlder } from '../../dev/engine/coreVersion';
import { endsOfRun, sending, useCampaigns, wordsOf } from '../support/campaigns';
import { all, CONTINUE, customers, retrying, toIds } from '../support/messages';
import { looped, recipients, workflowOf } from '../support/setup';
import { eventually } from '../support/turns';

/** Several Retries of one execution, without a key: what an execution sends, it sends once. */

const { bench, refuse, hang, onWire, accepted } = useCampaigns();
/** Another Retry has its own record of these messages, so no option makes this one send. */
const TAKEN = /^Not sent again: This execution was cut off before (?!.*'Resend if Unknown')/;
const CUT_OFF = /^Not sent again: This execution was cut off before .*'Resend if Unknown'/;

const workflow = workflowOf(recipients(4), sending());
const resending = workflowOf(recipients(4), sending({ resendUnknown: true }), CONTINUE);
const retry = async (failed: IRun, retried = workflow) =>
	wordsOf(await bench.engine.retry(retried, failed));

test('no Retry, or Retry of a Retry, sends anything twice, even if one resends', async () => {
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
(isOlder ? describe.skip : describe)('of an execution without a record of ours', () => {
	test('as it failed before our node: the first sends', async () => {
		const parameters = { fieldToSplitOut: '={{ $json.nothing.at.all }}' };
		const nodes = workflow.nodes.map((node) =>
			node.name === 'Split' ? { ...node, parameters } : node,
		);
		const failed = await bench.engine.run({ ...workflow, nodes });
		expect(await retry(failed)).toMatch(/^success/);
		expect(await retry(failed)).toMatch(TAKEN);
		expect(accepted()).toEqual(toIds(4));
	});

	test.each([
		['', workflow],
		[' in a later round of a loop', looped(workflow)],
	])('as it was killed%s: they send nothing, until it is wanted', async (_, killed) => {
		hang('customer-3');
		const running = bench.engine.begin(killed);
		await eventually(() => onWire().length === 3);
		expect(await retry(running.killed(), killed)).toMatch(CUT_OFF);
		expect(onWire()).toEqual(toIds(3));
		const unread = sending({}, { toId: '={{ $("No such node").item.json.toId }}' });
		const failing = workflowOf(recipients(4), unread, CONTINUE);
		const doubted = await bench.engine.retry(failing, running.killed());
		expect(endsOfRun(doubted)).toEqual(all(4, 'unknown'));
		running.cancel();
		await running.finished;
		const resend = async () => endsOfRun(await bench.engine.retry(resending, running.killed()));
		expect([await resend(), await resend()]).toEqual([all(4, 'sent'), all(4, 'unknown')]);
	});
});
