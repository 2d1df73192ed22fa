import type { IRun } from 'n8n-workflow';

import { outputOf } from '../dev/engine/outputOf';
import {
	INSTANCE,
	KEY,
	NODE,
	recipients,
	resultOf,
	SEND,
	useBench,
	VIDEO,
	workflowOf,
} from './setup';

const bench = useBench();

const inFields = (more: object = {}) => ({
	resource: 'message',
	operation: 'sendFeedVideo',
	toId: '={{ $json.toId }}',
	...VIDEO,
	...more,
});

const hintsOf = (run: IRun) =>
	run.data.resultData.runData[NODE]?.[0]?.hints?.map(({ message }) => message);

async function send(items: Array<Record<string, unknown>>, parameters: object) {
	const run = await bench.engine.run(workflowOf(items, { ...parameters }));
	return { run, ...resultOf(run) };
}

test('sends exactly the ten documented fields to the documented address', async () => {
	const { items, error } = await send(recipients(1), inFields());

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
});

test('expressions are resolved for each item, and outputs stand beside their inputs', async () => {
	const { credentialsHelper } = bench.engine;
	const before = credentialsHelper.decryptions;
	const items = recipients(25).map(({ toId }, index) => ({ toId, guid: `instance-${index % 3}` }));
	const { run, items: outputs } = await send(items, { ...SEND, instanceGuid: '={{ $json.guid }}' });

	expect(bench.sandbox.messages.map(({ toId, instance_guid: guid }) => ({ toId, guid }))).toEqual(
		items,
	);
	expect(outputs.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
	expect(outputOf(run, 'After')).toHaveLength(25);
	// The credential twice for a run, whatever the number of its items.
	expect(credentialsHelper.decryptions - before).toBe(2);
});

describe('input', () => {
	const odd = '\u{1F600} %20 &amp; <b>\\n\n\t"x';

	test('is passed on untouched', async () => {
		const fields = inFields({ toId: 'customer-1', encodeData: '={{ $json.odd }}' });
		const { run } = await send([{ odd: ` ${odd}\n` }], fields);
		expect(bench.sandbox.messages[0]?.encodeData).toBe(` ${odd}\n`);
		expect(hintsOf(run)).toEqual([
			'White space around values was sent with them: Encode Data (item 0)',
		]);
	});

	test('without the white space around the recipient, the instance and URLs', async () => {
		const around = (value: unknown) => `={{ "\\t ${String(value)} \\r\\n" }}`;
		const { run } = await send([{ toId: ` ${odd}\n` }, { toId: odd }], {
			...inFields({
				instanceGuid: around('instance-1'),
				channelUrl: around(VIDEO.channelUrl),
				coverUrl: around(VIDEO.coverUrl),
			}),
		});
		const message = { ...VIDEO, instance_guid: 'instance-1', toId: odd };
		expect(bench.sandbox.messages).toEqual([message, message]);
		expect(hintsOf(run)).toEqual([
			'White space around values was removed: Recipient ID, Instance GUID, Channel URL, Cover URL (items 0, 1)',
		]);
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
			/^Recipient ID is a number too long/,
			/encodeData, headImgUrl, feedNo, username are missing \(the JSON has: channelName,/,
			/channelUrl is not a URL/,
			/coverUrl is a boolean/,
			/feedId is a list/,
		]) {
			expect(error?.message).toMatch(named);
		}
		expect(error?.message).not.toMatch(/channelName (is|has)/);
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

	const EMPTY = /^Instance GUID comes out empty: check its expression$/;
	test.each([
		['={{ [] }}', /^Instance GUID is a list, but has to be text$/],
		['={{ false }}', /^Instance GUID is a boolean, but has to be text$/],
		// It does not use the default.
		['={{ $json.nothing }}', EMPTY],
		['={{ "" }}', EMPTY],
		['={{ " " }}', EMPTY],
		['={{ null }}', EMPTY],
	])('with the instance %s is refused', async (instanceGuid, message) => {
		const { error } = await send(recipients(1), { ...SEND, instanceGuid });
		expect(error?.message).toMatch(message);
		expect(bench.sandbox.requests).toHaveLength(0);
	});
});

test('Timeout and Simplify may differ from item to item', async () => {
	bench.sandbox.misbehave(
		{ kind: 'delay', milliseconds: 1500 },
		{ when: ({ toId }) => toId === 'customer-2' },
	);
	const items = [
		{ toId: 'customer-1', timeout: 1000, simplify: false },
		{ toId: 'customer-2', timeout: 10_000, simplify: true },
	];
	const options = { timeout: '={{ $json.timeout }}' };
	const all = { ...SEND, simplify: '={{ $json.simplify }}', options };
	const { items: outputs, error } = await send(items, all);
	expect(error).toBeUndefined();
	expect(outputs.map(({ json }) => json)).toEqual([
		expect.objectContaining({ code: 0, data: { messageId: 'sandbox-message-1' } }),
		{ messageId: 'sandbox-message-2' },
	]);
});
