import type { Breather } from '../breather';

/** Characters that are looked at in one go. */
const SLICE = 262_144;
const FOREIGN = /[^\w+/\-=\s]/;
const NO_CONTENT = /[\s=]+/g;

/** How many bytes a text is as base64, with or without white space and padding; `undefined` if it is none. */
export async function base64Size(text: string, breather: Breather): Promise<number | undefined> {
	let characters = 0;
	let padding = 0;
	let hasStandard = false;
	let hasUrlSafe = false;
	for (let at = 0; at < text.length; at += SLICE) {
		if (breather.isDue()) await breather.breathe();
		const slice = text.slice(at, at + SLICE);
		if (FOREIGN.test(slice)) return undefined;
		const content = slice.replace(NO_CONTENT, '');
		if (padding > 0 && content !== '') return undefined;
		const end = slice.indexOf('=');
		if (end !== -1) {
			const rest = slice.slice(end).replace(/\s+/g, '');
			if (/[^=]/.test(rest)) return undefined;
			padding += rest.length;
		}
		characters += content.length;
		hasStandard ||= /[+/]/.test(content);
		hasUrlSafe ||= /[-_]/.test(content);
	}
	const isBase64 =
		characters > 0 && characters % 4 !== 1 && padding <= 2 && !(hasStandard && hasUrlSafe);
	return isBase64 ? Math.floor((characters * 3) / 4) : undefined;
}

/** The bytes of a text that {@link base64Size} found to be base64 of `bytes` bytes. */
export async function fromBase64(text: string, bytes: number, breather: Breather): Promise<Buffer> {
	const content = Buffer.alloc(bytes);
	let written = 0;
	let rest = '';
	for (let at = 0; at < text.length; at += SLICE) {
		if (breather.isDue()) await breather.breathe();
		const characters = rest + text.slice(at, at + SLICE).replace(NO_CONTENT, '');
		// Four characters are three bytes.
		const whole = characters.length - (characters.length % 4);
		written += content.write(characters.slice(0, whole), written, 'base64');
		rest = characters.slice(whole);
	}
	content.write(rest, written, 'base64');
	return content;
}
