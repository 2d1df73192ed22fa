import { setTimeout as wait } from 'node:timers/promises';

import { indexesOf, recipients, resultOf, SEND, useBench, workflowOf } from '../support/setup';
import { eventually } from '../support/turns';

const bench = useBench();

const toIds = (list: Array<Record<string, unknown>>) => list.map(({ toId }) => toId);
const onWire = () => toIds(bench.sandbox.requests.map(({ body }) => body ?? {}));

describe('order and concurrency', () => {
	test('items to 50 recipients: in order each, one at a time each, never more than 20', async () => {
		const count = 120;
		const items = Array.from({ length: count }, (_, index) => ({
			toId: `customer-${(index * 7919) % 50}`,
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
		expect(bench.sandbox.requests).toHaveLength(count);
		for (const recipient of new Set(onWire())) {
			const requests = bench.sandbox.requests.filter(({ body }) => body?.toId === recipient);
			const numbers = requests.map(({ body }) => Number(body?.feedNo));
			expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
			requests.reduce((before, request) => {
				expect(request.startedAt).toBeGreaterThanOrEqual(before.endedAt ?? Infinity);
				return request;
			});
		}
		expect(mostInFlight()).toBeLessThanOrEqual(20);
	});

	test('as many at once as Max Concurrency says, and no more', async () => {
		bench.sandbox.misbehave({ kind: 'hang' }, { times: 25 });
		const parameters = { ...SEND, options: { maxTries: 1, maxConcurrency: 20 } };
		const running = bench.engine.begin(workflowOf(recipients(25), parameters));
		await eventually(() => bench.sandbox.requests.length === 20);
		await wait(200); // in which no more may come
		expect(bench.sandbox.requests).toHaveLength(20);
		expect(mostInFlight()).toBe(20);
		running.cancel();
		await running.finished;
	});

	test('by default one message after another, in input order', async () => {
		bench.sandbox.misbehave({ kind: 'delay', milliseconds: 20 }, { times: 10 });
		await bench.engine.run(workflowOf(recipients(10), SEND));
		expect(onWire()).toEqual(toIds(recipients(10)));
		expect(mostInFlight()).toBe(1);
	});

	function mostInFlight(): number {
		const events = bench.sandbox.requests.flatMap(({ startedAt, endedAt = Infinity }) => [
			{ at: startedAt, change: 1 },
			{ at: endedAt, change: -1 },
		]);
		let inFlight = 0;
		return Math.max(
			...events
				.sort((a, b) => a.at - b.at || a.change - b.change)
				.map(({ change }) => (inFlight += change)),
		);
	}
});

test('messages of two instances to one recipient may run side by side', async () => {
	bench.sandbox.misbehave({ kind: 'hang' }, { times: 2 });
	const items = [{ guid: 'a' }, { guid: 'b' }];
	const options = { maxTries: 1, maxConcurrency: 2 };
	const both = { ...SEND, toId: 'customer', instanceGuid: '={{ $json.guid }}', options };
	const running = bench.engine.begin(workflowOf(items, both));
	await eventually(() => bench.sandbox.requests.length === 2);
	expect(bench.sandbox.requests.some(({ endedAt }) => endedAt)).toBe(false);
	running.cancel();
	await running.finished;
});
