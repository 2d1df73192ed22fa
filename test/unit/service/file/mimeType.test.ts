import {
	addExtension,
	detectMimeType,
	hasBinaryExtension,
	sniffMimeType,
} from '../../../../nodes/Workchat/service/file/mimeType';
import { realFiles } from '../../../support/realFiles';

test.each(realFiles)('the magic bytes of %s prove its type', (_, provenType, content) => {
	expect(detectMimeType(content.subarray(0, 4096), undefined, 'x')).toBe(provenType);
});

test.each<[string, Buffer, string | undefined]>([
	['AAC', Buffer.from([0xff, 0xf1, 0x50, 0x80]), 'audio/aac'],
	['something similar to AAC', Buffer.from([0xff, 0xf1, 0x3c, 0x80]), undefined],
	['text that begins with BM', Buffer.from('BMW and more'), undefined],
	['an empty archive', Buffer.from('PK\x05\x06', 'latin1'), 'application/zip'],
])('the node detects %s by its magic bytes, or not at all', (_, first, mimeType) => {
	expect(sniffMimeType(first)).toBe(mimeType);
});

const isoMedia = (brand: string) => Buffer.from(`\0\0\0\x14ftyp${brand}\0\0\0\0isom`, 'latin1');
const JPEG = Buffer.from('\xff\xd8\xff\xe0\0', 'latin1');
const ZIP = Buffer.from('PK\x03\x04\0');
const CSV = Buffer.from('a,b');
const WAV = Buffer.from('RIFF\x01\0\0\0WAVEfmt ', 'latin1');
const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument.text';

test.each<[string, Buffer, unknown, string, string | undefined]>([
	['bytes over a wrong header', JPEG, 'text/html', 'x', 'image/jpeg'],
	['bytes over a wrong name', JPEG, undefined, 'a.php', 'image/jpeg'],
	['the header, if there are no magic bytes', CSV, 'Text/CSV; charset=utf-8', 'x', 'text/csv'],
	["n8n's lookup of the extension, at last", CSV, 'application/octet-stream', 'a.csv', undefined],
	[
		'the content, if the name is that of a program',
		CSV,
		'application/x-download',
		'a.php',
		'text/plain',
	],
	['the header of a container', ZIP, OPEN_DOCUMENT, 'x', OPEN_DOCUMENT],
	["n8n's lookup, for the name of a container", ZIP, undefined, 'a.docx', undefined],
	[
		'the bytes of a container named with a version',
		ZIP,
		undefined,
		'release-1.2',
		'application/zip',
	],
	['the header of a recording', isoMedia('3gp4'), 'audio/3gpp', 'x', 'audio/3gpp'],
	['the name of a recording', isoMedia('mp42'), undefined, 'a.m4a', 'audio/mp4'],
	['unknown bytes', Buffer.from([0, 1, 2]), undefined, 'x', 'application/octet-stream'],
])('a file gets its MIME type from %s', (_, first, header, name, mimeType) => {
	expect(detectMimeType(first, header, name)).toBe(mimeType);
});

test.each<[string, Buffer, string | undefined, string]>([
	['voice', Buffer.from('#!AMR\n'), 'audio/amr', 'voice.amr'],
	['0a8bcd', ZIP, WORD, '0a8bcd.docx'],
	['download.php', JPEG, 'image/jpeg', 'download.jpg'],
	['photo.tmp', JPEG, 'image/jpeg', 'photo.tmp.jpg'],
	['all', ZIP, 'application/x-zip-compressed', 'all.zip'],
	['release-1.2', ZIP, 'application/zip', 'release-1.2.zip'],
	['backup.bin', ZIP, 'application/zip', 'backup.bin'],
	['song.m4r', isoMedia('mp42'), 'audio/mp4', 'song.m4r'],
	['sound', WAV, 'audio/wav', 'sound.wav'],
	['named', JPEG, undefined, 'named'],
])('%s gets an extension, so that a double click opens it', (name, first, mimeType, expected) => {
	expect(addExtension(name, first, mimeType)).toBe(expected);
});

test('the node recognizes the extension of a binary file', () => {
	const names = 'a.MP4 report.docx scan.pdf a.txt page.html list.xls README'.split(' ');
	expect([...names, ''].filter(hasBinaryExtension)).toEqual(names.slice(0, 3));
});
