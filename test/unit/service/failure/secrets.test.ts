import fc from 'fast-check';

import {
	redact,
	secretsIn,
	secretsInLink,
} from '../../../../nodes/Workchat/service/failure/secrets';

const json = (text: string) => JSON.stringify(text).slice(1, -1);
const FORMS: Array<(text: string) => string> = [
	(text) => text,
	json,
	(text) => encodeURIComponent(Buffer.from(text).toString()),
];
/** Including text that looks escaped, line breaks, and half surrogate pairs. */
const piece = fc.oneof(
	fc.string({ unit: 'binary', maxLength: 30 }),
	fc.constantFrom('"', '\\', '\n', '\r\n', '+', '&', '%', '%41', '\\u0041', '\ud800', '密钥', '😀'),
);
const secretText = fc
	.tuple(fc.stringMatching(/^[A-Z]{4}$/), fc.array(piece, { maxLength: 5 }))
	.map(([first, pieces]) => `${first}${pieces.join('')}Z`);
/** Lower-case letters, with which no secret begins. */
const words = fc.stringMatching(/^(?:[g-m]{1,8}[ ,.]){0,8}$/);

test('no error shows a secret, whether as plain text, in JSON or in a URL; everything else stays', () => {
	const form = fc.constantFrom(...FORMS);
	const property = fc.property(secretText, form, words, words, (secret, write, before, after) => {
		const shown = redact(`${before}<<${write(secret)}>> ${after}`, ['GGGG', secret]);
		expect(shown).toBe(`${before}<<***>> ${after}`.replace(/\s+/g, ' ').trim());
	});
	fc.assert(property, { numRuns: 300 });
});

test('no part of a longer secret stays visible, and spaces around a secret do not expose it', () => {
	expect(redact('a secret-long and secret', [' secret\n', 'secret-long'])).toBe('a *** and ***');
	expect(redact('mine, mine, mine', ['mine'])).toBe('***, ***, ***');
	expect(redact('a key', ['key', ''])).toBe('a key');
});

test.each([
	['https://example.com/a?b=c#d', 'https://example.com/a?***'],
	['https:\\/\\/example.com\\/a?b=c%20d&e=f g', 'https:\\/\\/example.com\\/a?*** g'],
	['http://me:p@ss@example.com/a', 'http://***@example.com/a'],
	['http://a.example/?u=http://me:pass@example.com', 'http://a.example/?***'],
	['http://me:a@a.example/http://me:b@b.example', 'http://***@a.example/http://***@b.example'],
	['https:\\me:pass@example.com', 'https:\\***@example.com'],
])('the link %s is redacted to %s', (link, shown) => {
	expect(redact(`see ${link} there`, [])).toBe(`see ${shown} there`);
});

test('a text from elsewhere becomes one short line', () => {
	expect(redact('a\n\t b\0c', [])).toBe('a b c');
	expect(redact('abcdef', [], 3)).toBe('abc…');
});

const FIELDS = [{ name: 'coverUrl' }, { name: 'encodeData', isSecret: true }, { name: 'toId' }];
test('the secrets of a request are its secret fields and the secrets in its links', () => {
	const coverUrl = 'https://example.com/?signature=0123456789abcdef';
	const secrets = secretsIn({ coverUrl, encodeData: 'encode-data', toId: 'x' }, FIELDS);
	expect(secrets).toEqual(['signature=0123456789abcdef', '0123456789abcdef', 'encode-data']);
	expect(secretsIn({ encodeData: 5 }, FIELDS)).toEqual([]);
});

test.each([
	['https://me:password1@example.com/a', ['me:password1', 'password1']],
	[' HTTP://access-token@example.com', ['access-token', 'access-token']],
	['https://a.example/?a=big&b=abcd1234%2Fe', ['a=big&b=abcd1234%2Fe', 'abcd1234%2Fe']],
	['https://example.com/a?b=1', []],
	['https://example.com/a#password1', []],
	['no link', []],
])(
	'of the link %s, errors hide the password and the longer values of its query',
	(link, secrets) => {
		expect(secretsInLink(link)).toEqual(secrets);
	},
);
