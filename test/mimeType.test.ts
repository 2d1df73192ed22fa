import { samples } from '../dev/sandbox/samples';
import type { DownloadResponse } from '../dev/sandbox/server';
import { extensionOf, typeOfBytes } from '../nodes/Workchat/service/file/mimeType';
import { useBench, useDownload } from './setup';

const bench = useBench();
const download = useDownload(bench);
const { document, largeImage, video } = samples;

test.each<[string, Buffer, string | undefined]>([
	['WebP', Buffer.from('RIFF\x24\0\0\0WEBPVP8 ', 'latin1'), 'image/webp'],
	['WAV', Buffer.from('RIFF\x24\0\0\0WAVEfmt ', 'latin1'), 'audio/wav'],
	['AVI', Buffer.from('RIFF\x24\0\0\0AVI LIST', 'latin1'), 'video/x-msvideo'],
	['HEIC', Buffer.from('\0\0\0\x18ftypheic', 'latin1'), 'image/heic'],
	['MOV', Buffer.from('\0\0\0\x14ftypqt  ', 'latin1'), 'video/quicktime'],
	['M4A', Buffer.from('\0\0\0\x14ftypM4A ', 'latin1'), 'audio/mp4'],
	['MP3 with tags', Buffer.from('ID3\x03\0\0\0\0\x02\x01', 'latin1'), 'audio/mpeg'],
	['MP3 without tags', Buffer.from([0xff, 0xfb, 0x90, 0x00]), 'audio/mpeg'],
	['Silk as chats write it', Buffer.from('\x02#!SILK_V3', 'latin1'), 'audio/silk'],
	['old Office', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'application/x-cfb'],
	['text in UTF-16', Buffer.from('\ufeffabc', 'utf16le'), undefined],
	['text that begins with BM', Buffer.from('BMW and more'), undefined],
	['an empty archive', Buffer.from('PK\x05\x06', 'latin1'), 'application/zip'],
	['a PDF after a line break', Buffer.from('\r\n%PDF-1.7'), 'application/pdf'],
	['nothing', Buffer.alloc(0), undefined],
])('the first bytes of %s', (_, first, mimeType) => {
	expect(typeOfBytes(first)).toBe(mimeType);
});

test('extensions', () => expect(extensionOf('image/jpeg')).toBe('jpg'));

describe('the MIME type', () => {
	const isoMedia = (brand: string) => Buffer.from(`\0\0\0\x14ftyp${brand}\0\0\0\0isom`, 'latin1');
	const typed = (
		contentType: string | undefined,
		content: Buffer,
		linkName = 'x',
	): DownloadResponse => ({
		as: 'link',
		linkName,
		content,
		headers: contentType === undefined ? {} : { 'content-type': contentType },
	});
	const zip = Buffer.from('PK\x03\x04 and more');

	test.each([
		['bytes over a wrong header', typed('text/html', largeImage.content), 'image/jpeg'],
		['bytes over a missing header', typed(undefined, video.content), 'video/mp4'],
		[
			'bytes over octet-stream',
			typed('application/octet-stream', document.content),
			'application/pdf',
		],
		[
			'the header where bytes tell nothing',
			typed('text/csv; charset=utf-8', Buffer.from('a,b')),
			'text/csv',
		],
		[
			'the name where nothing else tells',
			typed('application/octet-stream', Buffer.from('a,b'), 'a.csv'),
			'text/csv',
		],
		[
			'the header of a container',
			typed('application/vnd.oasis.opendocument.text', zip),
			'application/vnd.oasis.opendocument.text',
		],
		[
			'the name of a container',
			typed(undefined, zip, 'a.docx'),
			'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
		],
		[
			'the bytes of a container over a header that says text',
			typed('text/plain', zip),
			'application/zip',
		],
		[
			'the bytes of a container over a header that says JSON',
			typed('application/json', zip),
			'application/zip',
		],
		[
			'the bytes of a container with a version',
			typed(undefined, zip, 'release-1.2'),
			'application/zip',
		],
		['the header of a recording', typed('audio/3gpp', isoMedia('3gp4')), 'audio/3gpp'],
		[
			'the header of a raw photo',
			typed('image/x-canon-cr3', isoMedia('crx ')),
			'image/x-canon-cr3',
		],
		['the brand alone', typed(undefined, isoMedia('3gp4')), 'video/3gpp'],
		['the bytes of a nameless container', typed(undefined, zip), 'application/zip'],
		['unknown bytes', typed(undefined, Buffer.from([0, 1, 2])), 'application/octet-stream'],
	])('comes from %s', async (_, answer, mimeType) => {
		const { items, error } = await download([document], { answer });
		expect(error?.message).toBeUndefined();
		expect(items[0]?.binary?.data?.mimeType).toBe(mimeType);
		expect(items[0]?.json.file).toMatchObject({ mimeType });
	});

	test('is the one that the user wants', async () => {
		const { items } = await download([document], { options: { mimeType: 'application/x-mine' } });
		expect(items[0]?.binary?.data?.mimeType).toBe('application/x-mine');
	});

	test('a data URI says its MIME type', async () => {
		const answer: DownloadResponse = { as: 'dataUri', data: { file: 'data:text/csv;base64,YSxi' } };
		const { items } = await download([document], { answer });
		expect(items[0]?.binary?.data?.mimeType).toBe('text/csv');
	});
});
