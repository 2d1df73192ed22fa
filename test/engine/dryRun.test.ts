import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Engine, type WorkflowJson } from '../../dev/engine/engine';
import { outputOf } from '../../dev/engine/outputOf';
import { projectRoot } from '../../dev/projectRoot';
import { samples } from '../../dev/sandbox/samples';
import { CONTINUE } from '../support/messages';
import {
	DOWNLOAD,
	INSTANCE,
	KEY,
	NODE,
	nodeOf,
	recipients,
	resultOf,
	SEND,
	useBench,
	useMemory,
	VIDEO,
	workflowOf,
} from '../support/setup';

type Json = Record<string, unknown>;

const bench = useBench();
const memory = useMemory(bench);

const run = async (items: Json[], parameters: Json, settings = {}) =>
	await bench.engine.run(workflowOf(items, parameters, settings));
const shown = (toId: string) => ({
	dryRun: true,
	request: {
		method: 'POST',
		url: `${bench.sandbox.url}/workchat/messages/send-feed-video`,
		body: { instance_guid: INSTANCE, ...VIDEO, toId },
	},
	orderKey: JSON.stringify([INSTANCE, toId]),
});
const jsonsOf = (done: Awaited<ReturnType<typeof run>>) =>
	resultOf(done).items.map(({ json }) => json);

test.each([{}, { sendOnceKey: 'spring' }])(
	'every item is checked and shown, nothing sent, and nothing noted: %j',
	async (options) => {
		const items = ['customer-1', '', 'customer-3'].map((toId) => ({ toId }));
		const parameters = { ...SEND, options: { ...options, dryRun: true } };
		const dry = await run(items, parameters, CONTINUE);
		const wrong = expect.objectContaining({ outcome: 'notSent', tried: false }) as object;
		expect(jsonsOf(dry)).toEqual([shown('customer-1'), { error: wrong }, shown('customer-3')]);
		expect(resultOf(dry).items.map(({ pairedItem }) => pairedItem)).toEqual(
			items.map((_, item) => ({ item })),
		);
		expect(bench.sandbox.requests).toEqual([]);
		expect(memory.entries()).toEqual([]);
		expect(JSON.stringify(dry.data.resultData.runData)).not.toContain(KEY);

		await run(items, { ...SEND, options }, CONTINUE);
		expect(bench.sandbox.messages.map(({ toId }) => toId)).toEqual(['customer-1', 'customer-3']);
	},
);

test('what was sent under the same key before is shown as well', async () => {
	const options = { sendOnceKey: 'spring' };
	await run(recipients(1), { ...SEND, options });
	const before = memory.entries();
	const dry = await run(recipients(1), { ...SEND, options: { ...options, dryRun: true } });
	expect(jsonsOf(dry)).toEqual([shown('customer-1')]);
	expect(memory.entries()).toEqual(before);
});

test('in a Retry, what this execution sent is shown as well', async () => {
	bench.sandbox.misbehave({ kind: 'refuse', code: 1, message: 'no' }, { toId: 'customer-2' });
	const failed = await run(recipients(2), SEND);
	const dry = workflowOf(recipients(2), { ...SEND, options: { dryRun: true } });
	expect(jsonsOf(await bench.engine.retry(dry, failed))).toEqual(
		['customer-1', 'customer-2'].map(shown),
	);
	expect(bench.sandbox.requests).toHaveLength(2);
});

test.each([
	['the first', '={{ $itemIndex === 0 }}', [true, true]],
	['another', '={{ $itemIndex === 1 }}', [undefined, true]],
	['no known', '={{ $json.missing }}', [true, true]],
	['no clear', '={{ "false" }}', [true, true]],
])('on for %s item by an expression, in doubt nothing is sent', async (_, dryRun, dry) => {
	const done = await run(recipients(2), { ...SEND, options: { dryRun } });
	expect(jsonsOf(done).map((json) => json.dryRun)).toEqual(dry);
	expect(bench.sandbox.messages).toHaveLength(dry.filter((each) => !each).length);
});

