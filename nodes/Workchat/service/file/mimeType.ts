import { hasExtension } from './fileName';

/** Whether a file that begins with these bytes is of a type. */
type Matcher = (first: Buffer) => boolean;

interface KnownType {
	mimeType: string;
	extensions: string[];
	matches: Matcher;
}

const bytesAt = (offset: number, expected: number[]) => (first: Buffer) =>
	expected.every((byte, index) => first[offset + index] === byte);
const bytes = (...expected: number[]) => bytesAt(0, expected);
const ascii = (text: string, offset = 0) => bytesAt(offset, [...Buffer.from(text, 'latin1')]);
const both = (one: Matcher, other: Matcher) => (first: Buffer) => one(first) && other(first);
const either =
	(...matchers: Matcher[]) =>
	(first: Buffer) =>
		matchers.some((matches) => matches(first));
const riff = (kind: string) => both(ascii('RIFF'), ascii(kind, 8));
const brand = (...brands: string[]) =>
	both(ascii('ftyp', 4), either(...brands.map((name) => ascii(name, 8))));

/** What chats carry. The first match counts, so the particular stands before the general. */
const TYPES: KnownType[] = [
	{ mimeType: 'image/jpeg', extensions: ['jpg', 'jpeg'], matches: bytes(0xff, 0xd8, 0xff) },
	{ mimeType: 'image/png', extensions: ['png'], matches: bytes(0x89, 0x50, 0x4e, 0x47, 0x0d) },
	{ mimeType: 'image/gif', extensions: ['gif'], matches: ascii('GIF8') },
	{ mimeType: 'image/webp', extensions: ['webp'], matches: riff('WEBP') },
	{ mimeType: 'image/heic', extensions: ['heic'], matches: brand('heic', 'heix', 'mif1') },
	{ mimeType: 'image/bmp', extensions: ['bmp'], matches: both(ascii('BM'), bytesAt(5, [0])) },
	{ mimeType: 'video/3gpp', extensions: ['3gp'], matches: brand('3gp') },
	{ mimeType: 'video/quicktime', extensions: ['mov'], matches: brand('qt  ') },
	{ mimeType: 'audio/mp4', extensions: ['m4a'], matches: brand('M4A ') },
	{ mimeType: 'video/mp4', extensions: ['mp4'], matches: ascii('ftyp', 4) },
	{ mimeType: 'video/x-msvideo', extensions: ['avi'], matches: riff('AVI ') },
	{ mimeType: 'audio/amr', extensions: ['amr'], matches: ascii('#!AMR') },
	{
		mimeType: 'audio/silk',
		extensions: ['silk'],
		matches: either(ascii('#!SILK'), ascii('#!SILK', 1)),
	},
	{
		mimeType: 'audio/mpeg',
		extensions: ['mp3'],
		matches: either(ascii('ID3'), isMpegAudio),
	},
	{ mimeType: 'audio/wav', extensions: ['wav'], matches: riff('WAVE') },
	{ mimeType: 'audio/ogg', extensions: ['ogg'], matches: ascii('OggS') },
	{ mimeType: 'application/pdf', extensions: ['pdf'], matches: ascii('%PDF-') },
	{ mimeType: 'application/rtf', extensions: ['rtf'], matches: ascii('{\\rtf') },
	{ mimeType: 'application/vnd.rar', extensions: ['rar'], matches: ascii('Rar!') },
	{ mimeType: 'application/x-7z-compressed', extensions: ['7z'], matches: ascii("7z\xbc\xaf'") },
	{ mimeType: 'application/gzip', extensions: ['gz'], matches: bytes(0x1f, 0x8b) },
	{ mimeType: 'application/zip', extensions: ['zip'], matches: ascii('PK\x03\x04') },
	{
		mimeType: 'application/x-cfb',
		extensions: [],
		matches: bytes(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1),
	},
];

/** Of types whose bytes prove less, or nothing. */
const OTHER_BINARY_EXTENSIONS =
	'doc docx xls xlsx ppt pptx odt ods odp epub heif avif tif tiff ico psd ' +
	'webm mkv flv wmv mpg mpeg m4v aac flac opus wma tar tgz bz2 xz jar apk exe dmg iso';
const BINARY_EXTENSIONS = new Set([
	...TYPES.flatMap(({ extensions }) => extensions),
	...OTHER_BINARY_EXTENSIONS.split(' '),
]);

/** These only say how the content is packed; a header or a name knows better what it is. */
const CONTAINERS = new Set(['application/zip', 'application/x-cfb', 'application/gzip']);
/** What servers say when they do not know. */
const UNTELLING = new Set([
	'application/octet-stream',
	'binary/octet-stream',
	'application/x-download',
	'application/force-download',
]);

function isMpegAudio(first: Buffer): boolean {
	const [sync = 0, layer = 0] = first;
	return sync === 0xff && (layer & 0xe6) === 0xe2;
}

/** The type that a file's first bytes prove. */
export function typeOfBytes(first: Buffer): string | undefined {
	return TYPES.find(({ matches }) => matches(first))?.mimeType;
}

/** The usual file name extension of a MIME type, without dot. */
export function extensionOf(mimeType: string): string | undefined {
	return TYPES.find((type) => type.mimeType === mimeType)?.extensions[0];
}

/** Whether no file with this extension is text. */
export function isBinaryExtension(extension: string): boolean {
	return BINARY_EXTENSIONS.has(extension);
}

/** RFC 6838 allows 127 characters on each side. */
const MIME_TYPE = /^\s*([\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127})\s*(?:;|$)/;

export function mimeTypeOfHeader(contentType: unknown): string | undefined {
	if (typeof contentType !== 'string') return undefined;
	const mimeType = MIME_TYPE.exec(contentType)?.[1]?.toLowerCase();
	return mimeType === undefined || UNTELLING.has(mimeType) ? undefined : mimeType;
}

/**
 * First bytes, then header, then nothing: n8n itself looks names up (n8n-core 2.41.1,
 * binary-helper-functions: prepareBinaryData).
 * A container's bytes yield to a header, and to a name that has an extension of its own.
 */
export function detectMimeType(
	first: Buffer,
	contentType: unknown,
	fileName: string,
): string | undefined {
	const proven = typeOfBytes(first);
	if (proven && !CONTAINERS.has(proven)) return proven;
	const declared = mimeTypeOfHeader(contentType);
	// Text proves nothing, and bytes that prove a container disprove text.
	if (declared && !(proven && declared.startsWith('text/'))) return declared;
	if (hasExtension(fileName)) return undefined;
	return proven ?? (first.includes(0) ? 'application/octet-stream' : undefined);
}
