import type { IExecuteFunctions } from 'n8n-workflow';

import {
	rawParameter,
	readParameter,
} from '../../../../nodes/Workchat/operations/fields/nodeParameters';

/** As far as these ask n8n's context: expressions come out with the number of their item. */
function contextWith(written: unknown) {
	const evaluate = jest.fn((raw: unknown, itemIndex: number): unknown =>
		JSON.parse(JSON.stringify(raw).replace(/(?<=")=[^"]*/g, `of item ${itemIndex}`)),
	);
	const getNodeParameter = (_: string, item: number, fallback: unknown, options?: object) =>
		options ? (written ?? fallback) : evaluate(written ?? fallback, item);
	return { context: { getNodeParameter } as unknown as IExecuteFunctions, evaluate };
}

const valuesOf = (context: IExecuteFunctions) =>
	[0, 1, 2].map((itemIndex) => readParameter(context, 'name', itemIndex, ''));

const SAME = { timeout: 5, list: [{ a: 'b=' }] };
const EACH = ['of item 0', 'of item 1', 'of item 2'];

test.each<[string, unknown, values: unknown[], evaluations: number]>([
	['a text', 'spring', ['spring', 'spring', 'spring'], 1],
	['options', SAME, [SAME, SAME, SAME], 1],
	['an expression', '={{ $json.id }}', EACH, 3],
	['an expression in it', { list: [{ a: '={{ 1 }}' }] }, EACH.map((a) => ({ list: [{ a }] })), 3],
])('%s is evaluated no more often than it has to be', (_, written, values, evaluations) => {
	const { context, evaluate } = contextWith(written);
	expect(valuesOf(context)).toEqual(values);
	expect(evaluate).toHaveBeenCalledTimes(evaluations);
	expect(rawParameter(context, 'name')).toEqual(written ?? null);
	// A run knows nothing of the values of another one.
	expect(valuesOf(contextWith('another').context)).toEqual(['another', 'another', 'another']);
});
