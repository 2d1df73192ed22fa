import type { IRun } from 'n8n-workflow';

import { outputOf } from '../../../dev/engine/outputOf';
import {
	KEY,
	NODE,
	recipients,
	resultOf,
	SEND,
	useBench,
	VIDEO,
	workflowOf,
} from '../../support/setup';

type Json = Record<string, unknown>;

const bench = useBench();

const FIELDS = { ...SEND, specifyFeedVideo: 'fields', ...VIDEO };

const hintsOf = (run: IRun) =>
	run.data.resultData.runData[NODE]?.[0]?.hints?.map(({ message }) => message);

async function send(items: Json[], parameters: Json) {
	const run = await bench.engine.run(workflowOf(items, parameters));
	return { run, ...resultOf(run) };
}

test('sends exactly the ten documented fields to the documented address, for each item', async () => {
	const { credentialsHelper } = bench.engine;
	const before = credentialsHelper.decryptions;
	const items = recipients(25).map(({ toId }, index) => ({ toId, guid: `instance-${index % 3}` }));
	const { run, ...result } = await send(items, { ...FIELDS, instanceGuid: '={{ $json.guid }}' });

	expect(bench.sandbox.messages).toEqual(
		items.map(({ toId, guid }) => ({ instance_guid: guid, ...VIDEO, toId })),
	);
	expect(bench.sandbox.requests[0]).toMatchObject({
		method: 'POST',
		url: '/workchat/messages/send-feed-video',
		headers: { 'content-type': 'application/json', 'x-service-key': KEY },
	});
	expect(result.error).toBeUndefined();
	expect(result.items).toEqual(
		items.map((_, item) => ({
			json: {
				ok: true,
				code: 0,
				message: 'success',
				request_id: expect.stringMatching(/^svc_/) as string,
				data: { messageId: `sandbox-message-${item + 1}` },
			},
			pairedItem: { item },
		})),
	);
	expect(outputOf(run, 'After')).toHaveLength(items.length);
	// The credential twice for a run, whatever the number of its items.
	expect(credentialsHelper.decryptions - before).toBe(2);
});

describe('input', () => {
	test('is passed on untouched, but for white space around the recipient, the instance and URLs', async () => {
		const odd = '\u{1F600} %20 &amp <b>\\n"x';
		const around = (value: unknown) => `={{ "\\t ${String(value)} \\r\\n" }}`;
		const { run } = await send([{ toId: ` ${odd}\n` }, { toId: odd }], {
			...FIELDS,
			instanceGuid: around('instance-1'),
			channelUrl: around(VIDEO.channelUrl),
			coverUrl: around(VIDEO.coverUrl),
			encodeData: '={{ $json.toId }}',
		});
		const message = { ...VIDEO, instance_guid: 'instance-1', toId: odd };
		expect(bench.sandbox.messages).toEqual([
			{ ...message, encodeData: ` ${odd}\n` },
			{ ...message, encodeData: odd },
		]);
		expect(hintsOf(run)).toEqual([
			'White space around values was removed: Recipient ID, Instance GUID, Channel URL, Cover URL (items 0, 1, counted from 0)',
			'White space around values was sent with them: Encode Data (item 0, counted from 0)',
			expect.stringMatching(
				/^Several items have the same recipient, .*\(items 0, 1, counted from 0\)$/s,
			),
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
		expect(error?.message.replace(/, its last digits.*?enter it anew\)/, '')).toBe(
			'Recipient ID is a number too long to be exact; ' +
				'channelUrl is not a URL that begins with http:// or https://; ' +
				'coverUrl is a boolean, but has to be text; encodeData is missing; ' +
				'headImgUrl is missing; feedId is a list, but has to be text; feedNo is missing; ' +
				'username is missing; the JSON has: channelName, channelUrl, coverUrl, feedId',
		);
		expect(error?.description).toMatch(
			/^Correct these values and run it again\. This is about item 1; n8n counts items from 0\./,
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

	test('with an instance that comes out empty does not use the default', async () => {
		const EMPTY = 'comes out empty: check its expression, or the value in the item';
		const refused: Array<[guid: unknown, problem: string]> = [
			[[], 'is a list, but has to be text'],
			[false, 'is a boolean, but has to be text'],
			...['', ' ', null, undefined].map((guid): [unknown, string] => [guid, EMPTY]),
		];
		const workflow = workflowOf(
			refused.map(([guid]) => ({ toId: 'customer-1', guid })),
			{ ...SEND, instanceGuid: '={{ $json.guid }}' },
			{ onError: 'continueRegularOutput' },
		);
		const { items } = resultOf(await bench.engine.run(workflow));
		expect(
			items.map(({ json }) => (json.error as { message: string }).message.split('; ')[0]),
		).toEqual(refused.map(([, problem]) => `Instance GUID ${problem}`));
		expect(bench.sandbox.requests).toHaveLength(0);
	});
});

test('Timeout and Simplify may differ from item to item', async () => {
	bench.sandbox.misbehave({ kind: 'delay', milliseconds: 1500 }, { toId: 'customer-2' });
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
