/** A file as people send it, made here: its beginning is real, the rest is any. */
export interface RealFile {
	name: string;
	mimeType: string;
	/** As in the service's `fileType`. */
	fileType: number;
	content: Buffer;
	/** Where nothing but the bytes tells; none where they are text. */
	provenType?: string;
}

/** Bytes that are neither text nor the beginning of anything. */
function noise(length: number): Buffer {
	let state = 1;
	return Buffer.from(
		Array.from({ length }, () => (state = (state * 16_807) % 2_147_483_647) & 0xff),
	);
}

const binary = (beginning: string, length = 3000) =>
	Buffer.concat([Buffer.from(beginning, 'latin1'), noise(length)]);
const isoMedia = (brand: string, ...compatible: string[]) => {
	const brands = [brand, '\0\0\x02\0', ...compatible].join('');
	return binary(`\0\0\0${String.fromCharCode(8 + brands.length)}ftyp${brands}\0\0\0\x08free`);
};
const zip = (entry: string) =>
	binary(
		`PK\x03\x04\x14\0\0\0\0\0\0\0!\0\0\0\0\0\0\0\0\0\0\0\0\0${String.fromCharCode(entry.length)}\0\0\0${entry}`,
	);
const lines = (line: string, ending = '\n') => Buffer.from(`${line}${ending}`.repeat(80));
/** "客户,金额" (customer, amount) in GBK. */
const GBK = Buffer.from('bfcdbba72cbdf0b6ee0d0a', 'hex');
const OFFICE = 'application/vnd.openxmlformats-officedocument';

const proven = (
	name: string,
	mimeType: string,
	fileType: number,
	content: Buffer,
	provenType = mimeType,
): RealFile => ({ name, mimeType, fileType, content, provenType });
const text = (
	name: string,
	mimeType: string,
	content: Buffer | string,
	provenType?: string,
): RealFile => ({ name, mimeType, fileType: 5, content: Buffer.from(content), provenType });

export const realFiles: RealFile[] = [
	proven('photo.png', 'image/png', 1, binary('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')),
	proven('photo.jpg', 'image/jpeg', 1, binary('\xff\xd8\xff\xe0\0\x10JFIF\0\x01')),
	proven('camera.jpg', 'image/jpeg', 2, binary('\xff\xd8\xff\xe1\x1cEExif\0\0')),
	proven('laugh.gif', 'image/gif', 2, binary('GIF89a\x10\0\x10\0')),
	proven('photo.webp', 'image/webp', 1, binary('RIFF\x24\x0b\0\0WEBPVP8 ')),
	proven('photo.avif', 'image/avif', 1, isoMedia('avif', 'avif', 'mif1', 'miaf')),
	proven('photo-2.avif', 'image/avif', 1, isoMedia('mif1', 'mif1', 'avif', 'miaf')),
	proven('photo.heic', 'image/heic', 1, isoMedia('heic', 'mif1', 'heic')),
	proven('photo-2.heic', 'image/heic', 3, isoMedia('mif1', 'mif1', 'heic')),
	proven('scan.bmp', 'image/bmp', 1, binary('BM\xc6\x0b\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0')),
	proven('scan.tif', 'image/tiff', 1, binary('II*\0\x08\0\0\0')),
	proven('clip.mp4', 'video/mp4', 4, isoMedia('isom', 'isom', 'iso2', 'avc1', 'mp41')),
	proven('clip-2.mp4', 'video/mp4', 4, isoMedia('mp42', 'mp42', 'isom')),
	proven('clip.mov', 'video/quicktime', 4, isoMedia('qt  ', 'qt  ')),
	proven('clip.3gp', 'video/3gpp', 4, isoMedia('3gp4', 'isom', '3gp4')),
	proven(
		'clip.webm',
		'video/webm',
		4,
		binary('\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm'),
	),
	proven('song.m4a', 'audio/mp4', 5, isoMedia('M4A ', 'M4A ', 'mp42', 'isom')),
	// As Android records.
	proven('recording.m4a', 'audio/mp4', 5, isoMedia('mp42', 'isom', 'mp42'), 'video/mp4'),
	proven('voice.amr', 'audio/amr', 5, binary('#!AMR\n\x3c\x91')),
	proven('voice.silk', 'audio/silk', 5, binary('\x02#!SILK_V3\x0c\0')),
	proven('song.mp3', 'audio/mpeg', 5, binary('ID3\x04\0\0\0\0\x0f\x76TIT2')),
	proven('speech.mp3', 'audio/mpeg', 5, binary('\xff\xfb\x90\x64\0\0\0')),
	proven('voice.ogg', 'audio/ogg', 5, binary('OggS\0\x02\0\0\0\0')),
	proven('voice.wav', 'audio/wav', 5, binary('RIFF\x24\x0b\0\0WAVEfmt ')),
	proven(
		'report.pdf',
		'application/pdf',
		5,
		Buffer.from(`%PDF-1.4\n${'1 0 obj << >> endobj\n'.repeat(60)}%%EOF`),
	),
	proven(
		'letter.docx',
		`${OFFICE}.wordprocessingml.document`,
		5,
		zip('[Content_Types].xml'),
		'application/zip',
	),
	proven(
		'list.xlsx',
		`${OFFICE}.spreadsheetml.sheet`,
		5,
		zip('xl/workbook.xml'),
		'application/zip',
	),
	proven(
		'old.doc',
		'application/msword',
		5,
		binary('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'),
		'application/x-cfb',
	),
	proven('files.zip', 'application/zip', 5, zip('a.txt')),
	proven('logs.gz', 'application/gzip', 5, binary('\x1f\x8b\x08\0\0\0\0\0\0\x03')),
	text('list.xls', 'application/vnd.ms-excel', lines('name\tamount\t12')),
	text(
		'table.xls',
		'application/vnd.ms-excel',
		`<html><body><table>${'<tr><td>1</td></tr>'.repeat(80)}</table>`,
		'text/html',
	),
	text('customers.csv', 'text/csv', lines('Zoë,客户,12', '\r\n')),
	text(
		'customers-gbk.csv',
		'text/csv',
		Buffer.concat(Array.from({ length: 100 }, () => GBK)),
		'application/octet-stream',
	),
	text('ids.csv', 'text/csv', lines('ID3,name,12')),
	text(
		'page.html',
		'text/html',
		`<!doctype html><title>Hi</title>${'<p>Some words</p>'.repeat(80)}`,
		'text/html',
	),
	text(
		'data.json',
		'application/json',
		JSON.stringify({ customers: Array.from({ length: 99 }, (_, id) => ({ id })) }),
		'application/json',
	),
	text('notes.txt', 'text/plain', lines('Some words of somebody')),
	text('notes-16.txt', 'text/plain', Buffer.from(`\ufeff${'Some words\n'.repeat(99)}`, 'utf16le')),
	{
		name: 'drawing.svg',
		mimeType: 'image/svg+xml',
		fileType: 1,
		content: Buffer.from(
			`<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg">${'<path d="M0 0"/>'.repeat(80)}</svg>`,
		),
		provenType: 'image/svg+xml',
	},
	{
		name: 'playlist.m3u8',
		mimeType: 'application/vnd.apple.mpegurl',
		fileType: 4,
		content: Buffer.from(`#EXTM3U\n${'#EXTINF:10,\nsegment.ts\n'.repeat(60)}`),
		provenType: 'application/vnd.apple.mpegurl',
	},
];
