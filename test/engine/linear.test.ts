import type { Envelope } from '../../nodes/Workchat/service/envelope';
import { isOfTheKey } from '../../nodes/Workchat/service/failure/responseFailure';
import { masked, secretsOfLink } from '../../nodes/Workchat/service/failure/secrets';
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
import { about } from '../support/about';

/** No text from outside is handled in more than linear time. */

const SECRETS = ['fake-key-0123456789', '{"a":"b\nc"}', 'aaaaaaaa', 'a'.repeat(5000), '%%%%%%'];
const known = { ...about, secrets: SECRETS };
const locate = async (data: unknown, fileLocation = '') => {
	const envelope = { code: 0, data: structuredClone(data) } as Envelope;
	return await locateFile(envelope, { fileLocation, body: {}, fileSize: 5 }, known).catch(() => {});
};

const message = (text: string) => masked(text, SECRETS);
const page = (text: string) => textKindOf(Buffer.from(text), '');
const header = (text: string) => nameInDisposition(`attachment; ${text}`);
const json = async (text: string) => await parseJson(text).catch(() => {});
const data = async (text: string) => await locate(text);
const LINES = `${'Az'.repeat(38)}\r\n`;

/** What handles texts; in how many characters; and what these repeat, between "|" if not alone. */
const HANDLERS: Array<[string, (text: string) => unknown, number, string[]]> = [
	// Of what is longer than 20,000, only the beginning counts.
	['a message', message, 2500, ['http://', 'http://a@', 'http://?', 'aaaaaaaa', ' \n', 'http:']],
	['a message', message, 2500, ['fake-key-012345678']],
	['a secret', (text) => masked(text, [text]), 25_000, ['a']],
	['a reason', isOfTheKey, 10_000, ['a', 'file a ', 'file', 'url_', '登录']],
	['a link', secretsOfLink, 50_000, ['https://a.example/?|a=12345678&|', 'https://|@?#|']],
	['a page', page, 20_000, ['|<!---->|x', '<!--', '| |x', '|\r\n|{']],
	['a type', (text) => textKindOf(Buffer.from('x'), text), 100_000, ['html-']],
	['a type', (text) => detectMimeType(Buffer.of(0), text, 'x'), 25_000, ['| |a/b']],
	['first bytes', (text) => typeOfBytes(Buffer.from(text)), 50_000, ['ID']],
	['a text', withoutUnseen, 50_000, ['\u200ba']],
	['a name', bareName, 50_000, ['a|.|b', 'a|. |b', '/\\', '\u200b']],
	['a name', extensionIn, 100_000, ['.abcdefghij', '.|1|']],
	['a disposition', header, 7500, ["filename*=a'", 'filename=;', '|\\"|filename="']],
	['a disposition', header, 15_000, ['| |filename', 'filename=|%25|']],
	['JSON', json, 100_000, ['[|12345678901234567890,|0]', '[|1|]', '[|"a",|0]']],
	['JSON', json, 100_000, ['["|\\\\|\\""]', '["|\\"|']],
	['data', data, 200_000, ['data:|;base64|', 'data:', 'data:a/b,|%41|', 'data:a/b,|%|', '/|a.| ']],
	['data', data, 200_000, ['AAAz', '|AAAz|!', 'AAAz ', LINES, '12', '==', ' \n', 'a-.']],
	['data', data, 200_000, ['http://a/|a| a', 'http://a/| x|']],
	['a File Location', async (text) => await locate({ a: 1 }, text), 5000, ['.', '"\'', 'a.']],
];
const EACH = HANDLERS.flatMap(([what, work, length, texts]) =>
	texts.map((text) => [what, text, work, length] as const),
);

test.each(EACH)(
	'%s of %j takes time in proportion to its length',
	async (_, text, work, length) => {
		const [before = '', repeated = '', after = ''] = text.includes('|')
			? text.split('|')
			: ['', text];
		const size = Math.ceil(length / repeated.length);
		await expectLinear(async (times) => await work(before + repeated.repeat(times) + after), size);
	},
);

const list = (length: number, of: (index: number) => unknown) =>
	Array.from({ length }, (_, index) => of(index));
const keyed = (length: number, of: (index: number) => unknown) =>
	Object.fromEntries(list(length, (index) => [`key${index}`, of(index)]) as never) as unknown;

test.each<[string, number, (size: number) => unknown]>([
	['many links', 1250, (size) => list(size, (index) => `https://example.com/${index}`)],
	['many data URIs', 500, (size) => list(size, (index) => `data:image/png;base64,${index}AAA`)],
	['many short texts', 1250, (size) => list(size, (index) => `abc${index}`)],
	['many keys', 500, (size) => keyed(size, () => 'a b!')],
	['long keys', 5000, (size) => ({ ['k'.repeat(size)]: 1, ['http://'.repeat(size)]: 1 })],
	['deep lists', 250, (size) => list(size, () => 0).reduce((inner) => [inner], 'abc')],
	['parts in a list', 500, (size) => list(size, () => 'AAAz'.repeat(20))],
	['a file beside many texts', 500, (size) => keyed(size, (i) => (i ? 'x!' : 'AAAz'.repeat(300)))],
])('data of %s is searched in time in proportion to its size', async (_, size, dataOf) => {
	const prepared = new Map<number, unknown>();
	const work = async (units: number) => {
		if (!prepared.has(units)) prepared.set(units, dataOf(units));
		return await locate(prepared.get(units));
	};
	await expectLinear(work, size);
});

test('this measure sees what is quadratic', async () => {
	const squared: Work = (size) => {
		let sum = 0;
		for (let index = 0; index < size * size; index++) sum += index % 7;
		return sum;
	};
	await expect(expectLinear(squared, 2000)).rejects.toThrow();
});
