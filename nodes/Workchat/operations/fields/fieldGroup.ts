import {
	updateDisplayOptions,
	type IExecuteFunctions,
	type INodeProperties,
	type INodePropertyOptions,
} from 'n8n-workflow';

import { excessOf } from '../../service/text/jsonText';
import { checkFields, isBlank, kindOf, refused, type CheckedFields } from './checkFields';
import { parameterOf, type Field, type FieldGroup } from './field';
import { fieldsFromJson } from './fieldsFromJson';
import { jsonMistake } from './jsonMistake';
import { parameterSource, readParameter, whyEmpty } from './nodeParameters';

export function groupParameters(group: FieldGroup): INodeProperties[] {
	const { name, displayName, fields, notice } = group;
	const noun = displayName.toLowerCase();
	const shownFor = (way: string) => ({ show: { [specifyName(group)]: [way] } });
	return [
		{
			displayName: `Specify ${displayName}`,
			name: specifyName(group),
			type: 'options',
			options: WAYS,
			default: 'fields',
			description: `How to enter the ${noun}`,
		},
		...updateDisplayOptions(shownFor('fields'), [
			...(notice ? [noticeOf(`${name}Notice`, notice)] : []),
			...fields.map(parameterOf),
		]),
		...updateDisplayOptions(shownFor('input'), [
			noticeOf(
				`${name}Names`,
				`Each item needs these fields, at any depth: ${fields.map(({ name: each }) => each).join(', ')}. Their labels under 'Using Fields Below', such as ${fields[0]?.label}, will do as well. Capitals, spaces, "_" and "-" make no difference.`,
			),
		]),
		...updateDisplayOptions(shownFor('json'), [
			{
				displayName,
				name,
				type: 'json',
				default: template(fields),
				required: true,
				description: `A JSON object with all fields of the ${noun}, at any depth. Capitals, spaces, "_" and "-" in their names make no difference.`,
			},
		]),
	];
}

/** The values of a `specify…` parameter. */
const WAYS: INodePropertyOptions[] = [
	{
		name: 'Using Fields Below',
		value: 'fields',
		description: 'Fill in one field after the other',
	},
	{
		name: 'Using JSON',
		value: 'json',
		description: 'Enter all fields as one JSON object',
	},
	{
		name: 'From Input Item',
		value: 'input',
		description: 'Find the fields in each item by their names',
	},
];

function noticeOf(name: string, displayName: string): INodeProperties {
	return { displayName, name, type: 'notice', default: '' };
}

/** All names, for the user to fill in the values. */
function template(fields: Field[]): string {
	const empty = fields.map(({ name, type }) => [name, type === 'integer' ? 0 : '']);
	return JSON.stringify(Object.fromEntries(empty), null, 2);
}

function specifyName({ name }: FieldGroup): string {
	return `specify${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

export async function readGroup(
	context: IExecuteFunctions,
	itemIndex: number,
	group: FieldGroup,
): Promise<CheckedFields> {
	const way = readParameter(context, specifyName(group), itemIndex, 'fields');
	if (way === 'json') return await readJson(context, itemIndex, group);
	if (way === 'input') {
		return await fieldsFromJson(group, context.getInputData()[itemIndex]?.json, 'the item');
	}
	return checkFields(group.fields, parameterSource(context, itemIndex));
}

async function readJson(
	context: IExecuteFunctions,
	itemIndex: number,
	group: FieldGroup,
): Promise<CheckedFields> {
	const { name, displayName } = group;
	const value = readParameter(context, name, itemIndex, '');
	if (isBlank(value)) return refused(`${displayName} ${whyEmpty(context, name)}`);
	const excess = typeof value === 'string' && (await excessOf(value));
	if (excess === 'brackets') {
		return refused(`${displayName} is text that is no JSON: too many brackets are open`);
	}
	if (excess) return refused(`${displayName} has too many values: enter the fields alone`);
	const json = typeof value === 'string' ? parsed(value) : value;
	if (json instanceof SyntaxError) {
		return refused(`${displayName} is text that is no JSON: ${jsonMistake(String(value))}`);
	}
	if (typeof json !== 'object' || json === null || Array.isArray(json)) {
		return refused(`${displayName} is ${kindOf(json)}, but has to be one JSON object`);
	}
	return await fieldsFromJson(group, json, 'the JSON');
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch (error) {
		return error;
	}
}
