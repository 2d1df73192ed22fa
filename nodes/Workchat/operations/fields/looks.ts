import type { Field } from './field';

const NUMBER =
	'how a spreadsheet writes a number: format its column as text, and enter it anew, in full';
const UNFILLED =
	'an expression or a placeholder that was left as text: switch the field to Expression, or have it filled in where it comes from';
const OBJECT = 'what an expression leaves of an object: choose a value in it';
const LOADING = 'what a spreadsheet shows while it loads: read it again';
const NOTHING = 'what an expression that finds nothing leaves';
const ERROR = 'an error in a spreadsheet: correct it there';
const FORMULA = 'a formula of a spreadsheet: read its value instead';
const LOST =
	'text that lost characters: its file is not UTF-8 (a CSV from a Chinese Excel is GBK, which n8n does not read): save it as "CSV UTF-8"';
/** Question marks, or what becomes of UTF-8 and of GBK that are read as Latin-1 or Windows-1252. */
const MISREAD =
	/^\?{2,}$|\?{4}|锟斤拷|ï¿½|Ã[\u0080-¿]|â€|(?:[À-ÿ][\u0080-¿Œ-™]{1,2}){2}|(?=.{0,3}[À-ÿ])(?=.{0,3}[¡-¿])[¡-ÿ]{4}/;

/** Spreadsheet errors, also in other languages; any other name after a "#" may be a channel's. */
const ERRORS =
	/^#(?:[¡¿]?(?:REF|VALUE|NAME|DIV\/0|NULL|NUM|ERROR|SPILL|CALC|FIELD|BLOCKED|BUSY|CONNECT|UNKNOWN|EXTERNAL|PYTHON|TIMEOUT|BEZUG|WERT|ZAHL|VALEUR|VALOR|NOMBRE|NOM)[!?]|N\/[AD]|GETTING_DATA)$|^Err:\d{3}$/i;

/**
 * What is certainly no ID, number or URL, and what it is instead. Names can be anything, so there a
 * look is `certain`, or only `odd`, or says nothing.
 */
const LOOKS: Array<[looks: RegExp, what: string, ofNames?: 'certain' | 'odd']> = [
	[/\uFFFD|\p{Cs}/u, LOST, 'certain'],
	[MISREAD, LOST, 'odd'],
	[
		/\{\{[^{}]*\$[a-z(]|^=?\s*\$(?:\(\s*['"`]|(?:json|input|node|item|execution|now|vars|fromAI)[.[(])|^\{\{[^{}]*\}\}$/i,
		UNFILLED,
		'certain',
	],
	[/\{\{\s*[\w. ]+\}\}|\$\{\w+\}/, UNFILLED, 'odd'],
	[/\{\{|\}\}/, UNFILLED],
	[/\[object(?: |%20)\w+\]/i, OBJECT, 'certain'],
	[/^[[(<]?(?:undefined|null|nan|none|nil|n\/a|true|false)[\])>]?$|^\\N$/i, NOTHING, 'odd'],
	[ERRORS, ERROR, 'certain'],
	// Such as `#值!`, `#Н/Д`, and LibreOffice's `错误:502` (its codes are 501 to 540).
	[/^[#＃](?:.*[!?！？]|\p{L}\/\p{L}|NV|#+)$/u, ERROR],
	[
		/^(?=.*[^ -~：]|[ef][a-z]*:|[ef][a-z]* )[\p{L}\p{M}]{2,}\.?\s?[:：]\s?5(?:[0-3]\d|40)$/iu,
		ERROR,
	],
	[/^(?:loading|正在加载|加载中|載入中)\s*[.…]*$/i, LOADING, 'odd'],
	[/^=\s*(?:".*"|[A-Z][A-Z.]*\(.*)$/s, FORMULA, 'certain'],
	[/^[=＝]/, FORMULA],
	[/^['’‘`´＇]\d/, 'how a spreadsheet marks text: leave out what stands before the digits'],
	[/^[-+]?\d{4,}[.,]0+$|^[-+]?\d{1,3}(?:,\d{2,3})+,\d{3}(?:\.\d+)?$/, NUMBER],
	// Few groups with another mark than a comma may be an ID, or an Internet address.
	[/^[-+]?\d{1,3}([.'’ \u00a0\u2009\u202f])\d{3}(?:\1\d{3}){3,}(?:[.,]\d+)?$/, NUMBER],
	[/^[-+]?\d+(?:[.,]\d+)?\s*E\s*\+\s*\d+$|^[-+]?\d+[.,]\d+E\d{2,}$/i, NUMBER],
	[/^[\p{P}\p{Zs}\p{Sm}\p{Sc}\p{Sk}]+$/u, 'a sign for no value'],
];
/** What may be meant, though it hardly is: in fields of any type, or of these. */
const ODD: Array<[looks: RegExp, what: string, types?: string[]]> = [
	[/^["'“”„‘’«»].*["'“”‘’«»]$/, 'text in quotes', ['id']],
	[/[,、|，；;]|^\d{5,}(?:\s+\d{5,})+$/, 'several IDs in one cell', ['id']],
	[/[０-９Ａ-Ｚａ-ｚ＿＠．－]/, 'typed in full width, as a Chinese keyboard does', ['id']],
	[/(?<![\da-z])\d[.,]\d+E\+\d+(?![\da-z])/i, NUMBER, ['id']],
	[/^\d{1,3}(?:[.'’ \u00a0\u2009\u202f]\d{3}){2,}$/, NUMBER],
	[/(?<![a-z\d])(?:undefined|nan|null)(?![a-z\d])/i, NOTHING, ['id', 'url']],
];

/** What a value certainly is instead of one. @param isName whether it can be any text */
export function noValue(text: string, isName: boolean): string | undefined {
	return LOOKS.find(([looks, , of]) => (!isName || of === 'certain') && looks.test(text))?.[1];
}

/** What else a value looks like. */
export function oddLooks(text: string, isName: boolean, { type }: Field): string[] {
	const odd = [
		...LOOKS.filter(([, , of]) => isName && of === 'odd'),
		...ODD.filter(([, , types = [type]]) => types.includes(type)),
	];
	return [...new Set(odd.filter(([looks]) => looks.test(text)).map(([, what]) => what))];
}
