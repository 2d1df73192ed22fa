import type { IExecuteFunctions } from 'n8n-workflow';

import {
	rawParameter,
	readParameter,
} from '../../../../nodes/Workchat/operations/fields/nodeParameters';

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
			JSON.stringify(written).replace(/(?<=")=[^"]*/g, `of item ${itemIndex}`),
		) as unknown;
	};
	const context = { getNodeParameter } as unknown as IExecuteFunctions;
	return { context, evaluated: () => evaluations };
}

const valuesOf = (context: IExecuteFunctions, name: string) =>
	[0, 1, 2].map((itemIndex) => readParameter(context, name, itemIndex, ''));

const SAME = { timeout: 5, list: [{ a: 'b=' }] };
const of = (item: number) => `of item ${item}`;

test.each<[string, unknown, values: unknown[], evaluations: number]>([
	['a text', 'spring', ['spring', 'spring', 'spring'], 1],
	['options', SAME, [SAME, SAME, SAME], 1],
	['nothing', undefined, ['', '', ''], 1],
	['an expression', '={{ $json.id }}', [0, 1, 2].map(of), 3],
	[
		'options with an expression',
		{ list: [{ a: '={{ $json.id }}' }] },
		[0, 1, 2].map((item) => ({ list: [{ a: of(item) }] })),
		3,
	],
])('%s is evaluated no more often than it has to be', (_, written, values, evaluations) => {
	const { context, evaluated } = contextWith({ name: written });
	expect(valuesOf(context, 'name')).toEqual(values);
	expect(evaluated()).toBe(evaluations);
	expect(rawParameter(context, 'name')).toEqual(written ?? null);
});

test('a run knows nothing of the values of another one', () => {
	const first = contextWith({ name: 'one' });
	const second = contextWith({ name: 'two' });
	expect(valuesOf(first.context, 'name')).toEqual(['one', 'one', 'one']);
	expect(valuesOf(second.context, 'name')).toEqual(['two', 'two', 'two']);
});
