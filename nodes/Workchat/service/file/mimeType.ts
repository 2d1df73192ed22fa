import { beginningOf, textKindOf, withoutProlog } from '../text/textKind';
import { extensionIn, hasExtension } from './fileName';

/** The box that an MP4 and its kin begin with (ISO/IEC 14496-12, 4.3), which is shorter than 64 KiB. */
const ISO_MEDIA_BOX = '\0\0..ftyp';
/** Of a file whose first brand only says "image", those behind it tell more. */
const imageBrand = (brands: string) =>
	`${ISO_MEDIA_BOX}(?:(?:mif1|msf1).{4}(?:.{4})*?)?(?:${brands})`;
/** Behind what PHP scripts write before it. */
const late = (beginning: string) => `(?:\xef\xbb\xbf)?[\t\n\f\r ]*${beginning}`;

/**
 * What chats carry, with the usual extensions, and how its bytes begin. The first match counts: the
 * particular stands before the general.
 */
const TYPES: Array<[mimeType: string, extensions: string, beginning: string]> = [
	// The byte of the next segment.
	['image/jpeg', 'jpg jpeg', '\xff\xd8\xff[\xc0-\xff]'],
	['image/png', 'png', '\x89PNG\r\n\x1a\n'],
	['image/gif', 'gif', 'GIF8[79]a'],
	['image/webp', 'webp', 'RIFF....WEBP'],
	['image/avif', 'avif', imageBrand('avif|avis')],
	['image/heic', 'heic', imageBrand('hei[cxms]|hev[cx]')],
	['image/heif', 'heif', `${ISO_MEDIA_BOX}(?:mif1|msf1)`],
	['image/bmp', 'bmp', 'BM.{4}\0{4}'],
	['image/tiff', 'tif tiff', 'II\\*\0|MM\0\\*'],
	['video/3gpp', '3gp', `${ISO_MEDIA_BOX}3gp`],
	['video/3gpp2', '3g2', `${ISO_MEDIA_BOX}3g2`],
	['video/quicktime', 'mov', `${ISO_MEDIA_BOX}qt  `],
	['audio/mp4', 'm4a m4b', `${ISO_MEDIA_BOX}M4[AB] `],
	['video/mp4', 'mp4 m4v', ISO_MEDIA_BOX],
	['video/webm', 'webm', '\x1aE\xdf\xa3.{0,56}webm'],
	['video/x-matroska', 'mkv', '\x1aE\xdf\xa3'],
	['video/x-msvideo', 'avi', 'RIFF....AVI '],
	['audio/amr', 'amr', '#!AMR(?:-WB)?\n'],
	['audio/silk', 'silk', '\x02?#!SILK'],
	// Version 2.2 to 2.4, and a size of seven bits in each byte (https://id3.org/id3v2.4.0-structure).
	['audio/mpeg', 'mp3', 'ID3[\x02-\x04][\0-\x0f].[\0-\x7f]{4}'],
	['audio/wav', 'wav', 'RIFF....WAVE'],
	['audio/ogg', 'ogg', 'OggS\0'],
	['application/pdf', 'pdf', late('%PDF-')],
	['application/rtf', 'rtf', late('\\{\\\\rtf')],
	['application/vnd.rar', 'rar', 'Rar!\x1a\x07'],
	['application/x-7z-compressed', '7z', "7z\xbc\xaf'\x1c"],
	// Of the flags, no more are known.
	['application/gzip', 'gz', '\x1f\x8b\x08[\0-\x1f]'],
	['application/zip', 'zip', 'PK(?:\x03\x04|\x05\x06)'],
	['application/x-cfb', '', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
];
const BEGINNINGS = TYPES.map(([mimeType, , beginning]) => ({
	mimeType,
	pattern: new RegExp(`^(?:${beginning})`, 's'),
}));
/** Bytes; 64 KiB of white space are looked past. */
const LONGEST_BEGINNING = 66_000;

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
	return surelyTypeOfBytes(first) ?? (isMpegFrame(first) ? 'audio/mpeg' : undefined);
}

/** The same where hardly a text begins so by chance: the header of an MPEG frame is too short for that. */
export function surelyTypeOfBytes(first: Buffer): string | undefined {
	const isIsoMedia = first.toString('latin1', 4, 8) === 'ftyp';
	const end = isIsoMedia ? Math.max(12, first.readUInt16BE(2)) : LONGEST_BEGINNING;
	const text = first.toString('latin1', 0, end);
	return BEGINNINGS.find(({ pattern }) => pattern.test(text))?.mimeType;
}

/** A frame header without a reserved value: Layer III, version, bit rate and sample rate (ISO/IEC 11172-3, 2.4.1.3). */
function isMpegFrame([sync, kind = 0, rates = 0xff]: Buffer): boolean {
	const isKindKnown = (kind & 0xe6) === 0xe2 && (kind & 0x18) !== 0x08;
	return sync === 0xff && isKindKnown && ![0, 15].includes(rates >> 4) && (rates & 0x0c) !== 0x0c;
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
