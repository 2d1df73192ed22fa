import { Secrets, secretsIn, secretsOfLink } from '../../nodes/Workchat/service/failure/secrets';
import {
	bareName,
	hasExtension,
	nameInDisposition,
	nameInLink,
} from '../../nodes/Workchat/service/file/fileName';
import { locateFile } from '../../nodes/Workchat/service/file/locateFile';
import { mimeTypeOfHeader, typeOfBytes } from '../../nodes/Workchat/service/file/mimeType';
import * as node from '../../nodes/Workchat/service/failure/redact';
import { textKindOf } from '../../nodes/Workchat/service/text/textKind';
import { expectLinear, type Work } from '../support/processorTime';
import { wording } from '../support/wording';

const SECRETS = ['fake-key-0123456789', '{"a":"b\nc"}', 'aaaaaaaa', 'a'.repeat(5000), '%%%%%%'];
const redact = (text: string, secrets: string[]) => node.redact(text, new Secrets(() => secrets));
const many =
	(text: string): Work =>
	(size) =>
		redact(text.repeat(size), SECRETS);
const page =
	(before: string, after: string): Work =>
	(size) =>
		textKindOf(Buffer.from(before.repeat(size) + after), '');
const disposition =
	(text: string, after = ''): Work =>
	(size) =>
		nameInDisposition(`attachment; ${text.repeat(size)}${after}`);
const named = (after: string) => nameInDisposition(`filename${after}`);
const link = (part: string) => (size: number) => `https://example.com/${part.repeat(size)}`;
const query = (size: number) => `https://example.com/?${'a=12345678&'.repeat(size)}`;

const shown = (address: string) => node.shownAddress(address, new Secrets(() => SECRETS));
const FIELDS = ['coverUrl', 'channelUrl', 'headImgUrl'].map((name) => ({ name }));
const linksOf = (url: string) => Object.fromEntries(FIELDS.map(({ name }) => [name, url]));
const secrets = (size: number) => new Array<string>(size).fill('a-secret-a-b');
/** Each of nine digits in a row, from another place on. */
const PIECES = Array.from({ length: 1500 }, (_, at) =>
	'01234567890123456789'.slice(at % 10, (at % 10) + 9),
).join('x');

test.each<[string, number, Work]>([
	['a message that repeats http://', 6250, many('http://')],
	['a message that repeats http://a@', 5000, many('http://a@')],
	['a message that repeats http://?', 5000, many('http://?')],
	['a message that repeats a secret', 5000, many('aaaaaaaa')],
	['a message that repeats the beginning of a secret', 5000, many('fake-key-012345678')],
	['a message of URL escapes', 5000, many('%2525252525')],
	['a message of JSON escapes', 5000, many('\\\\\\\\u005cu0061')],
	['a message of HTML escapes', 5000, many('&amp;amp;#38;')],
	['a message of half escapes', 5000, many('&#0000000')],
	['a message of white space', 25_000, many(' \n')],
	['a message of marks', 2500, many('\u0315\u0300')],
	['a message of colons and slashes', 250, many('://')],
	['a message of half links', 250, many('http:')],
	['a secret of marks', 5000, (size) => redact('x', ['\u0315\u0300'.repeat(size)])],
	['pieces of a periodic secret', 5000, (size) => redact(PIECES, ['0123456789'.repeat(size)])],
	['a long secret', 25_000, (size) => redact('a'.repeat(size), ['a'.repeat(size)])],
	['many secrets', 2500, (size) => redact('a-secret-'.repeat(1000), secrets(size))],
	['a link with many parameters', 5000, (size) => secretsOfLink(query(size))],
	['a link with one long parameter', 25_000, (size) => secretsOfLink(link('%')(size))],
	['a body of long links', 2500, (size) => secretsIn(linksOf(query(size)), FIELDS)],
	['an address to redirect to', 12_500, (size) => shown(link('a/..//@')(size))],
	['a relative address', 12_500, (size) => shown('//@:?'.repeat(size))],
	['a page that begins with many comments', 2500, page('<!---->', 'x')],
	['a page that begins with XML declarations', 2500, page('<?xml>', 'x')],
	['a page that begins with open comments', 2500, page('<!--', '')],
	['a page that begins with white space', 25_000, page(' ', 'x')],
	['a page of tags', 5000, page('<x', '')],
	['JSON that begins with white space', 25_000, page('\r\n', '{')],
	[
		'a text in UTF-16',
		25_000,
		(size) => textKindOf(Buffer.from(`\ufeff${' '.repeat(size)}`, 'utf16le')),
	],
	['a text of a long type', 25_000, (size) => textKindOf(Buffer.from('x'), 'html-'.repeat(size))],
	['a name of dots', 25_000, (size) => bareName(`a${'.'.repeat(size)}b`)],
	['a name of spaces and dots', 25_000, (size) => bareName(`a${'. '.repeat(size)}b`)],
	['a name of slashes', 25_000, (size) => bareName('/\\'.repeat(size))],
	['a name of invisible characters', 25_000, (size) => bareName('\u200b'.repeat(size))],
	['a name of devices', 12_500, (size) => bareName('CON .'.repeat(size))],
	['an extension', 25_000, (size) => hasExtension('.abcdefghij'.repeat(size))],
	['a link that ends in dots', 5000, (size) => nameInLink(`${link('.')(size)}b`)],
	['a link that ends in escapes', 5000, (size) => nameInLink(link('%2e')(size))],
	['a disposition of half names', 500, disposition("filename*=a'")],
	['a disposition of names without value', 500, disposition('filename=;')],
	['a disposition of an open quote', 500, (size) => named(`="${'\\"'.repeat(size)}`)],
	['a disposition of quotes', 500, disposition('filename="\\"')],
	['a disposition of spaces', 5000, disposition(' ', 'filename')],
	['a disposition of spaces after a name', 5000, (size) => named(' '.repeat(size))],
	['a type', 25_000, (size) => mimeTypeOfHeader(`${' '.repeat(size)}a/${'b'.repeat(size)}`)],
	['the first bytes', 25_000, (size) => typeOfBytes(Buffer.alloc(size, 'ID'))],
])('%s takes time in proportion to its length', async (_, size, work) => {
	await expectLinear(work, size);
});

