import type { Field } from '../../../../nodes/Workchat/operations/fields/field';
import { noValue, oddLooks } from '../../../../nodes/Workchat/operations/fields/looks';

/** What people's data looks like where something went wrong on its way; and where it only looks so. */

const listOf = (text: string) => text.split('~').flatMap((each) => each.trim() || []);
const says = (what: string) => expect.stringContaining(what) as string;
const oddIn = (type: Field['type'], text: string) =>
	oddLooks(text, type !== 'id', { type } as Field);

const UNFILLED =
	'an expression or a placeholder that was left as text: switch the field to Expression';
const LOST = 'text that lost characters';
const ERROR = 'an error in a spreadsheet';
const NOTHING = 'what an expression that finds nothing leaves';
const NUMBER = 'how a spreadsheet writes a number';

const READ_AS_LATIN_1 = ['优惠活动', '客户', '视频号', 'José', 'l’été'].map((text) =>
	Buffer.from(`${text}.`).toString('latin1'),
);

/** No ID and no number is any of these; as a name it is none, or odd, or it may well be one. */
test.each<[as: 'none' | 'odd' | 'fine', what: string, values: string]>([
	['none', LOST, 'x\uFFFDz ~ \ud83d'],
	['odd', LOST, '?? ~ a????b ~ 锟斤拷 ~ ï¿½ ~ ÓÅ»Ý»î¶¯ ~ Shop ¿Í»§ ~ æ‰‹æœº ~ lâ€™Ã©'],
	['odd', LOST, READ_AS_LATIN_1.join('~')],
	['none', UNFILLED, '{{ $json.a }} ~ ={{$("A").item.b ~ a {{ $J'],
	['none', UNFILLED, 'Hello {{ $input.item.a }} and more'],
	['none', UNFILLED, '$json.a ~ =$input.item ~ = $node["A"] ~ $item(0) ~ {{ name }} ~ {{ a-b }}'],
	['none', UNFILLED, "$('A').item ~ =$( \"A\" ).all() ~ $fromAI('to') ~ $execution.id ~ $now.year"],
	['odd', UNFILLED, 'Hi {{ first name }}! ~ a{{ b.c }} ~ a${name}'],
	['fine', UNFILLED, '{{ a-b ~ b }} c'],
	['none', 'what an expression leaves of an object', 'for [object Object] ~ [OBJECT%20Array]'],
	['odd', NOTHING, 'undefined ~ Null ~ NaN ~ None ~ nil ~ N/A ~ TRUE ~ false ~ (null) ~ <nil>'],
	['odd', NOTHING, '[None] ~ \\N'],
	['none', ERROR, '#REF! ~ #VALUE! ~ #NULL! ~ #NUM! ~ #ERROR! ~ #SPILL! ~ #CALC! ~ #FIELD!'],
	['none', ERROR, '#BLOCKED! ~ #CONNECT! ~ #UNKNOWN! ~ #EXTERNAL! ~ #PYTHON! ~ #TIMEOUT! ~ #N/D'],
	['none', ERROR, '#BEZUG! ~ #WERT! ~ #ZAHL! ~ #VALEUR! ~ #¡VALOR! ~ #¿NOMBRE? ~ #NOM? ~ #N/A'],
	['none', ERROR, '#NAME? ~ #DIV/0! ~ #GETTING_DATA ~ Err:502 ~ #ref! ~ #BUSY!'],
	['fine', ERROR, '#ССЫЛКА! ~ #¡Ü! ~ #¿Ü/? ~ #NV ~ #### ~ #值! ~ #除/0！ ~ #이름? ~ #ref a!'],
	['fine', ERROR, '#Н/Д ~ #N/B ~ ＃值！ ~ ข้อผิดพลาด:502 ~ Ошибка:540'],
	['fine', ERROR, '错误:502 ~ 錯誤：508 ~ エラー:522 ~ Fehler:504 ~ Erreur : 509'],
	['odd', 'what a spreadsheet shows while it loads', 'Loading... ~ 正在加载… ~ 加载中 ~ 載入中 .'],
	['none', 'a formula of a spreadsheet', '="7" ~ = "a" ~ =VLOOKUP(A1, B) ~ =A.B(x,\ny'],
	['fine', 'a formula of a spreadsheet', '=A1 ~ ＝7'],
	['fine', 'how a spreadsheet marks text', "'7 ~ ’7 ~ ‘7 ~ `7 ~ ´7 ~ ＇7"],
	['odd', NUMBER, "7.881.300.123.456 ~ 7'881'300'123'456 ~ 78’813’001’234’567 ~ 7 881 300 123 456"],
	['odd', NUMBER, '7\u00a0881\u00a0300\u00a0123\u00a0456 ~ 7\u2009881\u2009300\u2009123\u2009456'],
	['odd', NUMBER, '7\u202f881\u202f300\u202f123\u202f456'],
	['fine', NUMBER, '-7881.0 ~ +7881,00 ~ -7,881,300 ~ 78,81,30,012 ~ +7,881,300.5 ~ -7,88e17'],
	['fine', NUMBER, '+7.88E17 ~ +7.88e+17 ~ -7,8 E + 17'],
	['fine', NUMBER, '+7.881.300.123.456,5 ~ -7 881 300 123 456.5'],
	['fine', 'a sign for no value', '- ~ -- ~ ? ~ . ~ " ~ / ~ — ~ * ~ + ~ $ ~ ^ ~ - -'],
])('no ID, and as a name %s: %s', (as, what, values) => {
	for (const text of listOf(values)) {
		expect([text, noValue(text, false)]).toEqual([text, says(what)]);
		expect([text, noValue(text, true)]).toEqual([text, as === 'none' ? says(what) : undefined]);
		if (as === 'none') continue;
		expect([text, ...oddIn('text', text)]).toEqual(as === 'odd' ? [text, says(what)] : [text]);
	}
});

const TYPES = ['text', 'id', 'url'] as const;
test.each<[what: string, of: readonly string[], values: string]>([
	['text in quotes', ['id'], '"a b" ~ “a” ~ ”a” ~ „b“ ~ ‘b‘ ~ ’b’ ~ \'c\' ~ «d» ~ »e«'],
	['several IDs in one cell', ['id'], 'a,b ~ a, b ~ a;b ~ a、b ~ a | b'],
	['several IDs in one cell', ['id'], 'a，b ~ a；b ~ 12345  67890'],
	[NUMBER, TYPES, "7.881.300 ~ 7'881'300 ~ 7’881’300 ~ 7 881 300 ~ 192.168.100.200"],
	[NUMBER, TYPES, '7\u00a0881\u00a0300 ~ 7\u2009881\u2009300 ~ 7\u202f881\u202f300'],
	['typed in full width', ['id'], '１２３ ~ wxid＿a ~ ｕser1 ~ 1＠chatroom ~ a－1'],
	[NUMBER, ['id'], 'S:7.88e+21 ~ 7.88E+21@chatroom'],
	[NOTHING, ['id', 'url'], 'undefined@chatroom ~ customer-NaN ~ https://example.com/null?a=b'],
])('what may be meant: %s', (what, of, values) => {
	for (const text of listOf(values)) {
		expect([text, noValue(text, false)]).toEqual([text, undefined]);
		for (const type of TYPES) {
			expect([text, type, ...oddIn(type, text)]).toEqual([
				...[text, type],
				...(of.includes(type) ? [says(what)] : []),
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
] as const)('no real %s looks odd', (_, real, isName, type) => {
	for (const text of listOf(real)) {
		expect([text, noValue(text, isName), ...oddIn(type, text)]).toEqual([text, undefined]);
	}
});
