import type { IExecuteFunctions } from 'n8n-workflow';

import type { FieldSource } from './checkFields';

/** Fields that stand each in a parameter of its own. */
export function parameterSource(context: IExecuteFunctions, itemIndex: number): FieldSource {
	return {
		valueOf: ({ name }) => context.getNodeParameter(name, itemIndex, ''),
		nameOf: ({ label }) => label,
		whyEmpty: ({ name }) => whyEmpty(context, itemIndex, name),
	};
}

export const COMES_OUT_EMPTY = 'comes out empty: check its expression';

/** Of a parameter without a value: nobody filled it in, or its expression finds nothing. */
export function whyEmpty(context: IExecuteFunctions, itemIndex: number, name: string): string {
	return isExpression(context, itemIndex, name) ? COMES_OUT_EMPTY : 'is missing';
}

export function isExpression(context: IExecuteFunctions, itemIndex: number, name: string): boolean {
	const raw: unknown = context.getNodeParameter(name, itemIndex, '', { rawExpressions: true });
	return typeof raw === 'string' && raw.startsWith('=');
}
