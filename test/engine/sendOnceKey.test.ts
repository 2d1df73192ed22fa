import { ExecuteContext } from 'n8n-core';

import { endsOfRun, errorsOf, sending, useCampaigns, wordsOf } from '../support/campaigns';
import { all, customers, retrying } from '../support/messages';
import { recipients, resultOf, VIDEO } from '../support/setup';

/** In n8n's engine; how keys hold stands in test/unit/execution/once/ and in the simulation. */

const { bench, memory, refuse, lose, onWire, send } = useCampaigns();

const keyed = (sendOnceKey: string, options = {}, parameters = {}) =>
	sending({ sendOnceKey, ...options }, parameters);

test('a later execution skips who got it, and leaves what is in doubt until it is resent', async () => {
	lose('customer-2');
	const first = await send(recipients(2), keyed('={{ 2026 }}', { simplify: true }));
	expect(endsOfRun(first)).toEqual(['sent', 'unknown']);
	// So another recipient, instance or service has messages of its own.
	const name = `[2,"key","${bench.sandbox.url}/","[\\"default-instance\\",\\"customer-1\\"]","2026"]`;
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
			'A message with the Send Once Key "2026" was begun for this recipient before, and how that ended is not known',
		description: expect.stringContaining("switch on 'Resend if Unknown'") as string,
		outcome: 'unknown',
		tried: false,
		toId: 'customer-2',
	};
	expect(errorItems).toMatchObject([{ json: { error }, pairedItem: { item: 1 } }]);
	const resent = await send(recipients(2), keyed('2026', { resendUnknown: true }));
	expect(endsOfRun(resent)).toEqual(['skipped', 'sent']);
	expect(onWire()).toEqual(customers(1, 2, 2));
});

type Told = Record<string, () => unknown>;
const nothing = () => undefined;
const outside = { getWorkflow: () => ({ active: false }) };
const throws = () => {
	throw new Error('`executionData` is not initialized');
};
/** What n8n tells less of, or in other words, where something else starts the node (n8n 2.41). */
const TOLD: Array<[string, Told]> = [
	['MCP Server Trigger', { getExecutionId: nothing, getExecutionContext: nothing }],
	['n8n 1', { getExecutionContext: nothing }],
	['what cannot be cancelled', { getExecutionCancelSignal: nothing }],
	['an evaluation', { getMode: () => 'evaluation' }],
	['a workflow without an ID', outside],
	["n8n's own Agents", { ...outside, getExecutionId: nothing, getContext: throws }],
];
async function sendAs(told: Told, ...run: Parameters<typeof send>) {
	const { prototype } = ExecuteContext; // inherits what is told
	Object.assign(prototype, told);
	return await send(...run).finally(() => {
		for (const name of Object.keys(told)) Reflect.deleteProperty(prototype, name);
	});
}

test.each(TOLD)(
	'started by %s, each goes out once, and a key holds or says no',
	async (_, told) => {
		const isAgents = 'getContext' in told; // has no Retry On Fail
		const settings = isAgents ? { type: 'n8n-nodes-workchat.workchatTool' } : retrying(2);
		refuse('customer-2');
		await sendAs(told, recipients(2), sending(), settings);
		expect(onWire()).toEqual(customers(...(isAgents ? [1, 2] : [1, 2, 2])));

		refuse('customer-3');
		const first = await sendAs(told, [...recipients(3), {}], keyed('spring'));
		const next = await sendAs(told, recipients(3), keyed('spring'));
		const isKept = !('getWorkflow' in told);
		const ends = isKept ? ['sent', 'sent', 'rejected'] : all(3, 'notSent');
		expect(endsOfRun(first)).toEqual([...ends, 'notSent']);
		expect(errorsOf(first)[3]?.tried).toBe(false);
		expect(endsOfRun(next)).toEqual(isKept ? ['skipped', 'skipped', 'sent'] : all(3, 'notSent'));
		if (!isKept) expect(errorsOf(next)[0]?.message).toContain("'Send Once Key' needs a workflow");
	},
);

test('the error after Retry On Fail counts what was skipped, and names the key', async () => {
	await send(recipients(1), keyed('spring'));
	refuse('customer-2');
	refuse('customer-3');
	const failed = await send(recipients(4), keyed('spring'), retrying(2));
	expect(wordsOf(failed)).toMatch(
		/: 2 sent or skipped, 1 failed, 1 not tried\. .*Send Once Key is skipped\.$/,
	);
});
