/** How often a text is unescaped: JSON in a URL in HTML in JSON is already rare. */
const MOST_PASSES = 4;
/** Of JSON, HTML and URLs; browsers do without semicolons. */
const ESCAPES =
	/[\\%]u([\da-f]{4})|\\x([\da-f]{2})|\\(["'\\/bfnrtv0])|&#(x[\da-f]+|\d+);?|&(amp|lt|gt|quot|apos);?|((?:%[\da-f]{2})+)/gi;
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** A text as it stands, then without its JSON, URL and HTML escapes, again and again until none is left. */
export function readingsOf(text: string): string[] {
	const readings = [text];
	for (let last = text; readings.length <= MOST_PASSES; readings.push(last)) {
		const next = last.replace(ESCAPES, unescaped);
		if (next === last) break;
		last = next;
	}
	return readings;
}

function unescaped(_: string, ...groups: Array<string | undefined>): string {
	const [unit, byte, character, reference, entity, bytes] = groups;
	if (character) return /[bfnrtv0]/i.test(character) ? ' ' : character;
	if (entity) return ENTITIES[entity.toLowerCase()] ?? '';
	if (bytes) return bytesIn(bytes);
	const codePoint = Number(reference?.replace(/^x/i, '0x') ?? `0x${unit ?? byte}`);
	return String.fromCodePoint(Math.min(codePoint, 0x10ffff));
}

/** Bytes that are no UTF-8 are told apart all the same. */
function bytesIn(escapes: string): string {
	const bytes = Buffer.from(escapes.replaceAll('%', ''), 'hex');
	const text = bytes.toString();
	return Buffer.from(text).equals(bytes) ? text : bytes.toString('latin1');
}
