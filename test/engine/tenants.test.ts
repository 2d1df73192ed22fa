import { CONTINUE } from '../support/messages';
import { json, useOwnServer } from '../support/ownServer';
import { KEY, recipients, resultOf, SEND, workflowOf } from '../support/setup';

/** A credential with expressions: every item goes out with its own key, and with no other's. */

const own = useOwnServer();
const pairs = () => own.requests.map(({ key, body }) => `${String(body.toId)} with ${String(key)}`);
const OF_THE_ITEM = '={{ $json.key }}';
const tenants = (count: number): object[] =>
	recipients(count).map((one, index) => ({ ...one, key: `fake-key-${index + 1}` }));
const run = async (items: object[], settings = {}) =>
	await own.engine.run(workflowOf(items as never, SEND, settings));

beforeEach(() => void (own.credential.apiKey = OF_THE_ITEM));

test.each([
	['of the item', OF_THE_ITEM, [1, 2, 1]],
	['of another node', '={{ $("Split").item.json.key }}', [1, 2, 1]],
	['of the place alone', '=fake-key-{{ $itemIndex + 1 }}', [1, 2, 3]],
])('every item is sent with its own key by an expression %s', async (_, apiKey, keys) => {
	own.credential.apiKey = apiKey;
	expect((await run([...tenants(2), ...tenants(1)])).status).toBe('success');
	expect(pairs()).toEqual([1, 2, 1].map((n, item) => `customer-${n} with fake-key-${keys[item]}`));
});

test('a fallback for an item without a key is used for this item only', async () => {
	own.credential.apiKey = '={{ $input.item?.json?.key ?? "fake-key-0" }}';
	const [first, second] = tenants(2);
	await run([{ ...first, key: undefined }, second!]);
	expect(pairs()).toEqual(['customer-1 with fake-key-0', 'customer-2 with fake-key-2']);
});

test('an item is sent to its own address, and from its own default instance', async () => {
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

test.each([
	['fails', '={{ $json.key ?? $("No such node").first().json.key }}'],
	['finds nothing', OF_THE_ITEM],
	['finds nothing, as behind the last item', '={{ $input.item?.json?.key }}'],
])(
	'if the expression of an API key %s, only its item fails, or the run stops at once',
	async (_, apiKey) => {
		own.credential.apiKey = apiKey;
		for (const item of [0, 1]) {
			own.requests.length = 0;
			const items = Object.assign(tenants(3), { [item]: { toId: 'x' } });
			const { error: stopped } = resultOf(await run(items));
			expect(stopped).toMatchObject({ name: 'NodeOperationError', context: { itemIndex: item } });
			expect(stopped?.message).toMatch(
				/^The Workchat credential (?:cannot be used: .|has no API key)/,
			);
			expect(own.requests).toEqual([]);

			const outputs = resultOf(await run(items, CONTINUE)).items;
			const others = [1, 2, 3].filter((number) => number !== item + 1);
			expect(pairs()).toEqual(others.map((n) => `customer-${n} with fake-key-${n}`));
			const error = { outcome: 'notSent' };
			expect(outputs[item]).toMatchObject({ json: { error }, pairedItem: { item } });
		}
	},
);
