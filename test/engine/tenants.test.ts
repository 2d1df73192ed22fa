import { CONTINUE } from '../support/messages';
import { answer, json, useOwnServer } from '../support/ownServer';
import { DOWNLOAD, INSTANCE, KEY, resultOf, SEND, workflowOf } from '../support/setup';

const own = useOwnServer();
const keys = () => own.requests.map(({ key }) => key);
const pairs = () => own.requests.map(({ key, body }) => `${String(body.toId)} with ${String(key)}`);
type Tenant = ReturnType<typeof tenants>[number];
const OF_THE_ITEM = '={{ $json.key }}';
const tenants = (count: number) =>
	Array.from({ length: count }, (_, index) => ({
		toId: `customer-${index + 1}`,
		key: `fake-key-${index + 1}`,
	}));

test.each([
	['of the item', OF_THE_ITEM],
	['that finds the item', '={{ $input.item.json.key }}'],
	['that finds it by its place', '={{ $input.all()[$itemIndex].json.key }}'],
	['of another node', '={{ $("Split").item.json.key }}'],
	['in the middle of text', '=fake-{{ $json.key.slice(5) }}'],
	['of the place alone', '=fake-key-{{ $itemIndex + 1 }}'],
])('every item has its own key by an expression %s', async (_, apiKey) => {
	own.credential.apiKey = apiKey;
	const run = await own.engine.run(workflowOf(tenants(3), SEND));
	expect(run.status).toBe('success');
	expect(keys()).toEqual(['fake-key-1', 'fake-key-2', 'fake-key-3']);
});

test('downloads have the key of their item too', async () => {
	own.credential.apiKey = OF_THE_ITEM;
	const items = tenants(3).map(({ key }) => ({
		key,
		fileAeskey: 'fake-aes-key',
		fileAuthkey: 'fake-auth-key',
		fileSize: 1,
		fileType: 1,
		fileUrl: 'https://example.com/file',
	}));
	const parameters = { ...DOWNLOAD, output: 'envelope', options: { maxConcurrency: 1 } };
	const run = await own.engine.run(workflowOf(items, parameters));
	expect(run.status).toBe('success');
	expect(keys()).toEqual(['fake-key-1', 'fake-key-2', 'fake-key-3']);
});

test('the address and the default instance may be those of the item', async () => {
	own.credential.baseUrl = `=${own.url}/{{ $json.tenant }}`;
	own.credential.defaultInstanceGuid = '={{ $json.tenant }}-instance';
	const paths: unknown[] = [];
	own.answer = (_, response, request) => {
		paths.push(request.url);
		json(response, { ok: true, code: 0 });
	};
	const items = ['one', 'two'].map((tenant) => ({ toId: 'customer', tenant }));
	await own.engine.run(workflowOf(items, SEND));
	expect(paths).toEqual(['one', 'two'].map((t) => `/${t}/workchat/messages/send-feed-video`));
	expect(own.requests.map(({ body }) => body.instance_guid)).toEqual([
		'one-instance',
		'two-instance',
	]);
});

test.each([
	['fails', '={{ $json.key ?? $("No such node").first().json.key }}', undefined],
	['finds nothing', OF_THE_ITEM, undefined],
	['is blank', OF_THE_ITEM, ' '],
	['is no text', OF_THE_ITEM, { a: 1 }],
	['cannot be a header', OF_THE_ITEM, 'ключ'],
])('where the key of one item %s, only that item fails', async (_, apiKey, key) => {
	own.credential.apiKey = apiKey;
	const [first, , third] = tenants(3);
	const items = [first, { toId: 'customer-2', key }, third] as Tenant[];
	const run = await own.engine.run(workflowOf(items, SEND, CONTINUE));
	expect(pairs()).toEqual(['customer-1 with fake-key-1', 'customer-3 with fake-key-3']);
	expect(resultOf(run).items[1]).toMatchObject({
		json: { error: { outcome: 'notSent' } },
		pairedItem: { item: 1 },
	});
});

