import { Engine } from '../../dev/engine/engine';
import { samples } from '../../dev/sandbox/samples';
import { jsonsOf, useCampaigns } from '../support/campaigns';
import { CONTINUE, customers } from '../support/messages';
import { DOWNLOAD, INSTANCE, KEY, resultOf, SEND, VIDEO, workflowOf } from '../support/setup';

type Json = Record<string, unknown>;

const { bench, memory, refuse, accepted, onWire, send } = useCampaigns();
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
	'every item is validated and shown, even if it was sent before; nothing is sent or recorded: %j',
	async (options) => {
		const dry = await run([...to(1), { toId: '' }], { ...options, dryRun: true }, CONTINUE);
		const wrong = expect.objectContaining({ outcome: 'notSent', tried: false }) as object;
		expect(resultOf(dry).items).toEqual([
			{ json: shown('customer-1'), pairedItem: { item: 0 } },
			{ json: { error: wrong }, pairedItem: { item: 1 } },
		]);
		expect([onWire(), memory().entries(), memory().calls]).toEqual([[], [], []]);
		expect(JSON.stringify(dry.data.resultData.runData)).not.toContain(KEY);

		refuse('customer-2');
		const failed = await run(to(1, 2), options);
		const entries = memory().entries();
		const again = workflowOf(to(1, 2), { ...SEND, options: { ...options, dryRun: true } });
		expect(jsonsOf(await bench.engine.retry(again, failed))).toEqual(customers(1, 2).map(shown));
		expect([onWire(), memory().entries()]).toEqual([customers(1, 2), entries]);
	},
);

test.each([
	['the first', '={{ $itemIndex === 0 }}', [true, true]],
	['another', '={{ $itemIndex === 1 }}', [undefined, true]],
	['an unknown', '={{ $json.missing }}', [true, true]],
	['an ambiguous', '={{ "false" }}', [true, true]],
])('with Dry Run on for %s item, only items clearly off are sent', async (_, dryRun, dry) => {
	expect(jsonsOf(await run(to(1, 2), { dryRun })).map((json) => json.dryRun)).toEqual(dry);
	expect(accepted()).toHaveLength(dry.filter((each) => !each).length);
});

test('a download is shown with the keys of its file, and no user info of the Base URL', async () => {
	const baseUrl = 'https://user:fake-password@example.com/base';
	const engine = await Engine.start({ credential: { apiKey: KEY, baseUrl } });
	const file = bench.sandbox.fieldsOf(samples.document);
	const parameters = { ...DOWNLOAD, instanceGuid: INSTANCE, options: { dryRun: true } };
	const url = 'https://example.com/base/workchat/files/wx-download';
	const request = { method: 'POST', url, body: { instance_guid: INSTANCE, ...file } };
	const shownOne = { dryRun: true, request, orderKey: 'item 1' };
	expect(jsonsOf(await engine.run(workflowOf([{ ...file }], parameters)))).toEqual([shownOne]);
});
