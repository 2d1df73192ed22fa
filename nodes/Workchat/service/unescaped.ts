/** A text, and where each of its characters comes from in another one. */
export interface Reading {
	text: string;
	/** Of each character, and of the end, the place in the source. */
	at: number[];
}

/** How often a text is unescaped: JSON in a URL in HTML in JSON is already rare. */
const MOST_PASSES = 4;

const UTF8_TAIL = '%[89abAB][\\da-fA-F]';
const ESCAPES = new RegExp(
	[
		`\\\\(?:u[\\da-fA-F]{4}|x[\\da-fA-F]{2}|["'\\\\/bfnrt])`,
		'&(?:amp|lt|gt|quot|apos|#\\d{1,9}|#[xX][\\da-fA-F]{1,8});',
		`%[c-dC-D][\\da-fA-F]${UTF8_TAIL}`,
		`%[eE][\\da-fA-F](?:${UTF8_TAIL}){2}`,
		`%[fF][0-4](?:${UTF8_TAIL}){3}`,
		'%[\\da-fA-F]{2}',
	].join('|'),
	'g',
);
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const BLANKS = /[\s\p{Cc}+]+/gu;

/** A text as it stands, then without its JSON, URL and HTML escapes, again and again until none is left. */
export function readingsOf(text: string): Reading[] {
	let reading: Reading = { text, at: Array.from({ length: text.length + 1 }, (_, index) => index) };
	const readings = [reading];
	while (readings.length <= MOST_PASSES && reading.text.search(ESCAPES) !== -1) {
		reading = replaced(reading, ESCAPES, unescaped);
		readings.push(reading);
	}
	return readings;
}

/** With one space for all that services write for spaces, and no half characters. */
export function folded(reading: Reading): Reading {
	const { text, at } = replaced(reading, BLANKS, () => ' ');
	return { text: text.replace(/\p{Cs}/gu, '\ufffd'), at };
}

function replaced(
	{ text, at }: Reading,
	pattern: RegExp,
	replacementOf: (match: string) => string,
): Reading {
	const parts: string[] = [];
	const origins: number[] = [];
	let end = 0;
	const copyUntil = (next: number) => {
		parts.push(text.slice(end, next));
		for (let index = end; index < next; index++) origins.push(at[index] ?? 0);
	};
	for (const { 0: match, index } of text.matchAll(pattern)) {
		copyUntil(index);
		const replacement = replacementOf(match);
		parts.push(replacement);
		// What stands for two code units comes from one place.
		for (let unit = 0; unit < replacement.length; unit++) origins.push(at[index] ?? 0);
		end = index + match.length;
	}
	copyUntil(text.length);
	origins.push(at[text.length] ?? 0);
	return { text: parts.join(''), at: origins };
}

function unescaped(escape: string): string {
	if (escape.startsWith('%')) return percentDecoded(escape);
	if (escape.startsWith('&#')) return characterOf(Number(escape.slice(2, -1).replace(/^x/i, '0x')));
	if (escape.startsWith('&')) return ENTITIES[escape.slice(1, -1)] ?? escape;
	const [, kind = ''] = escape;
	if (escape.length > 2) return String.fromCharCode(parseInt(escape.slice(2), 16));
	return /[bfnrt]/.test(kind) ? ' ' : kind;
}

function percentDecoded(escape: string): string {
	try {
		return decodeURIComponent(escape);
	} catch {
		// Bytes that are no UTF-8 are most likely Latin-1.
		return escape.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
	}
}

function characterOf(codePoint: number): string {
	return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : '\ufffd';
}
