import { clean, describeInvisible, removeInvisible } from '../../common/invisible';
import type { Remark } from '../../execution/operation';
import type { Field } from './field';
import { findSuspicionInId, findSuspicionInName } from './mistakes';
import { isShown, withValue } from './readValue';
import { findTruncated } from './truncatedIds';

/** A notice about a valid value. */
export interface FieldRemark extends Remark {
	/** For a suspicious value: the problem to report if these are refused. */
	problem?: string;
	/** Whether it is about a number that a spreadsheet may have truncated. */
	isTruncation?: boolean;
}

/**
 * Notices about removed characters, white space that is sent, and suspicious values.
 * @param truncatedLengths returns the lengths, in digits, of truncated IDs among all items
 */
export function remarksOn(
	value: unknown,
	field: Field,
	truncatedLengths: () => number[],
): FieldRemark[] {
	if (field.type === 'integer') return [];
	const truncation = truncationRemark(clean(String(value)), field, truncatedLengths);
	if (typeof value !== 'string') return truncation;
	return [...removalRemarks(value, field), ...suspicionRemarks(value, field), ...truncation];
}

function removalRemarks(value: string, { label, type }: Field): FieldRemark[] {
	const hasSpaces = value.trim() !== value;
	if (type === 'text')
		return hasSpaces ? [{ text: 'White space around values was sent, too', subject: label }] : [];
	const invisible = [...value].find((each) => removeInvisible(each) === '');
	const removed = [
		...(hasSpaces ? ['White space around values was removed'] : []),
		...(invisible === undefined ? [] : [`${describeInvisible(invisible)}, was removed`]),
	];
	return removed.map((text) => ({ text, subject: label }));
}

function suspicionRemarks(value: string, field: Field): FieldRemark[] {
	if (field.type === 'url') return [];
	const text = clean(value);
	const suspicion = field.type === 'id' ? findSuspicionInId(text) : findSuspicionInName(text);
	return suspicion === undefined ? [] : [suspicionRemark(suspicion, text, field)];
}

/** @param suspicion completes the sentence "It …" */
function suspicionRemark(suspicion: string, text: string, field: Field): FieldRemark {
	return {
		text: `A value was sent unchanged, but ${suspicion}`,
		subject: field.type === 'id' && isShown(text, field) ? text : field.label,
		problem: `${field.label} ${withValue(suspicion, text, field)}`,
	};
}

const TRUNCATED = 'looks like a number of which a spreadsheet kept only 15 digits';
const IF_CORRECT = "if the IDs are correct, add the option 'Long IDs May End in 0'";

/** A notice about a number that ends in zeros. It is a problem only if most IDs of the run do. */
function truncationRemark(
	text: string,
	field: Field,
	truncatedLengths: () => number[],
): FieldRemark[] {
	const mayBeNumber = field.type === 'id' || /^\d+$/.test(text);
	const number = mayBeNumber ? findTruncated(text) : undefined;
	if (number === undefined) return [];
	const { problem, ...notice } = suspicionRemark(TRUNCATED, text, field);
	const remark = { ...notice, isTruncation: true };
	if (truncatedLengths().includes(number.length))
		return [{ ...remark, problem: `${problem}: ${IF_CORRECT}` }];
	return number.length === 16 ? [] : [remark]; // One in ten of 16 digits ends in 0.
}
