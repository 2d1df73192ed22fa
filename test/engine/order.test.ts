import { indexesOf, resultOf, SEND, useBench, workflowOf } from '../support/setup';

const bench = useBench();

test('items to 10 recipients: in order each, one at a time each', async () => {
	const items = Array.from({ length: 120 }, (_, index) => ({
		toId: `customer-${(index * 7919) % 10}`,
		number: index,
	}));
	items.forEach(() =>
		bench.sandbox.misbehave({ kind: 'delay', milliseconds: 20 + Math.random() * 20 }),
	);
	const parameters = {
		...SEND,
		feedVideo: '={{ { ...' + SEND.feedVideo + ', feedNo: $json.number } }}',
		options: { maxConcurrency: 20 },
	};
	const run = await bench.engine.run(workflowOf(items, parameters));

	const { items: outputs, error } = resultOf(run);
	expect(error).toBeUndefined();
	expect(indexesOf(outputs)).toEqual(items.map((_, index) => index));
	expect(bench.sandbox.requests).toHaveLength(items.length);
	for (const recipient of new Set(items.map(({ toId }) => toId))) {
		const requests = bench.sandbox.requests.filter(({ body }) => body?.toId === recipient);
		const numbers = requests.map(({ body }) => Number(body?.feedNo));
		expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
		for (const [index, { startedAt }] of requests.slice(1).entries())
			expect(startedAt).toBeGreaterThanOrEqual(requests[index]!.endedAt ?? Infinity);
	}
});
