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
const EXCEL = 'application/vnd.ms-excel';
const ZIP = 'application/zip';
const CFB = 'application/x-cfb';
const PAGE = 'text/html';
const JSON_TYPE = 'application/json';
const SVG = 'image/svg+xml';
const ANY = 'application/octet-stream';

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
	proven('laugh.gif', 'image/gif', 2, binary('GIF89a\x10\0\x10\0')),
	proven('photo.webp', 'image/webp', 1, binary('RIFF\x24\x0b\0\0WEBPVP8 ')),
	proven('photo.avif', 'image/avif', 1, isoMedia('avif', 'avif', 'mif1', 'miaf')),
	proven('photo.heic', 'image/heic', 1, isoMedia('heic', 'mif1', 'heic')),
	proven('scan.bmp', 'image/bmp', 1, binary('BM\xc6\x0b\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0')),
	proven('scan.tif', 'image/tiff', 1, binary('II*\0\x08\0\0\0')),
	proven('clip.mp4', 'video/mp4', 4, isoMedia('isom', 'isom', 'iso2', 'avc1', 'mp41')),
	proven('clip.mov', 'video/quicktime', 4, isoMedia('qt  ', 'qt  ')),
	proven('clip.3gp', 'video/3gpp', 4, isoMedia('3gp4', 'isom', '3gp4')),
	proven('clip.webm', 'video/webm', 4, binary('\x1aE\xdf\xa3\x9fB\x86\x81\x01B\x82\x84webm')),
	proven('clip.avi', 'video/x-msvideo', 4, binary('RIFF\x24\x0b\0\0AVI LIST')),
	proven('song.m4a', 'audio/mp4', 5, isoMedia('M4A ', 'M4A ', 'mp42', 'isom')),
	// As Android records.
	proven('recording.m4a', 'audio/mp4', 5, isoMedia('mp42', 'isom', 'mp42'), 'video/mp4'),
	proven('voice.amr', 'audio/amr', 5, binary('#!AMR\n\x3c\x91')),
	proven('voice.silk', 'audio/silk', 5, binary('\x02#!SILK_V3\x0c\0')),
	proven('song.mp3', 'audio/mpeg', 5, binary('ID3\x04\0\0\0\0\x0f\x76TIT2')),
	proven('speech.mp3', 'audio/mpeg', 5, binary('\xff\xfb\x90\x64\0\0\0')),
	proven('voice.ogg', 'audio/ogg', 5, binary('OggS\0\x02\0\0\0\0')),
	proven('voice.wav', 'audio/wav', 5, binary('RIFF\x24\x0b\0\0WAVEfmt ')),
	proven('report.pdf', 'application/pdf', 5, lines('%PDF-1.4 1 0 obj << >> endobj')),
	proven('letter.docx', `${OFFICE}.wordprocessingml.document`, 5, zip('word.xml'), ZIP),
	proven('list.xlsx', `${OFFICE}.spreadsheetml.sheet`, 5, zip('xl/workbook.xml'), ZIP),
	proven('old.doc', 'application/msword', 5, binary('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'), CFB),
	proven('files.zip', ZIP, 5, zip('a.txt')),
	proven('logs.gz', 'application/gzip', 5, binary('\x1f\x8b\x08\0\0\0\0\0\0\x03')),
	text('list.xls', EXCEL, lines('name\tamount\t12')),
	text('table.xls', EXCEL, lines('<html><table><tr><td>1</td></tr></table>')),
	text('customers.csv', 'text/csv', lines('Zoë,客户,12', '\r\n')),
	text('customers-gbk.csv', 'text/csv', Buffer.concat(Array(100).fill(GBK))),
	text('ids.csv', 'text/csv', lines('ID3,name,12')),
	text('page.html', PAGE, lines('<!doctype html><p>Some words</p>')),
	text('data.json', JSON_TYPE, JSON.stringify(Array(99).fill({ name: 'x' }))),
	text('notes.txt', 'text/plain', lines('Some words of somebody')),
	text(
		'notes-16.txt',
		'text/plain',
		Buffer.from(`\ufeff${'Some words\n'.repeat(99)}`, 'utf16le'),
		ANY,
	),
	text('drawing.svg', SVG, `<?xml version="1.0"?>\n<svg>${'<path/>'.repeat(200)}`),
];
