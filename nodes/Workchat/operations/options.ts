import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { inputFailure } from '../service/failure';

/** The Options collection of an operation. */
export function optionsParameter(options: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options,
	};
}

export function readOptions(context: IExecuteFunctions, itemIndex: number): IDataObject {
	return context.getNodeParameter('options', itemIndex, {}) as IDataObject;
}

/** The value of a number option; its declaration gives the default and the minimum. */
export function numberOption(
	values: IDataObject,
	{ name, displayName, default: preset, typeOptions }: INodeProperties,
): number {
	const value = values[name] ?? preset;
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	const minimum = typeOptions?.minValue ?? 0;
	if (typeof number === 'number' && Number.isFinite(number) && number >= minimum) return number;
	throw inputFailure(
		`The option ${displayName} is not a number of at least ${minimum}`,
		'Nothing was sent for this item. Correct the option under Options.',
	);
}

export function textOption(values: IDataObject, name: string): string {
	return String(values[name] ?? '');
}

export function timeoutOption(preset: number): INodeProperties {
	return {
		displayName: 'Timeout',
		name: 'timeout',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: preset,
		description:
			'Milliseconds to wait for the service: for the beginning of its answer, and then between two parts of it',
	};
}
