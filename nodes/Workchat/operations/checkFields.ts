import type { IDataObject } from 'n8n-workflow';

import { inputFailure, messageOf } from '../service/failure';
import type { Field } from './field';

export interface CheckedFields {
	/** The fields as they go over the wire. */
	body: IDataObject;
	/** One sentence part for each missing or wrong field. */
	problems: string[];
	/** Something to tell the user though nothing is wrong. */
	remark?: string;
}

interface Problem {
	/** Completes the sentence that begins with the field's name. */
	problem: string;
}

export function checkFields(fields: Field[], valueOf: (name: string) => unknown): CheckedFields {
	const body: IDataObject = {};
	const problems: string[] = [];
	for (const field of fields) {
		const checked = readField(field, valueOf);
		if (typeof checked === 'object') problems.push(`${field.label} ${checked.problem}`);
		else body[field.name] = checked;
	}
	return { body, problems };
}

function readField(field: Field, valueOf: (name: string) => unknown): string | number | Problem {
	try {
		return checkField(field, valueOf(field.name));
	} catch (error) {
		return { problem: `has an expression that fails: ${messageOf(error)}` };
	}
}

/** One body of several parts, if nothing is wrong with any of them. */
export function validBody(...parts: CheckedFields[]): IDataObject {
	const problems = parts.flatMap((part) => part.problems);
	if (problems.length === 0)
		return Object.assign({}, ...parts.map(({ body }) => body)) as IDataObject;
	throw inputFailure(problems.join('; '), 'Correct these values and run it again.');
}

/** The value as it goes over the wire: untouched, but of the field's JSON type. */
export function checkField(
	{ type, options }: Pick<Field, 'type' | 'options'>,
	value: unknown,
): string | number | Problem {
	const isBlank = typeof value === 'string' && value.trim() === '';
	// An integer parameter that nobody filled in is 0.
	const isUnfilled = type === 'integer' && !options && value === 0;
	if (value === undefined || value === null || isBlank || isUnfilled) {
		return { problem: 'is missing' };
	}
	return type === 'integer' ? checkInteger(value, options) : checkText(value, type === 'url');
}

function checkText(value: unknown, isUrl: boolean): string | Problem {
	if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
		return { problem: 'is a number too long to be exact: give it as text, in quotes' };
	}
	if (typeof value !== 'string' && !Number.isFinite(value)) {
		return { problem: `is ${kindOf(value)}, but has to be text` };
	}
	const text = String(value);
	if (
		isUrl &&
		!(/^https?:\/\/[^\s/]/i.test(text) && !/[\r\n\t]/.test(text) && URL.canParse(text))
	) {
		return { problem: 'is not a URL that begins with http:// or https://' };
	}
	return text;
}

function checkInteger(value: unknown, options: Field['options']): number | Problem {
	const isDigits = typeof value === 'string' && /^\s*\d+\s*$/.test(value);
	const number = isDigits ? Number(value) : value;
	if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0) {
		return { problem: 'is not a whole number' };
	}
	const allowed = options?.map((option) => option.value);
	if (allowed && !allowed.includes(number)) {
		return { problem: `is not one of ${allowed.join(', ')}` };
	}
	return number;
}

function kindOf(value: unknown): string {
	if (Array.isArray(value)) return 'a list';
	return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
