/** The sentences of a text in English. */
export function sentencesIn(text: string): string[] {
	return text.split(/(?<=[.?!]) (?=[A-Z'"])/);
}
