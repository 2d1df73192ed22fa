import type { Envelope } from '../../nodes/Workchat/service/envelope';
import { masked, secretsIn, secretsOfLink } from '../../nodes/Workchat/service/failure/secrets';
import {
	bareName,
	extensionIn,
	nameInDisposition,
} from '../../nodes/Workchat/service/file/fileName';
import { locateFile } from '../../nodes/Workchat/service/file/locateFile';
import { detectMimeType, typeOfBytes } from '../../nodes/Workchat/service/file/mimeType';
import { parseJson } from '../../nodes/Workchat/service/json';
import { textKindOf, withoutUnseen } from '../../nodes/Workchat/service/text';
import { expectLinear, type Work } from '../support/processorTime';
import { wording } from '../support/wording';

/** No text from outside is handled in more than linear time. */

const SECRETS = ['fake-key-0123456789', '{"a":"b\nc"}', 'aaaaaaaa', 'a'.repeat(5000), '%%%%%%'];
const many =
	(text: string): Work =>
	(size) =>
		masked(text.repeat(size), SECRETS);
const page =
	(before: string, after: string): Work =>
	(size) =>
		textKindOf(Buffer.from(before.repeat(size) + after), '');
const disposition =
	(text: string, after = ''): Work =>
	(size) =>
		nameInDisposition(`attachment; ${text.repeat(size)}${after}`);
const query = (size: number) => `https://example.com/?${'a=12345678&'.repeat(size)}`;
const secrets = (size: number) => new Array<string>(size).fill('a-secret-a-b');
const jsonOf =
	(text: string): Work =>
	async (size) =>
		await parseJson(`[${text.repeat(size)}0]`).catch(() => {});

test.each<[string, number, Work]>([
	['a message that repeats http://', 6250, many('http://')],
	['a message that repeats http://a@', 5000, many('http://a@')],
	['a message that repeats http://?', 5000, many('http://?')],
	['a message that repeats a secret', 5000, many('aaaaaaaa')],
	['a message that repeats the beginning of a secret', 5000, many('fake-key-012345678')],
	['a message of white space', 25_000, many(' \n')],
	['a message of half links', 250, many('http:')],
	['a long secret', 25_000, (size) => masked('a'.repeat(size), ['a'.repeat(size)])],
	['many secrets', 2500, (size) => masked('a-secret-'.repeat(1000), secrets(size))],
	['a link with many parameters', 5000, (size) => secretsOfLink(query(size))],
	['a link of marks', 25_000, (size) => secretsOfLink(`https://${'@?#'.repeat(size)}`)],
	['a body of links', 2500, (size) => secretsIn({ a: query(size) }, [{ name: 'a' }])],
	['a page that begins with many comments', 2500, page('<!---->', 'x')],
	['a page that begins with open comments', 2500, page('<!--', '')],
	['a page that begins with white space', 25_000, page(' ', 'x')],
	['JSON that begins with white space', 25_000, page('\r\n', '{')],
	['a text of a long type', 25_000, (size) => textKindOf(Buffer.from('x'), 'html-'.repeat(size))],
	['unseen characters', 25_000, (size) => withoutUnseen('\u200ba'.repeat(size))],
	['a name of dots', 25_000, (size) => bareName(`a${'.'.repeat(size)}b`)],
	['a name of spaces and dots', 25_000, (size) => bareName(`a${'. '.repeat(size)}b`)],
	['a name of slashes', 25_000, (size) => bareName('/\\'.repeat(size))],
	['a name of invisible characters', 25_000, (size) => bareName('\u200b'.repeat(size))],
	['an extension', 25_000, (size) => extensionIn('.abcdefghij'.repeat(size))],
	['an extension of digits', 25_000, (size) => extensionIn(`.${'1'.repeat(size)}`)],
	['a disposition of half names', 500, disposition("filename*=a'")],
	['a disposition of names without value', 500, disposition('filename=;')],
	['a disposition of an open quote', 500, disposition('\\"', 'filename="')],
	['a disposition of spaces', 5000, disposition(' ', 'filename')],
	[
		'a disposition of escapes',
		5000,
		(size) => nameInDisposition(`a; filename=${'%25'.repeat(size)}`),
	],
	['a type', 25_000, (size) => detectMimeType(Buffer.of(0), `${' '.repeat(size)}a/b`, 'x')],
	['the first bytes', 25_000, (size) => typeOfBytes(Buffer.alloc(size, 'ID'))],
	['JSON of long numbers', 5000, jsonOf('12345678901234567890,')],
	['JSON of a long number', 25_000, (size) => parseJson(`[${'1'.repeat(size)}]`)],
	['JSON of texts', 25_000, jsonOf('"a",')],
	['JSON of backslashes', 25_000, (size) => jsonOf(`"${'\\\\'.repeat(size)}\\"",`)(1)],
	['JSON of an open text of escapes', 25_000, (size) => jsonOf(`"${'\\"'.repeat(size)}`)(1)],
])('%s takes time in proportion to its length', async (_, size, work) => {
	await expectLinear(work, size);
});

