import type { IDataObject, IRun } from 'n8n-workflow';

import { endsOfRun, errorsOf, jsonsOf, sending, useCampaigns, wordsOf } from '../support/campaigns';
import { all, CONTINUE, customers, retrying, toIds } from '../support/messages';
import { KEY, looped, NODE, recipients, resultOf, SEND, VIDEO, workflowOf } from '../support/setup';

/** The ledger of an execution, through Retry On Fail and one Retry. */

const { bench, refuse, lose, onWire, accepted, send } = useCampaigns();

type Json = Record<string, unknown>;

/** Another message in each try. */
const CHANGING = {
	feedVideo: `={{ { ...${SEND.feedVideo}, feedId: "" + Math.random() } }}`,
};
/** What n8n saved of the node. */
const contextOf = (run: IRun) => run.data.executionData!.contextData[`node:${NODE}`] as Json;

test('Retry On Fail sends the messages that were not sent, and pairs each output with its item', async () => {
	lose('customer-1');
	refuse('customer-3');
	const run = await send(recipients(3), sending({}, CHANGING), retrying(2, CONTINUE.onError));
	expect([endsOfRun(run), onWire()]).toEqual([['unknown', 'sent', 'sent'], customers(1, 2, 3, 3)]);
	expect(resultOf(run).items).toMatchObject([0, 1, 2].map((item) => ({ pairedItem: { item } })));
	expect(jsonsOf(run)[1]?.data).toEqual({ messageId: 'sandbox-message-2' });
	const message = expect.stringMatching(/^Not sent again: The Workchat service closed/) as string;
	expect(errorsOf(run)[0]).toMatchObject({ message, tried: true, toId: 'customer-1' });
});

test('if only the first item failed, Retry On Fail sends no message twice', async () => {
	refuse('customer-1');
	const run = await send(recipients(2), sending(), retrying(2, CONTINUE.onError));
	expect([endsOfRun(run), onWire()]).toEqual([['sent', 'sent'], customers(1, 2, 1)]);
});

describe('in a Retry', () => {
	const OTHERS = { simplify: true, options: { timeout: 5000 } };
	const EDITED = { feedVideo: JSON.stringify({ ...VIDEO, feedNo: 'another' }) };
	test.each<[string, Json, Json, number[]]>([
		['options, and an expression changes the message', CHANGING, OTHERS, [2, 3]],
		['the expression of the recipient', {}, { toId: '={{ $json["toId"] }}' }, [2, 3]],
		['the message', {}, EDITED, [1, 2, 3]],
	])('after an edit of %s, only missing messages are sent', async (...given) => {
		const [, before, edits, rest] = given;
		refuse('customer-2');
		const failed = await send(recipients(3), sending({}, before), {});
		expect(contextOf(failed)).toHaveProperty('workchatLedger');
		const saved = JSON.stringify(contextOf(failed));
		for (const part of ['customer', 'secret', 'example.com', KEY])
			expect(saved).not.toContain(part);
		const edited = { ...sending({}, before), ...edits };
		const run = await bench.engine.retry(workflowOf(recipients(3), edited), failed);
		expect(onWire()).toEqual(customers(1, 2, ...rest));
		expect(JSON.stringify(jsonsOf(run)[0])).toContain('sandbox-message-');
		expect(contextOf(run)).toMatchObject({ workchatLedger: { entries: [] } });
	});

	test('a Retry sends the rest, and unknown messages only with Resend if Unknown, and says what it tried', async () => {
		lose('customer-1');
		let run = await send(recipients(3), sending(), {});
		expect(wordsOf(run)).toMatch(
			/to customer-1 may or may not have been sent; others: 2 not tried\. Ask the recipient\. To send the rest, retry \(with the same data\), or/,
		);
		refuse('customer-2');
		const again = workflowOf(recipients(3), sending());
		run = await bench.engine.retry(again, run);
		expect(wordsOf(run)).toMatch(
			/refused: no.* to customer-2 was not sent now; others: 1 may have been sent \(customer-1\), 1 not tried\. Check the values .* To send the rest, retry/,
		);
		run = await bench.engine.retry(again, run);
		expect(wordsOf(run)).toMatch(/^Not sent again: (?!Not)/);
		const goingOn = workflowOf(recipients(3), sending(), CONTINUE);
		expect(errorsOf(await bench.engine.retry(goingOn, run))[0]).toMatchObject({ tried: false });
		const resend = workflowOf(recipients(3), sending({ resendUnknown: true }));
		run = await bench.engine.retry(resend, run);
		expect(accepted()).toEqual(customers(1, 2, 3, 1));
		expect(endsOfRun(run)).toEqual(all(3, 'sent'));
	});

	test('if expressions fail now, sent messages keep their results, and unknown ones stay unknown', async () => {
		lose('customer-2');
		const fails = '$workflow.name === "Edited" && $json.toId !== "customer-3"';
		const parameters = { feedVideo: `={{ ${fails} ? $("Nowhere").item : ${SEND.feedVideo} }}` };
		const failed = await send(recipients(3), sending({}, parameters), {});
		const resend = sending({ resendUnknown: true }, parameters);
		const again = { ...workflowOf(recipients(3), resend, CONTINUE), name: 'Edited' };
		const run = await bench.engine.retry(again, failed);
		expect(endsOfRun(run)).toEqual(['sent', 'unknown', 'sent']);
		expect(errorsOf(run)[1]?.message).toMatch(/^Not sent again: .*\. Now: ./);
		expect(onWire()).toEqual(customers(1, 2, 3));
	});

	test('a Retry with the ledger of another version sends nothing, and says so', async () => {
		refuse('customer-2');
		const failed = await send(recipients(3), sending(), {});
		const ledger = contextOf(failed).workchatLedger as IDataObject;
		ledger.version = 0;
		const run = await bench.engine.retry(workflowOf(recipients(3), sending(), CONTINUE), failed);
		expect(endsOfRun(run)).toEqual(all(3, 'notSent'));
		expect(JSON.stringify(errorsOf(run)[0])).toMatch(
			/started with another version of the Workchat node.*The message of item 1 was not sent now\. Start a new/,
		);
		expect(onWire()).toEqual(customers(1, 2));
	});
});

test('each round of a loop has its own messages', async () => {
	const twins = customers(1, 1, 2).map((toId) => ({ toId }));
	lose('customer-1');
	await bench.engine.run(looped(workflowOf(twins, sending(), retrying(2, CONTINUE.onError))));
	expect(onWire()).toEqual(customers(1, 1, 2));
});

test('for a tool, equal requests are one message, in all rounds', async () => {
	const twins = customers(1, 1, 2, 2, 3).map((toId, index) => ({ toId, index }));
	lose('customer-2');
	const workflow = looped(workflowOf(twins, sending(), CONTINUE));
	workflow.nodes.find(({ name }) => name === NODE)!.type += 'Tool';
	const run = await bench.engine.run(workflow);
	const jsons = run.data.resultData.runData[NODE]!.flatMap(({ data }) => data!.main![0]!);
	const outcomes = jsons.map(({ json: { outcome = 'sent' } }) => outcome);
	expect(outcomes).toEqual(['sent', 'sent', 'unknown', 'unknown', 'sent']);
	expect(jsons[1]?.json).toEqual(jsons[0]?.json);
	expect(accepted()).toEqual(toIds(3));
});