test.each([
	['fails', '={{ $json.key ?? $("No such node").first().json.key }}', { toId: 'customer-2' }],
	['comes out empty', OF_THE_ITEM, { toId: 'customer-2' }],
])('a key that %s for one item stops the run before anything is sent', async (_, apiKey, bad) => {
	own.credential.apiKey = apiKey;
	const [first, , third] = tenants(3);
	const run = await own.engine.run(workflowOf([first, bad, third] as Tenant[], SEND));
	const { error } = resultOf(run);
	expect(error).toMatchObject({ name: 'NodeOperationError', context: { itemIndex: 1 } });
	expect(error?.message).toMatch(/credential/);
	expect(own.requests).toHaveLength(0);
});

test.each([
	['fails', '={{ $json.key ?? $("No such node").first().json.key }}'],
	['finds nothing', OF_THE_ITEM],
	['finds nothing, as behind the last item,', '={{ $input.item?.json?.key }}'],
])('a key that %s for the first item leaves the others theirs', async (_, apiKey) => {
	own.credential.apiKey = apiKey;
	const items = [{ toId: 'customer-1' }, { toId: 'customer-2', key: 'fake-key-2' }];
	await own.engine.run(workflowOf(items, SEND, CONTINUE));
	expect(pairs()).toEqual(['customer-2 with fake-key-2']);
});

describe('the ledger', () => {
	const failing = (toId: string) => answer(own, { [toId]: 'rejected' });

	test('sends nothing twice in a Retry, also where a sent item has no key any more', async () => {
		own.credential.apiKey = OF_THE_ITEM;
		failing('customer-2');
		const workflow = workflowOf(tenants(3), SEND);
		const failed = await own.engine.run(workflow);
		own.credential.apiKey = '={{ $itemIndex === 0 ? "" : "fake-new-key" }}';
		failing('nobody');
		const run = await own.engine.retry(workflow, failed);
		expect(run.status).toBe('success');
		expect(pairs().slice(2)).toEqual([
			'customer-2 with fake-new-key',
			'customer-3 with fake-new-key',
		]);
	});

	test('holds no key', async () => {
		own.credential.apiKey = OF_THE_ITEM;
		failing('customer-2');
		const failed = await own.engine.run(workflowOf(tenants(3), SEND));
		const saved = JSON.stringify([
			failed.data.executionData?.contextData,
			failed.data.resultData.error,
			failed.data.resultData.runData.Workchat,
		]);
		expect(saved).toContain('workchatLedger');
		expect(saved).not.toContain('fake-key');
	});
});

test.each([
	KEY,
	'={{ "fake" + "-key" }}',
	'={{ $("Split").first().json.key }}',
	'={{ $execution ? "" : "" }}fake-key',
])('a credential with the same key for all is decrypted twice at most: %s', async (apiKey) => {
	own.credential.apiKey = apiKey;
	for (const onError of ['stopWorkflow', 'continueRegularOutput'] as const) {
		const before = own.engine.credentialsHelper.decryptions;
		const run = await own.engine.run(workflowOf(tenants(10), SEND, { onError }));
		expect(run.status).toBe('success');
		expect(own.engine.credentialsHelper.decryptions - before).toBeLessThanOrEqual(2);
	}
	expect(new Set(keys()).size).toBe(1);
	expect(own.requests[0]?.body.instance_guid).toBe(INSTANCE);
});

test('no error tells the key of an item', async () => {
	own.credential.apiKey = OF_THE_ITEM;
	own.answer = ({ key }, response) =>
		json(response, { ok: false, code: 9, message: `bad key ${String(key)}`, request_id: key });
	const { items } = resultOf(await own.engine.run(workflowOf(tenants(3), SEND, CONTINUE)));
	expect(items).toHaveLength(3);
	expect(JSON.stringify(items.map(({ json: item }) => item.error))).not.toContain('fake-key');
});
