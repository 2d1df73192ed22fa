/** Bytes that are neither text nor the beginning of anything. */
const NOISE = Buffer.from(Array.from({ length: 3000 }, (_, index) => index * 167));
const binary = (beginning: string) => Buffer.concat([Buffer.from(beginning, 'latin1'), NOISE]);
const isoMedia = (brand: string) => binary(`\0\0\0\x18ftyp${brand}\0\0\x02\0isommp41`);
const text = (line: string) => Buffer.from(`${line}\n`.repeat(80));
/** "客户,金额" (customer, amount) in GBK. */
const GBK = Buffer.from('bfcdbba72cbdf0b6ee0d0a', 'hex');
const UTF16 = Buffer.from(`\ufeff${'Some words\n'.repeat(99)}`, 'utf16le');

/**
 * Files as people send them, made here: their beginning is real, the rest is arbitrary.
 * `provenType` is the type that the bytes alone prove.
 */
export const realFiles: Array<[name: string, provenType: string, content: Buffer]> = [
	['photo.png', 'image/png', binary('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')],
	['photo.jpg', 'image/jpeg', binary('\xff\xd8\xff\xe0\0\x10JFIF\0\x01')],
	['laugh.gif', 'image/gif', binary('GIF89a\x10\0\x10\0')],
	['photo.webp', 'image/webp', binary('RIFF\x24\x0b\0\0WEBPVP8 ')],
	['photo.avif', 'image/avif', isoMedia('avif')],
	['photo.heic', 'image/heic', isoMedia('heic')],
	['scan.bmp', 'image/bmp', binary('BM\xc6\x0b\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0')],
	['scan.tif', 'image/tiff', binary('II*\0\x08\0\0\0')],
	['clip.mp4', 'video/mp4', isoMedia('isom')],
	['clip.mov', 'video/quicktime', isoMedia('qt  ')],
	['clip.3gp', 'video/3gpp', isoMedia('3gp4')],
	['clip.webm', 'video/webm', binary('\x1aE\xdf\xa3\x9fB\x86\x81\x01B\x82\x84webm')],
	['clip.avi', 'video/x-msvideo', binary('RIFF\x24\x0b\0\0AVI LIST')],
	['song.m4a', 'audio/mp4', isoMedia('M4A ')],
	// As Android records.
	['recording.m4a', 'video/mp4', isoMedia('mp42')],
	['voice.amr', 'audio/amr', binary('#!AMR\n\x3c\x91')],
	['voice.silk', 'audio/silk', binary('\x02#!SILK_V3\x0c\0')],
	['song.mp3', 'audio/mpeg', binary('ID3\x04\0\0\0\0\x0f\x76TIT2')],
	['speech.mp3', 'audio/mpeg', binary('\xff\xfb\x90\x64\0\0\0')],
	['voice.ogg', 'audio/ogg', binary('OggS\0\x02\0\0\0\0')],
	['voice.wav', 'audio/wav', binary('RIFF\x24\x0b\0\0WAVEfmt ')],
	['report.pdf', 'application/pdf', text('%PDF-1.4 1 0 obj << >> endobj')],
	['letter.docx', 'application/zip', binary('PK\x03\x04\x14\0\0\0\0\0')],
	['old.doc', 'application/x-cfb', binary('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')],
	['logs.gz', 'application/gzip', binary('\x1f\x8b\x08\0\0\0\0\0\0\x03')],
	['customers-gbk.csv', 'text/plain', Buffer.concat(Array(100).fill(GBK))],
	['ids.csv', 'text/plain', text('ID3,name,12')],
	['notes-16.txt', 'application/octet-stream', UTF16],
];
