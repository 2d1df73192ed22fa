import {
	updateDisplayOptions,
	type IExecuteFunctions,
	type INodeProperties,
	type INodePropertyOptions,
} from 'n8n-workflow';

import { listed } from '../service/listed';
import { checkFields, type CheckedFields } from './fields';

/** Fields that a user fills in one by one, or hands over together as JSON. */
export interface FieldGroup {
	/** The parameter that chooses between the two: `fields` or `json`. */
	specify: INodeProperties;
	fields: INodeProperties[];
	/** The parameter that takes the JSON. */
	json: INodeProperties;
}

/** The values of a `specify` parameter. */
export const FIELDS_OR_JSON: INodePropertyOptions[] = [
	{ name: 'Using Fields Below', value: 'fields' },
	{ name: 'Using JSON', value: 'json' },
];

export function groupParameters({ specify, fields, json }: FieldGroup): INodeProperties[] {
	const shownFor = (mode: string) => ({ show: { [specify.name]: [mode] } });
	return [
		specify,
		...updateDisplayOptions(shownFor('fields'), fields),
		...updateDisplayOptions(shownFor('json'), [json]),
	];
}

export function readGroup(
	context: IExecuteFunctions,
	itemIndex: number,
	{ fields, specify, json }: FieldGroup,
): CheckedFields {
	if (context.getNodeParameter(specify.name, itemIndex, 'fields') !== 'json') {
		return checkFields(fields, (name) => context.getNodeParameter(name, itemIndex, ''));
	}
	const value = parsed(context.getNodeParameter(json.name, itemIndex, ''));
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		return { body: {}, problems: [`${json.displayName} is not a JSON object`] };
	}
	return {
		...checkFields(fields, (name) => valueInAnyCase(value, name)),
		remark: unknownKeys(value, fields),
	};
}

const MOST_KEYS = 10;

/** Often a misspelt field, or a whole message where only its file was meant. */
function unknownKeys(object: object, fields: INodeProperties[]): string | undefined {
	const known = new Set(fields.map(({ name }) => name.toLowerCase()));
	const keys = Object.keys(object).filter((key) => !known.has(key.toLowerCase()));
	if (keys.length === 0) return undefined;
	return `Fields of the JSON were ignored: ${listed(keys, MOST_KEYS)}`;
}

function parsed(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	try {
		return JSON.parse(value);
	} catch {
		return undefined;
	}
}

/** Callbacks and other tools write the same names in other cases. */
function valueInAnyCase(object: object, name: string): unknown {
	const entries = Object.entries(object);
	const [, value] =
		entries.find(([key]) => key === name) ??
		entries.find(([key]) => key.toLowerCase() === name.toLowerCase()) ??
		[];
	return value;
}
