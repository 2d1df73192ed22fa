import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { INodeExecutionData, IRun } from 'n8n-workflow';

import { Engine } from '../dev/engine/engine';
import type { Misbehaviour, Schedule } from '../dev/sandbox/misbehaviour';
import {
	KEY,
	looped,
	recipients,
	resultOf,
	SEND,
	type NodeSettings,
	useBench,
	workflowOf,
} from './setup';

const bench = useBench();

/** How a message can fail, and whether it arrives all the same. */
const FAILURES: Record<string, { how: Misbehaviour; isAccepted: boolean }> = {
	rejected: { how: { kind: 'refuse', code: 1, message: 'no' }, isAccepted: false },
	notSent: { how: { kind: 'httpError', status: 503, retryAfter: '0' }, isAccepted: false },
	'unknown, not done': { how: { kind: 'dropBeforeReading' }, isAccepted: false },
	'unknown, but done': { how: { kind: 'dropAfterAccepting' }, isAccepted: true },
};

const COUNT = 5;
const toIds = (list: Array<Record<string, unknown>>) => list.map(({ toId }) => toId);
const onWire = () => toIds(bench.sandbox.requests.map(({ body }) => body ?? {}));
const to = (toId: string): Schedule => ({ when: (body) => body.toId === toId });

interface Case {
	retries: number;
	onError: NonNullable<NodeSettings['onError']>;
	position: number;
	failure: string;
}

const CASES: Case[] = [2, 5].flatMap((retries) =>
	(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const).flatMap((onError) =>
		[0, 2, COUNT - 1].flatMap((position) =>
			Object.keys(FAILURES).map((failure) => ({ retries, onError, position, failure })),
		),
	),
);

const withRetryOnFail = ({ retries, onError }: Case): NodeSettings => ({
	onError,
	retryOnFail: true,
	maxTries: retries,
	waitBetweenTries: 1,
});

describe('Retry On Fail', () => {
	test.each(CASES)(
		'with $retries tries, $onError and item $position $failure sends nothing twice',
		async (it) => {
			const { how, isAccepted } = FAILURES[it.failure] as (typeof FAILURES)[string];
			const failing = `customer-${it.position + 1}`;
			// Without its body the request cannot be told by recipient, so its place in the row has to do.
			const kind =
				how.kind === 'dropBeforeReading' ? { ...how, kind: 'dropAfterAccepting' as const } : how;
			bench.sandbox.misbehave(kind, { ...to(failing), times: 100, isAccepted });

			const parameters = { ...SEND, options: { maxTries: 1 } };
			const run = await bench.engine.run(
				workflowOf(recipients(COUNT), parameters, withRetryOnFail(it)),
			);

			expect(new Set(toIds(bench.sandbox.messages)).size).toBe(bench.sandbox.messages.length);
			const tries = onWire().filter((toId) => toId === failing).length;
			if (it.failure.startsWith('unknown')) expect(tries).toBe(1);
			const stops = it.onError === 'stopWorkflow';
			// n8n runs the node again where it throws, and where its first output item is an error.
			const isRunAgain = stops || (it.position === 0 && it.onError !== 'stopWorkflow');
			if (!it.failure.startsWith('unknown')) expect(tries).toBe(isRunAgain ? it.retries : 1);

			const others = recipients(COUNT).filter(({ toId }) => toId !== failing);
			const expected = stops ? others.slice(0, it.position) : others;
			expect(onWire().filter((toId) => toId !== failing)).toEqual(toIds(expected));
			expectOutcome(run, it);
		},
	);

	function expectOutcome(run: IRun, { onError, position, failure }: Case): void {
		const { items, errorItems, error } = resultOf(run);
		const [outcome] = failure.split(',');
		if (onError === 'stopWorkflow') {
			expect(error?.context?.itemIndex).toBe(position);
			expect(error).toMatchObject({
				errorResponse: { outcome: outcome === 'notSent' ? 'rejected' : outcome },
			});
			const sent = new RegExp(`${position} of ${COUNT} items were sent`);
			if (position > 0) expect(error?.description).toMatch(sent);
			return;
		}
		const all = onError === 'continueErrorOutput' ? [...items, ...errorItems] : items;
		expect(all).toHaveLength(COUNT);
		expect(indexesOf(all.filter(({ json }) => json.error))).toEqual([position]);
		if (onError === 'continueRegularOutput') {
			expect(indexesOf(items)).toEqual(recipients(COUNT).map((_, index) => index));
		}
	}

	test('gives the stored results of sent items', async () => {
		bench.sandbox.misbehave({ kind: 'httpError', status: 503 }, to('customer-3'));
		const parameters = { ...SEND, options: { maxTries: 1 } };
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		const run = await bench.engine.run(workflowOf(recipients(3), parameters, settings));
		const { items, error } = resultOf(run);
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.data)).toEqual([
			{ messageId: 'sandbox-message-1' },
			{ messageId: 'sandbox-message-2' },
			{ messageId: 'sandbox-message-3' },
		]);
		expect(onWire()).toEqual(['customer-1', 'customer-2', 'customer-3', 'customer-3']);
	});

	test('with Resend if Unknown sends an unknown item again', async () => {
		bench.sandbox.misbehave(
			{ kind: 'dropAfterAccepting' },
			{ ...to('customer-2'), isAccepted: false },
		);
		const parameters = { ...SEND, options: { maxTries: 1, resendUnknown: true } };
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		const { error } = resultOf(
			await bench.engine.run(workflowOf(recipients(2), parameters, settings)),
		);
		expect(error).toBeUndefined();
		expect(onWire()).toEqual(['customer-1', 'customer-2', 'customer-2']);
	});
});

