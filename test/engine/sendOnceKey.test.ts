import { ExecuteContext } from 'n8n-core';

import { endsOfRun, errorsOf, sending, useCampaigns, wordsOf } from '../support/campaigns';
import { all, customers, retrying } from '../support/messages';
import { recipients, resultOf, VIDEO } from '../support/setup';

/** On n8n's engine. Claims have their own tests in test/unit/execution/once/ and in the simulation. */

const { bench, memory, refuse, lose, onWire, send } = useCampaigns();

const keyed = (sendOnceKey: string, options = {}, parameters = {}) =>
	sending({ sendOnceKey, ...options }, parameters);

test('a later execution skips sent messages, and holds back unknown ones until they are resent', async () => {
	lose('customer-2');
	const first = await send(recipients(2), keyed('={{ 2026 }}', { simplify: true }));
	expect(endsOfRun(first)).toEqual(['sent', 'unknown']);
	// So messages to another recipient, by another instance or service, are different messages.
	const name = `[1,"key","${bench.sandbox.url}/","[\\"default-instance\\",\\"customer-1\\"]","2026"]`;
	expect(memory().entries()).toContain(name);

	const feedVideo = JSON.stringify({ ...VIDEO, feedId: 'another' });
	const another = keyed('  2026\n', {}, { feedVideo, simplify: true });
	const next = await send(recipients(2), another, { onError: 'continueErrorOutput' });
	const { items, errorItems } = resultOf(next);
	const reason = 'This recipient got a message with this Send Once Key before';
	const skipped = { skipped: true, reason, sendOnceKey: '2026', toId: 'customer-1' };
	expect(items).toEqual([{ json: skipped, pairedItem: { item: 0 } }]);
	const error = {
		message:
			'Not sent again: A message with the Send Once Key "2026" was started for this recipient before, and its outcome is unknown',
		description: expect.stringContaining("again, with 'Resend if Unknown'") as string,
		outcome: 'unknown',
		tried: false,
		toId: 'customer-2',
	};
	expect(errorItems).toMatchObject([{ json: { error }, pairedItem: { item: 1 } }]);
	const resent = await send(recipients(2), keyed('2026', { resendUnknown: true }));
	expect(endsOfRun(resent)).toEqual(['skipped', 'sent']);
	expect(onWire()).toEqual(customers(1, 2, 2));
});

type Overrides = Record<string, () => unknown>;
const nothing = () => undefined;
const outside = { getWorkflow: () => ({ active: false }) };
const throws = () => {
	throw new Error('`executionData` is not initialized');
};
/** Where n8n provides less, or other values, because something else starts the node (n8n 2.41). */
const STARTERS: Array<[string, Overrides]> = [
	['MCP Server Trigger', { getExecutionId: nothing, getExecutionContext: nothing }],
	['n8n 1', { getExecutionContext: nothing }],
	['a trigger without a cancel signal', { getExecutionCancelSignal: nothing }],
	['an evaluation', { getMode: () => 'evaluation' }],
	['a workflow without an ID', outside],
	["n8n's own Agents", { ...outside, getExecutionId: nothing, getContext: throws }],
];
async function sendAs(overrides: Overrides, ...run: Parameters<typeof send>) {
	const { prototype } = ExecuteContext; // inherits the overridden functions
	Object.assign(prototype, overrides);
	return await send(...run).finally(() => {
		for (const name of Object.keys(overrides)) Reflect.deleteProperty(prototype, name);
	});
}

test.each(STARTERS)(
	'started by %s, each message is sent once, and a Send Once Key works or is refused',
	async (_, overrides) => {
		const isAgents = 'getContext' in overrides; // has no Retry On Fail
		const settings = isAgents ? { type: 'n8n-nodes-workchat.workchatTool' } : retrying(2);
		refuse('customer-2');
		await sendAs(overrides, recipients(2), sending(), settings);
		expect(onWire()).toEqual(customers(...(isAgents ? [1, 2] : [1, 2, 2])));

		refuse('customer-3');
		const first = await sendAs(overrides, [...recipients(3), {}], keyed('spring'));
		const next = await sendAs(overrides, recipients(3), keyed('spring'));
		const isKept = !('getWorkflow' in overrides);
		const ends = isKept ? ['sent', 'sent', 'rejected'] : all(3, 'notSent');
		expect(endsOfRun(first)).toEqual([...ends, 'notSent']);
		expect(errorsOf(first)[3]?.tried).toBe(false);
		expect(endsOfRun(next)).toEqual(isKept ? ['skipped', 'skipped', 'sent'] : all(3, 'notSent'));
		if (!isKept) expect(errorsOf(next)[0]?.message).toContain("'Send Once Key' needs a workflow");
	},
);

test('the error after Retry On Fail counts skipped messages, and mentions the key', async () => {
	await send(recipients(1), keyed('spring'));
	refuse('customer-2');
	refuse('customer-3');
	const failed = await send(recipients(4), keyed('spring'), retrying(2));
	expect(wordsOf(failed)).toMatch(
		/; others: 2 sent or skipped, 1 not tried\. .*with the same Send Once Key: it skips/,
	);
});
