import fc from 'fast-check';

import { sendFeedVideo } from '../../../../nodes/Workchat/operations/sendFeedVideo';
import { checkFields } from '../../../../nodes/Workchat/operations/fields/checkFields';
import type { Field } from '../../../../nodes/Workchat/operations/fields/field';

/** What people's data looks like where something went wrong on its way; and where it only looks so. */

const fields = sendFeedVideo.fields as Field[];
const GUID: Field = { name: 'instance_guid', label: 'Instance GUID', type: 'id' };
const named = (name: string) => fields.find((field) => field.name === name)!;
const isName = ({ type, isNumberLike }: Field) => type === 'text' && !isNumberLike;
const NAMES = fields.filter(isName);
const IDS = [named('toId'), GUID];
const NUMBERS = [...IDS, named('feedId'), named('feedNo')];
const URLS = fields.filter(({ type }) => type === 'url');

function check(field: Field, value: unknown) {
	const { body, problems, remarks } = checkFields([field], {
		valueOf: () => value,
		nameOf: ({ label }) => label,
		whyEmpty: () => 'is missing',
	});
	return { sent: body[field.name], problem: problems.join(), remarks };
}

const DIGIT = fc.integer({ min: 0, max: 9 });
const digits = (minLength: number, maxLength: number) =>
	fc
		.tuple(fc.integer({ min: 1, max: 9 }), fc.array(DIGIT, { minLength, maxLength }))
		.map(([first, others]) => [first, ...others].join(''));
const ID = digits(8, 20);
const WORD = fc.stringMatching(/^[a-zA-Z_]{1,12}$/);
const between = (before: string[], inner: fc.Arbitrary<string>, after: string[]) =>
	fc.tuple(fc.constantFrom(...before), inner, fc.constantFrom(...after)).map((all) => all.join(''));
const MARKS = ['.', ' ', "'", '\u00a0', '\u202f', '’'];
const grouped = (least: number, most: number, marks: string[]) =>
	fc
		.tuple(digits(least, most), fc.constantFrom(...marks))
		.map(([number, mark]) => number.replace(/\B(?=(\d{3})+$)/g, mark));
const COMMAS = grouped(6, 18, [',']);
const inAnyCase = (...words: string[]) =>
	fc.constantFrom(...words).chain((word) => fc.mixedCase(fc.constant(word)));

const EXPRESSION = between(
	['{{ $', '{{$', '={{ $', 'Hello {{ $'],
	fc
		.tuple(fc.constantFrom('json.', 'node["A"].json.', "('Sheet').item.json.", 'input.item.'), WORD)
		.map((parts) => parts.join('')),
	[' }}', '}}', ' }', ' }} and more'],
);
const ERROR = fc.oneof(
	fc.constantFrom('#N/A', '#GETTING_DATA', '#DIV/0!', '#NAME?', '#¡VALOR!', '#BEZUG!', 'Err:502'),
	fc.constantFrom('REF', 'VALUE', 'NULL', 'NUM', 'ERROR', 'SPILL', 'CALC').map((e) => `#${e}!`),
);
const FORMULA = fc.oneof(
	between(['="', '= "'], ID, ['"']),
	between(['=VLOOKUP(', '=A.B(', '=CONCATENATE('], WORD, [')', ', 1)']),
);
const LOST = between(['', 'x', '���'], fc.constantFrom('\uFFFD', '\uFFFD\uFFFDĻ', '\ud83d'), [
	'',
	'z',
]);
const OBJECT = between(['', 'for ', '1 '], fc.constantFrom('Object', 'Array'), ['']).map((text) =>
	text.replace(/(Object|Array)/, '[object $1]'),
);

const CHINESE = fc.string({ unit: fc.constantFrom(...'优惠活动客户视频号'), minLength: 2 });
/** Read as Latin-1 or Windows-1252: Chinese or French in UTF-8, and "优惠活动" and "客户" in GBK. */
const MISREAD = fc.oneof(
	fc
		.oneof(CHINESE, fc.constantFrom('José', 'l’été'))
		.map((text) => Buffer.from(`${text}.`))
		.chain((bytes) =>
			fc.constantFrom(bytes.toString('latin1'), new TextDecoder('windows-1252').decode(bytes)),
		),
	fc.constantFrom('ÓÅ»Ý»î¶¯', 'Shop ¿Í»§'),
);

