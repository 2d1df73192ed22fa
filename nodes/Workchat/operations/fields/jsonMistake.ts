/** In characters. No person wrote longer ones, and V8's RegExp has a limited stack. */
const LONGEST_TEXT = 100_000;
const CURLY_QUOTE = /[“”„‟]/;
const NO_CURLY_QUOTES = 'JSON needs straight quotes ("), not curly ones (“ ”)';

/**
 * Where and why a text is no JSON (RFC 8259). Node's own words quote the text, which may hold secrets.
 */
export function jsonMistake(text: string): string {
	if (text.length > LONGEST_TEXT) return 'it is too long to say where';
	const index = brokenAt(text);
	const lines = text.slice(0, index).split('\n');
	const before = lines.at(-1) ?? '';
	const reason = reasonFor(text.charAt(index), before);
	return `${reason} (line ${lines.length}, column ${before.length + 1})`;
}

function reasonFor(character: string, before: string): string {
	if (CURLY_QUOTE.test(before + character)) return NO_CURLY_QUOTES;
	if (character === '') return 'it ends too early';
	if (character === "'") return 'JSON needs double quotes ("), not single ones';
	if (/[\r\n]/.test(character)) return 'it has a line break inside quotes, where JSON needs \\n';
	if (character < ' ') return 'it has a tab or a control character inside quotes';
	return 'something does not belong there, or a comma or a quote is missing before it';
}

const WHITE_SPACE = /[ \t\r\n]*/y;
const OPEN_STRING = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/uy;
const OTHER_TOKEN = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|[{}[\],:]/y;

/** The index of the first character that cannot stand where it does. */
function brokenAt(text: string): number {
	let at = 0;
	const take = (pattern: RegExp): string => {
		pattern.lastIndex = at;
		const [taken = ''] = pattern.exec(text) ?? [];
		at += taken.length;
		return taken;
	};
	/** Of each object and list that is open, the character that closes it. */
	const closers: string[] = [];
	let expected: 'value' | 'name' | 'colon' | 'end' = 'value';
	let mayClose = false;
	for (;;) {
		take(WHITE_SPACE);
		const start = at;
		const isString = take(OPEN_STRING) !== '';
		if (isString && text[at++] !== '"') return at - 1;
		const token = isString ? 'string' : take(OTHER_TOKEN);
		const closer = closers.at(-1);

		if (mayClose && token === closer) {
			closers.pop();
			expected = 'end';
		} else if (expected === 'end') {
			if (token !== ',' || !closer) return start;
			expected = closer === '}' ? 'name' : 'value';
		} else if (expected === 'colon') {
			if (token !== ':') return start;
			expected = 'value';
		} else if (expected === 'name') {
			if (!isString) return start;
			expected = 'colon';
		} else if (token === '{' || token === '[') {
			closers.push(token === '{' ? '}' : ']');
			expected = token === '{' ? 'name' : 'value';
			mayClose = true;
			continue;
		} else {
			if (/^[}\],:]?$/.test(token)) return start;
			expected = 'end';
		}
		mayClose = expected === 'end';
	}
}
