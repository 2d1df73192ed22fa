import { ValueBudget, parseJsonText } from '../../nodes/Workchat/common/json';
import { removeInvisible } from '../../nodes/Workchat/common/invisible';
import type { Envelope } from '../../nodes/Workchat/service/envelope';
import {
	findMistakeInId,
	findSuspicionInId,
} from '../../nodes/Workchat/operations/fields/mistakes';
import { redact, secretsInLink } from '../../nodes/Workchat/service/failure/secrets';
import {
	sanitizeFileName,
	extensionOf,
	nameFromDisposition,
} from '../../nodes/Workchat/service/file/fileName';
import { locateFile } from '../../nodes/Workchat/service/file/locateFile';
import { detectMimeType, sniffMimeType } from '../../nodes/Workchat/service/file/mimeType';
import { sniffTextKind } from '../../nodes/Workchat/common/text';
import { expectLinear } from '../support/processorTime';
import { about } from '../support/about';

/** No text from outside is handled in more than linear time. */

const SECRETS = ['fake-key-0123456789', '{"a":"b\nc"}', 'aaaaaaaa', 'a'.repeat(5000), '%%%%%%'];
const known = { ...about, secrets: SECRETS };
const locate = async (data: unknown, fileLocation = '') => {
	const envelope = { code: 0, data: structuredClone(data) } as Envelope;
	return await locateFile(envelope, { fileLocation, body: {}, fileSize: 5 }, known).catch(() => {});
};

const message = (text: string) => redact(text, SECRETS);
const page = (text: string) => sniffTextKind(Buffer.from(text), '');
const header = (text: string) => nameFromDisposition(`attachment; ${text}`);
const json = (text: string) => parseJsonText(text, new ValueBudget(Infinity));
const data = async (text: string) => await locate(text);
const parts = async (text: string) => await locate(JSON.parse(text));
const nested = async (text: string) =>
	await locate([...text].reduce<unknown>((inner) => [inner], 'abc'));
const linked = async (text: string) =>
	await locate(
		[...text].reduce<unknown>((inner, _, at) => [inner, `https://a.example/${at}`], 'a'),
	);
const LINES = `${'Az'.repeat(38)}\r\n`;
const PART = 'AAAz'.repeat(20);

/**
 * What handles texts; in how many characters; and what these repeat, between "|" if not alone, with
 * "$" for how often by then.
 */
const HANDLERS: Array<[string, (text: string) => unknown, number, string[]]> = [
	// A message has 20,000 characters at most: no more is looked at.
	['a message', message, 2500, ['http://', 'http://a@', 'http://?', 'aaaaaaaa', ' \n', 'http:']],
	['a message', message, 2500, ['fake-key-012345678']],
	['a secret', (text) => redact(text, [text]), 25_000, ['a']],
	['an ID', (text) => findMistakeInId(text), 50_000, ['{{', '{{ $', '[object ', '1', '1.', '$']],
	['an ID', (text) => findSuspicionInId(text), 50_000, ['-', '|a|"']],
	['a link', secretsInLink, 50_000, ['https://a.example/?|a=12345678&|', 'https://|@?#|']],
	['a page', page, 20_000, ['|<!---->|x', '<!--', '| |x', '|\r\n|{']],
	['a type', (text) => sniffTextKind(Buffer.from('x'), text), 100_000, ['html-']],
	['a type', (text) => detectMimeType(Buffer.of(0), text, 'x'), 25_000, ['| |a/b']],
	['first bytes', (text) => sniffMimeType(Buffer.from(text)), 50_000, ['ID']],
	['a text', removeInvisible, 50_000, ['\u200ba']],
	['a name', sanitizeFileName, 50_000, ['a|.|b', 'a|. |b', '/\\', '\u200b']],
	['a name', extensionOf, 100_000, ['.abcdefghij', '.|1|']],
	['a disposition', header, 7500, ["filename*=a'", 'filename=;', '|\\"|filename="']],
	['a disposition', header, 15_000, ['| |filename', 'filename=|%25|']],
	['JSON', json, 100_000, ['[|12345678901234567890,|0]', '[|1|]', '[|"a",|0]']],
	['JSON', json, 100_000, ['["|\\\\|\\""]', '["|\\"|']],
	['data', data, 200_000, ['data:|;base64|', 'data:', '%41', '/|a.| ']],
	['data', data, 200_000, ['AAAz', '|AAAz|!', 'AAAz ', LINES, '12', '==', ' \n', 'a-.']],
	['data', data, 200_000, ['http://a/|a| a', 'http://a/| x|']],
	['parts', parts, 10_000, ['[|"data:image/png;base64,$AAA",|0]', '[|"abc$",|0]']],
	[
		'parts',
		parts,
		6000,
		['{|"key$":"a b!",|"":0}', `{"":"${PART.repeat(15)}",|"$":"x!",|"x":0}`, '{"|k|":1}'],
	],
	['parts', parts, 40_000, ['[|"https://a.example/$",|0]', '{"|http://|":1}', `[|"${PART}",|0]`]],
	['deep lists', nested, 250, ['[']],
	['links in deep lists', linked, 300, ['[']],
	['a File Location', async (text) => await locate({ a: 1 }, text), 5000, ['.', '"\'', 'a.']],
];
const EACH = HANDLERS.flatMap(([what, work, length, texts]) =>
	texts.map((text) => [what, text, work, length] as const),
);

test.each(EACH)('%s of %j takes time in proportion to its length', async (...given) => {
	const [, text, work, length] = given;
	const [before = '', repeated = '', after = ''] = text.includes('|')
		? text.split('|')
		: ['', text];
	const piece = (_: unknown, index: number) => repeated.replaceAll('$', `${index}`);
	const textOf = (times: number) =>
		[before, ...Array.from({ length: times }, piece), after].join('');
	await expectLinear(work, textOf, Math.ceil(length / repeated.length));
});
