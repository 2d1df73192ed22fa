import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

import type { INodeProperties, IRun } from 'n8n-workflow';

import { resources } from '../../../nodes/Workchat/operations';
import type { Field } from '../../../nodes/Workchat/operations/fields/field';
import { json, text, useOwnServer } from '../../support/ownServer';
import { INSTANCE, KEY, resultOf, workflowOf, type NodeSettings } from '../../support/setup';

/** What holds for every operation of the node, whatever it does: also for one that is added. */

const own = useOwnServer();

const all = resources.flatMap(({ value: resource, operations }) =>
	operations.map((operation) => ({ name: operation.name, resource, operation })),
);

const SECRET = 'secret-value-of-';

/** A value that the field takes, and that can be told from all others. */
function sampleOf({ name, type, options }: Field): string | number {
	if (options) return options[0]?.value ?? 0;
	if (type === 'integer') return 1234;
	return type === 'url' ? `https://example.com/${name}?${SECRET}${name}` : SECRET + name;
}

function bodyOf(fields: Field[]): Record<string, string | number> {
	return Object.fromEntries(fields.map((field) => [field.name, sampleOf(field)]));
}

const refuse = (response: ServerResponse, status: number, message = 'example reason') =>
	json(response, { ok: false, code: 7, message, request_id: 'svc_refused' }, status);

type Answer = (response: ServerResponse) => void;

/** What every status proves with every body: outcomes.test.ts. */
const ANSWERS: Array<[name: string, outcome: string, Answer]> = [
	...[200, 400, 429, 503].map((status): [string, string, Answer] => [
		`a refusal with HTTP ${status}`,
		'rejected',
		(response) => refuse(response, status),
	]),
	['HTTP 502 of a gateway', 'unknown', (response) => text(response, '<html>', 502)],
	['no envelope', 'unknown', (response) => text(response, 'something')],
	['a lost connection', 'unknown', (response) => void response.destroy()],
	['code 0, but not ok', 'unknown', (response) => json(response, { ok: false, code: 0 })],
];

