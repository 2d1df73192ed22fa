import { clean, describeInvisible, removeInvisible } from '../../common/invisible';
import type { Notice } from '../../execution/operation';
import type { Field } from './field';
import { findSuspicionInId, findSuspicionInName } from './mistakes';
import { isShown, withValue } from './readValue';
import { findTruncated } from './truncatedIds';

/** A notice about a valid value. */
export interface FieldNotice extends Notice {
	/** For a suspicious value: the problem to report if these are refused. */
	problem?: string;
	/** Whether it is about a number that a spreadsheet may have truncated. */
	isTruncation?: boolean;
}

/**
 * Notices about removed characters, white space that is sent, and suspicious values.
 * @param truncatedLengths returns the lengths, in digits, of truncated IDs among all items
 */
export function findNotices(
	value: unknown,
	field: Field,
	truncatedLengths: () => number[],
): FieldNotice[] {
	if (field.type === 'integer') return [];
	const truncation = truncationNotices(clean(String(value)), field, truncatedLengths);
	if (typeof value !== 'string') return truncation;
	return [...removalNotices(value, field), ...suspicionNotices(value, field), ...truncation];
}

function removalNotices(value: string, { label, type }: Field): FieldNotice[] {
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

function suspicionNotices(value: string, field: Field): FieldNotice[] {
	if (field.type === 'url') return [];
	const text = clean(value);
	const suspicion = field.type === 'id' ? findSuspicionInId(text) : findSuspicionInName(text);
	return suspicion === undefined ? [] : [suspicionNotice(suspicion, text, field)];
}

/** @param suspicion completes the sentence "It …" */
function suspicionNotice(suspicion: string, text: string, field: Field): FieldNotice {
	return {
		text: `A value was sent unchanged, but ${suspicion}`,
		subject: field.type === 'id' && isShown(text, field) ? text : field.label,
		problem: `${field.label} ${withValue(suspicion, text, field)}`,
	};
}

const TRUNCATED = 'looks like a number of which a spreadsheet kept only 15 digits';
const IF_CORRECT = "if the IDs are correct, add the option 'Long IDs May End in 0'";

/**
 * A notice about a number that ends in zeros. The number is a problem only if most numbers of this length
 * in the run do so. A single number of 16 digits gets no notice: one in ten ends in 0.
 */
function truncationNotices(
	text: string,
	field: Field,
	truncatedLengths: () => number[],
): FieldNotice[] {
	const mayBeNumber = field.type === 'id' || /^\d+$/.test(text);
	const number = mayBeNumber ? findTruncated(text) : undefined;
	if (number === undefined) return [];
	const isTruncated = truncatedLengths().includes(number.length);
	if (!isTruncated && number.length === 16) return [];
	const { problem, ...notice } = suspicionNotice(TRUNCATED, text, field);
	return [
		{ ...notice, isTruncation: true, ...(isTruncated && { problem: `${problem}: ${IF_CORRECT}` }) },
	];
}