test.each([
	['', { ok: true, code: 0, error: 'none' }],
	[' with Simplify', { ok: true, code: 0, data: { id: 1, error: 'none' } }],
])('an `error` of the service in a success%s does not make n8n send again', async (_, envelope) => {
	let requests = 0;
	const server = createServer((_request, response) => {
		requests++;
		response.end(JSON.stringify(envelope));
	}).listen(0);
	const { port } = server.address() as AddressInfo;
	const credential = { apiKey: KEY, baseUrl: `http://localhost:${port}`, defaultInstanceGuid: 'x' };
	const engine = await Engine.start({ credential });
	const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
	const parameters = { ...SEND, simplify: 'data' in envelope };
	const run = await engine.run(workflowOf(recipients(1), parameters, settings));
	server.close();
	expect(run.status).toBe('success');
	expect(requests).toBe(1);
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

describe('a failed execution that is retried from the list', () => {
	const parameters = { ...SEND, options: { maxTries: 1 } };

	test('does not send accepted items again', async () => {
		bench.sandbox.misbehave({ kind: 'httpError', status: 503 }, to('customer-3'));
		const workflow = workflowOf(recipients(4), parameters);
		const failed = await bench.engine.run(workflow);
		expect(failed.status).toBe('error');

		const retried = await bench.engine.retry(workflow, failed);
		expect(resultOf(retried).error).toBeUndefined();
		expect(resultOf(retried).items).toHaveLength(4);
		expect(onWire()).toEqual([
			'customer-1',
			'customer-2',
			'customer-3',
			'customer-3',
			'customer-4',
		]);
	});

	test('does not send an unknown item again, but says so', async () => {
		bench.sandbox.misbehave({ kind: 'dropAfterAccepting' }, to('customer-2'));
		const workflow = workflowOf(recipients(2), parameters);
		const retried = await bench.engine.retry(workflow, await bench.engine.run(workflow));
		expect(resultOf(retried).error?.message).toMatch(/closed the connection/);
		expect(resultOf(retried).error?.description).toMatch(/did not send it again/);
		expect(onWire()).toEqual(['customer-1', 'customer-2']);
	});

	test('sends an item that was changed meanwhile', async () => {
		bench.sandbox.misbehave({ kind: 'httpError', status: 503 }, to('customer-2'));
		const failed = await bench.engine.run(workflowOf(recipients(2), parameters));
		const changed = workflowOf(recipients(2), { ...parameters, instanceGuid: 'another' });
		await bench.engine.retry(changed, failed);
		expect(onWire()).toEqual(['customer-1', 'customer-2', 'customer-1', 'customer-2']);
	});
});

describe('the ledger', () => {
	const contextOf = (run: IRun) => run.data.executionData?.contextData['node:Workchat'];
	const EMPTY = { workchatExecution: expect.stringMatching(/^\d+$/) as string };

	test('is emptied once every item succeeded', async () => {
		const run = await bench.engine.run(workflowOf(recipients(3), SEND));
		expect(contextOf(run)).toEqual(EMPTY);
	});

	test('is emptied where nothing can run the node again', async () => {
		bench.sandbox.misbehave({ kind: 'refuse', code: 1, message: 'no' });
		const settings: NodeSettings = { onError: 'continueRegularOutput' };
		const run = await bench.engine.run(workflowOf(recipients(3), SEND, settings));
		expect(contextOf(run)).toEqual(EMPTY);
	});

	test('holds hashes and results of what a failed run sent, and nothing else', async () => {
		bench.sandbox.misbehave({ kind: 'refuse', code: 1, message: 'no' }, to('customer-2'));
		const run = await bench.engine.run(workflowOf(recipients(3), SEND));
		expect(contextOf(run)).toEqual({
			...EMPTY,
			workchatLedger: {
				0: {
					0: {
						source: expect.stringMatching(/^[\w+/]{43}=$/) as string,
						message: expect.stringMatching(/^[\w+/]{43}=$/) as string,
						json: expect.objectContaining({ code: 0 }) as object,
					},
				},
			},
		});
	});

	test('knows the iterations of a loop apart', async () => {
		const same = [{ toId: 'customer-1' }, { toId: 'customer-1' }];
		const workflow = looped(workflowOf(same, SEND));
		const run = await bench.engine.run(workflow);
		expect(run.data.resultData.error).toBeUndefined();
		expect(run.data.resultData.runData.Workchat).toHaveLength(2);
		expect(onWire()).toEqual(toIds(same));
	});
});

describe('retries inside an item', () => {
	test.each([
		['HTTP 429', { kind: 'httpError', status: 429, retryAfter: '0' }],
		['HTTP 503', { kind: 'httpError', status: 503, retryAfter: '0' }],
		[
			'HTTP 503 with a date',
			{ kind: 'httpError', status: 503, retryAfter: new Date(0).toUTCString() },
		],
	] as Array<[string, Misbehaviour]>)('send again after %s', async (_, misbehaviour) => {
		bench.sandbox.misbehave(misbehaviour, { times: 2 });
		const { error } = resultOf(await bench.engine.run(workflowOf(recipients(1), SEND)));
		expect(error).toBeUndefined();
		expect(bench.sandbox.requests).toHaveLength(3);
		expect(bench.sandbox.messages).toHaveLength(1);
	});

	test('stop at Max Tries, the first included', async () => {
		bench.sandbox.misbehave({ kind: 'httpError', status: 503, retryAfter: '0' }, { times: 9 });
		const parameters = { ...SEND, options: { maxTries: 4 } };
		const { error } = resultOf(await bench.engine.run(workflowOf(recipients(1), parameters)));
		expect(error?.message).toMatch(/not available right now/);
		expect(bench.sandbox.requests).toHaveLength(4);
	});

	test.each([400, 401, 403, 404, 500, 502, 504])(
		'do not send again after HTTP %d',
		async (status) => {
			bench.sandbox.misbehave({ kind: 'httpError', status }, { times: 9 });
			await bench.engine.run(workflowOf(recipients(1), SEND));
			expect(bench.sandbox.requests).toHaveLength(1);
		},
	);

	test('wait longer each time, and as long as the service asks', async () => {
		bench.sandbox.misbehave({ kind: 'httpError', status: 429, retryAfter: '1' });
		bench.sandbox.misbehave({ kind: 'httpError', status: 503 });
		await bench.engine.run(workflowOf(recipients(1), SEND));
		const [first = 0, second = 0, third = 0] = bench.sandbox.requests.map(
			({ startedAt }) => startedAt,
		);
		expect(second - first).toBeGreaterThanOrEqual(990);
		expect(second - first).toBeLessThan(4000);
		expect(third - second).toBeGreaterThanOrEqual(490);
		expect(third - second).toBeLessThan(4000);
	});
});

describe('order and concurrency', () => {
	test('1,000 items to 50 recipients: in order each, one at a time each, never more than 20', async () => {
		const items = Array.from({ length: 1000 }, (_, index) => ({
			toId: `customer-${(index * 7919) % 50}`,
			number: index,
		}));
		for (let count = 0; count < 1000; count++) {
			bench.sandbox.misbehave({ kind: 'delay', milliseconds: Math.random() * 20 });
		}
		const parameters = {
			...SEND,
			feedVideo: '={{ { ...' + SEND.feedVideo + ', feedNo: $json.number } }}',
			options: { maxConcurrency: 20 },
		};
		const run = await bench.engine.run(workflowOf(items, parameters));

		const { items: outputs, error } = resultOf(run);
		expect(error).toBeUndefined();
		expect(indexesOf(outputs)).toEqual(items.map((_, index) => index));
		expect(bench.sandbox.requests).toHaveLength(1000);
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
		expect(mostInFlight()).toBeGreaterThan(15);
	});

	test('by default one message after another, in input order', async () => {
		bench.sandbox.misbehave({ kind: 'delay', milliseconds: 20 }, { times: 10 });
		await bench.engine.run(workflowOf(recipients(10), SEND));
		expect(onWire()).toEqual(toIds(recipients(10)));
		expect(mostInFlight()).toBe(1);
	});

	test('Request Interval keeps starts apart, whatever the concurrency', async () => {
		const parameters = { ...SEND, options: { requestInterval: 50, maxConcurrency: 5 } };
		const startedAt = performance.now();
		await bench.engine.run(workflowOf(recipients(6), parameters));
		// A request may take long to arrive, but it does not arrive before it starts.
		for (const [index, request] of bench.sandbox.requests.entries()) {
			expect(request.startedAt - startedAt).toBeGreaterThan(index * 50 - 5);
		}
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

describe('an item is read', () => {
	/** Milliseconds, for each of the items. */
	const READING = 10;
	const COUNT_READ = 150;
	const toId = `={{ (() => { const end = Date.now() + ${READING}; while (Date.now() < end); return $json.toId; })() }}`;
	const firstAfter = async (options: object, settings: NodeSettings = {}) => {
		const started = performance.now();
		let first: number | undefined;
		const when = () => {
			first ??= performance.now() - started;
			return false;
		};
		bench.sandbox.misbehave({ kind: 'dropAfterAccepting' }, { when });
		const items = recipients(COUNT_READ);
		const run = await bench.engine.run(workflowOf(items, { ...SEND, toId, options }, settings));
		expect(onWire()).toEqual(toIds(items));
		expect(resultOf(run).items.map(({ json }) => json.code)).toEqual(items.map(() => 0));
		return first ?? NaN;
	};

	test('before the first message leaves, where a bad one is to stop the run', async () => {
		expect(await firstAfter({})).toBeGreaterThan(READING * COUNT_READ);
	});

	test.each<[string, object]>([
		['one at a time', {}],
		['several at a time', { maxConcurrency: 5 }],
	])('when its turn comes, where the node continues, %s', async (_, options) => {
		const settings: NodeSettings = { onError: 'continueRegularOutput' };
		expect(await firstAfter(options, settings)).toBeLessThan((READING * COUNT_READ) / 2);
	});
});

test('failed items are a hint where the node continues', async () => {
	bench.sandbox.misbehave({ kind: 'refuse', code: 1, message: 'no' }, to('customer-2'));
	const settings: NodeSettings = { onError: 'continueErrorOutput' };
	const run = await bench.engine.run(workflowOf(recipients(3), SEND, settings));
	expect(run.data.resultData.runData.Workchat?.[0]?.hints).toEqual([
		expect.objectContaining({ message: '1 of 3 items failed (item 1)' }),
	]);
});

function indexesOf(items: INodeExecutionData[]) {
	return items.map(({ pairedItem }) =>
		typeof pairedItem === 'object' && 'item' in pairedItem ? pairedItem.item : pairedItem,
	);
}
