import { outputOf } from '../dev/engine/outputOf';
import { INSTANCE, KEY, recipients, resultOf, SEND, useBench, VIDEO, workflowOf } from './setup';

const bench = useBench();

const inFields = (more: object = {}) => ({
	resource: 'message',
	operation: 'sendFeedVideo',
	toId: '={{ $json.toId }}',
	...VIDEO,
	...more,
});

async function send(items: Array<Record<string, unknown>>, parameters: object) {
	const run = await bench.engine.run(workflowOf(items, { ...parameters }));
	return { run, ...resultOf(run) };
}

test.each([
	['fields', inFields()],
	['JSON', SEND],
])(
	'%s mode sends exactly the ten documented fields to the documented address',
	async (_, parameters) => {
		const { items, error } = await send(recipients(1), parameters);

		expect(error).toBeUndefined();
		expect(bench.sandbox.requests).toHaveLength(1);
		const [request] = bench.sandbox.requests;
		expect(request).toMatchObject({ method: 'POST', url: '/workchat/messages/send-feed-video' });
		expect(request?.headers).toMatchObject({
			'content-type': 'application/json',
			'x-service-key': KEY,
		});
		const body = JSON.parse(request?.rawBody ?? '') as object;
		expect(body).toEqual({ instance_guid: INSTANCE, ...VIDEO, toId: 'customer-1' });
		expect(items).toEqual([
			{
				json: {
					ok: true,
					code: 0,
					message: 'success',
					request_id: expect.stringMatching(/^svc_/) as string,
					data: { messageId: 'sandbox-message-1' },
				},
				pairedItem: { item: 0 },
			},
		]);
	},
);

test('Simplify puts out only data', async () => {
	const { items } = await send(recipients(2), { ...SEND, simplify: true });
	expect(items.map(({ json }) => json)).toEqual([
		{ messageId: 'sandbox-message-1' },
		{ messageId: 'sandbox-message-2' },
	]);
});

