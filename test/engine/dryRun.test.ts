import { Engine } from '../../dev/engine/engine';
import { samples } from '../../dev/sandbox/samples';
import { jsonsOf, useCampaigns } from '../support/campaigns';
import { CONTINUE, customers } from '../support/messages';
import {
	DOWNLOAD,
	INSTANCE,
	KEY,
	NODE,
	recipients,
	resultOf,
	SEND,
	VIDEO,
	workflowOf,
} from '../support/setup';

type Json = Record<string, unknown>;

const { bench, memory, accepted, onWire, send } = useCampaigns();
const to = (...numbers: number[]) => customers(...numbers).map((toId) => ({ toId }));

const run = async (items: Json[], options: Json, settings = {}) =>
	await send(items, { ...SEND, options }, settings);
const shown = (toId: string) => ({
	dryRun: true,
	request: {
		method: 'POST',
		url: `${bench.sandbox.url}/workchat/messages/send-feed-video`,
		body: { instance_guid: INSTANCE, ...VIDEO, toId },
	},
	orderKey: JSON.stringify([INSTANCE, toId]),
});

test.each([{}, { sendOnceKey: 'spring' }])(
	'every item is checked and shown, nothing sent, and nothing noted: %j',
	async (options) => {
		const items = [...to(1), { toId: '' }, ...to(3)];
		const dry = await run(items, { ...options, dryRun: true }, CONTINUE);
		const wrong = expect.objectContaining({ outcome: 'notSent', tried: false }) as object;
		expect(resultOf(dry).items).toEqual(
			[shown('customer-1'), { error: wrong }, shown('customer-3')].map((json, item) => {
				return { json, pairedItem: { item } };
			}),
		);
		expect([onWire(), memory.entries(), memory.deduplicator.calls]).toEqual([[], [], []]);
		expect(JSON.stringify(dry.data.resultData.runData)).not.toContain(KEY);

		await run(items, options, CONTINUE);
		expect(accepted()).toEqual(customers(1, 3));
		// What was sent before is shown as well.
		const entries = memory.entries();
		expect(jsonsOf(await run(to(1), { ...options, dryRun: true }))).toEqual([shown('customer-1')]);
		expect(memory.entries()).toEqual(entries);
	},
);

test('in a Retry, what this execution sent is shown as well', async () => {
	bench.sandbox.misbehave({ kind: 'refuse', code: 1, message: 'no' }, { toId: 'customer-2' });
	const failed = await run(recipients(2), SEND);
	const dry = workflowOf(recipients(2), { ...SEND, options: { dryRun: true } });
	expect(jsonsOf(await bench.engine.retry(dry, failed))).toEqual(customers(1, 2).map(shown));
	expect(bench.sandbox.requests).toHaveLength(2);
});

test.each([
	['the first', '={{ $itemIndex === 0 }}', [true, true]],
	['another', '={{ $itemIndex === 1 }}', [undefined, true]],
	['no known', '={{ $json.missing }}', [true, true]],
	['no clear', '={{ "false" }}', [true, true]],
])('on for %s item by an expression, in doubt nothing is sent', async (_, dryRun, dry) => {
	expect(jsonsOf(await run(recipients(2), { dryRun })).map((json) => json.dryRun)).toEqual(dry);
	expect(accepted()).toHaveLength(dry.filter((each) => !each).length);
});

test('that recipients would get several messages is said, as it would be by the sending', async () => {
	const hintsWith = async (options: Json) =>
		(await run(to(1, 2, 1), options)).data.resultData.runData[NODE]?.[0]?.hints;
	const words = /same recipient.* \(items 0, 2, counted from 0\)$/;
	const message = expect.stringMatching(words) as string;
	expect(await hintsWith({ dryRun: true })).toMatchObject([{ message }]);
	expect(onWire()).toEqual([]);
	expect(await hintsWith({})).toMatchObject([{ message }]);
	expect(await hintsWith({ sendOnceKey: 'spring', dryRun: true })).toEqual([]);
});

test('a download is shown with the keys of its file, and no user info of the Base URL', async () => {
	const baseUrl = 'https://user:fake-password@example.com/base';
	const engine = await Engine.start({ credential: { apiKey: KEY, baseUrl } });
	const file = bench.sandbox.fieldsOf(samples.document);
	const parameters = { ...DOWNLOAD, instanceGuid: INSTANCE, options: { dryRun: true } };
	const url = 'https://example.com/base/workchat/files/wx-download';
	const request = { method: 'POST', url, body: { instance_guid: INSTANCE, ...file } };
	const shownOne = { dryRun: true, request, orderKey: 'item 0' };
	expect(jsonsOf(await engine.run(workflowOf([{ ...file }], parameters)))).toEqual([shownOne]);
});
