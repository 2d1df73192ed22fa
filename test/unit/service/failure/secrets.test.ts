import fc from 'fast-check';

import * as node from '../../../../nodes/Workchat/service/failure/redact';
import {
	Secrets,
	secretsIn,
	secretsOfLink,
} from '../../../../nodes/Workchat/service/failure/secrets';

const redact = (text: string, secrets: string[], longest?: number) =>
	node.redact(text, new Secrets(() => secrets), longest);
const shownAddress = (address: string, secrets: string[]) =>
	node.shownAddress(address, new Secrets(() => secrets));

type Encode = (text: string) => string;

const utf8 = (text: string) => [...Buffer.from(text)];
const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
const eachUnit = (text: string, encode: (unit: number) => string) =>
	text.split('').map((unit) => encode(unit.charCodeAt(0)));
const eachCharacter = (text: string, encode: (codePoint: number) => string) =>
	Array.from(text, (character) => encode(character.codePointAt(0) ?? 0)).join('');
const wellFormed = (text: string) => Buffer.from(text).toString();

const json: Encode = (text) => JSON.stringify(text).slice(1, -1);
const url: Encode = (text) => encodeURIComponent(wellFormed(text));
const html: Encode = (text) =>
	text.replace(
		/[&<>"']/g,
		(character) =>
			({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' })[character] ?? '',
	);

/** What a service may make of a value on the way into its answer. */
const ENCODERS: Record<string, Encode> = {
	'as it is': (text) => text,
	JSON: json,
	'JSON with \\/': (text) => json(text).replaceAll('/', '\\/'),
	'JSON in ASCII': (text) =>
		json(text).replace(/[^\0-\x7f]/g, (unit) => `\\u${hex(unit.charCodeAt(0), 4)}`),
	'JSON, all \\uXXXX': (text) =>
		eachUnit(text, (unit) => `\\u${hex(unit, 4).toUpperCase()}`).join(''),
	URL: url,
	'URL in lower case': (text) => url(text).replace(/%../g, (escape) => escape.toLowerCase()),
	'URL with +': (text) => url(text).replaceAll('%20', '+'),
	'URL, all %XX': (text) =>
		utf8(text)
			.map((byte) => `%${hex(byte, 2).toUpperCase()}`)
			.join(''),
	HTML: html,
	'HTML with &#39;': (text) => html(text).replaceAll('&apos;', '&#39;'),
	'HTML, decimal': (text) => eachCharacter(text, (code) => `&#${code};`),
	'HTML, with zeros': (text) =>
		eachCharacter(text, (code) => `&#${String(code).padStart(5, '0')};`),
	'HTML without semicolons': (text) => eachCharacter(text, (code) => `&#${code}`),
	'HTML, hexadecimal': (text) => eachCharacter(text, (code) => `&#x${hex(code, 2)};`),
	'HTML, HEXADECIMAL': (text) => eachCharacter(text, (code) => `&#X${hex(code, 4).toUpperCase()};`),
};
const names = Object.keys(ENCODERS);
const encoded = (text: string, by: string[]) =>
	by.reduce((result, name) => ENCODERS[name]?.(result) ?? '', text);

/** Also with what looks like escapes already, with line breaks, and with halves of characters. */
const piece = fc.oneof(
	fc.string({ unit: 'binary', maxLength: 30 }),
	fc.string({ maxLength: 40 }),
	fc.constantFrom('"', '\\', '\n', '\r\n', '+', '&', '%', '%41', '\\u0041', '&amp;', '\ud800'),
	fc.constantFrom('{"id":"1"}', 'https://example.com/a?b=c', 'ключ', '密钥', '😀', '</p>'),
);
const secretText = fc
	.tuple(fc.stringMatching(/^[A-Z]{4}$/), fc.array(piece, { maxLength: 5 }))
	.map(([first, pieces]) => `${first}${pieces.join('')}Z`);
const encoders = fc.array(fc.constantFrom(...names), { maxLength: 2 });

/** Small letters that no secret begins with, so that all but the secret is still there. */
const words = fc.stringMatching(/^(?:[g-m]{1,8}[ ,.]){0,8}$/);

const WITHHELD = 'its words repeat a secret and are not shown';
const lettersAndDigits = (text: string) =>
	text
		.normalize('NFKD')
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]|\p{Default_Ignorable_Code_Point}/gu, '');

/** Of its letters and digits, whatever stands between them. */
function hasPartOf(secret: string, text: string): boolean {
	const [of, within] = [lettersAndDigits(secret), lettersAndDigits(text)];
	for (let at = 0; at + 16 <= of.length; at++)
		if (within.includes(of.slice(at, at + 16))) return true;
	return secret.length >= 4 && text.includes(secret);
}

/** What breaks a text in two and is not seen, or hardly. */
const BETWEEN =
	'\n <br/> \u200b &shy; &nbsp; &#8203; \u3164 \uffa0 %u200b \\r\\n \\R\\N \\u00AD'.split(' ');
/** What else becomes of a text on its way: each of these leaves it readable. */
const FOLDINGS: Array<(text: string, by: number) => string> = [
	(text) => text,
	(text, by) => text.slice(by % 8),
	(text, by) => text.slice(0, -1 - (by % 8)),
	(text) => text.toUpperCase(),
	(text) => text.toLowerCase(),
	(text) => text.replaceAll('+', '-').replaceAll('/', '_'),
	(text) => [...text].join(' '),
	...BETWEEN.map(
		(between) => (text: string, by: number) =>
			text.replace(new RegExp(`.{${(by % 9) + 1}}`, 'g'), `$&${between}`),
	),
	(text) => text.replace(/[a-z]/gi, '$&\u0301').normalize('NFC'),
];
const longSecret = fc
	.uint8Array({ minLength: 30, maxLength: 60 })
	.map((bytes) => Buffer.from(bytes).toString('base64'));

describe('a secret', () => {
	test('is not shown, nor a part of it, however it is written', () => {
		const property = fc.property(
			longSecret,
			fc.constantFrom(...FOLDINGS),
			fc.nat(100),
			encoders,
			words,
			words,
			(secret, fold, number, by, before, after) => {
				const echo = encoded(fold(secret, number), by);
				const shown = redact(`${before}<<${echo}>> ${after}`, [secret]);
				expect(hasPartOf(secret, shown)).toBe(false);
				const rest = `${before}<<***>> ${after}`.replace(/\s+/g, ' ').trim();
				// Of a longer one, too little is shown to tell what it is. An escape before it may stay.
				if (echo.length < 400) expect([rest, WITHHELD]).toContain(shown.replace('\\***', '***'));
			},
		);
		fc.assert(property, { numRuns: 500 });
	});

	test('is masked where it stands as it is, and all else is shown', () => {
		const property = fc.property(secretText, words, words, (secret, before, after) => {
			const shown = redact(`${before}<<${secret}>> ${after}`, [secret]);
			expect(shown).toBe(`${before}<<***>> ${after}`.replace(/\s+/g, ' ').trim());
			expect(redact(shown, [secret])).toBe(shown);
		});
		fc.assert(property, { numRuns: 200 });
	});

	test.each(names.flatMap((name) => names.map((outer) => [name, outer])))(
		'is not shown as %s in %s, though it is short',
		(...by) => {
			const secret = '{"a":"b\r\nc","d":"é/密 +<\'&\\"}';
			const shown = redact(`says ${encoded(secret, by)} to`, [secret]);
			expect(['says *** to', WITHHELD]).toContain(shown);
		},
	);

	test.each([
		'0123456789'.repeat(6),
		`${'0123456789'.repeat(5)}…`,
		`${'0123456789'.repeat(5)}%2`,
		'of-the-middle-of-all',
	])('%j is not shown: it is a part of one', (echo) => {
		const secret = `${'0123456789'.repeat(1e5)}/${'abc'.repeat(401)}Of/The+Middle+Of+All`;
		expect(redact(`got ${echo}`, [secret])).toBe(WITHHELD);
	});

	test.each([
		'The API key is not valid',
		'fake-key-0123 is none',
		'see https://example.com/a/b/c',
		'Instanz 00000000-0000-0000-0000-000000000000 ist offline',
		'参数错误：fileAuthkey',
	])('%j is shown: it has no part of one', (text) => {
		const punctuation = ['    ', '....', '++++', '%%%%', '\\\\\\\\', 'key'];
		expect(redact(text, ['fake-key-0123456789', 'a'.repeat(40), ...punctuation])).toBe(text);
	});

	test('is masked after the longer ones, without blanks around it', () => {
		expect(redact('a secret-long and secret', [' secret\n', 'secret-long'])).toBe('a *** and ***');
	});

	test('does not show its beginning where the text is cut off', () => {
		const filler = '0123456789'.repeat(20);
		const secret = 'a-secret-of-some-length';
		// So many characters are read.
		for (let length = 19_970; length <= 20_000; length++) {
			const before = filler.repeat(99) + '-'.repeat(length - 19_800);
			const clean = redact(`${before}${secret} and more`, [filler, secret]);
			expect(clean).not.toMatch(/a-/);
			expect(clean.length).toBeLessThanOrEqual(501);
		}
	});
});

describe('a link', () => {
	test.each([
		['https://example.com/a?b=c#d', 'https://example.com/a?***'],
		['https:\\/\\/example.com\\/a?b=c%20d&e=f g', 'https:\\/\\/example.com\\/a?*** g'],
		['{"url":"https://example.com/a?b=c"}', '{"url":"https://example.com/a?***"}'],
		[
			'https://a.example.com/,https://b.example.com/?c',
			'https://a.example.com/,https://b.example.com/?***',
		],
		['http://me:p@ss@example.com/a', 'http://***@example.com/a'],
		['ftp://me:pass@example.com', 'ftp://***@example.com'],
		['http://example.com/http://me:pass@example.com', 'http://example.com/http://***@example.com'],
		['https:/me:pass@example.com', 'https:/***@example.com'],
		['https:\\me:pass@example.com', 'https:\\***@example.com'],
	])('%s is shown as %s', (link, shown) => {
		expect(redact(`see ${link} there`, [])).toBe(`see ${shown} there`);
	});

	test.each([
		'https%3A%2F%2Fexample.com%2Fa%3Fb%3Dc',
		'https:&#x2F;&#x2F;me:pass@example.com',
		'https://example.com/f?name="x"&X-Sig=0123456789abcdef0123',
		'/f?X-Sig=0123456789abcdef0123',
	])('%s is not shown, nor what stands around it', (link) => {
		expect(redact(`see ${link} there`, [])).toBe(WITHHELD);
	});
});

test('text of any kind becomes one short line, and stays as it is then', () => {
	const text = fc.oneof(
		fc.string({ unit: 'binary', maxLength: 2000 }),
		fc.array(piece, { maxLength: 200 }).map((pieces) => pieces.join('')),
		fc
			.array(fc.webUrl({ withQueryParameters: true }), { maxLength: 30 })
			.map((all) => all.join(' ')),
	);
	const property = fc.property(text, fc.array(secretText, { maxLength: 3 }), (any, secrets) => {
		const clean = redact(any, secrets);
		expect(clean.length).toBeLessThanOrEqual(501);
		expect(clean).not.toMatch(/[\p{Cc}\n]/u);
		expect(redact(clean, secrets)).toBe(clean);
	});
	fc.assert(property, { numRuns: 200 });
});

test('a text becomes one line, and is cut off between characters', () => {
	expect(redact('a\n\t b\0c', [])).toBe('a b c');
	expect(redact(`${'x'.repeat(499)}😀`, [])).toBe(`${'x'.repeat(499)}…`);
	expect(redact('abcdef', [], 3)).toBe('abc…');
});

describe('the address of a redirect', () => {
	const shown = (address: string) => shownAddress(address, ['the-secret-key']);
	test.each([
		['https://example.com/a/b?c=d#e', 'https://example.com/a/b'],
		['https://me:pass@example.com:8443/a', 'https://example.com:8443/a'],
		['https://example.com/the-secret-key/x', 'https://example.com/***/x'],
		['https://example.com/the%2Dsecret%2Dkey/x', 'another address'],
		['/login?next=/a', '/login'],
		['../the-secret-key#a', '../***'],
		['//example.com/a?b', '//example.com/a'],
		['//me:pass@example.com/a', '//example.com/a'],
		['\\\\me:pass@example.com/a', '\\\\example.com/a'],
		['https:///me:pass@example.com/a', 'https:///example.com/a'],
		['', 'another address'],
	])('%s is shown as %s', (address, words) => expect(shown(address)).toBe(words));

	test('is short, and a secret at its end does not begin there', () => {
		for (let length = 100; length < 220; length++) {
			const address = `https://example.com/${'x'.repeat(length)}the-secret-key${'y'.repeat(15_000)}`;
			expect(shown(address)).not.toContain('the');
			expect(shown(address).length).toBeLessThanOrEqual(201);
		}
	});
});

const FIELDS = [{ name: 'coverUrl' }, { name: 'encodeData', isSecret: true }, { name: 'toId' }];

test('the secrets of a request are its secret fields, and a few of each link', () => {
	const coverUrl = `https://example.com/?${'a=1234-5678&'.repeat(40_000)}signature=0123456789abcdef`;
	const secrets = secretsIn({ coverUrl, encodeData: 'encode-data', toId: 'x' }, FIELDS);
	expect(secrets).toEqual(expect.arrayContaining(['encode-data', '0123456789abcdef']));
	expect(secrets).not.toContain('x');
	expect(secrets.length).toBeLessThan(30);
});

test('secrets are looked for in anything', () => {
	const property = fc.property(fc.string({ unit: 'binary' }), fc.jsonValue(), (text, value) => {
		for (const link of [text, `https://example.com/?${text}`, `https://${text}@example.com/`]) {
			secretsIn({ encodeData: value as string, coverUrl: link }, FIELDS);
		}
	});
	fc.assert(property);
});

test.each([
	[
		'https://me:password1@example.com/a?size=large&sig=abcd1234%2Fefgh',
		['me:password1', 'password1', 'abcd1234/efgh', 'large&abcd1234/efgh'],
	],
	['https://access-token@example.com', ['access-token', 'access-token']],
	['https://example.com/a', []],
	['no link', []],
])(
	'the secrets of %s are its password, the longer values of its query, and all in a row',
	(...[link, secrets]) => {
		expect(secretsOfLink(link).filter(Boolean)).toEqual(secrets);
	},
);

test('with the secrets of a link, those of the request stay secret', () => {
	const request = new Secrets(() => ['key-of-the-request']);
	const both = request.with('https://example.com/?signature=signed-by-the-link');
	expect(both.masked('key-of-the-request, signed-by-the-link')).toBe('***, ***');
});
