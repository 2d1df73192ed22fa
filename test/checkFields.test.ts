import { checkFields, validated } from '../nodes/Workchat/operations/fields/checkFields';
import type { Field } from '../nodes/Workchat/operations/fields/field';
import { Failure } from '../nodes/Workchat/service/failure/failure';

/** One field of each kind. */
const FIELDS = {
	text: { name: 'feedId', label: 'Feed ID', type: 'text' },
	URL: { name: 'coverUrl', label: 'Cover URL', type: 'url' },
	ID: { name: 'toId', label: 'Recipient ID', type: 'id' },
	integer: { name: 'fileSize', label: 'File Size', type: 'integer' },
	choice: {
		name: 'fileType',
		label: 'File Type',
		type: 'integer',
		options: [1, 2, 3].map((value) => ({ name: `Type ${value}`, value })),
	},
} satisfies Record<string, Field>;
type Kind = keyof typeof FIELDS;
/** As of a panel: by the fields' labels. */
const check = (fields: Field[], values: Record<string, unknown>) =>
	checkFields(fields, {
		valueOf: ({ name }) => values[name],
		nameOf: ({ label }) => label,
	});
/** What becomes of one value in a field of one kind. */
const checkOne = (kind: Kind, value: unknown) => {
	const { name, label } = FIELDS[kind];
	const { body, problems, remarks } = check([FIELDS[kind]], { [name]: value });
	expect(problems.every((problem) => problem.startsWith(label))).toBe(true);
	return { sent: body[name], problems, hints: remarks.map(({ text }) => text) };
};
/** What takes more than linear time on it never ends. */
const LONG = ' '.repeat(1_000_000);
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
			'https://example.com/a b?c=d&e=%2F#f',
			'HTTPS://EXAMPLE.COM/Path',
			'https://例え.jp/文',
		],
	],
	['ID', ['customer-1', 'a b', '"1"', '0012', '\u200bcustomer']],
	['integer', [1, 1024, Number.MAX_SAFE_INTEGER]],
	['choice', [1, 2, 3]],
])('a field of kind %s passes values on untouched', (kind, values) => {
	expect(values.map((value) => checkOne(kind, value).sent)).toEqual(values);
});

test.each<[Kind, unknown, unknown]>([
	['text', 0, '0'],
	['text', -1.5, '-1.5'],
	['ID', 12, '12'],
	['ID', ' \tcustomer-1\r\n', 'customer-1'],
	['ID', '\u00a0\ufeffcustomer 1\u3000', 'customer 1'],
	['URL', '\n https://example.com/a b?c \t', 'https://example.com/a b?c'],
	['text', Number.MAX_SAFE_INTEGER, '9007199254740991'],
	['integer', '1024', 1024],
	['integer', ' 007 ', 7],
	['integer', '9007199254740991', Number.MAX_SAFE_INTEGER],
	['choice', '3', 3],
	['ID', `${LONG}customer-1${LONG}`, 'customer-1'],
	['text', `"${LONG}"`, `"${LONG}"`],
])('a field of kind %s turns %.20j into %.20j', (kind, value, expected) => {
	expect(checkOne(kind, value)).toMatchObject({ sent: expected, problems: [] });
});

const NO_TEXT = [NaN, true, false, {}, { a: 1 }, [], ['a'], new Date(0)];
const TOO_LONG = [2 ** 53, -(2 ** 53), 1e300, Infinity, -Infinity];
const NO_URL = [
	'example.com',
	'//example.com',
	'https:/example.com',
	'http://',
	'https://exa mple.com',
	'ftp://example.com',
	'javascript:alert(1)',
	'data:text/plain,https://example.com',
	'https://example.com/\nb',
	'https://example.com/?a\tb',
	5,
];
const NO_INTEGER = [
	...[1.5, -1, 2 ** 53, NaN, Infinity, true, {}, [], [5]],
	...[
		'1.5',
		'-1',
		'+1',
		'1e3',
		'0x10',
		'1,000',
		'1 000',
		'٣',
		'abc',
		'9007199254740993',
		`${LONG}1 1`,
	],
];

