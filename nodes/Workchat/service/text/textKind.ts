/** What servers say sorry in, and what may be a file all the same. */
export type TextKind = 'page' | 'json' | 'text';

/** Bytes in which a page or JSON shows. */
const BEGINNING = 4096;
/** Bytes of white space that are looked past. */
export const MOST_BLANKS = 65_536;
const BLANKS = new Set(Buffer.from('\t\n\f\r '));
/** Of the control characters, a text has only these (https://mimesniff.spec.whatwg.org, binary data byte). */
const CONTROLS_OF_TEXT = new Set(Buffer.from('\t\n\f\r\x1b'));
/** What a page begins with, and an object store's refusal. */
const PAGE =
	/^<(?:!doctype html|html|head|body|script|style|iframe|meta|title|center|div|h1|error)\b/i;

export function isVisible(byte: number): boolean {
	return !BLANKS.has(byte);
}

/** What kind of text begins with these bytes; none if they are no text. */
export function textKindOf(first: Buffer, contentType?: unknown): TextKind | undefined {
	const text = beginningOf(first);
	if (text === undefined || first.length === 0) return undefined;
	// One without anything visible is a page, too.
	if (text === '' || PAGE.test(withoutProlog(text))) return 'page';
	if (/^(?:\{\s*(?:["}]|$)|\[\s*["{\]])/.test(text)) return 'json';
	const type = typeof contentType === 'string' ? contentType.slice(0, BEGINNING) : '';
	if (/\bhtml\b/i.test(type)) return 'page';
	return /\bjson\b/i.test(type) ? 'json' : 'text';
}

/** Whether it begins as an envelope does. */
export function isJsonObject(first: Buffer): boolean {
	return beginningOf(first)?.startsWith('{') === true;
}

/** The beginning of a text, without white space before it; none if these bytes are no text. */
export function beginningOf(first: Buffer): string | undefined {
	const beginning = afterBlanks(first).subarray(0, BEGINNING);
	const isBinary = beginning.some((byte) => byte < 0x20 && !CONTROLS_OF_TEXT.has(byte));
	return isBinary && !isUtf16(beginning) ? undefined : textOf(beginning).trimStart();
}

/** What follows the white space that may stand before it. */
function afterBlanks(first: Buffer): Buffer {
	const blanks = first.subarray(0, MOST_BLANKS);
	const visible = blanks.findIndex(isVisible);
	return first.subarray(visible === -1 ? blanks.length : visible);
}

/** A whole text, by its byte order mark, or else in this charset. */
export function textOf(bytes: Buffer, charset = 'utf-8'): string {
	const encoding = !isUtf16(bytes) ? charset : bytes[0] === 0xff ? 'utf-16le' : 'utf-16be';
	return new TextDecoder(encoding).decode(bytes);
}

function isUtf16([one, two]: Buffer): boolean {
	return (one === 0xff && two === 0xfe) || (one === 0xfe && two === 0xff);
}

/** Comments, an XML declaration and the like may stand before the first tag. */
export function withoutProlog(text: string): string {
	let rest = text;
	for (;;) {
		const close = rest.startsWith('<!--') ? '-->' : rest.startsWith('<?') ? '>' : undefined;
		if (close === undefined) return rest;
		const end = rest.indexOf(close, 2);
		if (end === -1) return '';
		rest = rest.slice(end + close.length).trimStart();
	}
}
