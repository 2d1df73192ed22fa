import { afterBlanks, beginningOf, textKindOf, withoutProlog } from '../text/textKind';
import { extensionIn, hasExtension } from './fileName';

/** Whether a file that begins with these bytes is of a type. */
type Matcher = (first: Buffer) => boolean;

const bytesAt =
	(offset: number, ...expected: number[]): Matcher =>
	(first) =>
		expected.every((byte, index) => first[offset + index] === byte);
const ascii = (text: string, offset = 0) => bytesAt(offset, ...Buffer.from(text, 'latin1'));
const both =
	(one: Matcher, other: Matcher): Matcher =>
	(first) =>
		one(first) && other(first);
const either =
	(...matchers: Matcher[]): Matcher =>
	(first) =>
		matchers.some((matches) => matches(first));
/** Behind what PHP scripts write before it. */
const late =
	(matches: Matcher): Matcher =>
	(first) =>
		matches(afterBlanks(ascii('\xef\xbb\xbf')(first) ? first.subarray(3) : first));
const riff = (kind: string) => both(ascii('RIFF'), ascii(kind, 8));

/** The box that an MP4 and its kin begin with (ISO/IEC 14496-12, 4.3), which is shorter than 64 KiB. */
const isIsoMedia = both(bytesAt(0, 0, 0), ascii('ftyp', 4));
const brand = (...names: string[]) =>
	both(isIsoMedia, either(...names.map((name) => ascii(name, 8))));
/** Of a file whose first brand only says "image", those behind it tell more. */
const imageBrand = (...names: string[]) =>
	either(
		brand(...names),
		both(brand('mif1', 'msf1'), (first) => {
			const box = first.toString('latin1', 16, first.readUInt16BE(2));
			return names.some((name) => box.match(/.{4}/gs)?.some((other) => other === name));
		}),
	);

const isMatroska = bytesAt(0, 0x1a, 0x45, 0xdf, 0xa3);
const isWebm = both(isMatroska, (first) => first.subarray(0, 64).includes('webm'));
/** Of the next segment. */
const isJpeg = both(bytesAt(0, 0xff, 0xd8, 0xff), (first) => (first[3] ?? 0) >= 0xc0);
/** Of the flags, no more are known. */
const isGzip = both(bytesAt(0, 0x1f, 0x8b, 8), (first) => (first[3] ?? 0xff) < 0x20);
/** An ID3 header: version 2.2 to 2.4, and a size of seven bits in each byte (https://id3.org/id3v2.4.0-structure). */
const isTaggedMpeg = both(ascii('ID3'), (first) => {
	const [version = 0, revision = 0xff, , ...size] = first.subarray(3, 10);
	const isSize = size.length === 4 && size.every((byte) => byte < 0x80);
	return version >= 2 && version <= 4 && revision < 0x10 && isSize;
});
/** A frame header without a reserved value: Layer III, version, bit rate and sample rate (ISO/IEC 11172-3, 2.4.1.3). */
const isMpegFrame: Matcher = ([sync, kind = 0, rates = 0xff]) =>
	sync === 0xff &&
	(kind & 0xe6) === 0xe2 &&
	(kind & 0x18) !== 0x08 &&
	![0, 15].includes(rates >> 4) &&
	(rates & 0x0c) !== 0x0c;

/** What chats carry, with the usual extensions. The first match counts: the particular stands before the general. */
const TYPES: Array<[mimeType: string, extensions: string, matches: Matcher]> = [
	['image/jpeg', 'jpg jpeg', isJpeg],
	['image/png', 'png', ascii('\x89PNG\r\n\x1a\n')],
	['image/gif', 'gif', either(ascii('GIF87a'), ascii('GIF89a'))],
	['image/webp', 'webp', riff('WEBP')],
	['image/avif', 'avif', imageBrand('avif', 'avis')],
	['image/heic', 'heic', imageBrand('heic', 'heix', 'hevc', 'hevx', 'heim', 'heis')],
	['image/heif', 'heif', brand('mif1', 'msf1')],
	['image/bmp', 'bmp', both(ascii('BM'), bytesAt(6, 0, 0, 0, 0))],
	['image/tiff', 'tif tiff', either(ascii('II*\0'), ascii('MM\0*'))],
	['video/3gpp', '3gp', brand('3gp')],
	['video/3gpp2', '3g2', brand('3g2')],
	['video/quicktime', 'mov', brand('qt  ')],
	['audio/mp4', 'm4a m4b', brand('M4A ', 'M4B ')],
	['video/mp4', 'mp4 m4v', isIsoMedia],
	['video/webm', 'webm', isWebm],
	['video/x-matroska', 'mkv', isMatroska],
	['video/x-msvideo', 'avi', riff('AVI ')],
	['audio/amr', 'amr', either(ascii('#!AMR\n'), ascii('#!AMR-WB\n'))],
	['audio/silk', 'silk', either(ascii('#!SILK'), ascii('\x02#!SILK'))],
	['audio/mpeg', 'mp3', either(isTaggedMpeg, isMpegFrame)],
	['audio/wav', 'wav', riff('WAVE')],
	['audio/ogg', 'ogg', ascii('OggS\0')],
	['application/pdf', 'pdf', late(ascii('%PDF-'))],
	['application/rtf', 'rtf', late(ascii('{\\rtf'))],
	['application/vnd.rar', 'rar', ascii('Rar!\x1a\x07')],
	['application/x-7z-compressed', '7z', ascii("7z\xbc\xaf'\x1c")],
	['application/gzip', 'gz', isGzip],
	['application/zip', 'zip', either(ascii('PK\x03\x04'), ascii('PK\x05\x06'))],
	['application/x-cfb', '', ascii('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')],
];

