import type { IRun } from 'n8n-workflow';

import { NODE, resultOf, SEND, useBench, VIDEO, workflowOf } from '../../support/setup';

type Json = Record<string, unknown>;

const bench = useBench();

const FIELDS = { ...SEND, specifyFeedVideo: 'fields', ...VIDEO };

const hintsOf = (run: IRun) =>
	run.data.resultData.runData[NODE]?.[0]?.hints?.map(({ message }) => message);

async function send(items: Json[], parameters: Json) {
	const run = await bench.engine.run(workflowOf(items, parameters));
	return { run, ...resultOf(run) };
}

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