const known = { ...wording, secrets: new Secrets(() => SECRETS) };
const locate = async (data: unknown, fileLocation = '') => {
	try {
		return await locateFile(data, { fileLocation, fileSize: 5, sent: {} }, known);
	} catch (error) {
		return error;
	}
};
const list = (length: number, of: (index: number) => unknown) =>
	Array.from({ length }, (_, index) => of(index));

test.each<[string, number, (size: number) => unknown]>([
	['many links', 1250, (size) => list(size, (index) => `https://example.com/${index}`)],
	['many data URIs', 500, (size) => list(size, (index) => `data:image/png;base64,${index}AAA`)],
	['links of escapes', 500, (size) => list(size, () => `https://example.com/${'%C3'.repeat(9)}`)],
	['lines of base64 of any length', 5000, (size) => 'AAAz\nAz\n'.repeat(size)],
	['data: without a comma', 5000, (size) => `data:${';base64'.repeat(size)}`],
	['data: again and again', 5000, (size) => 'data:'.repeat(size)],
	['many short texts', 1250, (size) => list(size, (index) => `abc${index}`)],
	['many numbers', 5000, (size) => list(size, (index) => index)],
	[
		'many keys',
		500,
		(size) => Object.fromEntries(list(size, (index) => [`key${index}`, 'a b!']) as never),
	],
	[
		'a long number in a key beside a file',
		5000,
		(size) => ({ [`${'1'.repeat(size)}x`]: 'a', file1: 'AAAz'.repeat(300) }),
	],
	['long keys', 5000, (size) => ({ ['k'.repeat(size)]: 1, ['http://'.repeat(size)]: 1 })],
	['deep lists', 250, (size) => list(size, () => 0).reduce((inner) => [inner], 'abc')],
	['one base64 text', 125_000, (size) => 'AAAA'.repeat(size)],
	['one base64 text in lines', 5000, (size) => `${'A'.repeat(76)}\r\n`.repeat(size)],
	['one base64 text that ends wrongly', 125_000, (size) => `${'AAAA'.repeat(size)}!`],
	['one base64 text with blanks', 50_000, (size) => 'AAAz '.repeat(size)],
	['parts in a list', 500, (size) => list(size, () => 'AAAz'.repeat(20))],
	[
		'a file beside many texts',
		500,
		(size) => list(size, (index) => (index === 0 ? 'AAAz'.repeat(300) : `${index}`.repeat(20))),
	],
	[
		'a file beside many numbered keys',
		250,
		(size) =>
			Object.fromEntries(
				list(size, (index) => [`a${index}`, index ? 'x!' : 'AAAz'.repeat(300)]) as never,
			),
	],
	['white space', 125_000, (size) => ' \n'.repeat(size)],
	['padding', 125_000, (size) => '=='.repeat(size)],
	['one link', 125_000, (size) => `https://example.com/${'a'.repeat(size)} a`],
])('data of %s is searched in time in proportion to its size', async (_, size, dataOf) => {
	const prepared = new Map<number, unknown>();
	const work = async (units: number) => {
		if (!prepared.has(units)) prepared.set(units, dataOf(units));
		return await locate(prepared.get(units));
	};
	await expectLinear(work, size);
});

test.each<[string, (size: number) => string]>([
	['dots', (size) => '.'.repeat(size)],
	['quotes', (size) => '"\''.repeat(size)],
	['keys', (size) => 'a.'.repeat(size)],
])('a File Location of %s is read in time in proportion to its length', async (_, locationOf) => {
	await expectLinear(async (size) => await locate({ a: 1 }, locationOf(size)), 5000);
});

describe('this measure', () => {
	const squared: Work = (size) => {
		let sum = 0;
		for (let index = 0; index < size * size; index++) sum += index % 7;
		return sum;
	};
	test('sees what is quadratic', async () => {
		await expect(expectLinear(squared, 2000)).rejects.toThrow();
	});
	test('sees what is exponential', async () => {
		await expect(expectLinear((size) => squared(2 ** (size / 2)), 64)).rejects.toThrow();
	});
});
