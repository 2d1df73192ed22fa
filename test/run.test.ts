import type { Schedule } from '../dev/sandbox/misbehaviour';
import { recipients, resultOf, SEND, useBench, workflowOf } from './setup';

const bench = useBench();
const onWire = () => bench.sandbox.requests.map(({ body }) => body?.toId);
const to = (toId: string): Schedule => ({ when: (body) => body.toId === toId });

test('a failure lets those in flight finish, and starts no other', async () => {
	bench.sandbox.misbehave({ kind: 'delay', milliseconds: 1500 }, to('customer-1'));
	// Not the second: it leaves on a socket of its own, and could be refused before the first leaves.
	bench.sandbox.misbehave({ kind: 'refuse', code: 1, message: 'no' }, to('customer-3'));
	const parameters = { ...SEND, options: { maxConcurrency: 2 } };
	const run = await bench.engine.run(workflowOf(recipients(9), parameters));
	const { error } = resultOf(run);
	expect(error?.context?.itemIndex).toBe(2);
	expect(error?.description).toMatch(/2 of 9 items were sent/);
	expect(onWire().sort()).toEqual(['customer-1', 'customer-2', 'customer-3']);
	expect(bench.sandbox.messages).toHaveLength(2);
});

test('the error of the first failed item names the others', async () => {
	const items = [{ toId: 'customer-1' }, { toId: '' }, { toId: '' }, { toId: '' }];
	const { error } = resultOf(await bench.engine.run(workflowOf(items, SEND)));
	expect(error?.context?.itemIndex).toBe(1);
	expect(error?.description).toMatch(
		/Also failed: items 2, 3\. Nothing was sent to anyone \(0 of 4\)\.$/,
	);
});

test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
	'with %s and wrong options nothing is sent, and no item passes for sent',
	async (onError) => {
		const parameters = { ...SEND, options: { maxTries: '={{ "many" }}' } };
		const run = await bench.engine.run(workflowOf(recipients(2), parameters, { onError }));
		const { items, errorItems } = resultOf(run);
		const failed = onError === 'continueErrorOutput' ? errorItems : items;
		expect(failed.map(({ json }) => json.error)).toEqual(
			[0, 1].map(() => expect.objectContaining({ outcome: 'notSent' }) as object),
		);
		expect(onError === 'continueErrorOutput' ? items : errorItems).toHaveLength(0);
		expect(bench.sandbox.requests).toHaveLength(0);
	},
);
