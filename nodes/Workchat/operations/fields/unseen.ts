/** Zero width, directions, soft hyphen, fillers, variation selectors, BOM. */
const UNSEEN =
	/\u00ad|\u034f|\u061c|[\u115f\u1160]|[\u17b4\u17b5]|[\u180b-\u180f]|[\u200b-\u200f]|[\u202a-\u202e]|[\u2060-\u206f]|\u3164|[\ufe00-\ufe0f]|\ufeff|\uffa0/g;

export function withoutUnseen(text: string): string {
	return text.replace(UNSEEN, '');
}

export function nameOfUnseen(character: string): string {
	const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
	return `U+${code}, an invisible character`;
}

/** JSON, with whole numbers beyond 2^53 as text, as a number would lose their last digits. */
export function parseJson(json: string): unknown {
	// Texts are stepped over, also one without an end; no other number is touched.
	const exact = json.replace(
		/"(?:[^"\\]|\\.)*(?:"|$)|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/gs,
		(token) =>
			token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : `"${token}"`,
	);
	return JSON.parse(exact);
}
