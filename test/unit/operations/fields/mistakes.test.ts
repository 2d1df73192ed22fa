import type { Field } from '../../../../nodes/Workchat/operations/fields/field';
import { findMistake, findSuspicions } from '../../../../nodes/Workchat/operations/fields/mistakes';

/** Typical mistakes in data, and valid values that look similar. */

const listOf = (text: string) => text.split('~').flatMap((each) => each.trim() || []);
const containing = (what: string) => expect.stringContaining(what) as string;
const suspicionsIn = (type: Field['type'], text: string) =>
	findSuspicions(text, type !== 'id', { type } as Field);

const UNFILLED =
	'an expression or a placeholder that was left as text: switch the field to Expression';
const LOST = 'text with lost characters';
const ERROR = 'a spreadsheet error';
const NOTHING = 'the result of an expression that finds nothing';
const NUMBER = 'a number in the format of a spreadsheet';

const READ_AS_LATIN_1 = ['优惠活动', '客户', '视频号', 'José', 'l’été'].map((text) =>
	Buffer.from(`${text}.`).toString('latin1'),
);

/** Mistakes in an ID or a number. In a name, they are a mistake, too, or suspicious, or valid. */
test.each<[inName: 'mistake' | 'suspicious' | 'valid', what: string, values: string]>([
	['mistake', LOST, 'x\uFFFDz ~ \ud83d'],
	['suspicious', LOST, '?? ~ a????b ~ 锟斤拷 ~ ï¿½ ~ ÓÅ»Ý»î¶¯ ~ Shop ¿Í»§ ~ æ‰‹æœº ~ lâ€™Ã©'],
	['suspicious', LOST, READ_AS_LATIN_1.join('~')],
	['mistake', UNFILLED, '{{ $json.a }} ~ ={{$("A").item.b ~ a {{ $J'],
	['mistake', UNFILLED, 'Hello {{ $input.item.a }} and more'],
	[
		'mistake',
		UNFILLED,
		'$json.a ~ =$input.item ~ = $node["A"] ~ $item(0) ~ {{ name }} ~ {{ a-b }}',
	],
	[
		'mistake',
		UNFILLED,
		"$('A').item ~ =$( \"A\" ).all() ~ $fromAI('to') ~ $execution.id ~ $now.year",
	],
	['suspicious', UNFILLED, 'Hi {{ first name }}! ~ a{{ b.c }} ~ a${name}'],
	['valid', UNFILLED, '{{ a-b ~ b }} c'],
	[
		'mistake',
		'an object that an expression turned into text',
		'for [object Object] ~ [OBJECT%20Array]',
	],
	[
		'suspicious',
		NOTHING,
		'undefined ~ Null ~ NaN ~ None ~ nil ~ N/A ~ TRUE ~ false ~ (null) ~ <nil>',
	],
	['suspicious', NOTHING, '[None] ~ \\N'],
	['mistake', ERROR, '#REF! ~ #VALUE! ~ #NULL! ~ #NUM! ~ #ERROR! ~ #SPILL! ~ #CALC! ~ #FIELD!'],
	[
		'mistake',
		ERROR,
		'#BLOCKED! ~ #CONNECT! ~ #UNKNOWN! ~ #EXTERNAL! ~ #PYTHON! ~ #TIMEOUT! ~ #N/D',
	],
	['mistake', ERROR, '#BEZUG! ~ #WERT! ~ #ZAHL! ~ #VALEUR! ~ #¡VALOR! ~ #¿NOMBRE? ~ #NOM? ~ #N/A'],
	['mistake', ERROR, '#NAME? ~ #DIV/0! ~ #GETTING_DATA ~ Err:502 ~ #ref! ~ #BUSY!'],
	['valid', ERROR, '#ССЫЛКА! ~ #¡Ü! ~ #¿Ü/? ~ #NV ~ #### ~ #值! ~ #除/0！ ~ #이름? ~ #ref a!'],
	['valid', ERROR, '#Н/Д ~ #N/B ~ ＃值！ ~ ข้อผิดพลาด:502 ~ Ошибка:540'],
	['valid', ERROR, '错误:502 ~ 錯誤：508 ~ エラー:522 ~ Fehler:504 ~ Erreur : 509'],
	[
		'suspicious',
		'the text of a spreadsheet cell that is still loading',
		'Loading... ~ 正在加载… ~ 加载中 ~ 載入中 .',
	],
	['mistake', 'a spreadsheet formula', '="7" ~ = "a" ~ =VLOOKUP(A1, B) ~ =A.B(x,\ny'],
	['valid', 'a spreadsheet formula', '=A1 ~ ＝7'],
	['valid', 'the text mark of a spreadsheet', "'7 ~ ’7 ~ ‘7 ~ `7 ~ ´7 ~ ＇7"],
	[
		'suspicious',
		NUMBER,
		"7.881.300.123.456 ~ 7'881'300'123'456 ~ 78’813’001’234’567 ~ 7 881 300 123 456",
	],
	[
		'suspicious',
		NUMBER,
		'7\u00a0881\u00a0300\u00a0123\u00a0456 ~ 7\u2009881\u2009300\u2009123\u2009456',
	],
	['suspicious', NUMBER, '7\u202f881\u202f300\u202f123\u202f456'],
	['valid', NUMBER, '-7881.0 ~ +7881,00 ~ -7,881,300 ~ 78,81,30,012 ~ +7,881,300.5 ~ -7,88e17'],
	['valid', NUMBER, '+7.88E17 ~ +7.88e+17 ~ -7,8 E + 17'],
	['valid', NUMBER, '+7.881.300.123.456,5 ~ -7 881 300 123 456.5'],
	['valid', 'a placeholder for no value', '- ~ -- ~ ? ~ . ~ " ~ / ~ — ~ * ~ + ~ $ ~ ^ ~ - -'],
])('a mistake in an ID, and in a name %s: %s', (inName, what, values) => {
	for (const text of listOf(values)) {
		expect([text, findMistake(text, false)]).toEqual([text, containing(what)]);
		expect([text, findMistake(text, true)]).toEqual([
			text,
			inName === 'mistake' ? containing(what) : undefined,
		]);
		if (inName === 'mistake') continue;
		expect([text, ...suspicionsIn('text', text)]).toEqual(
			inName === 'suspicious' ? [text, containing(what)] : [text],
		);
	}
});

