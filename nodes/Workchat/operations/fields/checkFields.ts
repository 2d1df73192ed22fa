import type { IDataObject } from 'n8n-workflow';

import type { Remark } from '../../execution/operation';
import { inputFailure, messageOf } from '../../service/failure/failure';
import type { Wording } from '../../service/failure/wording';
import type { Field } from './field';

export interface CheckedFields {
	/** The fields as they go over the wire. */
	body: IDataObject;
	/** The texts and numbers that were given, whatever is wrong with them. */
	given?: IDataObject;
	/** One sentence part for each missing or wrong field. */
	problems: string[];
	/** What to tell the user though nothing is wrong. */
	remarks: Remark[];
}

/** Where the values of fields come from. */
export interface FieldSource {
	valueOf(field: Field): unknown;
	/** What the user knows the field by. */
	nameOf(field: Field): string;
	/** Says of a field without a value why it has none: "is missing". */
	whyEmpty?(field: Field): string;
}

interface Problem {
	/** Completes the sentence that begins with the field's name. */
	problem: string;
}

export function checkFields(fields: Field[], source: FieldSource): CheckedFields {
	const values: IDataObject = {};
	const checked: CheckedFields = { body: {}, given: values, problems: [], remarks: [] };
	for (const field of fields) {
		const name = source.nameOf(field);
		const problem = (words: string) => checked.problems.push(`${name} ${words}`);
		try {
			const given = source.valueOf(field);
			if (typeof given === 'string' || typeof given === 'number') values[field.name] = given;
			if (isBlank(given)) {
				problem(source.whyEmpty?.(field) ?? 'is missing');
				continue;
			}
			const value = checkField(field, given);
			if (typeof value === 'object') problem(value.problem);
			else checked.body[field.name] = value;
			checked.remarks.push(...remarksOn(field, given).map((text) => ({ text, subject: name })));
		} catch (error) {
			problem(`has an expression that fails: ${messageOf(error)}`);
		}
	}
	return checked;
}

/** Fields of which none can be read. */
export function refused(problem: string): CheckedFields {
	return { body: {}, problems: [problem], remarks: [] };
}

/**
 * All parts as one, if nothing is wrong with any of them.
 * @param wordingOf what an error has to know of all values
 */
export function validated(
	parts: CheckedFields[],
	wordingOf: (values: IDataObject) => Wording,
): Pick<CheckedFields, 'body' | 'remarks'> {
	const problems = parts.flatMap((part) => part.problems);
	if (problems.length > 0) {
		const values = Object.assign({}, ...parts.map(({ given }) => given)) as IDataObject;
		const advice = 'Correct these values and run it again.';
		throw inputFailure(problems.join('; '), advice, wordingOf(values));
	}
	return {
		body: Object.assign({}, ...parts.map(({ body }) => body)) as IDataObject,
		remarks: parts.flatMap(({ remarks }) => remarks),
	};
}

/** Whether there is nothing in it but white space. */
export function isBlank(value: unknown): boolean {
	const isText = typeof value === 'string';
	return value === undefined || value === null || (isText && value.trim() === '');
}

/** The value as it goes over the wire: of the field's JSON type, and else untouched. */
export function checkField(field: Field, value: unknown): string | number | Problem {
	return field.type === 'integer' ? checkInteger(value, field.options) : checkText(value, field);
}

const ROUNDED: Problem = {
	problem:
		'is a number too long to be exact, its last digits are lost: enter it again as text (in a spreadsheet, format the column as text first)',
};
/** What spreadsheets write for a number of more than 11 digits, of which they keep 15. */
const SCIENTIFIC = /^-?\d+(?:(?:[.,]\d+)?E\+\d+|[.,]\d+E\d{2,})$/i;

function checkText(value: unknown, { type, isNumberLike }: Field): string | Problem {
	if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) return ROUNDED;
	if (typeof value !== 'string' && !Number.isFinite(value)) {
		return { problem: `is ${kindOf(value)}, but has to be text` };
	}
	const text = String(value).trim();
	if ((type === 'id' || isNumberLike) && SCIENTIFIC.test(text)) return ROUNDED;
	if (type === 'text') return String(value);
	return type === 'url' && !isHttpUrl(text)
		? { problem: 'is not a URL that begins with http:// or https://' }
		: text;
}

/** Not parsed, as it is only passed on: whoever follows it finds out whether it leads anywhere. */
function isHttpUrl(text: string): boolean {
	return /^https?:\/\/[^\s/?#<>^|]+(?:[/?#]|$)/i.test(text) && !/[\r\n\t]/.test(text);
}

/** Short enough to be shown, and surely no secret. */
const WITH_UNIT =
	/^\s*[\d.,]{1,20}\s*(?:[kmgtp]|(?:[kmgtp]i?)?b|(?:kilo|mega|giga|tera|peta)?bytes?)\s*$/i;

function checkInteger(value: unknown, options: Field['options']): number | Problem {
	const isDigits = typeof value === 'string' && /^\d{1,20}$/.test(value.trim());
	const number = isDigits ? Number(value) : value;
	const isWhole = typeof number === 'number' && Number.isSafeInteger(number) && number > 0;
	const isAllowed = options?.some((option) => option.value === number) ?? true;
	if (isWhole && isAllowed) return number;
	if (number === 0 && !options) return { problem: 'is 0, but has to be above 0' };
	const choices = options?.map((option) => `${option.value} (${option.name})`);
	if (choices) return { problem: `is none of ${choices.join(', ')}` };
	const hasUnit = typeof value === 'string' && WITH_UNIT.test(value);
	return {
		problem: hasUnit
			? `is "${value.trim()}", not a whole number: give it without a unit`
			: 'is not a whole number',
	};
}

const OPENING_QUOTE = /^["'“”„‘’‚«»]/;
const CLOSING_QUOTE = /^["'“”‘’«»]$/;

/** What looks like a slip, though it may be meant. */
function remarksOn({ type }: Field, value: unknown): string[] {
	if (typeof value !== 'string' || type === 'integer') return [];
	const text = value.trim();
	const done = type === 'text' ? 'sent with them' : 'removed';
	return [
		...(text === value ? [] : [`White space around values was ${done}`]),
		...(type === 'id' && isQuoted(text) ? ['Quotes around IDs were sent with them'] : []),
	];
}

function isQuoted(text: string): boolean {
	return OPENING_QUOTE.test(text) && CLOSING_QUOTE.test(text.slice(1).slice(-1));
}

export function kindOf(value: unknown): string {
	if (Array.isArray(value)) return 'a list';
	if (typeof value === 'string') return 'text';
	return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
