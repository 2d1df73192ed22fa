import fc from 'fast-check';

import {
	sanitizeFileName,
	extensionOf,
	nameFromDisposition,
	nameFromPath,
	nameFromQuery,
} from '../../../../nodes/Workchat/service/file/fileName';

/** The last one is half a surrogate pair. */
const NOT_PRINTABLE = '\0\n\x7f\x85\xad\u061c\u200b\u200e\u2028\u202e\u2060\u2066\ufeff\ud800';
test.each([
	[`${NOT_PRINTABLE}a${NOT_PRINTABLE}b.pdf${NOT_PRINTABLE}`, 'ab.pdf'],
	[NOT_PRINTABLE, undefined],
	['a.pdf. . .', 'a.pdf'],
	['a/b\\c.pdf', 'c.pdf'],
	['a<b>c:d"e|f?g*h', 'a_b_c_d_e_f_g_h'],
	['CON', 'CON_'],
	['com¹.tar.gz', 'com¹_.tar.gz'],
	['console.txt', 'console.txt'],
	[`${'x'.repeat(300)}.pdf`, `${'x'.repeat(180)}.pdf`],
	[`a${'😀'.repeat(3000)}.pdf`, `a${'😀'.repeat(44)}.pdf`],
])('a file called %j is stored as %j', (name, safe) => expect(sanitizeFileName(name)).toBe(safe));

test.each([
	['https://example.com/a%2Fb.pdf?c=d.png', 'b.pdf'],
	['https://example.com/%zz.pdf', '%zz.pdf'],
	['https://example.com/100%25.pdf', '100%.pdf'],
])('a file from the link %s is named %j', (link, name) =>
	expect(nameFromPath(new URL(link))).toBe(name),
);

test.each<[string, string | undefined]>([
	['response-content-disposition=attachment%3B+filename%3D%22a.pdf%22&name=b.pdf', 'a.pdf'],
	['name=b.xmind', 'b.xmind'],
	['fileName=..%2F%E5%8F%91%E7%A5%A8.ofd&name=b', '发票.ofd'],
	['attname=%25E5%258F%2591.et', '发.et'],
	['name=Anna&filename=', undefined],
	['a=x.pdf', undefined],
])('a file from a link with the query %s is named %j', (query, name) => {
	expect(nameFromQuery(new URL(`https://example.com/?${query}`))).toBe(name);
});

const latin1 = (text: string) => Buffer.from(text).toString('latin1');
test.each<[unknown, string | undefined]>([
	['attachment; filename=a.pdf', 'a.pdf'],
	['attachment; filename=" "', undefined],
	['attachment; name="filename=x"', undefined],
	["attachment; filename=a.pdf; filename*=UTF-8''%E6%zz.pdf", 'a.pdf'],
	["attachment; filename*=iso-8859-1'en'%A3.pdf", '£.pdf'],
	["attachment; filename*=no-such'en'a.pdf", 'a.pdf'],
	['attachment; filename="with \\"quotes\\" ; in.pdf"', 'with _quotes_ ; in.pdf'],
	['attachment; filename="C:\\\\temp\\\\x.pdf"', 'x.pdf'],
	['attachment; filename="caf\xe9.pdf"', 'café.pdf'],
	['attachment; filename="100%AB.pdf"', '100%AB.pdf'],
])('a file with the header %j is named %j', (header, name) =>
	expect(nameFromDisposition(header)).toBe(name),
);

test('the node does not take the end of a version, as in release-1.2, for an extension', () => {
	const names = 'A.PDF a.tar.gz a.7z release-1.2 README'.split(' ');
	expect(names.map(extensionOf)).toEqual(['pdf', 'gz', '7z', '', '']);
});

const NAME = '报告 a-Z_0 合同.pdf';
/** The same in GBK, for which Node has no encoder. */
const IN_GBK = Buffer.from('b1a8b8e620612d5a5f3020bacfcdac2e706466', 'hex');
const escaped = (bytes: Buffer) => bytes.toString('hex').replace(/../g, '%$&');
const once = encodeURIComponent(NAME);
const twice = encodeURIComponent(once);

const quoted = (name: string) => nameFromDisposition(`attachment; filename="${name}"`);
const extended = (name: string) => nameFromDisposition(`inline; filename=x.y; filename*=${name}`);
const ofLink = (path: string) => nameFromPath(new URL(`https://example.com/${path}`));
/** How servers encode a name. */
test.each([
	['in UTF-8', quoted(latin1(NAME))],
	['in GBK', quoted(IN_GBK.toString('latin1'))],
	['in escapes', quoted(once)],
	['extended', extended(`UTF-8''${once}`)],
	['extended in GBK', extended(`GBK''${escaped(IN_GBK)}`)],
	['extended twice', extended(`UTF-8''${twice}`)],
	['in a link', ofLink(`${once}?x=1`)],
	['in a link in GBK', ofLink(escaped(IN_GBK))],
	['in a link, encoded twice', ofLink(twice)],
])('a file keeps its Chinese name if that is sent %s', (_, name) => expect(name).toBe(NAME));

test('any name becomes valid on every system, and sanitizing it again does not change it', () => {
	const special = fc.constantFrom(...[...'. /\\\u200b\u2028\ufffd'], '. ', '.txt', '%41');
	const part = fc.oneof(fc.string({ unit: 'binary' }), special);
	const property = fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
		const safe = sanitizeFileName(parts.join(''));
		if (safe === undefined) return;
		expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(200);
		expect(safe).not.toMatch(
			/[<>:"/\\|?*\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\ufeff]|^[\s.]|[\s.]$/u,
		);
		expect(sanitizeFileName(safe)).toBe(safe);
		expect(Buffer.from(safe).toString()).toBe(safe);
	});
	fc.assert(property, { numRuns: 200 });
});
