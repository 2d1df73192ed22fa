/** Invisible characters, such as zero-width ones, text directions, BOM, and controls except white space. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|(?![\t-\r])\p{Cc}/gu;

/** Visible ASCII and white space: a fast check, as it matches most texts. */
const ASCII = /^[\t-\r -~]*$/;

/** For IDs, addresses and keys only. A name keeps them, because they join the parts of an emoji. */
export function removeInvisible(text: string): string {
	return ASCII.test(text) ? text : text.replace(INVISIBLE, '');
}

/** "U+200B, an invisible character". */
export function describeInvisible(character: string): string {
	const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
	return `U+${code}, an invisible character`;
}

/** Whether a value is missing, or a text without visible characters. */
export function isBlank(value: unknown): boolean {
	return value === undefined || value === null || (typeof value === 'string' && !clean(value));
}

/** Removes invisible characters and surrounding white space: for IDs, URLs and numbers. */
export function clean(text: string): string {
	return removeInvisible(text).trim();
}
