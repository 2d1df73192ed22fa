import type { Breather } from '../breather';

/** Characters that are looked at in one go. */
const SLICE = 262_144;
const FOREIGN = /[^\w+/\-=\s]/;
/** Characters of which lines are looked at, and the shortest that encoders write (RFC 7468, 2: 64). */
const LINES_READ = 4096;
const SHORTEST_LINE = 40;
const NO_CONTENT = /[\s=]+/g;
/** What encoders write last, where so many characters are left behind groups of four. */
const LAST: Partial<Record<number, RegExp>> = { 2: /[AQgw]/, 3: /[AEIMQUYcgkosw048]/ };

export interface Base64 {
	/** How many its content is. */
	bytes: number;
	/** Whether it is written as encoders write it, so that nothing of it was changed. */
	isSound: boolean;
	/** Whether its end is there for certain: encoders that leave out padding write the URL-safe alphabet. */
	isWhole: boolean;
	/** Whether it could not be hexadecimal, a number or a line as well. */
	isDistinct: boolean;
}

/** What a text is as base64, with or without white space and padding; `undefined` if it is no base64. */
export async function readBase64(text: string, breather: Breather): Promise<Base64 | undefined> {
	let characters = 0;
	let padding = 0;
	let last = '';
	let hasStandard = false;
	let hasUrlSafe = false;
	let isDistinct = false;
	let isInLines = hasEqualLines(text.slice(0, LINES_READ));
	for (let at = 0; at < text.length; at += SLICE) {
		if (breather.isDue()) await breather.breathe();
		const slice = text.slice(at, at + SLICE);
		if (!isInAlphabet(slice)) return undefined;
		const content = slice.replace(NO_CONTENT, '');
		if (padding > 0 && content !== '') return undefined;
		const end = slice.indexOf('=');
		if (end !== -1) {
			const rest = slice.slice(end).replace(/\s+/g, '');
			if (/[^=]/.test(rest)) return undefined;
			padding += rest.length;
		}
		characters += content.length;
		last = content.at(-1) ?? last;
		hasStandard ||= /[+/]/.test(content);
		hasUrlSafe ||= /[-_]/.test(content);
		isDistinct ||= isBeyondHex(at === 0 ? content.replace(/^0x/i, '') : content);
		// A blank that follows no line break may have been a plus.
		isInLines &&= !/\S[^\S\r\n]/.test((text[at - 1] ?? 'A') + slice);
	}
	if (characters === 0 || characters % 4 === 1 || padding > 2) return undefined;
	if (hasStandard && hasUrlSafe) return undefined;
	const isPadded = (characters + padding) % 4 === 0;
	return {
		bytes: Math.floor((characters * 3) / 4),
		isSound: isInLines && (isPadded || padding === 0) && (LAST[characters % 4]?.test(last) ?? true),
		isWhole: isPadded || !hasStandard,
		isDistinct,
	};
}

/** Whether nothing stands there but base64, of either alphabet, and white space. */
export function isInAlphabet(text: string): boolean {
	return !FOREIGN.test(text);
}

/** Whether it has a letter that hexadecimal has not. */
export function isBeyondHex(text: string): boolean {
	return /[g-z]/i.test(text);
}

/** Whether all lines but the last have the same length: the lines of a list of words have not. */
function hasEqualLines(text: string): boolean {
	const lines = text.trim().split(/[\r\n]+/);
	const lengths = lines.map((line) => line.trim().length);
	const [first = 0, ...others] = lengths;
	// It may be cut off here.
	const last = others.pop();
	if (last === undefined) return true;
	return first >= SHORTEST_LINE && last <= first && others.every((length) => length === first);
}

/** The bytes of a text that {@link readBase64} found to be base64 of `bytes` bytes. */
export async function fromBase64(text: string, bytes: number, breather: Breather): Promise<Buffer> {
	const content = Buffer.alloc(bytes);
	let written = 0;
	let rest = '';
	for (let at = 0; at < text.length; at += SLICE) {
		if (breather.isDue()) await breather.breathe();
		const characters = rest + text.slice(at, at + SLICE).replace(NO_CONTENT, '');
		// Four characters are three bytes.
		const whole = characters.length - (characters.length % 4);
		written += content.write(characters.slice(0, whole), written, 'base64');
		rest = characters.slice(whole);
	}
	content.write(rest, written, 'base64');
	return content;
}
