import type { ServerResponse } from 'node:http';

import type { IRun } from 'n8n-workflow';

import { resources } from '../nodes/Workchat/operations';
import type { Field } from '../nodes/Workchat/operations/fields/field';
import { json, text, useOwnServer } from './ownServer';
import { INSTANCE, KEY, resultOf, workflowOf } from './setup';

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

describe.each(all)('$name', ({ resource, operation }) => {
	const fields = operation.fields as Field[];
	const body: ReturnType<typeof bodyOf> = { instance_guid: INSTANCE, ...bodyOf(fields) };
	const parameters = {
		resource,
		operation: operation.value,
		output: 'envelope',
		...bodyOf(fields),
	};
	const run = async (options: object, settings = {}) =>
		await own.engine.run(workflowOf([{}], { ...parameters, options }, settings));
	const failureOf = (run_: IRun) => resultOf(run_).items[0]?.json.error as Record<string, unknown>;
	const onError = { onError: 'continueRegularOutput' } as const;

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

	test.each<[string, (response: ServerResponse) => void, string]>([
		['a refusal', (response) => refuse(response, 200), 'rejected'],
		...[400, 401, 403, 404, 408, 429, 503].map(
			(status): [string, (response: ServerResponse) => void, string] => [
				`HTTP ${status} with a refusal`,
				(response) => refuse(response, status),
				'rejected',
			],
		),
		...[408, 500, 502, 503, 504].map(
			(status): [string, (response: ServerResponse) => void, string] => [
				`HTTP ${status} of a gateway`,
				(response) => text(response, '<html>', status),
				'unknown',
			],
		),
		['no envelope', (response) => text(response, 'something'), 'unknown'],
		['a lost connection', (response) => void response.destroy(), 'unknown'],
		['code 0, but not ok', (response) => json(response, { ok: false, code: 0 }), 'unknown'],
	])('%s ends as it has to', async (_, answer, outcome) => {
		own.answer = (__, response) => answer(response);
		const failure = failureOf(await run({ maxTries: 1 }, onError));
		expect(failure).toMatchObject({ outcome });
		expect(own.requests).toHaveLength(1);
	});

	test('an unknown outcome is repeated where that harms nobody, and nowhere else', async () => {
		own.answer = (_, response) => text(response, '', 500);
		await run({ maxTries: 2 }, onError);
		expect(own.requests).toHaveLength(operation.isRepeatable ? 2 : 1);
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

	test('Retry On Fail repeats only what harms nobody', async () => {
		own.answer = (_, response) => void response.destroy();
		await run({ maxTries: 1 }, { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 });
		expect(own.requests).toHaveLength(operation.isRepeatable ? 2 : 1);
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

	const specify = operation.parameters.find(({ name }) => name.startsWith('specify'))?.name ?? '';

	test('takes its fields from the input item, but not the recipient', async () => {
		own.answer = (_, response) => json(response, { ok: true, code: 0 });
		const inBody = Object.fromEntries(
			fields.map((field) => [field.name.toUpperCase(), sampleOf(field)]),
		);
		const found = { ...parameters, ...(body.toId && { toId: body.toId }), [specify]: 'input' };
		const item = { body: { list: [{ ...inBody, TOID: 'another', INSTANCE_GUID: 'another' }] } };
		const { error } = resultOf(await own.engine.run(workflowOf([item], { ...found, options: {} })));
		expect(error).toBeUndefined();
		expect(own.requests).toEqual([{ body, key: KEY }]);
	});

	test('names what the input item lacks before anything is sent', async () => {
		const [first, ...others] = fields.filter(({ name }) => name !== 'toId');
		const item = bodyOf(others);
		const found = { ...parameters, [specify]: 'input', options: {} };
		const { error } = resultOf(await own.engine.run(workflowOf([item], found)));
		expect(error?.message).toMatch(`${first?.name} is missing (the item has: `);
		expect(own.requests).toEqual([]);
	});

	test('every field that is missing is named before anything is sent', async () => {
		const empty = Object.fromEntries(fields.map(({ name }) => [name, '={{ "" }}']));
		const run_ = await own.engine.run(workflowOf([{}], { ...parameters, ...empty, options: {} }));
		const { error } = resultOf(run_);
		for (const { label, options } of fields) {
			const problem = `${label} comes out empty: check its expression`;
			if (!options) expect(error?.message).toContain(problem);
		}
		expect(own.requests).toEqual([]);
	});
});
