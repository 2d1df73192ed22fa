/** What the eye does not see, such as zero width, directions, BOM, and controls but white space. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}|(?![\t-\r])\p{Cc}/gu;

/** Most texts are of these alone, which is seen much sooner. */
const ASCII = /^[\t-\r -~]*$/;

/** For IDs, addresses and keys. A name keeps them: they join what an emoji is made of. */
export function withoutUnseen(text: string): string {
	return ASCII.test(text) ? text : text.replace(UNSEEN, '');
}

/** In words, for a person who looks for it. */
export function nameOfUnseen(character: string): string {
	const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
	return `U+${code}, an invisible character`;
}

/** Whether there is nothing in it that the eye sees. */
export function isBlank(value: unknown): boolean {
	return value === undefined || value === null || (typeof value === 'string' && !cleaned(value));
}

/** An ID, a URL or a number as it is sent and compared: without unseen characters, or space around it. */
export function cleaned(text: string): string {
	return withoutUnseen(text).trim();
}
