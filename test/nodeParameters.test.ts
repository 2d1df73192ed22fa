import type { IExecuteFunctions } from 'n8n-workflow';

import { rawParameter, readParameter } from '../nodes/Workchat/operations/fields/nodeParameters';

/** n8n's context, as far as these ask it, and how often it evaluated something. */
function contextWith(parameters: Record<string, unknown>) {
	let evaluations = 0;
	const getNodeParameter = (
		name: string,
		itemIndex: number,
		fallback: unknown,
		{ rawExpressions = false } = {},
	) => {
		const written = parameters[name] ?? fallback;
		if (rawExpressions) return written;
		evaluations++;
		return JSON.parse(
			JSON.stringify(written).replace(/=[^"]*/g, `of item ${itemIndex}`),
		) as unknown;
	};
	const context = { getNodeParameter } as unknown as IExecuteFunctions;
	return { context, evaluated: () => evaluations };
}

const valuesOf = (context: IExecuteFunctions, name: string) =>
	[0, 1, 2].map((itemIndex) => readParameter(context, name, itemIndex, ''));

test.each([
	['a text', 'spring', 'spring'],
	['options', { timeout: 5, list: [{ a: 'b' }] }, { timeout: 5, list: [{ a: 'b' }] }],
	['nothing', undefined, ''],
])('%s without an expression is asked for once', (_, written, value) => {
	const { context, evaluated } = contextWith({ name: written });
	expect(valuesOf(context, 'name')).toEqual([value, value, value]);
	expect(evaluated()).toBe(1);
	expect(rawParameter(context, 'name')).toEqual(written ?? null);
});

test.each([
	['a text', '={{ $json.id }}'],
	['options', { timeout: 5, list: [{ a: '={{ $json.id }}' }] }],
])('%s with an expression somewhere is evaluated for each item', (_, written) => {
	const { context, evaluated } = contextWith({ name: written });
	const values = valuesOf(context, 'name').map((value) => JSON.stringify(value));
	expect(new Set(values).size).toBe(3);
	expect(evaluated()).toBe(3);
});

test('a run knows nothing of the values of another one', () => {
	const first = contextWith({ name: 'one' });
	const second = contextWith({ name: 'two' });
	expect(valuesOf(first.context, 'name')).toEqual(['one', 'one', 'one']);
	expect(valuesOf(second.context, 'name')).toEqual(['two', 'two', 'two']);
});
