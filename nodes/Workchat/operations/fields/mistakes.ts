import type { Field } from './field';

/** What a value is instead of a valid one. Completes the sentences "It is …" and "It looks like …". */
const NUMBER =
	'a number in the format of a spreadsheet: format the column as text, and enter the full number again';
const UNFILLED =
	'an expression or a placeholder that was left as text: switch the field to Expression, or correct the value at its source';
const OBJECT = 'an object that an expression turned into text: choose one of its values';
const LOADING = 'the text of a spreadsheet cell that is still loading: read it again';
const NOTHING = 'the result of an expression that finds nothing';
const ERROR = 'a spreadsheet error: correct it there';
const FORMULA = 'a spreadsheet formula: read its value instead';
const LOST =
	'text with lost characters: its file is not UTF-8 (a CSV from a Chinese Excel is GBK, which n8n does not read): save it as "CSV UTF-8"';

/** Spreadsheet errors: `#REF!`, `#¿NOMBRE?`. Any other word after a "#" may be the name of a channel. */
const ERRORS =
	'REF|VALUE|NAME|DIV/0|NULL|NUM|ERROR|SPILL|CALC|FIELD|BLOCKED|BUSY|CONNECT|UNKNOWN|EXTERNAL|PYTHON|TIMEOUT';
const ERRORS_IN_OTHER_LANGUAGES = 'BEZUG|WERT|ZAHL|VALEUR|VALOR|NOMBRE|NOM';

/**
 * Mistakes in IDs, numbers and URLs. In free text, such as a name, almost anything is valid. There, a
 * match is a `mistake` or `suspicious` only if the row says so.
 */
const MISTAKES: Array<[pattern: RegExp, what: string, inFreeText?: 'mistake' | 'suspicious']> = [
	[/\uFFFD|\p{Cs}/u, LOST, 'mistake'],
	// Mojibake: question marks; UTF-8 read as Windows-1252 ("æ‰‹æœº"); GBK read as Latin-1 ("ÓÅ»Ý").
	[/^\?{2,}$|\?{4}|锟斤拷|ï¿½|Ã[\u0080-¿]|â€/, LOST, 'suspicious'],
	[/(?:[À-ÿ][\u0080-¿Œ-™]{1,2}){2}/, LOST, 'suspicious'],
	[/(?=.{0,3}[À-ÿ])(?=.{0,3}[¡-¿])[¡-ÿ]{4}/, LOST, 'suspicious'],
	// `Hello {{ $json.name }}`, `$('Node').item`, `$json.name`, `{{ name }}`.
	[/\{\{[^{}]*\$[a-z(]/i, UNFILLED, 'mistake'],
	[/^=?\s*\$\(\s*['"`]|^\{\{[^{}]*\}\}$/, UNFILLED, 'mistake'],
	[/^=?\s*\$(?:json|input|node|item|execution|now|vars|fromAI)[.[(]/i, UNFILLED, 'mistake'],
	// `Hi {{ name }}!`, `${name}`.
	[/\{\{\s*[\w. ]+\}\}|\$\{\w+\}/, UNFILLED, 'suspicious'],
	[/\{\{|\}\}/, UNFILLED],
	[/\[object(?: |%20)\w+\]/i, OBJECT, 'mistake'],
	// `undefined`, `(null)`, `N/A`, `\N`.
	[/^[[(<]?(?:undefined|null|nan|none|nil|n\/a|true|false)[\])>]?$|^\\N$/i, NOTHING, 'suspicious'],
	[new RegExp(`^#[¡¿]?(?:${ERRORS}|${ERRORS_IN_OTHER_LANGUAGES})[!?]$`, 'i'), ERROR, 'mistake'],
	[/^#(?:N\/[AD]|GETTING_DATA)$|^Err:\d{3}$/i, ERROR, 'mistake'],
	// `#值!`, `#Н/Д`, `####`.
	[/^[#＃](?:.*[!?！？]|\p{L}\/\p{L}|NV|#+)$/u, ERROR],
	// LibreOffice's codes 501 to 540: `错误:502`, `Fehler:504`; but not `room:520`.
	[
		/^(?=.*[^ -~：]|[ef][a-z]*:|[ef][a-z]* )[\p{L}\p{M}]{2,}\.?\s?[:：]\s?5(?:[0-3]\d|40)$/iu,
		ERROR,
	],
	[/^(?:loading|正在加载|加载中|載入中)\s*[.…]*$/i, LOADING, 'suspicious'],
	// `="7"`, `=VLOOKUP(A1, B)`.
	[/^=\s*(?:".*"|[A-Z][A-Z.]*\(.*)$/s, FORMULA, 'mistake'],
	[/^[=＝]/, FORMULA],
	[/^['’‘`´＇]\d/, 'the text mark of a spreadsheet: remove the character before the digits'],
	// `7881.0`, `7,881,300`, `78,81,30,012`.
	[/^[-+]?\d{4,}[.,]0+$|^[-+]?\d{1,3}(?:,\d{2,3})+,\d{3}(?:\.\d+)?$/, NUMBER],
	// `7.881.300.123.456`. With fewer groups, it may be an ID or an IP address.
	[/^[-+]?\d{1,3}([.'’ \u00a0\u2009\u202f])\d{3}(?:\1\d{3}){3,}(?:[.,]\d+)?$/, NUMBER],
	// `7.88E+17`, `7,8 E + 17`, `7.88E17`.
	[/^[-+]?\d+(?:[.,]\d+)?\s*E\s*\+\s*\d+$|^[-+]?\d+[.,]\d+E\d{2,}$/i, NUMBER],
	[/^[\p{P}\p{Zs}\p{Sm}\p{Sc}\p{Sk}]+$/u, 'a placeholder for no value'],
];
/** Values that may be valid, but hardly are: for fields of these types, or of any type. */
const SUSPICIOUS: Array<[pattern: RegExp, what: string, types?: string[]]> = [
	[/^["'“”„‘’«»].*["'“”‘’«»]$/, 'text in quotes', ['id']],
	[/[,、|，；;]|^\d{5,}(?:\s+\d{5,})+$/, 'several IDs in one cell', ['id']],
	[
		/[０-９Ａ-Ｚａ-ｚ＿＠．－]/,
		'text in full-width characters, as from a Chinese keyboard',
		['id'],
	],
	// `7.88E+21@chatroom`, `7.881.300`, `customer-NaN`.
	[/(?<![\da-z])\d[.,]\d+E\+\d+(?![\da-z])/i, NUMBER, ['id']],
	[/^\d{1,3}(?:[.'’ \u00a0\u2009\u202f]\d{3}){2,}$/, NUMBER],
	[/(?<![a-z\d])(?:undefined|nan|null)(?![a-z\d])/i, NOTHING, ['id', 'url']],
];

/** Says what a value is, if it is certainly invalid. @param isFreeText whether almost any text is valid */
export function findMistake(text: string, isFreeText: boolean): string | undefined {
	const row = MISTAKES.find(
		([pattern, , inFreeText]) => (!isFreeText || inFreeText === 'mistake') && pattern.test(text),
	);
	return row?.[1];
}

/** Says what a value looks like, if it is valid but suspicious. */
export function findSuspicions(text: string, isFreeText: boolean, { type }: Field): string[] {
	const rows = [
		...MISTAKES.filter(([, , inFreeText]) => isFreeText && inFreeText === 'suspicious'),
		...SUSPICIOUS.filter(([, , types = [type]]) => types.includes(type)),
	];
	const matches = rows.filter(([pattern]) => pattern.test(text));
	return [...new Set(matches.map(([, what]) => what))];
}
