import fc from 'fast-check';

import {
	bareName,
	nameInDisposition,
	nameInLink,
} from '../../../../nodes/Workchat/service/file/fileName';

test.each([
	['CON', '_CON'],
	['con.txt', '_con.txt'],
	['Nul.tar.gz', '_Nul.tar.gz'],
	['PRN .pdf', '_PRN .pdf'],
	['aux.', '_aux'],
	['COM0', '_COM0'],
	['COM9.pdf', '_COM9.pdf'],
	['COM¹.pdf', '_COM¹.pdf'],
	['LPT³', '_LPT³'],
	['CONOUT$', '_CONOUT$'],
	['N\u200bU\u061cL.txt', '_NUL.txt'],
	['  ..CON', '_CON'],
	[`NUL${' '.repeat(300)}x.txt`, '_NUL.txt'],
	['CONTRACT.pdf', 'CONTRACT.pdf'],
	['COM10', 'COM10'],
	['my.con', 'my.con'],
	['_CON', '_CON'],
])('%j, a device on Windows or nearly one, becomes %j', (name, bare) => {
	expect(bareName(name)).toBe(bare);
});

/** Half a character is the last. */
const UNSEEN =
	'\0 \x7f \x85 \xad \u061c \u180e \u200b \u200e \u2028 \u2029 \u202e \u2060 \u2066 \ufeff \ud800';
test.each([...UNSEEN.split(' '), '\n'])('%j is left out', (unseen) => {
	expect(bareName(`${unseen}a${unseen}b.pdf${unseen}`)).toBe('ab.pdf');
	expect(bareName(unseen.repeat(10))).toBeUndefined();
});

test.each([
	['a.pdf. . .', 'a.pdf'],
	[' . a.pdf', 'a.pdf'],
	['a/b\\c.pdf', 'c.pdf'],
	['a/', undefined],
	['...', undefined],
	['', undefined],
	['a<b>c:d"e|f?g*h', 'a_b_c_d_e_f_g_h'],
	['报告 (1).pdf', '报告 (1).pdf'],
	['a😀.pdf', 'a😀.pdf'],
	[`${'x'.repeat(300)}.pdf`, `${'x'.repeat(196)}.pdf`],
	[`${'x'.repeat(1e6)}.pdf`, `${'x'.repeat(196)}.pdf`],
	[`${'x'.repeat(150)}${' '.repeat(100)}y.pdf`, `${'x'.repeat(150)}.pdf`],
	[`${'😀'.repeat(3000)}.pdf`, `${'😀'.repeat(49)}.pdf`],
	[`x${'.'.repeat(1e5)}`, 'x'],
])('%j becomes %j', (name, bare) => expect(bareName(name)).toBe(bare));

test.each([
	['https://example.com/a%2Fb.pdf?c=d.png', 'b.pdf'],
	['https://example.com/%E2%80%AEa.pdf', 'a.pdf'],
	['https://example.com/%zz.pdf', '%zz.pdf'],
	['https://example.com/..%2f..%2fetc%2fpasswd', 'passwd'],
	['https://example.com/100%25.pdf', '100%.pdf'],
	['https://example.com/nul', '_nul'],
	['https://example.com/', undefined],
	['https://example.com', undefined],
])('the end of %s is %j', (link, name) => expect(nameInLink(link)).toBe(name));

test.each<[unknown, string | undefined]>([
	['attachment; filename=aux.h', '_aux.h'],
	["attachment; filename*=UTF-8''%E2%80%A8NUL.txt", '_NUL.txt'],
	['attachment; filename="a', 'a'],
	['attachment, filename="a.pdf"', 'a.pdf'],
	['filename=a.pdf', 'a.pdf'],
	['attachment; name="filename=x"', undefined],
	['attachment; filename*="UTF-8\'\'a%20b.pdf"', 'a b.pdf'],
	['attachment filename=a.pdf', 'a.pdf'],
	[`attachment; filename=${'x'.repeat(1e6)}`, 'x'.repeat(200)],
	[`attachment; filename=CON.${'x'.repeat(300)}`, `_CON.${'x'.repeat(195)}`],
	[`attachment; filename="con${' '.repeat(300)}x.txt"`, '_con.txt'],
	['attachment; filename=" "', undefined],
	['attachment; filename=".."', undefined],
	['attachment', undefined],
	[`attachment; filename="a.pdf"; filename*=UTF-8''%E6%8A%A5.pdf`, '报.pdf'],
	[`attachment; filename="a.pdf"; filename*="UTF-8''b.pdf"`, 'b.pdf'],
	["attachment; filename=a.pdf; filename*=UTF-8''%E6%zz.pdf", 'a.pdf'],
	["attachment; filename*=iso-8859-1'en'%A3.pdf", '£.pdf'],
	[`attachment; filename="${Buffer.from('报告.pdf').toString('latin1')}"`, '报告.pdf'],
	['attachment; filename="with \\"quotes\\" ; in.pdf"', 'with _quotes_ ; in.pdf'],
	['attachment; filename="C:\\\\temp\\\\x.pdf"', 'x.pdf'],
	["attachment; filename*=UTF-8''..%2F..%2Fx.pdf", 'x.pdf'],
	["attachment; filename*=UTF-8''a%00%0A%E2%80%AEb.pdf", 'ab.pdf'],
	[
		`attachment; filename*=UTF-8''${encodeURIComponent('报'.repeat(100))}.pdf`,
		`${'报'.repeat(65)}.pdf`,
	],
	[undefined, undefined],
	[['attachment; filename=a.pdf'], undefined],
])('the name in %j is %j', (header, name) => expect(nameInDisposition(header)).toBe(name));

test('whatever a name holds, what comes of it is a name everywhere, and stays as it is', () => {
	const part = fc.oneof(
		fc.string({ unit: 'binary' }),
		fc.constantFrom('CON', 'nul', 'COM¹', '.', ' ', '. ', '/', '\\', '.txt', '\u200b', '\u2028'),
	);
	const property = fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
		const bare = bareName(parts.join(''));
		if (bare === undefined) return;
		expect(Buffer.byteLength(bare)).toBeLessThanOrEqual(200);
		expect(bare).not.toMatch(
			/[<>:"/\\|?*\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\ufeff]|^[\s.]|[\s.]$/u,
		);
		expect(bare).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d|com¹)\s*(\.|$)/i);
		expect(bareName(bare)).toBe(bare);
		expect(Buffer.from(bare).toString()).toBe(bare);
	});
	fc.assert(property, { numRuns: 100 });
});
