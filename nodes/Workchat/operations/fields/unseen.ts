/** TEMPORARY: service/unseen.ts */
const UNSEEN =
	/[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0]/g;
export const withoutUnseen = (text: string) => text.replace(UNSEEN, '');
export const nameOfUnseen = (char: string) =>
	`U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}, an invisible character`;
export const parseJson = (text: string): unknown => JSON.parse(text);
