import { setTimeout as wait } from 'node:timers/promises';

import type { INodeProperties } from 'n8n-workflow';

import { resources } from '../../../nodes/Workchat/operations';
import type { Field } from '../../../nodes/Workchat/operations/fields/field';
import { CONTINUE, retrying } from '../../support/messages';
import { json, text, useOwnServer } from '../../support/ownServer';
import { INSTANCE, KEY, resultOf, workflowOf, type NodeSettings } from '../../support/setup';
import { stopClockWhileBusy } from '../../support/turns';

/** Tests for all operations of the node, including new ones. */

const own = useOwnServer();
beforeAll(stopClockWhileBusy);

const all = resources.flatMap(({ value: resource, operations }) =>
	operations.map((operation) => ({ name: operation.name, resource, operation })),
);

/** Characters that a wrong encoding would change. */
const SPECIAL = '\u{1F600} %20 &amp <b>\\n"x\n';

/** A valid value for the field, different from those of all other fields. */
function sampleOf({ name, type, options }: Field): string | number {
	if (options) return options[0]?.value ?? 0;
	if (type === 'integer') return 1234;
	if (type === 'url') return `https://example.com/${name}?a=b`;
	return type === 'id' ? name : `${name} ${SPECIAL}.`;
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

	test('posts the documented fields to its path, with the key in the header', async () => {
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

	test('an unknown outcome is repeated only if the operation is harmless to repeat', async () => {
		own.answer = (_, response) => text(response, '', 500);
		const { items } = await run({ maxTries: 2 }, retrying(2, CONTINUE.onError));
		expect(own.requests).toHaveLength(operation.isRepeatable ? 4 : 1);
		expect(items[0]?.json.error).toMatchObject({ outcome: 'unknown' });
	});

	const optionOf = (wanted: string) => {
		const { options = [] } = operation.parameters.find(({ name }) => name === 'options') ?? {};
		return (options as INodeProperties[]).find(({ name }) => name === wanted);
	};

	/** The panel says what Timeout covers. */
	const isBounded = optionOf('timeout')?.description?.includes('complete response') === true;
	const ends = isBounded ? 'is given up after its Timeout' : 'may take longer than Timeout';
	test(`a response that comes byte by byte ${ends}`, async () => {
		own.answer = async (_, response) => {
			response.flushHeaders();
			for (const byte of '{"ok": true, "code": 0}') {
				response.write(byte);
				await wait(40);
			}
			response.end();
		};
		const { items } = await run({ timeout: 400, maxTries: 1 }, CONTINUE);
		const inTime = { error: { message: expect.stringMatching(/in time/), outcome: 'unknown' } };
		expect(items[0]?.json).toMatchObject(isBounded ? inTime : { ok: true, code: 0 });
	});

	const numbers = ['maxConcurrency', 'maxTries', 'requestInterval', 'timeout'];
	test.each(numbers)('nothing is sent with an invalid %s', async (name) => {
		const { error } = await run({ [name]: -1 });
		expect(error).toMatchObject({ name: 'NodeOperationError' });
		expect(own.requests).toEqual([]);
	});

	const noKey = [
		['={{ $json.campaign }}', 'is empty: check its expression, or the value'],
		['={{ ({ campaign: "spring" }) }}', 'is empty'],
		[' \n ', 'is blank'],
		['undefined', 'is the result of an expression that finds nothing'],
		['{{ $json.campaign }}', 'is an expression or a placeholder that was left as text: switch'],
	] as const;
	if (optionOf('sendOnceKey'))
		test.each(noKey)('nothing is sent with the Send Once Key %j', async (sendOnceKey, why) => {
			const { error } = await run({ sendOnceKey });
			expect(error?.message).toContain(`Send Once Key ${why}`);
			expect(own.requests).toEqual([]);
		});

	/** The parameter that selects how to enter a field group. */
	const specify = operation.parameters.find(({ name }) => name.startsWith('specify'))?.name;
	if (specify)
		test('finds its fields in the input item, but not the recipient and the instance', async () => {
			const ofGroup = fields.filter(({ name }) => name !== 'toId');
			const found = ofGroup.map((field) => [field.name.toUpperCase(), sampleOf(field)] as const);
			const another = { TOID: 'another', INSTANCE_GUID: 'another' };
			const item = { body: { list: [{ ...Object.fromEntries(found), ...another }] } };
			expect((await run({}, {}, { [specify]: 'input' }, item)).error).toBeUndefined();
			expect(own.requests).toEqual([{ body, key: KEY }]);
		});

	test('one error names all missing fields, and nothing is sent', async () => {
		const filledIn = fields.filter(({ options }) => !options);
		const empty = Object.fromEntries(filledIn.map(({ name }) => [name, '={{ "" }}']));
		const { error } = await run({}, {}, empty);
		const why = 'is empty: check its expression, or the value in the item';
		const problems = [...filledIn.map(({ label }) => `${label} ${why}`), 'the item is empty'];
		expect(error?.message.split('; ').sort()).toEqual(problems.sort());
		expect(own.requests).toEqual([]);
	});
});