test.each<[Kind, string, unknown[]]>([
	['ID', 'has to be text', NO_TEXT],
	['ID', 'is a number too long to be exact', TOO_LONG],
	['text', 'has to be text', NO_TEXT],
	['text', 'is a number too long to be exact', TOO_LONG],
	['URL', 'has to be text', NO_TEXT],
	['URL', 'is a number too long to be exact', TOO_LONG],
	['URL', 'is not a URL', NO_URL],
	['integer', 'is not a whole number', NO_INTEGER],
	['choice', 'is none of 1 (Type 1), 2 (Type 2), 3 (Type 3)', [...NO_INTEGER, 0, 4, '4', 10]],
])('a field of kind %s refuses what %s', (kind, problem, values) => {
	const problems = [expect.stringContaining(problem)];
	for (const value of values) {
		expect([value, checkOne(kind, value)]).toMatchObject([value, { sent: undefined, problems }]);
	}
});

test.each(KINDS)('a field of kind %s without a value is missing', (kind) => {
	const blank = [undefined, null, '', '  ', '\n\t', '\u00a0'];
	for (const value of kind === 'integer' ? [...blank, 0] : blank) {
		const problems = [`${FIELDS[kind].label} is missing`];
		expect(checkOne(kind, value)).toEqual({ sent: undefined, problems, hints: [] });
	}
});

const SENT = 'White space around values was sent with them';
const REMOVED = 'White space around values was removed';
const QUOTES = 'Quotes around IDs were sent with them';

test.each<[Kind, string, string[]]>([
	['text', 'as it is', []],
	['text', ' before', [SENT]],
	['text', 'after\n', [SENT]],
	['text', '"quoted"', []],
	['ID', 'as it is', []],
	['ID', '\tcustomer-1 ', [REMOVED]],
	['ID', '"customer-1"', [QUOTES]],
	['ID', '“customer-1”', [QUOTES]],
	['ID', "'customer-1'", [QUOTES]],
	['ID', ' „customer-1“\n', [REMOVED, QUOTES]],
	['ID', 'the "first" one', []],
	['ID', '"half', []],
	['ID', "it's'", []],
	['URL', 'https://example.com', []],
	['URL', ' https://example.com', [REMOVED]],
])('of a field of kind %s, %j gives the hints %j', (kind, value, hints) => {
	expect(checkOne(kind, value)).toMatchObject({ problems: [], hints });
});

test('a request is made of all its parts', () => {
	const values = { feedId: ' 7', fileType: '2', other: 'not asked for' };
	const checked = check([FIELDS.text, FIELDS.choice], values);
	const instance = { body: { instance_guid: 'guid' }, problems: [], remarks: [] };
	expect(validated(instance, checked)).toEqual({
		body: { instance_guid: 'guid', feedId: ' 7', fileType: 2 },
		remarks: [{ text: SENT, subject: 'Feed ID' }],
	});
});

test('one error names every missing or wrong field, and no other', () => {
	const values = { feedId: 'fine', coverUrl: 'no link', fileType: 9 };
	const group = check(Object.values(FIELDS), values);
	expect(group.body).toEqual({ feedId: 'fine' });

	const instance = { body: {}, problems: ['Instance GUID is missing'], remarks: [] };
	const refused = refusalOf(instance, { body: { toId: 'fine' }, problems: [], remarks: [] }, group);
	expect(refused).toMatchObject({ outcome: 'notSent', origin: 'input' });
	expect(refused.message.split('; ')).toEqual([
		'Instance GUID is missing',
		expect.stringMatching(/^Cover URL is not a URL/),
		'Recipient ID is missing',
		'File Size is missing',
		'File Type is none of 1 (Type 1), 2 (Type 2), 3 (Type 3)',
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
	const field = FIELDS[kind];
	const { message, advice } = refusalOf(check([field], { [field.name]: value }));
	expect(message).toContain(field.label);
	expect(message + advice).not.toContain(secret);
});

function refusalOf(...parts: Parameters<typeof validated>): Failure {
	let refused: unknown;
	try {
		validated(...parts);
	} catch (error) {
		refused = error;
	}
	expect(refused).toBeInstanceOf(Failure);
	return refused as Failure;
}
