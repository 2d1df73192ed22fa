/**
 * What the eye does not see: zero width, directions, soft hyphen, fillers, variation selectors, BOM,
 * and control characters other than white space.
 */
const UNSEEN = /\p{Default_Ignorable_Code_Point}|(?![\t-\r])\p{Cc}/gu;

/** For IDs, addresses and keys. A name keeps them: they join what an emoji is made of. */
export function withoutUnseen(text: string): string {
	return text.replace(UNSEEN, '');
}

/** In words, for a person who looks for it. */
export function nameOfUnseen(character: string): string {
	const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
	return `U+${code}, an invisible character`;
}
