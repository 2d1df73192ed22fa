import { decodeExtended, parse } from 'content-disposition';

import { parsedUrl } from '../http/url';

/** In bytes of UTF-8; file systems stop at 255, and users add to names. */
const LONGEST_NAME = 200;
/** In characters, of which a longer name keeps the beginning and the end. */
const LONGEST_RAW_NAME = 4096;
/** In characters; Node takes 16 KiB of headers (https://nodejs.org/api/http.html#httpmaxheadersize). */
const LONGEST_HEADER = 16_384;
/** It has a letter: the `2` of `1.2` is no extension. */
const EXTENSION = /\.(?=\d*[a-z])\w{1,10}$/i;

/** Control characters, invisible ones, those that turn the direction of writing, and halves of characters. */
const UNSEEN =
	/[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2028\u2029\u2800\ufff9-\ufffb]/gu;
const RESERVED = /[<>:"|?*]/g;
/** Devices of Windows, whatever their extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$|clock\$) *(?:\.|$)/i;

/** The name in a `Content-Disposition` header, `filename*` (RFC 6266, section 4.3) first. */
export function nameInDisposition(header: unknown): string | undefined {
	if (typeof header !== 'string') return undefined;
	// Some servers leave out the type, the semicolon after it or the last quote.
	const written = header.slice(0, LONGEST_HEADER).replace(/^\s*(?:attachment|inline)[\s,;]+/i, '');
	const { parameters } = parse(`attachment;${written}${isQuoteOpen(written) ? '"' : ''}`);
	// Others quote what RFC 8187, section 3.2.1, writes without quotes.
	const extended = decodeExtended(parameters['filename*'] ?? '');
	const name = extended ?? utf8InLatin1(parameters.filename ?? '');
	return name === '' ? undefined : bareName(name);
}

function isQuoteOpen(header: string): boolean {
	return header.split('"').length % 2 === 0;
}

/** The last part of a link's path. */
export function nameInLink(link: string): string | undefined {
	const pathname = parsedUrl(link)?.pathname ?? '';
	const last = pathname.slice(pathname.lastIndexOf('/') + 1);
	return bareName(percentDecoded(last) ?? last);
}

/** A name that is safe as a file's name everywhere: no path, no control or reserved characters, no device. */
export function bareName(name: string): string | undefined {
	const last = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
	const short =
		last.length > LONGEST_RAW_NAME
			? last.slice(0, LONGEST_RAW_NAME / 2) + last.slice(-LONGEST_RAW_NAME / 2)
			: last;
	const bare = trimmed(short.replace(UNSEEN, '').replace(RESERVED, '_'));
	// What is cut off may leave the name of a device.
	return noDevice(shortened(noDevice(bare))) || undefined;
}

function noDevice(name: string): string {
	return DEVICE.test(name) ? `_${name}` : name;
}

export function hasExtension(name: string): boolean {
	return extensionIn(name) !== '';
}

/** In lower case and without dot, `''` where there is none. */
export function extensionIn(name: string): string {
	return (EXTENSION.exec(name)?.[0] ?? '').slice(1).toLowerCase();
}

/** Without dots and spaces around it. A pattern for the end would be tried at each of them. */
function trimmed(name: string): string {
	let end = name.length;
	while (end > 0 && /[\s.]/.test(name.charAt(end - 1))) end--;
	return name.slice(0, end).replace(/^[\s.]+/, '');
}

/** The extension stays, whatever else goes. */
function shortened(name: string): string {
	if (Buffer.byteLength(name) <= LONGEST_NAME) return name;
	const extension = EXTENSION.exec(name)?.[0] ?? '';
	let bytes = Buffer.byteLength(extension);
	let stem = '';
	for (const character of name) {
		bytes += Buffer.byteLength(character);
		if (bytes > LONGEST_NAME) break;
		stem += character;
	}
	return trimmed(stem) + extension;
}

function percentDecoded(text: string): string | undefined {
	try {
		return decodeURIComponent(text);
	} catch {
		return undefined;
	}
}

/**
 * Node reads headers as Latin-1 (src/node_http_parser.cc); many servers write a name's UTF-8 bytes
 * there.
 */
function utf8InLatin1(text: string): string {
	if (/[^\0-\xff]/.test(text)) return text;
	const decoded = Buffer.from(text, 'latin1').toString('utf8');
	return decoded.includes('\ufffd') ? text : decoded;
}