/** Of types whose bytes prove less, or nothing. */
const OTHER_BINARY_EXTENSIONS =
	'doc docx docm dotx xls xlsx xlsm xlsb ppt pptx pptm ppsx odt ods odp epub ico psd jfif jpe jp2 jxl heics ' +
	'flv wmv asf mpg mpeg m2ts vob rm rmvb ogv 3gpp aac aif aiff ape caf flac mid oga opus weba wma ' +
	'tar tgz bz2 xz zst cab jar apk deb rpm exe msi dmg iso';
const BINARY_EXTENSIONS = new Set(
	[...TYPES.map(([, extensions]) => extensions), OTHER_BINARY_EXTENSIONS].join(' ').split(' '),
);

/** These only say how the content is packed; a header or a name knows better what it is. */
const CONTAINERS = ['application/zip', 'application/x-cfb', 'application/gzip'];
/** What begins as an MP4 does: header and name know better which of them it is. */
const ISO_MEDIA =
	/^(?:(?:video|audio)\/(?:mp4|mp4a-latm|3gpp2?|(?:x-)?m4[abv]|(?:x-)?f4v|quicktime)|image\/(?:avif|hei[cf]|x-canon-cr3)(?:-sequence)?)$/;
/** Their brands do not tell a video from a recording. */
const ISO_VIDEOS = ['video/mp4', 'video/3gpp', 'video/3gpp2', 'video/quicktime'];
/** What servers say when they do not know. */
const UNTELLING = [
	'application/octet-stream',
	'binary/octet-stream',
	'application/x-download',
	'application/force-download',
];

const TEXT_TYPE = /^text\/|[/+](?:json|xml)$/;

/** The type that a file's first bytes prove. */
export function typeOfBytes(first: Buffer): string | undefined {
	return TYPES.find(([, , matches]) => matches(first))?.[0];
}

/** The same where hardly a text begins so by chance: the header of an MPEG frame is too short for that. */
export function surelyTypeOfBytes(first: Buffer): string | undefined {
	return isMpegFrame(first) ? undefined : typeOfBytes(first);
}

/** The usual file name extension of a MIME type, without dot. */
export function extensionOf(mimeType: string): string | undefined {
	return TYPES.find(([type]) => type === mimeType)?.[1].split(' ')[0] || undefined;
}

/** Whether no file with this extension is text. */
export function isBinaryExtension(extension: string): boolean {
	return extension !== '' && BINARY_EXTENSIONS.has(extension);
}

/** RFC 6838 allows 127 characters on each side. */
const MIME_TYPE = /^\s*([\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127})\s*(?:;|$)/;

export function mimeTypeOfHeader(contentType: unknown): string | undefined {
	if (typeof contentType !== 'string') return undefined;
	const mimeType = MIME_TYPE.exec(contentType)?.[1]?.toLowerCase();
	return mimeType === undefined || UNTELLING.includes(mimeType) ? undefined : mimeType;
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
	const declared = mimeTypeOfHeader(contentType);
	if (proven && ISO_VIDEOS.includes(proven)) {
		const named = TYPES.find(([, extensions]) =>
			extensions.split(' ').includes(extensionIn(fileName)),
		);
		return [declared, named?.[0]].find((type) => type && ISO_MEDIA.test(type)) ?? proven;
	}
	if (proven && !CONTAINERS.includes(proven)) return proven;
	// Text proves nothing, and bytes that prove a container disprove text.
	if (declared && !(proven && TEXT_TYPE.test(declared))) return declared;
	if (hasExtension(fileName)) return undefined;
	return proven ?? typeOfText(first);
}

/** What a text's first words prove: those of an image, of a playlist, of a page or JSON. */
export function typeOfText(first: Buffer): string | undefined {
	const text = beginningOf(first);
	if (text?.startsWith('#EXTM3U')) return 'application/vnd.apple.mpegurl';
	if (text && /^<(?:!doctype\s+svg|svg:svg|svg)[\s/>]/i.test(withoutProlog(text)))
		return 'image/svg+xml';
	if (text === undefined || text.slice(0, -4).includes('\ufffd')) return 'application/octet-stream';
	const kind = textKindOf(first);
	return kind && { page: 'text/html', json: 'application/json', text: undefined }[kind];
}
