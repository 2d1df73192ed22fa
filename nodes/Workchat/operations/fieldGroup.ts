import {
	updateDisplayOptions,
	type IExecuteFunctions,
	type INodeProperties,
	type INodePropertyOptions,
} from 'n8n-workflow';

import { listed } from '../service/listed';
import { checkFields, type CheckedFields } from './checkFields';
import { parameterOf, type Field } from './field';

/** Fields that a user fills in one by one, or hands over together as JSON. */
export interface FieldGroup {
	/** Of the parameter that takes the JSON: `feedVideo`. The one that chooses is `specifyFeedVideo`. */
	name: string;
	/** Title Case. */
	displayName: string;
	fields: Field[];
}

/** The values of a `specify…` parameter. */
const WAYS: INodePropertyOptions[] = [
	{ name: 'Using Fields Below', value: 'fields' },
	{ name: 'Using JSON', value: 'json' },
];

export function groupParameters(group: FieldGroup): INodeProperties[] {
	const { name, displayName, fields } = group;
	const noun = displayName.toLowerCase();
	const names = fields.map((field) => field.name);
	const shownFor = (way: string) => ({ show: { [specifyName(group)]: [way] } });
	return [
		{
			displayName: `Specify ${displayName}`,
			name: specifyName(group),
			type: 'options',
			options: WAYS,
			default: 'fields',
			description: `How to enter the ${noun}: field by field, or all fields as one JSON object`,
		},
		...updateDisplayOptions(shownFor('fields'), fields.map(parameterOf)),
		...updateDisplayOptions(shownFor('json'), [
			{
				displayName,
				name,
				type: 'json',
				default: '{}',
				required: true,
				description: `One JSON object with ${names.slice(0, -1).join(', ')} and ${names.at(-1)}. Names are not case-sensitive. Other fields are ignored.`,
			},
		]),
	];
}

function specifyName({ name }: FieldGroup): string {
	return `specify${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

export function readGroup(
	context: IExecuteFunctions,
	itemIndex: number,
	group: FieldGroup,
): CheckedFields {
	const { name, displayName, fields } = group;
	if (context.getNodeParameter(specifyName(group), itemIndex, 'fields') !== 'json') {
		return checkFields(fields, (field) => context.getNodeParameter(field, itemIndex, ''));
	}
	const value = parsed(context.getNodeParameter(name, itemIndex, ''));
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		return { body: {}, problems: [`${displayName} is not a JSON object`] };
	}
	return {
		...checkFields(fields, (field) => valueInAnyCase(value, field)),
		remark: unknownKeys(value, fields),
	};
}

const MOST_KEYS = 10;

/** Often a misspelt field, or a whole message where only its file was meant. */
function unknownKeys(object: object, fields: Field[]): string | undefined {
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

/** Other tools may write the same names in other cases. */
function valueInAnyCase(object: object, name: string): unknown {
	const entries = Object.entries(object);
	const [, value] =
		entries.find(([key]) => key === name) ??
		entries.find(([key]) => key.toLowerCase() === name.toLowerCase()) ??
		[];
	return value;
}
