import {
	checkFields,
	failedCheck,
	mergeChecks,
	refuseProblems,
} from '../../../../nodes/Workchat/operations/fields/checkFields';
import type { Field } from '../../../../nodes/Workchat/operations/fields/field';
import { about } from '../../../support/about';

/** One field of each kind. */
const FIELDS = {
	text: { name: 'feedId', label: 'Feed ID', type: 'text' },
	URL: { name: 'coverUrl', label: 'Cover URL', type: 'url' },
	ID: {
		name: 'toId',
		label: 'Recipient ID',
		type: 'id',
		zeroMeaning: 'the group: take the person',
	},
	number: { name: 'feedNo', label: 'Feed No', type: 'text', isNumberLike: true },
	integer: { name: 'fileSize', label: 'File Size', type: 'integer' },
	choice: {
		name: 'fileType',
		label: 'File Type',
		type: 'integer',
		options: [1, 2, 3].map((value) => ({ name: `Type ${value}`, value })),
	},
} satisfies Record<string, Field>;
type Kind = keyof typeof FIELDS;
/** Checks fields by their labels, as in the panel. */
const check = (fields: Field[], values: Record<string, unknown>) =>
	checkFields(fields, {
		valueOf: ({ name }) => values[name],
		emptyProblem: () => 'is missing',
	});
/** Checks one value in a field of one kind. */
const checkOne = (kind: Kind, value: unknown) => {
	const { name, label } = FIELDS[kind];
	const { body, problems, notices } = check([FIELDS[kind]], { [name]: value });
	expect(problems.every((problem) => problem.startsWith(label))).toBe(true);
	return { sent: body[name], problems, notices };
};
/** So long that a check of more than linear time would never end. */
const LONG = ' '.repeat(1_000_000);
const SETTINGS = { refusesOdd: false, acceptsTruncated: false };
const SENT = 'White space around values was sent, too';
const REMOVED = 'White space around values was removed';
const INVISIBLE = (code: string) => `${code}, an invisible character, was removed`;

test.each<[Kind, value: unknown, sent: unknown, ...hints: string[]]>([
	['text', 0, '0'],
	['text', 'line\nbreaks\r\n\tand %20 &\\n é e\u0301', 'line\nbreaks\r\n\tand %20 &\\n é e\u0301'],
	[
		'text',
		'null',
		'null',
		'A value was sent unchanged, but looks like the result of an expression',
	],
	['text', Number.MAX_SAFE_INTEGER, '9007199254740991'],
	['text', ' before', ' before', SENT],
	['text', '\u200bA\u200d', '\u200bA\u200d'],
	['text', '#REF!', '#REF!'],
	['text', `"${LONG}"`, `"${LONG}"`],
	['ID', 12, '12'],
	['ID', ' \tcustomer-1\r\n', 'customer-1', REMOVED],
	['ID', `${LONG}customer-1${LONG}`, 'customer-1', REMOVED],
	['ID', ' \u200bcusto\u00admer-1\ufe0f', 'customer-1', REMOVED, INVISIBLE('U+200B')],
	['URL', '\n https://example.com/a b?c \t', 'https://example.com/a b?c', REMOVED],
	['URL', 'https://example.com/\u2060x\u3164', 'https://example.com/x', INVISIBLE('U+2060')],
	['URL', 'https://example.com/视频 (1)[2].jpg?x={y}&z=1,2;3|4#f', expect.stringMatching(/f$/)],
	['URL', 'HTTP://例え.jp', 'HTTP://例え.jp'],
	['URL', 'https://a.example/{{ b }}', 'https://a.example/{{ b }}'],
	['integer', '1024', 1024],
	['choice', '3', 3],
])('a field of kind %s accepts the value of case %#', (kind, value, sent, ...hints) => {
	const notices = hints.map((hint) => ({
		text: expect.stringContaining(hint) as string,
		subject: FIELDS[kind].label,
	}));
	expect(checkOne(kind, value)).toMatchObject({ sent, problems: [], notices });
});

const NO_TEXT = [NaN, true, false, {}, { a: 'secret' }, [], ['secret'], new Date(0)];
const TOO_LONG = [2 ** 53, -(2 ** 53), 123456e15, 1e300, Infinity, -Infinity];
const NO_URL = [
	...['example.com', '//example.com', 'https:/example.com', 'http://', 'https://exa mple.com', 5],
	...['ftp://a.example/?secret', 'javascript:alert(1)', 'data:text/plain,https://example.com'],
	...['https://example.com/\nb', 'https://example.com/?a\tb'],
];
const NO_INTEGER = [
	...[1.5, -1, Infinity, {}, [], [5], '1 000', `${LONG}1 1`],
	...['1.5', '-1', '+1', '1e3', '0x10', '1,000', '٣', 'a secret of some length'],
];
const BLANK = [undefined, null, '', '  ', '\n\t', ' \u00a0\u200b'];
const LINES = ['a\nb', 'a\r\nb', 'a\rb', 'a\u2028b', 'a\tb', 'a\n\nb'];

