import { recipients, SEND, useBench, workflowOf } from './setup';

const bench = useBench();
const starts = () => bench.sandbox.requests.map(({ startedAt }) => startedAt);

test('Request Interval keeps starts apart, whatever the concurrency', async () => {
	const parameters = { ...SEND, options: { requestInterval: 50, maxConcurrency: 5 } };
	const startedAt = performance.now();
	await bench.engine.run(workflowOf(recipients(6), parameters));
	// A request may take long to arrive, but it does not arrive before it starts.
	for (const [index, request] of bench.sandbox.requests.entries()) {
		expect(request.startedAt - startedAt).toBeGreaterThan(index * 50 - 5);
	}
});

test('Request Interval holds for further tries too', async () => {
	bench.sandbox.misbehave({ kind: 'httpError', status: 503, retryAfter: '0' });
	const options = { requestInterval: 300 };
	// A request may take long to arrive, but it does not arrive before it starts.
	const startedAt = performance.now();
	await bench.engine.run(workflowOf(recipients(1), { ...SEND, options }));
	const [, second = NaN] = starts();
	expect(second - startedAt).toBeGreaterThan(295);
});

test('Request Interval makes up for no time that was lost', async () => {
	bench.sandbox.misbehave({ kind: 'delay', milliseconds: 700 });
	const options = { requestInterval: 300 };
	await bench.engine.run(workflowOf(recipients(3), { ...SEND, options }));
	const [first = NaN, , third = NaN] = starts();
	expect(third - first).toBeGreaterThan(700 + 295);
});
