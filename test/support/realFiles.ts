let state = 1;
const nextByte = () => (state = (state * 16_807) % 2_147_483_647) & 0xff;
/** Bytes that are neither text nor the beginning of anything. */
const NOISE = Buffer.from(Array.from({ length: 3000 }, nextByte));
const binary = (beginning: string) => Buffer.concat([Buffer.from(beginning, 'latin1'), NOISE]);
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
const UTF16 = Buffer.from(`\ufeff${'Some words\n'.repeat(99)}`, 'utf16le');
const SVG = Buffer.from(`<?xml version="1.0"?>\n<svg>${'<path/>'.repeat(200)}`);
const ZIP = 'application/zip';

/** Files as people send them, made here: their beginning is real, the rest is any. */
const FILES: Array<[name: string, provenType: string, content: Buffer]> = [
	['photo.png', 'image/png', binary('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')],
	['photo.jpg', 'image/jpeg', binary('\xff\xd8\xff\xe0\0\x10JFIF\0\x01')],
	['laugh.gif', 'image/gif', binary('GIF89a\x10\0\x10\0')],
	['photo.webp', 'image/webp', binary('RIFF\x24\x0b\0\0WEBPVP8 ')],
	['photo.avif', 'image/avif', isoMedia('avif', 'avif', 'mif1', 'miaf')],
	['photo.heic', 'image/heic', isoMedia('heic', 'mif1', 'heic')],
	['scan.bmp', 'image/bmp', binary('BM\xc6\x0b\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0')],
	['scan.tif', 'image/tiff', binary('II*\0\x08\0\0\0')],
	['clip.mp4', 'video/mp4', isoMedia('isom', 'isom', 'iso2', 'avc1', 'mp41')],
	['clip.mov', 'video/quicktime', isoMedia('qt  ', 'qt  ')],
	['clip.3gp', 'video/3gpp', isoMedia('3gp4', 'isom', '3gp4')],
	['clip.webm', 'video/webm', binary('\x1aE\xdf\xa3\x9fB\x86\x81\x01B\x82\x84webm')],
	['clip.avi', 'video/x-msvideo', binary('RIFF\x24\x0b\0\0AVI LIST')],
	['song.m4a', 'audio/mp4', isoMedia('M4A ', 'M4A ', 'mp42', 'isom')],
	// As Android records.
	['recording.m4a', 'video/mp4', isoMedia('mp42', 'isom', 'mp42')],
	['voice.amr', 'audio/amr', binary('#!AMR\n\x3c\x91')],
	['voice.silk', 'audio/silk', binary('\x02#!SILK_V3\x0c\0')],
	['song.mp3', 'audio/mpeg', binary('ID3\x04\0\0\0\0\x0f\x76TIT2')],
	['speech.mp3', 'audio/mpeg', binary('\xff\xfb\x90\x64\0\0\0')],
	['voice.ogg', 'audio/ogg', binary('OggS\0\x02\0\0\0\0')],
	['voice.wav', 'audio/wav', binary('RIFF\x24\x0b\0\0WAVEfmt ')],
	['report.pdf', 'application/pdf', lines('%PDF-1.4 1 0 obj << >> endobj')],
	['letter.docx', ZIP, zip('word.xml')],
	['list.xlsx', ZIP, zip('xl/workbook.xml')],
	['old.doc', 'application/x-cfb', binary('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')],
	['files.zip', ZIP, zip('a.txt')],
	['logs.gz', 'application/gzip', binary('\x1f\x8b\x08\0\0\0\0\0\0\x03')],
	['list.xls', 'text/plain', lines('name\tamount\t12')],
	['table.xls', 'text/plain', lines('<html><table><tr><td>1</td></tr></table>')],
	['customers.csv', 'text/plain', lines('Zoë,客户,12', '\r\n')],
	['customers-gbk.csv', 'text/plain', Buffer.concat(Array(100).fill(GBK))],
	['ids.csv', 'text/plain', lines('ID3,name,12')],
	['page.html', 'text/plain', lines('<!doctype html><p>Some words</p>')],
	['data.json', 'text/plain', Buffer.from(JSON.stringify(Array(99).fill({ name: 'x' })))],
	['notes.txt', 'text/plain', lines('Some words of somebody')],
	['notes-16.txt', 'application/octet-stream', UTF16],
	['drawing.svg', 'text/plain', SVG],
];
/** `provenType` is what nothing but its bytes tells. */
export const realFiles = FILES.map(([name, provenType, content]) => ({
	name,
	provenType,
	content,
}));
