import type { IRun } from 'n8n-workflow';

import { CONTINUE } from '../../support/messages';
import { NODE, resultOf, SEND, useBench, VIDEO, workflowOf } from '../../support/setup';

const bench = useBench();

const hintsOf = (run: IRun) =>
	run.data.resultData.runData[NODE]?.[0]?.hints?.map(({ message }) => message);

test('values are passed on untouched, but for white space around the recipient, the instance and URLs', async () => {
	const odd = '\u{1F600} %20 &amp <b>\\n"x';
	const around = (value: unknown) => `={{ "\\t ${String(value)} \\r\\n" }}`;
	const workflow = workflowOf([{ toId: ` ${odd}\n` }, { toId: odd }], {
		...{ ...SEND, ...VIDEO, specifyFeedVideo: 'fields' },
		instanceGuid: around('instance-1'),
		channelUrl: around(VIDEO.channelUrl),
		coverUrl: around(VIDEO.coverUrl),
		encodeData: '={{ $json.toId }}',
	});
	const run = await bench.engine.run(workflow);
	const message = { ...VIDEO, instance_guid: 'instance-1', toId: odd };
	expect(bench.sandbox.messages).toEqual([
		{ ...message, encodeData: ` ${odd}\n` },
		{ ...message, encodeData: odd },
	]);
	expect(hintsOf(run)).toEqual([
		'White space around values was removed: Recipient ID, Instance GUID, Channel URL, Cover URL (items 0, 1, counted from 0)',
		'White space around values was sent with them: Encode Data (item 0, counted from 0)',
		expect.stringMatching(/^Several items have the same recipient, /),
	]);
});

test('an expression that fails is an error of its item, and Timeout and Simplify are as of each', async () => {
	bench.sandbox.misbehave({ kind: 'hang' }, { toId: 'customer-2' });
	bench.sandbox.misbehave({ kind: 'delay', milliseconds: 300 }, { toId: 'customer-3' });
	const items = [
		{},
		{ toId: 'customer-2', timeout: 100 },
		{ toId: 'customer-3', timeout: 10_000, simplify: true },
	];
	const parameters = {
		...SEND,
		toId: "={{ $json.toId ?? $('Nobody').item.json.toId }}",
		simplify: '={{ $json.simplify }}',
		options: { timeout: '={{ $json.timeout ?? 1 }}' },
	};
	const { items: outputs } = resultOf(
		await bench.engine.run(workflowOf(items, parameters, CONTINUE)),
	);
	const message = expect.stringMatching(/^Recipient ID has an expression that fails: /) as string;
	expect(outputs.map(({ json }) => json)).toMatchObject([
		{ error: { outcome: 'notSent', message } },
		{ error: { outcome: 'unknown', message: expect.stringMatching(/in time/) as string } },
		{ messageId: 'sandbox-message-1' },
	]);
	expect(bench.sandbox.requests).toHaveLength(2);
});