test.each<[Kind[], string, unknown[]]>([
	[['ID', 'text', 'URL'], 'has to be text', NO_TEXT],
	[['ID', 'text', 'URL'], 'is a number too long to be exact', TOO_LONG],
	[['URL'], 'is not a URL', NO_URL],
	[['ID'], 'has several lines', LINES],
	[['ID'], '0", which is the group: take the person', ['0', 0, ' 00 ', '0000']],
	[['number', 'ID', 'integer'], 'the result of an expression that finds nothing', ['null']],
	[['integer'], 'the result of an expression that finds nothing', [NaN, true]],
	[['text', 'URL'], 'is an expression', ['{{ $json.secret }}']],
	[['number'], 'is "7.88E+17", which is a number in the format of a spreadsheet', ['7.88E+17']],
	[['ID'], 'is "{{ toId }}", which is an expression', ['{{ toId }}']],
	// A part of a secret would not be redacted.
	[['ID'], 'Recipient ID is an expression', [`{{ ${'x'.repeat(60)}secret }}`]],
	[['integer'], 'is not a whole number', NO_INTEGER],
	[['integer'], 'File Size is not a whole number above 0', [{}, [5]]],
	[['integer'], '0", which is not a whole number above 0', [0, '0', ' 00 ']],
	[['integer'], 'is "12.5 kB", which is not a whole number', ['12.5 kB\n']],
	[['integer'], 'is "-1", which is not a whole number above 0', [-1, '-1']],
	[['integer'], 'is a number too long to be exact', [2 ** 53, '9'.repeat(17)]],
	[['choice'], 'none of 1 (Type 1), 2 (Type 2), 3 (Type 3)', [...NO_INTEGER, 0, 4, '4']],
	[['choice'], 'switch the field to Expression', ['{{ $json.type }}']],
	[['choice'], 'is "Video", which is none of 1 (Type 1), 2 (Type 2), 3 (Type 3)', ['Video ']],
	[Object.keys(FIELDS) as Kind[], 'is missing', BLANK],
])('fields of the kinds %j refuse a value that %s', (kinds, problem, values) => {
	const problems = [expect.stringContaining(problem)];
	for (const [kind, value] of kinds.flatMap((each) => values.map((one) => [each, one] as const))) {
		const checked = checkOne(kind, value);
		const refusal = { sent: undefined, problems, notices: [] };
		expect([kind, value, checked]).toEqual([kind, value, refusal]);
		// A value that was entered by mistake may be a secret.
		expect(checked.problems[0]).not.toMatch(/secret|123456/);
	}
});

test.each([
	['a, b', 'a, b', 'is "a, b", which does'],
	['a,'.repeat(31), 'Recipient ID', 'does'],
])('the suspicious ID %j is sent with a notice about %s', (id, shown, problem) => {
	const NO_ID = 'not look like an ID, which has only A-Z, a-z, 0-9 and _ - . : @ + = / ~';
	expect(checkOne('ID', id)).toMatchObject({
		sent: id,
		notices: [
			{
				text: `A value was sent unchanged, but does ${NO_ID}`,
				subject: shown,
				problem: `Recipient ID ${problem} ${NO_ID}`,
			},
		],
	});
});

test.each([
	['ID', '1688850000111220', 0],
	['ID', '10696051234567800', 1],
	['ID', 'R:10696051234567800', 1],
	['ID', '10696051234567801', 0],
	['text', '10696051234567800', 1],
	['text', 'R:10696051234567800', 0],
] as const)(
	'for a field of kind %s with the long number %s, a user sees %d notices',
	(kind, value, count) => {
		const text =
			'A value was sent unchanged, but looks like a number of which a spreadsheet kept only 15 digits';
		expect(checkOne(kind, value).notices).toMatchObject(Array(count).fill({ text }));
	},
);

test('a user gets one error that names every missing or invalid field, or one request is sent', () => {
	const values = { feedId: 'fine', coverUrl: 'no link', fileType: 9 };
	const group = check(Object.values(FIELDS), values);
	expect(group.body).toEqual({ feedId: 'fine' });

	const guid = failedCheck('Instance GUID is missing');
	const toId = check([FIELDS.ID], { toId: 'fine ' });
	const text = check([FIELDS.text], values);
	const valid = mergeChecks([toId, text]);
	expect(valid.body).toEqual({ toId: 'fine', feedId: 'fine' });
	const notices = refuseProblems(valid, about, SETTINGS);
	expect(notices).toEqual([{ text: REMOVED, subject: 'Recipient ID' }]);
	const message =
		'Instance GUID is missing; Cover URL is not a URL that begins with http:// or https://; ' +
		'Recipient ID is missing; Feed No is missing; File Size is missing; ' +
		'File Type is "9", which is none of 1 (Type 1), 2 (Type 2), 3 (Type 3)';
	const invalid = mergeChecks([guid, toId, group]);
	expect(() => refuseProblems(invalid, about, SETTINGS)).toThrow(
		expect.objectContaining({ message, outcome: 'notSent', origin: 'input' }),
	);
});