const TYPES = ['text', 'id', 'url'] as const;
test.each<[what: string, of: readonly string[], values: string]>([
	['text in quotes', ['id'], '"a b" ~ “a” ~ ”a” ~ „b“ ~ ‘b‘ ~ ’b’ ~ \'c\' ~ «d» ~ »e«'],
	['several IDs in one cell', ['id'], 'a,b ~ a, b ~ a;b ~ a、b ~ a | b'],
	['several IDs in one cell', ['id'], 'a，b ~ a；b ~ 12345  67890'],
	[NUMBER, TYPES, "7.881.300 ~ 7'881'300 ~ 7’881’300 ~ 7 881 300 ~ 192.168.100.200"],
	[NUMBER, TYPES, '7\u00a0881\u00a0300 ~ 7\u2009881\u2009300 ~ 7\u202f881\u202f300'],
	['text in full-width characters', ['id'], '１２３ ~ wxid＿a ~ ｕser1 ~ 1＠chatroom ~ a－1'],
	[NUMBER, ['id'], 'S:7.88e+21 ~ 7.88E+21@chatroom'],
	[NOTHING, ['id', 'url'], 'undefined@chatroom ~ customer-NaN ~ https://example.com/null?a=b'],
])('valid, but suspicious: %s', (what, of, values) => {
	for (const text of listOf(values)) {
		expect([text, findMistake(text, false)]).toEqual([text, undefined]);
		for (const type of TYPES) {
			expect([text, type, ...suspicionsIn(type, text)]).toEqual([
				...[text, type],
				...(of.includes(type) ? [containing(what)] : []),
			]);
		}
	}
});

const NAMES = `
	Null Island ~ N/A Records ~ O'Neil ~ Dr. None ~ True Crime ~ Undefined Things ~ '90s Hits
	~ #1 Hits ~ #YOLO! ~ #春天! ~ #早安？ ~ 新闻:520 ~ 1,000,000 ~ 100.0 ~ 1E+3 Club ~ 24/7 ~ - ~ $json for Beginners ~ $99 (sale) ~ A$AP ~ $now or never ~ { Code }
	~ a {b} c ~ = Equals = ~ 50% off ~ ¿Qué? ~ What?! ~ *** ~ 👨‍👩‍👧 Family ~ ❤️ [VIP] ~ 视频号（官方）
	~ ﷺ ~ ประเทศไทย ~ 𝒜𝓁𝒾𝒸ℯ ~ a|b;c,d ~ "Quoted" ~ Loading Dock ~ [object] lessons
	~ « Voilà » ~ ÀÉÎÕ ~ «Été» ~ eyJhIjp7ImIiOnt9fX0= ~ {"a":{"b":{}}} ~ user_name ~ ²³ ~ https://example.com/null-island`;
const IDS = `
	wxid_0a-b ~ 25984983@chatroom ~ R:10696051234 ~ customer-1 ~ 0012 ~ a b ~ 1 ~ 12.5 ~ nullpointer ~ annull ~ 1null ~ null2
	~ +8613800000000 ~ nana ~ noneofus ~ truesdale ~ NULLs ~ O’Neil ~ D'Arcy ~ 用户一 ~ café ~ #12345
	~ 00000000-0000-0000-0000-000000000000 ~ {3F2504E0-4F89-11D3-9A0C-0305E82C3301} ~ a@b.example
	~ ÄÖÜß ~ gh_3dfda90e39d6 ~ 7881300123456789012 ~ 1000000000000000 ~ AbC+/d== ~ S:1688850000000000_788 ~ 3f2504e00000000000000000a ~ a1.5E+21
	~ S:520 ~ user:501 ~ room:520 ~ 群:599 ~ room:5201 ~ #1! a ~ 2E17 ~ 1.5E+ ~ 10.20.30.40 ~ 1234 5678 ~ ${'x'.repeat(500)}`;
test.each([
	['name', NAMES, true, 'text'],
	['ID', IDS, false, 'id'],
] as const)('a real %s is not suspicious', (_, real, isFreeText, type) => {
	for (const text of listOf(real)) {
		expect([text, findMistake(text, isFreeText), ...suspicionsIn(type, text)]).toEqual([
			text,
			undefined,
		]);
	}
});
