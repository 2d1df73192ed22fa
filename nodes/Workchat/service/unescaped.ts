/** How often a text is unescaped: JSON in a URL in HTML in JSON is already rare. */
const MOST_PASSES = 4;
const ESCAPES =
	/\\(?:u([\da-f]{4})|x([\da-f]{2})|(["'\\/bfnrt]))|&(?:#(\d{1,9})|#x([\da-f]{1,8})|(amp|lt|gt|quot|apos));|((?:%[\da-f]{2})+)/gi;
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
	const [unit, byte, character, decimal, hex, entity, bytes] = groups;
	if (character) return /[bfnrt]/.test(character) ? ' ' : character;
	if (entity) return ENTITIES[entity.toLowerCase()] ?? '';
	if (bytes) return Buffer.from(bytes.replaceAll('%', ''), 'hex').toString();
	const codePoint = decimal ? Number(decimal) : parseInt(unit ?? byte ?? hex ?? '', 16);
	return String.fromCodePoint(Math.min(codePoint, 0x10ffff));
}
