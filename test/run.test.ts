import type { Schedule } from '../dev/sandbox/misbehaviour';
import { recipients, resultOf, SEND, useBench, workflowOf, type NodeSettings } from './setup';

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

describe('an item is read', () => {
	const items = recipients(150);
	/** How many of the items were read after the first message had arrived. */
	const readAfterFirst = async (options: object, settings: NodeSettings = {}) => {
		let first = Infinity;
		const when = () => {
			first = Math.min(first, Date.now());
			return false;
		};
		bench.sandbox.misbehave({ kind: 'dropAfterAccepting' }, { when });
		const feedVideo = `={{ { ...${SEND.feedVideo}, feedNo: Date.now() } }}`;
		const parameters = { ...SEND, feedVideo, options };
		const run = await bench.engine.run(workflowOf(items, parameters, settings));
		// Several at a time may overtake one another on the way.
		expect(new Set(onWire())).toEqual(new Set(items.map((item) => item.toId)));
		expect(onWire()).toHaveLength(items.length);
		expect(resultOf(run).items.map(({ json }) => json.code)).toEqual(items.map(() => 0));
		return bench.sandbox.messages.filter(({ feedNo }) => Number(feedNo) > first).length;
	};

	test('before the first message leaves, where a bad one is to stop the run', async () => {
		expect(await readAfterFirst({})).toBe(0);
	});

	test.each<[string, object]>([
		['one at a time', {}],
		['several at a time', { maxConcurrency: 5 }],
	])('when its turn comes, where the node continues, %s', async (_, options) => {
		const settings: NodeSettings = { onError: 'continueRegularOutput' };
		expect(await readAfterFirst(options, settings)).toBeGreaterThan(items.length / 2);
	});
});