describe.each(all)('$name', ({ resource, operation }) => {
	const fields = operation.fields as Field[];
	const body: ReturnType<typeof bodyOf> = { instance_guid: INSTANCE, ...bodyOf(fields) };
	const parameters = {
		resource,
		operation: operation.value,
		output: 'envelope',
		...bodyOf(fields),
	};
	const run = async (
		options: object,
		settings: NodeSettings = {},
		more: object = {},
		items = [{}],
	) => await own.engine.run(workflowOf(items, { ...parameters, ...more, options }, settings));
	const failureOf = (run_: IRun) => resultOf(run_).items[0]?.json.error as Record<string, unknown>;
	const onError: NodeSettings = { onError: 'continueRegularOutput' };

	test('posts its documented fields to its path, with the key in the header', async () => {
		const seen: Array<[string | undefined, string | undefined]> = [];
		own.answer = (_, response, { method, url }) => {
			seen.push([method, url]);
			json(response, { ok: true, code: 0, request_id: 'svc_1', data: { a: 1 } });
		};
		const { items, error } = resultOf(await run({}));
		expect(error).toBeUndefined();
		expect(seen).toEqual([['POST', operation.path]]);
		expect(own.requests).toEqual([{ body, key: KEY }]);
		expect(items).toEqual([
			{
				json: { ok: true, code: 0, request_id: 'svc_1', data: { a: 1 } },
				pairedItem: { item: 0 },
			},
		]);
	});

	test('every answer ends as it has to', async () => {
		own.answer = (_, response) => ANSWERS[own.requests.length - 1]?.[2](response);
		const items = ANSWERS.map((_, number) => ({ number }));
		const run_ = await run({ maxTries: 1, maxConcurrency: 1 }, onError, {}, items);
		const ends = resultOf(run_).items.map(({ json: { error } }, index) => [
			ANSWERS[index]?.[0],
			(error as { outcome?: string }).outcome,
		]);
		expect(ends).toEqual(ANSWERS.map(([name, outcome]) => [name, outcome]));
		expect(own.requests).toHaveLength(ANSWERS.length);
	});

	test('an unknown outcome is repeated where that harms nobody, and nowhere else', async () => {
		own.answer = (_, response) => text(response, '', 500);
		await run({ maxTries: 2 }, { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 });
		expect(own.requests).toHaveLength(operation.isRepeatable ? 4 : 1);
	});

	test('a busy service is asked again', async () => {
		own.answer = (_, response) => {
			if (own.requests.length > 1) return json(response, { ok: true, code: 0 });
			response.setHeader('retry-after', '0');
			refuse(response, 429);
		};
		const { error } = resultOf(await run({ maxTries: 2 }));
		expect(error).toBeUndefined();
		expect(own.requests).toHaveLength(2);
	});

	test('no secret of a request stands in its failure', async () => {
		const secrets = fields.filter(({ isSecret, type }) => isSecret || type === 'url');
		const echo = [KEY, ...secrets.map((field) => String(sampleOf(field)))].join(' and ');
		own.answer = (_, response) => refuse(response, 200, `not allowed: ${echo}`);
		const stopped = resultOf(await run({ maxTries: 1 })).error;
		const failure = failureOf(await run({ maxTries: 1 }, onError));
		const words = JSON.stringify([failure, stopped, stopped?.message, stopped?.description]);
		expect(words).toContain('not allowed: ');
		expect(words).not.toContain(KEY);
		for (const { name } of secrets) expect(words).not.toContain(SECRET + name);
	});

	const numbers = operation.parameters
		.filter(({ name }) => name === 'options')
		.flatMap(({ options }) => (options ?? []) as INodeProperties[])
		.filter(({ type, displayOptions }) => type === 'number' && !displayOptions);

	test('nothing is sent with a wrong number option, and the largest is fine', async () => {
		// A timer that cannot wait so long would fire at once.
		own.answer = async (_, response) => {
			await wait(30);
			json(response, { ok: true, code: 0 });
		};
		for (const { name, typeOptions: { minValue = 0, maxValue } = {} } of numbers) {
			own.requests.length = 0;
			const { error } = resultOf(await run({ [name]: minValue - 1 }));
			expect([name, error?.name]).toEqual([name, 'NodeOperationError']);
			expect(own.requests).toEqual([]);
			expect([name, resultOf(await run({ [name]: maxValue })).error]).toEqual([name, undefined]);
		}
	});

	/** One after the other, or as a group that can be found by the names of its fields. */
	const specify = operation.parameters.find(({ name }) => name.startsWith('specify'))?.name;
	const ofGroup = specify ? fields.filter(({ name }) => name !== 'toId') : [];
	const fromItem = async (item: object) =>
		await run({}, {}, { ...bodyOf(fields), [specify ?? '']: 'input' }, [item]);

	if (ofGroup.length > 0)
		test('takes its fields from the input item, but not the recipient', async () => {
			const [first, ...others] = ofGroup;
			const lacking = resultOf(await fromItem({ more: 1, ...bodyOf(others) })).error;
			expect(lacking?.message).toContain(
				others.length > 0
					? `${first?.name} is missing; the item has: more`
					: `none of its fields (${first?.name}) was found: the item has: more`,
			);
			const inBody = Object.fromEntries(
				ofGroup.map((field) => [field.name.toUpperCase(), sampleOf(field)]),
			);
			const another = { TOID: 'another', INSTANCE_GUID: 'another' };
			const { error } = resultOf(await fromItem({ body: { list: [{ ...inBody, ...another }] } }));
			expect(error).toBeUndefined();
			expect(own.requests).toEqual([{ body, key: KEY }]);
		});

	const filledIn = fields.filter(({ options }) => !options);
	if (filledIn.length > 0)
		test('every field that is missing is named before anything is sent', async () => {
			const empty = Object.fromEntries(filledIn.map(({ name }) => [name, '={{ "" }}']));
			const { error } = resultOf(await run({}, {}, empty));
			expect(error?.message.split('; ').sort()).toEqual(
				[
					'the item is empty',
					...filledIn.map(
						({ label }) =>
							`${label} comes out empty: check its expression, or the value in the item`,
					),
				].sort(),
			);
			expect(own.requests).toEqual([]);
		});
});
