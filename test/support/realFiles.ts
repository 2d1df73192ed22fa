/** A file as people send it, made here: its beginning is real, the rest is any. */
interface RealFile {
	name: string;
	/** What nothing but its bytes tells. */
	provenType: string;
	content: Buffer;
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
const ZIP = 'application/zip';

const proven = (name: string, provenType: string, content: Buffer): RealFile => {
	return { name, provenType, content };
};
const text = (name: string, content: Buffer | string, provenType = 'text/plain') =>
	proven(name, provenType, Buffer.from(content));

export const realFiles: RealFile[] = [
	proven('photo.png', 'image/png', binary('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')),
	proven('photo.jpg', 'image/jpeg', binary('\xff\xd8\xff\xe0\0\x10JFIF\0\x01')),
	proven('laugh.gif', 'image/gif', binary('GIF89a\x10\0\x10\0')),
	proven('photo.webp', 'image/webp', binary('RIFF\x24\x0b\0\0WEBPVP8 ')),
	proven('photo.avif', 'image/avif', isoMedia('avif', 'avif', 'mif1', 'miaf')),
	proven('photo.heic', 'image/heic', isoMedia('heic', 'mif1', 'heic')),
	proven('scan.bmp', 'image/bmp', binary('BM\xc6\x0b\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0')),
	proven('scan.tif', 'image/tiff', binary('II*\0\x08\0\0\0')),
	proven('clip.mp4', 'video/mp4', isoMedia('isom', 'isom', 'iso2', 'avc1', 'mp41')),
	proven('clip.mov', 'video/quicktime', isoMedia('qt  ', 'qt  ')),
	proven('clip.3gp', 'video/3gpp', isoMedia('3gp4', 'isom', '3gp4')),
	proven('clip.webm', 'video/webm', binary('\x1aE\xdf\xa3\x9fB\x86\x81\x01B\x82\x84webm')),
	proven('clip.avi', 'video/x-msvideo', binary('RIFF\x24\x0b\0\0AVI LIST')),
	proven('song.m4a', 'audio/mp4', isoMedia('M4A ', 'M4A ', 'mp42', 'isom')),
	// As Android records.
	proven('recording.m4a', 'video/mp4', isoMedia('mp42', 'isom', 'mp42')),
	proven('voice.amr', 'audio/amr', binary('#!AMR\n\x3c\x91')),
	proven('voice.silk', 'audio/silk', binary('\x02#!SILK_V3\x0c\0')),
	proven('song.mp3', 'audio/mpeg', binary('ID3\x04\0\0\0\0\x0f\x76TIT2')),
	proven('speech.mp3', 'audio/mpeg', binary('\xff\xfb\x90\x64\0\0\0')),
	proven('voice.ogg', 'audio/ogg', binary('OggS\0\x02\0\0\0\0')),
	proven('voice.wav', 'audio/wav', binary('RIFF\x24\x0b\0\0WAVEfmt ')),
	proven('report.pdf', 'application/pdf', lines('%PDF-1.4 1 0 obj << >> endobj')),
	proven('letter.docx', ZIP, zip('word.xml')),
	proven('list.xlsx', ZIP, zip('xl/workbook.xml')),
	proven('old.doc', 'application/x-cfb', binary('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')),
	proven('files.zip', ZIP, zip('a.txt')),
	proven('logs.gz', 'application/gzip', binary('\x1f\x8b\x08\0\0\0\0\0\0\x03')),
	text('list.xls', lines('name\tamount\t12')),
	text('table.xls', lines('<html><table><tr><td>1</td></tr></table>')),
	text('customers.csv', lines('Zoë,客户,12', '\r\n')),
	text('customers-gbk.csv', Buffer.concat(Array(100).fill(GBK))),
	text('ids.csv', lines('ID3,name,12')),
	text('page.html', lines('<!doctype html><p>Some words</p>')),
	text('data.json', JSON.stringify(Array(99).fill({ name: 'x' }))),
	text('notes.txt', lines('Some words of somebody')),
	text(
		'notes-16.txt',
		Buffer.from(`\ufeff${'Some words\n'.repeat(99)}`, 'utf16le'),
		'application/octet-stream',
	),
	text('drawing.svg', `<?xml version="1.0"?>\n<svg>${'<path/>'.repeat(200)}`),
];
