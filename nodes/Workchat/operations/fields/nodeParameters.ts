import type { IExecuteFunctions } from 'n8n-workflow';

import type { FieldSource } from './checkFields';

/** A parameter of the node. */
interface Parameter {
	/** As the user wrote it, which is the same for all items. */
	raw: unknown;
	/** Its value, where that is the same for all items, too. */
	constant?: unknown;
	hasExpression: boolean;
}

/** By the run, as each has a context of its own. */
const parameters = new WeakMap<IExecuteFunctions, Map<string, Parameter>>();

/** The value of a parameter for an item. Without an expression in it, n8n evaluates it only once. */
export function readParameter(
	context: IExecuteFunctions,
	name: string,
	itemIndex: number,
	fallback: unknown,
): unknown {
	const parameter = parameterNamed(context, name);
	if ('constant' in parameter) return parameter.constant;
	const value: unknown = context.getNodeParameter(name, itemIndex, fallback);
	if (!parameter.hasExpression) parameter.constant = value;
	return value;
}

/** A parameter as the user wrote it. */
export function rawParameter(context: IExecuteFunctions, name: string): unknown {
	return parameterNamed(context, name).raw;
}

/** Whether a parameter, or anything in it, is an expression. */
export function isExpression(context: IExecuteFunctions, name: string): boolean {
	return parameterNamed(context, name).hasExpression;
}

function parameterNamed(context: IExecuteFunctions, name: string): Parameter {
	const known = parameters.get(context) ?? new Map<string, Parameter>();
	parameters.set(context, known);
	const present = known.get(name);
	if (present) return present;
	const raw: unknown = context.getNodeParameter(name, 0, null, { rawExpressions: true });
	const parameter = { raw, hasExpression: hasExpression(raw) };
	known.set(name, parameter);
	return parameter;
}

function hasExpression(raw: unknown): boolean {
	if (typeof raw === 'string') return raw.startsWith('=');
	return typeof raw === 'object' && raw !== null && Object.values(raw).some(hasExpression);
}

/** Fields that stand each in a parameter of its own. */
export function parameterSource(context: IExecuteFunctions, itemIndex: number): FieldSource {
	return {
		valueOf: ({ name }) => readParameter(context, name, itemIndex, ''),
		nameOf: ({ label }) => label,
		whyEmpty: ({ name }) => whyEmpty(context, name),
	};
}

export const COMES_OUT_EMPTY = 'comes out empty: check its expression, or the value in the item';

/** Of a parameter without a value: nobody filled it in, or its expression finds nothing. */
export function whyEmpty(context: IExecuteFunctions, name: string): string {
	return isExpression(context, name) ? COMES_OUT_EMPTY : 'is missing';
}
