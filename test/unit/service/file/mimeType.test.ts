import fc from 'fast-check';

import { samples } from '../../../../dev/sandbox/samples';
import {
	detectMimeType,
	extensionOf,
	surelyTypeOfBytes,
	typeOfBytes,
} from '../../../../nodes/Workchat/service/file/mimeType';
import { realFiles } from '../../../support/realFiles';

const RUNS = { numRuns: 1000 };

test.each(realFiles)('the bytes of $name tell its type', ({ content, provenType }) => {
	expect(detectMimeType(content.subarray(0, 512), undefined, 'x')).toBe(provenType);
});

test.each<[string, Buffer, string | undefined]>([
	['MP3 without tags', Buffer.from([0xff, 0xfb, 0x90, 0x00]), 'audio/mpeg'],
	['text in UTF-16', Buffer.from('\ufeffabc', 'utf16le'), undefined],
	['text that begins with BM', Buffer.from('BMW and more'), undefined],
	['an empty archive', Buffer.from('PK\x05\x06', 'latin1'), 'application/zip'],
	['a PDF after a line break', Buffer.from('\r\n%PDF-1.7'), 'application/pdf'],
	['nothing', Buffer.alloc(0), undefined],
])('the first bytes of %s', (_, first, mimeType) => {
	expect(typeOfBytes(first)).toBe(mimeType);
});

test('extensions', () => expect(extensionOf('image/jpeg')).toBe('jpg'));

describe('the first bytes prove nothing', () => {
	test('of random bytes, where a file is looked for', () => {
		const property = fc.property(fc.uint8Array({ minLength: 4, maxLength: 64 }), (some) => {
			expect(surelyTypeOfBytes(Buffer.from(some))).toBeUndefined();
		});
		fc.assert(property, RUNS);
	});

	test('of text', () => {
		const words = 'ID3 BM GIF8 RIFF OggS PK Rar! 7z II* ftyp 1234ftypmp42'.split(' ');
		const beginning = fc.constantFrom(...words, '');
		const property = fc.property(
			beginning,
			fc.string({ unit: 'grapheme', minLength: 1 }),
			(one, rest) => {
				fc.pre(!/^(?:%PDF-|\{\\rtf|#!AMR|#!SILK)/.test(one + rest));
				expect(typeOfBytes(Buffer.from(one + rest))).toBeUndefined();
			},
		);
		fc.assert(property, RUNS);
	});
});

describe('the MIME type comes from', () => {
	const { largeImage } = samples;
	const isoMedia = (brand: string) => Buffer.from(`\0\0\0\x14ftyp${brand}\0\0\0\0isom`, 'latin1');
	const zip = Buffer.from('PK\x03\x04 and more');
	const csv = Buffer.from('a,b');
	const openDocument = 'application/vnd.oasis.opendocument.text';

	test.each<[string, Buffer, unknown, string, string | undefined]>([
		['bytes over a wrong header', largeImage.content, 'text/html', 'x', 'image/jpeg'],
		['the header where bytes tell nothing', csv, 'text/csv; charset=utf-8', 'x', 'text/csv'],
		[
			"n8n's list of names where nothing else tells",
			csv,
			'application/octet-stream',
			'a.csv',
			undefined,
		],
		['the header of a container', zip, openDocument, 'x', openDocument],
		["n8n's list for the name of a container", zip, undefined, 'a.docx', undefined],
		['the bytes of a container over text', zip, 'text/plain', 'x', 'application/zip'],
		['the bytes of a container with a version', zip, undefined, 'release-1.2', 'application/zip'],
		['the header of a recording', isoMedia('3gp4'), 'audio/3gpp', 'x', 'audio/3gpp'],
		['the name of a recording', isoMedia('mp42'), undefined, 'a.m4a', 'audio/mp4'],
		['the header of a raw photo', isoMedia('crx '), 'image/x-canon-cr3', 'x', 'image/x-canon-cr3'],
		['unknown bytes', Buffer.from([0, 1, 2]), undefined, 'x', 'application/octet-stream'],
		['the words of a text', csv, undefined, 'x', undefined],
	])('%s', (_, first, header, name, mimeType) => {
		expect(detectMimeType(first, header, name)).toBe(mimeType);
	});
});
