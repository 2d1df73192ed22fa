import { CONTINUE } from '../support/messages';
import { json, useOwnServer } from '../support/ownServer';
import { DOWNLOAD, INSTANCE, KEY, recipients, resultOf, SEND, workflowOf } from '../support/setup';

/** A credential with expressions: every item goes out with its own key, and with no other's. */

const own = useOwnServer();
const keys = () => own.requests.map(({ key }) => key);
const pairs = () => own.requests.map(({ key, body }) => `${String(body.toId)} with ${String(key)}`);
const OF_THE_ITEM = '={{ $json.key }}';
const tenants = (count: number): object[] =>
	recipients(count).map((one, index) => ({ ...one, key: `fake-key-${index + 1}` }));
const FILE = { fileAeskey: 'a', fileAuthkey: 'a', fileSize: 1, fileType: 1, fileUrl: 'http://a' };
const DOWNLOADS = { ...DOWNLOAD, file: FILE, output: 'envelope', options: { maxConcurrency: 1 } };
const run = async (items: object[], settings = {}, parameters: object = SEND) =>
	await own.engine.run(workflowOf(items as never, { ...parameters }, settings));

beforeEach(() => void (own.credential.apiKey = OF_THE_ITEM));

test.each<[string, string, object]>([
	['of the item', OF_THE_ITEM, SEND],
	['of the item, in a download', OF_THE_ITEM, DOWNLOADS],
	['that finds it by its place', '={{ $input.all()[$itemIndex].json.key }}', SEND],
	['of another node', '={{ $("Split").item.json.key }}', SEND],
	['of the place alone', '=fake-key-{{ $itemIndex + 1 }}', SEND],
])('every item has its own key by an expression %s', async (_, apiKey, parameters) => {
	own.credential.apiKey = apiKey;
	expect((await run(tenants(3), {}, parameters)).status).toBe('success');
	expect(keys()).toEqual(['fake-key-1', 'fake-key-2', 'fake-key-3']);
});

test('a key of the first and the last item is not that of those between', async () => {
	await run([...tenants(2), ...tenants(1)]);
	expect(keys()).toEqual(['fake-key-1', 'fake-key-2', 'fake-key-1']);
});

test('the address and the default instance may be those of the item', async () => {
	own.credential.baseUrl = `=${own.url}/{{ $input.item?.json?.tenant }}`;
	own.credential.defaultInstanceGuid = '={{ $input.item?.json?.tenant }}-instance';
	own.credential.apiKey = KEY;
	const seen: unknown[] = [];
	own.answer = ({ body }, response, { url }) => {
		seen.push(url, body.instance_guid);
		json(response, { ok: true, code: 0 });
	};
	await run(['one', 'two'].map((tenant) => ({ toId: 'customer', tenant })));
	expect(seen).toEqual([
		...['/one/workchat/messages/send-feed-video', 'one-instance'],
		...['/two/workchat/messages/send-feed-video', 'two-instance'],
	]);
});

const FAILING = '={{ $json.key ?? $("No such node").first().json.key }}';
const BAD: Array<[string, string, unknown]> = [
	['fails', FAILING, undefined],
	['finds nothing', OF_THE_ITEM, undefined],
	['finds nothing, as behind the last item,', '={{ $input.item?.json?.key }}', undefined],
];
test.each(BAD)('where a key %s, only its item fails', async (_, apiKey, key) => {
	own.credential.apiKey = apiKey;
	for (const item of [0, 1]) {
		own.requests.length = 0;
		const items = Object.assign(tenants(3), { [item]: { toId: 'x', key } });
		const outputs = resultOf(await run(items, CONTINUE)).items;
		const others = [1, 2, 3].filter((number) => number !== item + 1);
		expect(pairs()).toEqual(others.map((n) => `customer-${n} with fake-key-${n}`));
		const error = { outcome: 'notSent' };
		expect(outputs[item]).toMatchObject({ json: { error }, pairedItem: { item } });
	}
});

test.each(BAD.slice(0, 2))('a key that %s stops the run at once', async (_, apiKey) => {
	own.credential.apiKey = apiKey;
	const { error } = resultOf(await run(Object.assign(tenants(3), { 1: { toId: 'customer-2' } })));
	expect(error).toMatchObject({ name: 'NodeOperationError', context: { itemIndex: 1 } });
	expect(error?.message).toMatch(/^The Workchat credential (?:cannot be used: .|has no API key)/);
	expect(own.requests).toHaveLength(0);
});

test('the ledger sends nothing twice in a Retry, also to who has no key any more, and tells none', async () => {
	own.answer = ({ body, key }, response) => {
		const refusal = { ok: false, code: 9, message: `bad key ${key}`, request_id: key };
		json(response, body.toId === 'customer-2' ? refusal : { ok: true, code: 0 });
	};
	const workflow = workflowOf(tenants(3) as never, SEND);
	const failed = await own.engine.run(workflow);
	const { executionData, resultData } = failed.data;
	const saved = JSON.stringify([
		executionData?.contextData,
		resultData.error,
		resultData.runData.Workchat,
	]);
	expect(saved).toMatch(/workchatLedger.*bad key \*\*\*/s);
	expect(saved).not.toContain('fake-key');
	own.credential.apiKey = '={{ $itemIndex === 0 ? "" : "fake-new-key" }}';
	own.answer = (_, response) => json(response, { ok: true, code: 0 });
	expect((await own.engine.retry(workflow, failed)).status).toBe('success');
	expect(pairs().slice(2)).toEqual([2, 3].map((n) => `customer-${n} with fake-new-key`));
});

test.each([KEY, '={{ $("Split").first().json.key }}', '={{ $execution ? "" : "" }}fake-key'])(
	'a credential with the same key for all is decrypted twice at most: %s',
	async (apiKey) => {
		own.credential.apiKey = apiKey;
		for (const settings of [{}, CONTINUE]) {
			const before = own.engine.credentialsHelper.decryptions;
			expect((await run(tenants(10), settings)).status).toBe('success');
			expect(own.engine.credentialsHelper.decryptions - before).toBeLessThanOrEqual(2);
		}
		expect(new Set(keys()).size).toBe(1);
		expect(own.requests[0]?.body.instance_guid).toBe(INSTANCE);
	},
);
