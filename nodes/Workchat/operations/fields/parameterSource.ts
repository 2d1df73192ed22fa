import type { IExecuteFunctions } from 'n8n-workflow';

import type { FieldSource } from './checkFields';
import { isExpression, readParameter } from './nodeParameters';

/** Fields that stand each in a parameter of its own. */
export function parameterSource(context: IExecuteFunctions, itemIndex: number): FieldSource {
	return {
		valueOf: ({ name }) => readParameter(context, name, itemIndex, ''),
		nameOf: ({ label }) => label,
		whyEmpty: ({ name }) => whyEmpty(context, name),
	};
}

export const COMES_OUT_EMPTY = 'comes out empty: check its expression';

/** Of a parameter without a value: nobody filled it in, or its expression finds nothing. */
export function whyEmpty(context: IExecuteFunctions, name: string): string {
	return isExpression(context, name) ? COMES_OUT_EMPTY : 'is missing';
}
