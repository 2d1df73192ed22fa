import { removeInvisible } from '../../common/invisible';
import { Yielder } from '../../common/yielder';
import { parseUrl } from '../http/url';
import { percentDecode } from './fileName';
import { sniffMimeType } from './mimeType';

/** A file that a text has: a link to it, or its bytes. */
export type Content =
	| { source: 'link'; link: URL; content?: undefined }
	| { source: 'base64'; content: Buffer; mimeType?: undefined }
	| { source: 'dataUri'; content: Buffer; mimeType: string | undefined; name: string | undefined };

const LINK = /^https?:[\\/]{2}/i;
const LEADING_INVISIBLE = /^[\s\p{Default_Ignorable_Code_Point}]+/u;
/** `data:image/png;name=a.png;base64,`, `image/png;base64,` or `base64://`, in so many characters. */
const BASE64_PREFIX =
	/^(?:data:)?([\w-]+\/[\w.+-]+)?(?:;[^,;]*){0,5}?;?\s*base64\s*(?:,|:\/\/)\s*/i;
const MAX_PREFIX = 1000;
const NAME_IN_PREFIX = /;\s*(?:file)?name="?([^;,"]+)/i;
/** An ID or a hash. Its characters are valid in base64, too. */
const HEX = /^(?:0x)?[\da-f]*$/i;

/** Reads a link, base64 or a data URI; `undefined` for any other text. */
export async function decodeContent(text: string): Promise<Content | undefined> {
	const trimmed = text.replace(LEADING_INVISIBLE, '');
	// The escapes in a link belong to it; but the whole link may be escaped: `https%3A%2F%2F`.
	const isEscaped = trimmed.includes('%') && !LINK.test(trimmed);
	const decoded = isEscaped ? percentDecode(trimmed).toString() : trimmed;
	if (LINK.test(decoded)) {
		// Like a browser, this escapes spaces and letters of other languages.
		const link = parseUrl(removeInvisible(decoded));
		return link && { source: 'link', link };
	}
	const [prefix, mimeType] = BASE64_PREFIX.exec(decoded.slice(0, MAX_PREFIX)) ?? [];
	if (prefix !== undefined) {
		const [, name] = NAME_IN_PREFIX.exec(prefix) ?? [];
		const content = await decodeBase64(decoded.slice(prefix.length));
		return content && { source: 'dataUri', content, mimeType, name };
	}
	const content = HEX.test(decoded) ? undefined : await decodeBase64(decoded);
	return content && { source: 'base64', content };
}

/** Characters that are decoded at once: a multiple of four, as base64 has groups of four. */
const SLICE = 262_144;

/**
 * Decodes base64 in the standard alphabet, as in `+/8=`, or in that of URLs, as in `-_8`; `undefined` for
 * any other text. Also for one with a space, which may have been a plus.
 */
async function decodeBase64(text: string): Promise<Buffer | undefined> {
	const joined = text.replace(/[\r\n]+/g, '');
	const characters = joined.replace(/(?<!=)={1,2}$/, '');
	if (characters === '') return undefined;
	// The standard alphabet has padding: without it, the end may be missing.
	const isStandard = /[+/=]/.test(joined);
	if (isStandard && joined.length % 4 !== 0) return undefined;
	const content = Buffer.alloc(Math.floor((characters.length * 3) / 4));
	const yielder = new Yielder();
	for (let at = 0, written = 0; at < characters.length; at += SLICE) {
		if (yielder.isDue()) await yielder.yieldNow();
		const slice = characters.slice(at, at + SLICE);
		if (/[^\w+/-]/.test(slice)) return undefined;
		written += content.write(slice, written, 'base64');
	}
	return content;
}

/** Bytes. Base64 of this size is a file in any case, as no ID or signature is as long. */
const CERTAIN_FILE_BYTES = 768;
/** Bytes. Shorter base64 may look like a file by chance. */
const MIN_FILE_BYTES = 64;

/** Many short texts are base64 by chance. So they need the right size, or magic bytes. */
export function isCertainlyFile(found: Content, fileSize: number): boolean {
	if (found.source !== 'base64') return true;
	const { length } = found.content;
	if (length >= CERTAIN_FILE_BYTES) return true;
	if (length < MIN_FILE_BYTES) return false;
	return length === fileSize || sniffMimeType(found.content) !== undefined;
}