test('expressions are resolved for each item, and outputs stand beside their inputs', async () => {
	const items = recipients(25).map(({ toId }, index) => ({ toId, guid: `instance-${index % 3}` }));
	const { run, items: outputs } = await send(items, { ...SEND, instanceGuid: '={{ $json.guid }}' });

	expect(bench.sandbox.messages.map(({ toId, instance_guid: guid }) => ({ toId, guid }))).toEqual(
		items,
	);
	expect(outputs.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
	expect(outputOf(run, 'After')).toHaveLength(25);
	expect(bench.engine.credentialsHelper.decryptions).toBeGreaterThan(0);
});

test('decrypts the credential twice a run, whatever the number of items', async () => {
	const { credentialsHelper } = bench.engine;
	const before = credentialsHelper.decryptions;
	await send(recipients(10), SEND);
	expect(credentialsHelper.decryptions - before).toBe(2);
});

describe('JSON mode', () => {
	const upperCase = Object.fromEntries(
		Object.entries(VIDEO).map(([name, value]) => [name.toUpperCase(), value]),
	);

	test.each([
		['an object from an expression', { feedVideo: '={{ $json.video }}' }, VIDEO],
		['a text from an expression', { feedVideo: '={{ JSON.stringify($json.video) }}' }, VIDEO],
		['names in another case', { feedVideo: '={{ $json.video }}' }, upperCase],
		['unknown keys', { feedVideo: '={{ $json.video }}' }, { ...VIDEO, extra: 1, toId: 'else' }],
		[
			'the exact name before another case',
			{ feedVideo: '={{ $json.video }}' },
			{ FEEDID: 'x', ...VIDEO },
		],
	])('takes %s', async (_, parameters, video) => {
		const { error } = await send([{ toId: 'customer-1', video }], { ...SEND, ...parameters });
		expect(error).toBeUndefined();
		expect(bench.sandbox.messages).toEqual([
			{ instance_guid: INSTANCE, ...VIDEO, toId: 'customer-1' },
		]);
	});

	test.each(['not json', '[1]', '"text"', 'null'])('refuses %s', async (feedVideo) => {
		const { error } = await send(recipients(1), { ...SEND, feedVideo });
		expect(error?.message).toBe('Feed Video is not a JSON object');
		expect(bench.sandbox.requests).toHaveLength(0);
	});

	test('says which keys it ignored', async () => {
		const feedVideo = JSON.stringify({ ...VIDEO, fedId: 'x' });
		const { run } = await send(recipients(3), { ...SEND, feedVideo });
		expect(run.data.resultData.runData.Workchat?.[0]?.hints).toEqual([
			expect.objectContaining({
				message: 'Fields of the JSON were ignored: fedId (items 0, 1, 2)',
			}),
		]);
	});
});

describe('input', () => {
	test('is passed on untouched', async () => {
		const odd = '  \u{1F600} %20 &amp; <b>\\n\n\t"  ';
		await send([{ toId: odd }], SEND);
		expect(bench.sandbox.messages[0]?.toId).toBe(odd);
	});

	test('that is a number becomes text', async () => {
		await send([{ toId: 9007199254740991 }], SEND);
		expect(bench.sandbox.messages[0]?.toId).toBe('9007199254740991');
	});

	test('is checked for all fields at once, before anything is sent', async () => {
		const wrong = {
			toId: 2 ** 53 + 2,
			video: { channelName: 'x', channelUrl: 'ftp://example.com', coverUrl: true, feedId: [] },
		};
		const items = [{ toId: 'customer-1', video: VIDEO }, wrong];
		const { error } = await send(items, { ...SEND, feedVideo: '={{ $json.video }}' });

		expect(error?.name).toBe('NodeOperationError');
		expect(error?.context?.itemIndex).toBe(1);
		for (const named of [
			/Channel URL is not a URL/,
			/Cover URL is a boolean/,
			/Encode Data is missing/,
			/Head Image URL is missing/,
			/Feed ID is a list/,
			/Feed No is missing/,
			/Username is missing/,
			/Recipient ID is a number too long/,
		]) {
			expect(error?.message).toMatch(named);
		}
		expect(error?.message).not.toMatch(/Channel Name/);
		expect(error?.description).toMatch(
			/^Correct these values and run it again\. Nothing was sent to anyone/,
		);
		expect(bench.sandbox.requests).toHaveLength(0);
	});

	test('with an expression that fails is an error of that item', async () => {
		const workflow = workflowOf(
			[{ toId: 'customer-1' }, {}],
			{ ...SEND, toId: "={{ $json.toId ?? $('Nobody').item.json.toId }}" },
			{ onError: 'continueRegularOutput' },
		);
		const { items } = resultOf(await bench.engine.run(workflow));
		expect(bench.sandbox.messages.map(({ toId }) => toId)).toEqual(['customer-1']);
		expect(items[1]?.json.error).toMatchObject({
			outcome: 'notSent',
			message: expect.stringMatching(/^Recipient ID has an expression that fails: /) as string,
		});
	});

	test.each(['={{ [] }}', '={{ false }}'])(
		'with the instance %s is no ID',
		async (instanceGuid) => {
			const { error } = await send(recipients(1), { ...SEND, instanceGuid });
			expect(error?.message).toBe('Instance GUID is not an ID');
			expect(bench.sandbox.requests).toHaveLength(0);
		},
	);

	test('with an instance expression that comes out empty does not use the default', async () => {
		const parameters = { ...SEND, instanceGuid: '={{ $json.nothing }}' };
		const { error } = await send(recipients(1), parameters);
		expect(error?.message).toBe('Instance GUID comes out empty: check its expression');
		expect(bench.sandbox.requests).toHaveLength(0);
	});
});

test('Timeout may differ from item to item', async () => {
	bench.sandbox.misbehave(
		{ kind: 'delay', milliseconds: 1500 },
		{ when: ({ toId }) => toId === 'customer-2' },
	);
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
