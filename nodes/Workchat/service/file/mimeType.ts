import { hasExtension } from './fileName';

interface KnownType {
	mimeType: string;
	extensions: string[];
	/** Whether a file that begins with these bytes is of this type. */
	matches?: (first: Buffer) => boolean;
}

const ascii =
	(text: string, offset = 0) =>
	(first: Buffer) =>
		first.toString('latin1', offset, offset + text.length) === text;
const bytes =
	(...expected: number[]) =>
	(first: Buffer) =>
		expected.every((byte, index) => first[index] === byte);
const riff = (kind: string) => (first: Buffer) => ascii('RIFF')(first) && ascii(kind, 8)(first);
const brand =
	(...brands: string[]) =>
	(first: Buffer) =>
		ascii('ftyp', 4)(first) && brands.some((name) => ascii(name, 8)(first));

/** What chats carry. The first match counts, so the particular stands before the general. */
const TYPES: KnownType[] = [
	{ mimeType: 'image/jpeg', extensions: ['jpg', 'jpeg'], matches: bytes(0xff, 0xd8, 0xff) },
	{ mimeType: 'image/png', extensions: ['png'], matches: bytes(0x89, 0x50, 0x4e, 0x47, 0x0d) },
	{ mimeType: 'image/gif', extensions: ['gif'], matches: ascii('GIF8') },
	{ mimeType: 'image/webp', extensions: ['webp'], matches: riff('WEBP') },
	{ mimeType: 'image/heic', extensions: ['heic'], matches: brand('heic', 'heix', 'mif1') },
	{ mimeType: 'image/bmp', extensions: ['bmp'], matches: (b) => ascii('BM')(b) && b[5] === 0 },
	{ mimeType: 'video/3gpp', extensions: ['3gp'], matches: brand('3gp') },
	{ mimeType: 'video/quicktime', extensions: ['mov'], matches: brand('qt  ') },
	{ mimeType: 'audio/mp4', extensions: ['m4a'], matches: brand('M4A ') },
	{ mimeType: 'video/mp4', extensions: ['mp4'], matches: ascii('ftyp', 4) },
	{ mimeType: 'video/x-msvideo', extensions: ['avi'], matches: riff('AVI ') },
	{ mimeType: 'audio/amr', extensions: ['amr'], matches: ascii('#!AMR') },
	{
		mimeType: 'audio/silk',
		extensions: ['silk'],
		matches: (b) => ascii('#!SILK')(b) || ascii('#!SILK', 1)(b),
	},
	{
		mimeType: 'audio/mpeg',
		extensions: ['mp3'],
		matches: (b) => ascii('ID3')(b) || isMpegAudio(b),
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

/** These only say how the content is packed; a header or a name knows better what it is. */
const CONTAINERS = new Set(['application/zip', 'application/x-cfb', 'application/gzip']);
/** What servers say when they do not know. */
const UNTELLING = new Set([
	'',
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
	return TYPES.find(({ matches }) => matches?.(first))?.mimeType;
}

/** The usual file name extension of a MIME type, without dot. */
export function extensionOf(mimeType: string): string | undefined {
	return TYPES.find((type) => type.mimeType === mimeType)?.extensions[0];
}

export function mimeTypeOfHeader(contentType: unknown): string | undefined {
	if (typeof contentType !== 'string') return undefined;
	const mimeType = (contentType.split(';')[0] ?? '').trim().toLowerCase();
	return UNTELLING.has(mimeType) ? undefined : mimeType;
}

/**
 * First bytes, then header, then nothing: n8n itself looks names up.
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

export function isBinaryExtension(extension: string): boolean {
	return TYPES.some(({ extensions }) => extensions.includes(extension));
}
