import type { IRun } from 'n8n-workflow';

import type { Schedule } from '../dev/sandbox/misbehaviour';
import { eventually } from './eventually';
import {
	looped,
	recipients,
	resultOf,
	SEND,
	type NodeSettings,
	useBench,
	VIDEO,
	workflowOf,
} from './setup';

const bench = useBench();
const onWire = () => bench.sandbox.requests.map(({ body }) => body?.toId);
const to = (toId: string): Schedule => ({ when: (body) => body.toId === toId });
const contextOf = (run: IRun) => run.data.executionData?.contextData['node:Workchat'];
const starts = () => bench.sandbox.requests.map(({ startedAt }) => startedAt);
const parameters = { ...SEND, options: { maxTries: 1 } };

test('Resend if Unknown also tries again inside an item', async () => {
	bench.sandbox.misbehave({ kind: 'dropAfterAccepting' }, { isAccepted: false });
	const options = { resendUnknown: true };
	const { error } = resultOf(
		await bench.engine.run(workflowOf(recipients(1), { ...SEND, options })),
	);
	expect(error).toBeUndefined();
	expect(bench.sandbox.requests).toHaveLength(2);
});

test('sends an item whose video was changed meanwhile', async () => {
	bench.sandbox.misbehave({ kind: 'httpError', status: 503 }, to('customer-2'));
	const failed = await bench.engine.run(workflowOf(recipients(2), parameters));
	const feedVideo = JSON.stringify({ ...VIDEO, feedNo: 'another' });
	await bench.engine.retry(workflowOf(recipients(2), { ...parameters, feedVideo }), failed);
	expect(onWire()).toEqual(['customer-1', 'customer-2', 'customer-1', 'customer-2']);
});

test('says of an unknown item the same at every retry', async () => {
	bench.sandbox.misbehave({ kind: 'httpError', status: 500 });
	const workflow = workflowOf(recipients(1), parameters);
	let run = await bench.engine.run(workflow);
	const message = resultOf(run).error?.message;
	for (let retries = 0; retries < 2; retries++) run = await bench.engine.retry(workflow, run);
	expect(resultOf(run).error?.message).toBe(message);
	expect(resultOf(run).error?.description?.match(/did not send it again/g)).toHaveLength(1);
	expect(bench.sandbox.requests).toHaveLength(1);
});

test('remembers an unknown item though Resend if Unknown was on', async () => {
	bench.sandbox.misbehave({ kind: 'dropAfterAccepting' });
	const options = { maxTries: 1, resendUnknown: true };
	const failed = await bench.engine.run(workflowOf(recipients(1), { ...SEND, options }));
	const retried = await bench.engine.retry(workflowOf(recipients(1), parameters), failed);
	expect(resultOf(retried).error?.description).toMatch(/did not send it again/);
	expect(bench.sandbox.requests).toHaveLength(1);
});

test('an unknown item of one iteration does not hold back its like in the next', async () => {
	bench.sandbox.misbehave({ kind: 'dropAfterAccepting' });
	const same = [{ toId: 'customer-1' }, { toId: 'customer-1' }];
	const settings: NodeSettings = {
		onError: 'continueRegularOutput',
		retryOnFail: true,
		maxTries: 2,
		waitBetweenTries: 1,
	};
	const workflow = looped(workflowOf(same, parameters, settings));
	const run = await bench.engine.run(workflow);
	expect(run.data.resultData.runData.Workchat).toHaveLength(2);
	expect(bench.sandbox.requests).toHaveLength(2);
});

test('the ledger is kept where the execution is cancelled', async () => {
	bench.sandbox.misbehave({ kind: 'hang' }, to('customer-2'));
	const settings: NodeSettings = { onError: 'continueRegularOutput' };
	const running = bench.engine.begin(workflowOf(recipients(3), SEND, settings));
	await eventually(() => bench.sandbox.requests.length === 2);
	running.cancel();
	const run = await running.finished;
	expect(contextOf(run)).toMatchObject({
		workchatLedger: { 0: { 0: { json: { code: 0 } }, 1: { unknown: { outcome: 'unknown' } } } },
	});
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

test('the error of the first failed item names the others', async () => {
	const items = [{ toId: 'customer-1' }, { toId: '' }, { toId: '' }, { toId: '' }];
	const { error } = resultOf(await bench.engine.run(workflowOf(items, SEND)));
	expect(error?.context?.itemIndex).toBe(1);
	expect(error?.description).toMatch(
		/Also failed: items 2, 3\. Nothing was sent to anyone \(0 of 4\)\.$/,
	);
});

test('Timeout may differ from item to item', async () => {
	bench.sandbox.misbehave({ kind: 'delay', milliseconds: 1500 }, to('customer-2'));
	const options = { timeout: '={{ $json.timeout }}' };
	const items = [
		{ toId: 'customer-1', timeout: 1000 },
		{ toId: 'customer-2', timeout: 10_000 },
	];
	const { error } = resultOf(await bench.engine.run(workflowOf(items, { ...SEND, options })));
	expect(error).toBeUndefined();
});

test('Simplify may differ from item to item', async () => {
	const items = [
		{ toId: 'a', simplify: false },
		{ toId: 'b', simplify: true },
	];
	const all = { ...SEND, simplify: '={{ $json.simplify }}' };
	const { items: outputs } = resultOf(await bench.engine.run(workflowOf(items, all)));
	expect(outputs.map(({ json }) => 'code' in json)).toEqual([true, false]);
});

test.each(['maxConcurrency', 'maxTries', 'requestInterval', 'timeout'])(
	'a value of %s that is too small is an error, and nothing is sent',
	async (name) => {
		const { error } = resultOf(
			await bench.engine.run(workflowOf(recipients(1), { ...SEND, options: { [name]: -1 } })),
		);
		expect(error?.name).toBe('NodeOperationError');
		expect(error?.message).toMatch(/^The option .* is not a number of at least [01]$/);
		expect(bench.sandbox.requests).toHaveLength(0);
	},
);

test('an option that comes as text is a number all the same', async () => {
	bench.sandbox.misbehave({ kind: 'httpError', status: 503, retryAfter: '0' }, { times: 9 });
	const options = { maxTries: '={{ "2" }}' };
	await bench.engine.run(workflowOf(recipients(1), { ...SEND, options }));
	expect(bench.sandbox.requests).toHaveLength(2);
});

test('an error keeps the words and the HTTP status of the answer', async () => {
	bench.sandbox.misbehave({ kind: 'refuse', code: 404, message: 'upstream ETIMEDOUT' });
	const { error } = resultOf(await bench.engine.run(workflowOf(recipients(1), parameters)));
	expect(error?.message).toMatch(/^The Workchat service refused: upstream ETIMEDOUT \(code 404, /);
	expect(error).toMatchObject({ httpCode: '200' });
});
