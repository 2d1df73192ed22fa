import { resources } from '../../../nodes/Workchat/operations';
import type { Field } from '../../../nodes/Workchat/operations/fields/field';
import { CONTINUE, retrying } from '../../support/messages';
import { json, text, useOwnServer } from '../../support/ownServer';
import { INSTANCE, KEY, resultOf, workflowOf, type NodeSettings } from '../../support/setup';

/** What holds for every operation of the node, whatever it does: also for one that is added. */

const own = useOwnServer();

const all = resources.flatMap(({ value: resource, operations }) =>
	operations.map((operation) => ({ name: operation.name, resource, operation })),
);

/** What an encoding may change. */
const ODD = '\u{1F600} %20 &amp <b>\\n"x\n';

/** A value that the field takes, and that can be told from all others. */
function sampleOf({ name, type, options }: Field): string | number {
	if (options) return options[0]?.value ?? 0;
	if (type === 'integer') return 1234;
	if (type === 'url') return `https://example.com/${name}?a=b`;
	return type === 'id' ? name : `${name} ${ODD}.`;
}

function bodyOf(fields: Field[]): Record<string, string | number> {
	return Object.fromEntries(fields.map((field) => [field.name, sampleOf(field)]));
}

describe.each(all)('$name', ({ resource, operation }) => {
	const { fields } = operation;
	const body: ReturnType<typeof bodyOf> = { instance_guid: INSTANCE, ...bodyOf(fields) };
	const chosen = { resource, operation: operation.value, output: 'envelope' };
	const parameters = { ...chosen, ...bodyOf(fields) };
	/** Runs one item. */
	const run = async (options: object, settings: NodeSettings = {}, more: object = {}, item = {}) =>
		resultOf(
			await own.engine.run(workflowOf([item], { ...parameters, ...more, options }, settings)),
		);

	test('posts its documented fields to its path, with the key in the header', async () => {
		const seen: unknown[] = [];
		const envelope = { ok: true, code: 0, request_id: 'svc_1', data: { a: 1 } };
		own.answer = (_, response, { method, url }) => {
			seen.push(method, url);
			json(response, envelope);
		};
		const { items, error } = await run({});
		expect(error).toBeUndefined();
		expect(seen).toEqual(['POST', operation.path]);
		expect(own.requests).toEqual([{ body, key: KEY }]);
		expect(items).toEqual([{ json: envelope, pairedItem: { item: 0 } }]);
	});

	test('an unknown outcome is repeated where that harms nobody, and nowhere else', async () => {
		own.answer = (_, response) => text(response, '', 500);
		const { items } = await run({ maxTries: 2 }, retrying(2, CONTINUE.onError));
		expect(own.requests).toHaveLength(operation.isRepeatable ? 4 : 1);
		expect(items[0]?.json.error).toMatchObject({ outcome: 'unknown' });
	});

	const numbers = ['maxConcurrency', 'maxTries', 'requestInterval', 'timeout'];
	test.each(numbers)('nothing is sent with a wrong %s', async (name) => {
		const { error } = await run({ [name]: -1 });
		expect(error).toMatchObject({ name: 'NodeOperationError' });
		expect(own.requests).toEqual([]);
	});

	const noKey = [
		['={{ $json.campaign }}', 'comes out empty: check its expression, or the value'],
		['={{ ({ campaign: "spring" }) }}', 'comes out empty'],
		[' \n ', 'is blank'],
		['{{ $json.campaign }}', 'is an expression or a placeholder that was left as text: switch'],
	] as const;
	if (!operation.isRepeatable)
		test.each(noKey)('nothing is sent with the Send Once Key %j', async (sendOnceKey, why) => {
			const { error } = await run({ sendOnceKey });
			expect(error?.message).toContain(`Send Once Key ${why}`);
			expect(own.requests).toEqual([]);
		});

	/** One after the other, or as a group that can be found by the names of its fields. */
	const specify = operation.parameters.find(({ name }) => name.startsWith('specify'))?.name;
	if (specify)
		test('takes its fields from the input item, but not the recipient', async () => {
			const ofGroup = fields.filter(({ name }) => name !== 'toId');
			const found = ofGroup.map((field) => [field.name.toUpperCase(), sampleOf(field)] as const);
			const another = { TOID: 'another', INSTANCE_GUID: 'another' };
			const item = { body: { list: [{ ...Object.fromEntries(found), ...another }] } };
			expect((await run({}, {}, { [specify]: 'input' }, item)).error).toBeUndefined();
			expect(own.requests).toEqual([{ body, key: KEY }]);
		});

	test('every field that is missing is named before anything is sent', async () => {
		const filledIn = fields.filter(({ options }) => !options);
		const empty = Object.fromEntries(filledIn.map(({ name }) => [name, '={{ "" }}']));
		const { error } = await run({}, {}, empty);
		const why = 'comes out empty: check its expression, or the value in the item';
		const problems = [...filledIn.map(({ label }) => `${label} ${why}`), 'the item is empty'];
		expect(error?.message.split('; ').sort()).toEqual(problems.sort());
		expect(own.requests).toEqual([]);
	});
});
