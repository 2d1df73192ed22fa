import fc from 'fast-check';

import {
	masked,
	secretsIn,
	secretsOfLink,
} from '../../../../nodes/Workchat/service/failure/secrets';

type Encode = (text: string) => string;

/** What a service writes a value in on the way into its answer. */
const ENCODERS: Record<string, Encode> = {
	'as it is': (text) => text,
	'in JSON': (text) => JSON.stringify(text).slice(1, -1),
	'in a URL': (text) => encodeURIComponent(Buffer.from(text).toString()),
};

/** Also with what looks like escapes already, with line breaks, and with halves of characters. */
const piece = fc.oneof(
	fc.string({ unit: 'binary', maxLength: 30 }),
	fc.constantFrom('"', '\\', '\n', '\r\n', '+', '&', '%', '%41', '\\u0041', '&amp;', '\ud800'),
	fc.constantFrom('{"id":"1"}', 'https://example.com/a?b=c', 'ключ', '密钥', '😀', '</p>'),
);
const secret = fc
	.tuple(fc.stringMatching(/^[A-Z]{4}$/), fc.array(piece, { maxLength: 5 }))
	.map(([first, pieces]) => `${first}${pieces.join('')}Z`);
/** Small letters that no secret begins with, so that all but the secret is still there. */
const words = fc.stringMatching(/^(?:[g-m]{1,8}[ ,.]){0,8}$/);

test.each(Object.entries(ENCODERS))('a secret is masked %s, and all else is shown', (_, encode) => {
	const property = fc.property(secret, words, words, (value, before, after) => {
		const shown = masked(`${before}<<${encode(value)}>> ${after}`, [value]);
		expect(shown).toBe(`${before}<<***>> ${after}`.replace(/\s+/g, ' ').trim());
		expect(masked(shown, [value])).toBe(shown);
	});
	fc.assert(property, { numRuns: 200 });
});

test.each([
	'The API key is not valid',
	'fake-key-0123 is none',
	'see https://example.com/a/b/c',
	'Instanz 00000000-0000-0000-0000-000000000000 ist offline',
	'参数错误：fileAuthkey',
])('%j is shown: no secret stands in it', (text) => {
	expect(masked(text, ['fake-key-0123456789', 'a'.repeat(40), 'key', '', '  '])).toBe(text);
});

test('a secret is masked after the longer ones, without blanks around it', () => {
	expect(masked('a secret-long and secret', [' secret\n', 'secret-long'])).toBe('a *** and ***');
});

test.each([
	['https://example.com/a?b=c#d', 'https://example.com/a?***'],
	['https:\\/\\/example.com\\/a?b=c%20d&e=f g', 'https:\\/\\/example.com\\/a?*** g'],
	['{"url":"https://example.com/a?b=c"}', '{"url":"https://example.com/a?***"}'],
	['http://me:p@ss@example.com/a', 'http://***@example.com/a'],
	['http://example.com/http://me:pass@example.com', 'http://example.com/http://***@example.com'],
	['https:/me:pass@example.com', 'https:/***@example.com'],
])('the link %s is shown as %s', (link, shown) => {
	expect(masked(`see ${link} there`, [])).toBe(`see ${shown} there`);
});

test('text of any kind becomes one short line, and stays as it is then', () => {
	const text = fc.oneof(
		fc.string({ unit: 'binary', maxLength: 2000 }),
		fc.array(piece, { maxLength: 200 }).map((pieces) => pieces.join('')),
	);
	const property = fc.property(text, fc.array(secret, { maxLength: 3 }), (any, secrets) => {
		const line = masked(any, secrets);
		expect(line.length).toBeLessThanOrEqual(501);
		expect(line).not.toMatch(/[\p{Cc}\n]/u);
	});
	fc.assert(property, { numRuns: 200 });
	expect(masked('a\n\t b\0c', [])).toBe('a b c');
	expect(masked('abcdef', [], 3)).toBe('abc…');
});

const FIELDS = [{ name: 'coverUrl' }, { name: 'encodeData', isSecret: true }, { name: 'toId' }];

test('the secrets of a request are its secret fields, and those of its links', () => {
	const coverUrl = 'https://example.com/?a=1234-5678&signature=0123456789abcdef';
	const secrets = secretsIn({ coverUrl, encodeData: 'encode-data', toId: 'x' }, FIELDS);
	expect(secrets).toEqual(expect.arrayContaining(['encode-data', '0123456789abcdef']));
	expect(secrets).not.toContain('x');
	const property = fc.property(fc.string({ unit: 'binary' }), fc.jsonValue(), (any, value) => {
		for (const link of [any, `https://example.com/?${any}`, `https://${any}@example.com/`]) {
			secretsIn({ encodeData: value as string, coverUrl: link }, FIELDS);
		}
	});
	fc.assert(property);
});

test.each([
	[
		'https://me:password1@example.com/a?size=large&sig=abcd1234%2Fefgh',
		['me:password1', 'size=large&sig=abcd1234%2Fefgh', 'password1', 'abcd1234%2Fefgh'],
	],
	['https://access-token@example.com', ['access-token', 'access-token']],
	['https://example.com/a', []],
	['no link', []],
])('the secrets of %s are its user info, its query, and their longer parts', (link, secrets) => {
	expect(secretsOfLink(link)).toEqual(secrets);
});
