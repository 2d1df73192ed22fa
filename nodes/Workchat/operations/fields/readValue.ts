import { formatList } from '../../common/formatList';
import { clean } from '../../common/invisible';
import type { Field } from './field';
import { findMistake, findMistakeInId } from './mistakes';

/** Why a value is invalid. Its message completes a sentence that starts with the field's label. */
export class Problem extends Error {}

const ROUNDED =
	'is a number too long to be exact, so its last digits are lost: write it in quotes at its source (in a spreadsheet, format the column as text and enter the number again)';
const SEVERAL_LINES = 'has several lines: use a separate item for each ID';
const NO_URL = 'is not a URL that begins with http:// or https://';
/** Only the form of a URL, such as `https://例え.jp/a b?c`: the node does not open it. */
const HTTP_URL = /^https?:\/\/[^\s/?#<>^|]+(?:[/?#][^\r\n\t]*)?$/i;
const LINE_BREAKS = /[\t\n\v\f\r\x85\u2028\u2029]+/;

/** Returns the value of a field as it is sent. Throws a `Problem` if it is invalid. */
export function readValue(value: unknown, field: Field): string | number {
	return field.type === 'integer' ? readInteger(value, field) : readText(value, field);
}

/** An ID or a URL without white space and invisible characters; other text unchanged. */
function readText(value: unknown, field: Field): string {
	const isRounded = typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
	if (isRounded) throw new Problem(ROUNDED);
	const isTextual = typeof value === 'string' || Number.isFinite(value);
	const kind = Array.isArray(value) ? 'list' : typeof value;
	if (!isTextual) throw new Problem(`is of the type ${kind}, but has to be text`);
	const { type } = field;
	const text = clean(String(value));
	const lines = String(value).split(LINE_BREAKS).filter(clean);
	if (type === 'id' && lines.length > 1) throw new Problem(SEVERAL_LINES);
	refuseMistake(text, field);
	if (type === 'url' && !HTTP_URL.test(text)) throw new Problem(NO_URL);
	return type === 'text' ? String(value) : text;
}

function readInteger(value: unknown, field: Field): number {
	const { options } = field;
	const text = typeof value === 'object' ? '' : clean(String(value));
	const number = /^\d+$/.test(text) ? Number(text) : value;
	const isValid = options
		? options.some((each) => each.value === number)
		: Number.isSafeInteger(number) && Number(number) > 0;
	if (isValid) return Number(number);
	refuseMistake(text, field);
	if (/^\d{16,}$/.test(text)) throw new Problem(ROUNDED);
	const choices = options && formatList(options, 10, (each) => `${each.value} (${each.name})`);
	const problem = choices ? `is none of ${choices}` : 'is not a whole number above 0';
	throw new Problem(withValue(problem, text, field));
}

function refuseMistake(text: string, field: Field): void {
	const isZero = field.zeroMeaning !== undefined && /^0+$/.test(text);
	const find = isFreeText(field) ? findMistake : findMistakeInId;
	const mistake = isZero ? field.zeroMeaning : find(text);
	if (mistake !== undefined) throw new Problem(withValue(`is ${mistake}`, text, field));
}

/** Whether almost any text may be a valid value, as for a name. A URL may contain any text, too. */
function isFreeText({ type, isNumberLike }: Field): boolean {
	return type === 'url' || (type === 'text' && isNumberLike !== true);
}

/** Characters. A longer value is not shown at all, as a part of a secret would not be redacted. */
const MAX_SHOWN = 60;
/** In a number field, a longer value may be a key that was entered by mistake. */
const MAX_SHOWN_NUMBER = 15;

/** Whether errors and notices may show a value. Free text may be a secret. */
export function isShown(text: string, field: Field): boolean {
	const maxLength = field.type === 'integer' ? MAX_SHOWN_NUMBER : MAX_SHOWN;
	return !isFreeText(field) && text !== '' && text.length <= maxLength;
}

/** Puts the value before its problem, if it may be shown. */
export function withValue(problem: string, text: string, field: Field): string {
	return isShown(text, field) ? `is "${text}", which ${problem}` : problem;
}