/** The words that say what it is, who has it, and what may be drawn. */
const CERTAIN: Array<[words: string, Field[], fc.Arbitrary<string>]> = [
	[
		'an expression or a placeholder that was left as text',
		[...NUMBERS, ...NAMES, ...URLS],
		EXPRESSION,
	],
	['an error in a spreadsheet', [...NUMBERS, ...NAMES, ...URLS], ERROR],
	['a formula of a spreadsheet', [...NUMBERS, ...NAMES, ...URLS], FORMULA],
	['text that lost characters', [...NUMBERS, ...NAMES, ...URLS], LOST],
	['what an expression leaves of an object', [...NUMBERS, ...NAMES, ...URLS], OBJECT],
	[
		'what an expression leaves that finds nothing',
		[...NUMBERS, ...URLS],
		inAnyCase('undefined', 'null', 'NaN', 'None', 'N/A', '(null)', '<nil>'),
	],
	[
		'what a spreadsheet shows while it loads',
		[...NUMBERS, ...URLS],
		fc.oneof(inAnyCase('Loading...', 'Loading…'), fc.constant('正在加载…')),
	],
	['how a spreadsheet marks text', NUMBERS, between(["'", '’', '`'], ID, [''])],
	[
		'how a spreadsheet writes a number',
		NUMBERS,
		fc.oneof(
			COMMAS,
			grouped(12, 18, MARKS),
			between([''], COMMAS, ['.0', '.00']),
			between([''], ID, ['.0', ',0', '.00']),
			fc.constantFrom('78,81,30,012', '7.88×10^17', '7.88 E +17'),
			between(['7.881', '7,88', '-1.2', '7'], fc.constantFrom('E+', 'e+'), ['17', '9']),
			between(['7.881', '7,88'], fc.constantFrom('E', 'e'), ['17', '18']),
		),
	],
	['an expression or a placeholder', IDS, between(['{{', '}} {{'], WORD, ['', ' }}'])],
	['a sign for no value', NUMBERS, fc.constantFrom('-', '--', '?', '.', '"', '/', '—', '*')],
];

test.each(CERTAIN)('%s is refused, in words that say so', (words, of, values) => {
	fc.assert(
		fc.property(fc.constantFrom(...of), values, (field, value) => {
			const { sent, problem } = check(field, value);
			expect([value, problem]).toEqual([value, expect.stringContaining(words)]);
			expect(problem.startsWith(`${field.label} is `)).toBe(true);
			expect(sent).toBeUndefined();
		}),
		{ numRuns: 300 },
	);
});

test('of what may be secret, nothing is shown; of an ID, the beginning', () => {
	expect(check(named('encodeData'), '="secret"').problem).not.toContain('secret');
	expect(check(named('coverUrl'), '="secret"').problem).not.toContain('secret');
	expect(check(named('toId'), `="${'7'.repeat(99)}"`).problem).toContain(`"="${'7'.repeat(58)}"`);
});

test('an ID of several lines is refused', () => {
	const lines = fc.tuple(ID, fc.constantFrom('\n', '\r\n', '\r', '\u2028', '\t', '\n\n'), ID);
	fc.assert(
		fc.property(fc.constantFrom(...IDS), lines, (field, parts) => {
			expect(check(field, parts.join('')).problem).toContain('has several lines');
			expect(check(field, `${parts[0]}${parts[1]}`)).toMatchObject({ sent: parts[0], problem: '' });
		}),
	);
});

const SEVERAL = fc
	.tuple(ID, fc.constantFrom(',', ', ', ';', '、', '|', ' | ', '，', '；', '  '), ID)
	.filter(([, mark, second]) => mark !== ',' || second.length > 3);
const ODD: Array<[words: string, Field[], fc.Arbitrary<string>]> = [
	['several IDs in one cell', IDS, SEVERAL.map((parts) => parts.join(''))],
	[
		'a number of which a spreadsheet kept 15 digits',
		NUMBERS,
		fc.tuple(digits(14, 14), fc.integer({ min: 2, max: 8 })).map(([d, n]) => d + '0'.repeat(n)),
	],
	['how a spreadsheet writes a number', NUMBERS, grouped(6, 11, MARKS)],
	['text that was escaped for HTML', IDS, fc.constantFrom('a&amp;b', 'O&#39;Neil', '&#x4E2D;')],
	[
		'text that was escaped for HTML',
		[...URLS, ...NAMES],
		fc.constant('https://a.example/?a&amp;b'),
	],
	['text in quotes', IDS, fc.constantFrom('"a b"', '„b“', "'c'", '«d»')],
	['leaves that finds nothing', IDS, fc.constantFrom('undefined@chatroom', 'customer-NaN')],
	['leaves that finds nothing', NAMES, fc.constantFrom('undefined', 'null', 'NaN', 'N/A')],
	['leaves that finds nothing', URLS, fc.constantFrom('https://example.com/undefined?a=b')],
	['a placeholder that', [...NAMES, ...URLS], WORD.map((w) => `https://example.com/{{ ${w} }}`)],
	['shows while it loads', NAMES, fc.constantFrom('Loading...', 'Loading…')],
	['text that lost characters', NAMES, fc.constantFrom('???', '????? News', '锟斤拷')],
	['text that lost characters', NAMES, MISREAD],
];