const known = { ...wording, secrets: SECRETS };
const locate = async (data: unknown, fileLocation = '') => {
	const envelope = { code: 0, data: structuredClone(data) } as Envelope;
	return await locateFile(envelope, { fileLocation, body: { fileSize: 5 } }, known).catch(() => {});
};
const list = (length: number, of: (index: number) => unknown) =>
	Array.from({ length }, (_, index) => of(index));
const keyed = (length: number, of: (index: number) => unknown) =>
	Object.fromEntries(list(length, (index) => [`key${index}`, of(index)]) as never) as unknown;

test.each<[string, number, (size: number) => unknown]>([
	['many links', 1250, (size) => list(size, (index) => `https://example.com/${index}`)],
	['many data URIs', 500, (size) => list(size, (index) => `data:image/png;base64,${index}AAA`)],
	['data: without a comma', 5000, (size) => `data:${';base64'.repeat(size)}`],
	['data: again and again', 5000, (size) => 'data:'.repeat(size)],
	['escapes', 50_000, (size) => `data:a/b,${'%41'.repeat(size)}`],
	['half escapes', 50_000, (size) => `data:a/b,${'%'.repeat(size)}`],
	['many short texts', 1250, (size) => list(size, (index) => `abc${index}`)],
	['many keys', 500, (size) => keyed(size, () => 'a b!')],
	['long keys', 5000, (size) => ({ ['k'.repeat(size)]: 1, ['http://'.repeat(size)]: 1 })],
	['deep lists', 250, (size) => list(size, () => 0).reduce((inner) => [inner], 'abc')],
	['one base64 text', 125_000, (size) => 'AAAz'.repeat(size)],
	['one base64 text in lines', 5000, (size) => `${'Az'.repeat(38)}\r\n`.repeat(size)],
	['one base64 text that ends wrongly', 125_000, (size) => `${'AAAz'.repeat(size)}!`],
	['one base64 text with blanks', 50_000, (size) => 'AAAz '.repeat(size)],
	['parts in a list', 500, (size) => list(size, () => 'AAAz'.repeat(20))],
	['a file beside many texts', 500, (size) => keyed(size, (i) => (i ? 'x!' : 'AAAz'.repeat(300)))],
	['digits', 125_000, (size) => '12'.repeat(size)],
	['white space', 125_000, (size) => ' \n'.repeat(size)],
	['padding', 125_000, (size) => '=='.repeat(size)],
	['a relative link', 50_000, (size) => `/${'a.'.repeat(size)} `],
	['half a host', 50_000, (size) => 'a-.'.repeat(size)],
	['one link', 125_000, (size) => `https://example.com/${'a'.repeat(size)} a`],
	['a link of blanks', 50_000, (size) => `https://example.com/${' x'.repeat(size)}`],
])('data of %s is searched in time in proportion to its size', async (_, size, dataOf) => {
	const prepared = new Map<number, unknown>();
	const work = async (units: number) => {
		if (!prepared.has(units)) prepared.set(units, dataOf(units));
		return await locate(prepared.get(units));
	};
	await expectLinear(work, size);
});

test.each(['.', '"\'', 'a.'])('so is a File Location of %j', async (text) => {
	await expectLinear(async (size) => await locate({ a: 1 }, text.repeat(size)), 5000);
});

test('this measure sees what is quadratic', async () => {
	const squared: Work = (size) => {
		let sum = 0;
		for (let index = 0; index < size * size; index++) sum += index % 7;
		return sum;
	};
	await expect(expectLinear(squared, 2000)).rejects.toThrow();
});
