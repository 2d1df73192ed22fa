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

test('items side by side have their own keys too, and every recipient gets theirs in order', async () => {
	own.credential.apiKey = OF_THE_ITEM;
	own.answer = async (_, response) => {
		await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
		json(response, { ok: true, code: 0 });
	};
	const items = Array.from({ length: 30 }, (_, index) => ({
		toId: `customer-${index % 4}`,
		key: `fake-key-${index}`,
	}));
	const run = await own.engine.run(workflowOf(items, { ...SEND, options: { maxConcurrency: 5 } }));
	expect(run.status).toBe('success');
	for (const { toId } of items.slice(0, 4)) {
		const expected = items.filter((item) => item.toId === toId).map(({ key }) => key);
		const got = own.requests.filter(({ body }) => body.toId === toId).map(({ key }) => key);
		expect(got).toEqual(expected);
	}
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

describe.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
	'with %s, where one item has no key',
	(onError) => {
		test.each([
			[
				'as the expression fails',
				'={{ $json.key ?? $("No such node").first().json.key }}',
				{ toId: 'customer-2' },
			],
			['as the expression finds nothing', OF_THE_ITEM, { toId: 'customer-2' }],
			['as it is empty', OF_THE_ITEM, { toId: 'customer-2', key: ' ' }],
			['as it is no text', OF_THE_ITEM, { toId: 'customer-2', key: { a: 1 } }],
			['as it cannot be a header', OF_THE_ITEM, { toId: 'customer-2', key: 'ключ' }],
		])('%s, only that item fails', async (_, apiKey, bad) => {
			own.credential.apiKey = apiKey;
			const [first, , third] = tenants(3);
			const run = await own.engine.run(
				workflowOf([first, bad, third] as Tenant[], SEND, { onError }),
			);
			const { items, errorItems } = resultOf(run);
			expect(pairs()).toEqual(['customer-1 with fake-key-1', 'customer-3 with fake-key-3']);
			const failed = onError === 'continueErrorOutput' ? errorItems : items.slice(1, 2);
			expect(failed).toHaveLength(1);
			expect(failed[0]).toMatchObject({
				json: { error: { outcome: 'notSent' } },
				pairedItem: { item: 1 },
			});
		});
	},
);

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

	test('takes the same content with another key for another message, once the source tells nothing', async () => {
		own.credential.apiKey = OF_THE_ITEM;
		failing('customer-2');
		const items = [
			{ toId: 'customer-1', key: 'fake-key-a' },
			{ toId: 'customer-2', key: 'fake-key-a' },
		];
		const failed = await own.engine.run(workflowOf(items, SEND));
		failing('nobody');
		own.credential.apiKey = 'fake-key-b';
		const edited = workflowOf(items, { ...SEND, feedVideo: `${SEND.feedVideo} ` });
		await own.engine.retry(edited, failed);
		expect(pairs().slice(2)).toEqual(['customer-1 with fake-key-b', 'customer-2 with fake-key-b']);
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