test.each(ODD)('%s is sent, with a notice', (words, of, values) => {
	fc.assert(
		fc.property(fc.constantFrom(...of), values, (field, value) => {
			const { sent, problem, remarks } = check(field, value);
			expect({ sent, problem }).toEqual({ sent: value, problem: '' });
			// Of an ID, the notice names the recipient.
			const subject = field.type === 'id' ? value.slice(0, 60) : field.label;
			const text = expect.stringContaining(words) as string;
			expect(remarks).toEqual([{ text, subject }]);
		}),
	);
});

const listOf = (text: string) => text.trim().split(/\s*~\s*/);
const REAL: Array<[Field[], string[]]> = [
	[
		NAMES,
		listOf(`
			Null Island ~ N/A Records ~ O'Neil ~ Nan ~ Dr. None ~ True Crime ~ Undefined Things ~ '90s Hits
			~ #1 Hits ~ #YOLO! ~ 1,000,000 ~ 100.0 ~ 7.881.300 ~ 1E+3 Club ~ 24/7 ~ - ~ $json for Beginners
			~ { Code } ~ a {b} c ~ = Equals = ~ 50% off ~ ¿Qué? ~ What?! ~ *** ~ 👨‍👩‍👧 Family ~ ❤️ [VIP]
			~ 视频号（官方） ~ ﷺ ~ ประเทศไทย ~ 𝒜𝓁𝒾𝒸ℯ ~ a|b;c,d ~ "Quoted" ~ Loading Dock ~ [object] lessons
			~ eyJhIjp7ImIiOnt9fX0= ~ {"a":{"b":{}}} ~ user_name ~ ²³`),
	],
	[
		IDS,
		listOf(`
			wxid_0a-b ~ 25984983@chatroom ~ R:10696051234 ~ customer-1 ~ 0012 ~ a b ~ 1 ~ 12.5 ~ null-pointer-club
			~ +8613800000000 ~ nana ~ none_of_us ~ truesdale ~ NULLs ~ O’Neil ~ D'Arcy ~ 用户一 ~ café ~ #12345
			~ 00000000-0000-0000-0000-000000000000 ~ {3F2504E0-4F89-11D3-9A0C-0305E82C3301} ~ a@b.example
			~ gh_3dfda90e39d6 ~ 7881300123456789012 ~ 1000000000000000 ~ AbC+/d== ~ S:1688850000000000_788
			~ 2E17 ~ 1.5E+ ~ 192.168.100.200 ~ ${'x'.repeat(500)}`),
	],
	[
		URLS,
		listOf(`
			https://example.com/视频/封面.jpg ~ https://example.com/a b(1)[2].jpg?x={y}&z=1,2;3|4#f
			~ HTTP://EXAMPLE.COM ~ https://例え.jp/文 ~ https://example.com/?q=%E4%B8%AD&null_ok=1
			~ http://127.0.0.1:8080/a ~ https://example.com/null-island`),
	],
];

test('no real value is refused or changed', () => {
	expect(REAL.flatMap(([, values]) => values).length).toBeGreaterThan(60);
	for (const [of, values] of REAL) {
		for (const field of of) {
			for (const value of values) {
				expect([value, check(field, value)]).toMatchObject([value, { sent: value, problem: '' }]);
			}
		}
	}
});

const UNSEEN = ['\u200b', '\u200e', '\ufeff', '\u00ad', '\u2060', '\ufe0f', '\u202c', '\u3164'];
test('what the eye does not see is removed from IDs and URLs, wherever it is, and named', () => {
	const at = fc.tuple(fc.nat(12), fc.constantFrom(...UNSEEN), fc.constantFrom('', ' ', '\n'));
	fc.assert(
		fc.property(fc.constantFrom(...IDS, ...URLS), at, (field, [place, unseen, space]) => {
			const real = field.type === 'url' ? 'https://example.com/x' : 'wxid_0a-b1234';
			const given = space + real.slice(0, place) + unseen + real.slice(place) + unseen + space;
			const { sent, problem, remarks } = check(field, given);
			expect({ sent, problem }).toEqual({ sent: real, problem: '' });
			expect(JSON.stringify(remarks)).toContain(
				`U+${unseen.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
			);
		}),
	);
	for (const field of fields)
		expect(check(field, ` ${UNSEEN.join('')} `).problem).toMatch(/is missing$/);
	expect(check(named('channelName'), '\u200bA\u200d').sent).toBe('\u200bA\u200d');
});