test('a download is shown with the keys of its file, as they came in', async () => {
	const fields = { ...bench.sandbox.fieldsOf(samples.document) };
	const done = await run([fields], { ...DOWNLOAD, options: { dryRun: true } });
	const url = `${bench.sandbox.url}/workchat/files/wx-download`;
	const body = { instance_guid: INSTANCE, ...fields };
	expect(resultOf(done).items).toEqual([
		{
			json: { dryRun: true, request: { method: 'POST', url, body }, orderKey: 'item 0' },
			pairedItem: { item: 0 },
		},
	]);
	expect(bench.sandbox.requests).toEqual([]);
});

test('that recipients would get several messages is said, as it would be by the sending', async () => {
	const items = ['customer-1', 'customer-2', 'customer-1'].map((toId) => ({ toId }));
	const hintsWith = async (options: object) => {
		const { data } = await run(items, { ...SEND, options });
		return data.resultData.runData[NODE]?.[0]?.hints?.map(({ message }) => message);
	};
	const hints = [expect.stringMatching(/same recipient.* \(items 0, 2, counted from 0\)$/)];
	expect(await hintsWith({ dryRun: true })).toEqual(hints);
	expect(bench.sandbox.requests).toEqual([]);
	expect(await hintsWith({})).toEqual(hints);
	expect(await hintsWith({ sendOnceKey: 'spring', dryRun: true })).toEqual([]);
});

test('no user info of the Base URL is shown', async () => {
	const baseUrl = 'https://user:fake-password@example.com/base';
	const engine = await Engine.start({ credential: { apiKey: KEY, baseUrl } });
	const parameters = { ...SEND, instanceGuid: INSTANCE, options: { dryRun: true } };
	const [item] = resultOf(await engine.run(workflowOf(recipients(1), parameters))).items;
	await engine.stop();
	const url = 'https://example.com/base/workchat/messages/send-feed-video';
	expect(item?.json.request).toMatchObject({ url });
});

/** The campaigns' own code is tested in test/unit/examples. */
test('the recipe send-one-video notes what was sent, and a dry run as such', async () => {
	const path = join(projectRoot, 'examples', 'send-one-video.workflow.json');
	const { nodes } = JSON.parse(readFileSync(path, 'utf8')) as WorkflowJson;
	const parametersOf = (name: string) => nodes.find((node) => node.name === name)!.parameters;
	const set = (name: string, jsonOutput: string) =>
		nodeOf(name, 'n8n-nodes-base.set', { typeVersion: 3.4, parameters: { jsonOutput } });
	const { assignments } = parametersOf('What Became of It').assignments as {
		assignments: Array<{ name: string; value: string }>;
	};
	const bare = (expression: string) => expression.slice('={{'.length, -'}}'.length);
	const fields = assignments.map(({ name, value }) => `${name}: ${bare(value)}`);
	const became = async (dryRun: string) => {
		const sending = parametersOf('Send Feed Video') as { options: Json };
		const chain = [
			nodeOf('Trigger', 'n8n-nodes-base.manualTrigger'),
			set('Video', JSON.stringify({ toId: 'customer-1', name: 'spring', feedVideo: VIDEO })),
			nodeOf('Send Feed Video', 'n8n-nodes-workchat.workchat', {
				parameters: { ...sending, options: { ...sending.options, dryRun } } as never,
				credentials: { workchatApi: { id: '1', name: 'Workchat account' } },
			}),
			set('What Became of It', `={{ ({ ${fields.join(', ')} }) }}`),
		];
		const links = chain
			.slice(1)
			.map(({ name }, index) => [
				chain[index]?.name,
				{ main: [[{ node: name, type: 'main' as const, index: 0 }]] },
			]);
		const connections = Object.fromEntries(links) as WorkflowJson['connections'];
		const done = await bench.engine.run({ name: 'Test', nodes: chain, connections });
		return outputOf(done, 'What Became of It')[0]?.json.status;
	};
	expect([await became('={{ false }}'), await became('={{ $json.missing }}')]).toEqual([
		'sent',
		'dryRun',
	]);
	expect(bench.sandbox.messages).toHaveLength(1);
});
