/** What a value is instead of a valid one. Completes the sentences "It is …" and "It looks like …". */
const LOST =
	'text with lost characters: its file is not UTF-8 (a CSV from a Chinese Excel is GBK, which n8n does not read): save it as "CSV UTF-8"';
const UNFILLED =
	'an expression or a placeholder that was left as text: switch the field to Expression, or correct the value at its source';
const OBJECT = 'an object that an expression turned into text: choose one of its values';
const NOTHING = 'the result of an expression that finds nothing';
const NUMBER =
	'a number in the format of a spreadsheet: format the column as text, and enter the full number again';

type Mistakes = Array<[pattern: RegExp, what: string]>;

/** Mistakes in any text, also in a name. */
const IN_ANY_TEXT: Mistakes = [
	[/\uFFFD|\p{Cs}/u, LOST],
	// `Hello {{ $json.name }}`; `$json.name`, `=$('Node').item`, `$fromAI('name')`, but not `$99 (sale)`.
	[/\{\{[^{}]*\$[a-z(]/i, UNFILLED],
	[/^=?\s*\$(?:(?:json|input|node|vars)\??[.[]|(?:fromAI)?\(\s*['"`])/i, UNFILLED],
	[/\[object(?: |%20)\w+\]/i, OBJECT],
];

/** As programs and spreadsheets spell it, since a name may be "Null", "Nan" or "True". */
const AS_COMPUTED = /^(?:undefined|null|NULL|NaN|None|nil|N\/A|true|TRUE|false|FALSE)$/;
const IS_NOTHING = new RegExp(AS_COMPUTED, 'i');

/** More mistakes in IDs and numbers. A name may be "Null", "1.0" or "{{ Code }}". */
const IN_IDS: Mistakes = [
	[/锟斤拷/, LOST],
	[/\{\{/, UNFILLED],
	[IS_NOTHING, NOTHING],
	// `7.88E+17`, `7,88E17`, but not `788E17`, which may be hexadecimal.
	[/^[-+]?\d+(?:[.,]\d+E\+?|E\+)\d+$/i, NUMBER],
	[/^[-+]?\d{4,}[.,]0+$/, NUMBER],
];

/** Says what a text is, if it cannot be meant, whatever field it is in. */
export function findMistake(text: string): string | undefined {
	return IN_ANY_TEXT.find(([pattern]) => pattern.test(text))?.[1];
}

/** Says what a text is, if it is certainly no ID and no number. */
export function findMistakeInId(text: string): string | undefined {
	return findMistake(text) ?? IN_IDS.find(([pattern]) => pattern.test(text))?.[1];
}

/** All characters of IDs. A spreadsheet's `#N/A`, quotes, or several IDs in one cell have others. */
const ID = /^(?=.*[a-z\d])[\w.:@+=/~-]+$/i;

/** Says why a text is suspicious as an ID: completes the sentence "It …". */
export function findSuspicionInId(text: string): string | undefined {
	if (ID.test(text)) return undefined;
	return 'does not look like an ID, which has only A-Z, a-z, 0-9 and _ - . : @ + = / ~';
}

/** Says why a text is suspicious as a name: completes the sentence "It …". */
export function findSuspicionInName(text: string): string | undefined {
	return AS_COMPUTED.test(text) ? `looks like ${NOTHING}` : undefined;
}
