import { checkField, checkFields, validBody } from '../nodes/Workchat/operations/checkFields';
import type { Field } from '../nodes/Workchat/operations/field';
import { Failure } from '../nodes/Workchat/service/failure';

/** One field of each kind. */
const FIELDS = {
	text: { name: 'feedId', label: 'Feed ID', type: 'text' },
	URL: { name: 'coverUrl', label: 'Cover URL', type: 'url' },
	integer: { name: 'fileSize', label: 'File Size', type: 'integer' },
	choice: {
		name: 'fileType',
		label: 'File Type',
		type: 'integer',
		options: [1, 2, 3].map((value) => ({ name: `Type ${value}`, value })),
	},
} satisfies Record<string, Field>;
type Kind = keyof typeof FIELDS;
const KINDS = Object.keys(FIELDS) as Kind[];

test.each<[Kind, unknown[]]>([
	[
		'text',
		[
			'  spaces around  ',
			'line\nbreaks\r\n\tand tabs',
			'中文 🎬 é e\u0301',
			'%20 &amp; \\n "quoted" {{ $json.x }}',
			'0012',
			'9007199254740993',
			'null',
			'ftp://not-a-url-field',
		],
	],
	[
		'URL',
		[
			'http://example.com',
			'https://example.com/a b?c=d&e=%2F#f ',
			'HTTPS://EXAMPLE.COM/Path',
			'https://例え.jp/文',
		],
	],
	['integer', [1, 1024, Number.MAX_SAFE_INTEGER]],
	['choice', [1, 2, 3]],
])('a field of kind %s passes values on untouched', (kind, values) => {
	expect(values.map((value) => checkField(FIELDS[kind], value))).toEqual(values);
});

test.each<[Kind, unknown, unknown]>([
	['text', 0, '0'],
	['text', -1.5, '-1.5'],
	['text', Number.MAX_SAFE_INTEGER, '9007199254740991'],
	['integer', '1024', 1024],
	['integer', ' 007 ', 7],
	['integer', '9007199254740991', Number.MAX_SAFE_INTEGER],
	['choice', '3', 3],
])('a field of kind %s turns %j into %j', (kind, value, expected) => {
	expect(checkField(FIELDS[kind], value)).toBe(expected);
});

const EMPTY = [undefined, null, '', '  ', '\n\t'];
const NO_TEXT = [NaN, true, false, {}, { a: 1 }, [], ['a'], new Date(0)];
const TOO_LONG = [2 ** 53, -(2 ** 53), 1e300, Infinity, -Infinity];
const NO_URL = [
	'example.com',
	'//example.com',
	'https:/example.com',
	' https://example.com',
	'http://',
	'https://exa mple.com',
	'ftp://example.com',
	'javascript:alert(1)',
	'data:text/plain,https://example.com',
	5,
];
const NO_INTEGER = [
	...[1.5, -1, 2 ** 53, NaN, Infinity, true, {}, [], [5]],
	...['1.5', '-1', '+1', '1e3', '0x10', '1,000', '1 000', '٣', 'abc', '9007199254740993'],
];

test.each<[Kind, string, unknown[]]>([
	...KINDS.map((kind): [Kind, string, unknown[]] => [kind, 'is missing', EMPTY]),
	['text', 'has to be text', NO_TEXT],
	['text', 'is a number too long to be exact', TOO_LONG],
	['URL', 'has to be text', NO_TEXT],
	['URL', 'is a number too long to be exact', TOO_LONG],
	['URL', 'is not a URL', NO_URL],
	['integer', 'is not a whole number', NO_INTEGER],
	['choice', 'is not a whole number', NO_INTEGER],
	['choice', 'is not one of 1, 2, 3', [0, 4, '4', 10]],
])('a field of kind %s refuses what %s', (kind, problem, values) => {
	const refused = { problem: expect.stringContaining(problem) };
	for (const value of values) {
		expect([value, checkField(FIELDS[kind], value)]).toEqual([value, refused]);
	}
});

test('a body is made of all its parts', () => {
	const values: Record<string, unknown> = { feedId: 7, fileType: '2', other: 'not asked for' };
	const checked = checkFields([FIELDS.text, FIELDS.choice], (name) => values[name]);
	expect(checked).toEqual({ body: { feedId: '7', fileType: 2 }, problems: [] });

	const instance = { body: { instance_guid: 'guid' }, problems: [] };
	expect(validBody(instance, checked)).toEqual({ instance_guid: 'guid', ...checked.body });
});

test('one error names every missing or wrong field, and no other', () => {
	const values: Record<string, unknown> = { feedId: 'fine', coverUrl: 'no link', fileType: 9 };
	const group = checkFields(Object.values(FIELDS), (name) => values[name]);
	expect(group.body).toEqual({ feedId: 'fine' });

	const instance = { body: {}, problems: ['Instance GUID is missing'] };
	const refused = refusalOf(instance, { body: { toId: 'fine' }, problems: [] }, group);
	expect(refused).toMatchObject({ outcome: 'notSent', origin: 'input' });
	expect(refused.message.split('; ')).toEqual([
		'Instance GUID is missing',
		expect.stringMatching(/^Cover URL is not a URL/),
		'File Size is missing',
		'File Type is not one of 1, 2, 3',
	]);
});

test.each<[Kind, unknown, string]>([
	['text', { key: 'secret' }, 'secret'],
	['text', ['secret'], 'secret'],
	['text', 2 ** 60, String(2 ** 60)],
	['URL', 'secret', 'secret'],
	['URL', 'ftp://example.com/?secret', 'secret'],
	['integer', 'secret', 'secret'],
	['integer', 123456.5, '123456'],
	['choice', 'secret', 'secret'],
	['choice', 123456, '123456'],
])('an error about a field of kind %s does not repeat %j', (kind, value, secret) => {
	const { message, advice } = refusalOf(checkFields([FIELDS[kind]], () => value));
	expect(message).toContain(FIELDS[kind].label);
	expect(message + advice).not.toContain(secret);
});

function refusalOf(...parts: Parameters<typeof validBody>): Failure {
	let refused: unknown;
	try {
		validBody(...parts);
	} catch (error) {
		refused = error;
	}
	expect(refused).toBeInstanceOf(Failure);
	return refused as Failure;
}
