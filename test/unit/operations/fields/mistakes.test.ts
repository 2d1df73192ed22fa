import {
	findMistake,
	findMistakeInId,
	findSuspicionInId,
	findSuspicionInName,
} from '../../../../nodes/Workchat/operations/fields/mistakes';

/** Typical mistakes in data, and valid values that look similar. */

const listOf = (text: string) => text.split('~').flatMap((each) => each.trim() || []);
const containing = (what: string) => expect.stringContaining(what) as string;

const UNFILLED =
	'an expression or a placeholder that was left as text: switch the field to Expression';
const LOST = 'text with lost characters';
const NOTHING = 'the result of an expression that finds nothing';
const NUMBER = 'a number in the format of a spreadsheet';
const OBJECT = 'an object that an expression turned into text';
const NO_ID = 'does not look like an ID, which has only A-Z, a-z, 0-9 and _ - . : @ + = / ~';

test.each([
	[LOST, 'x\uFFFDz ~ \ud83d'],
	[UNFILLED, '{{ $json.a }} ~ ={{$("A").item.b ~ a {{ $J ~ Hello {{ $input.item.a }} and more'],
	[
		UNFILLED,
		'$json.a ~ =$input.item ~ = $node["A"] ~ $vars.a ~ $json["a"] ~ $json?.a ~ =$vars?.["a"]',
	],
	[UNFILLED, "$('A').item ~ =$( \"A\" ).all() ~ $fromAI('to')"],
	[OBJECT, 'for [object Object] ~ [OBJECT%20Array]'],
])('every field refuses %s: %s', (what, values) => {
	for (const text of listOf(values)) {
		const mistakes = [findMistake(text), findMistakeInId(text)];
		expect([text, ...mistakes]).toEqual([text, containing(what), containing(what)]);
	}
});

test.each([
	[LOST, '锟斤拷'],
	[UNFILLED, '{{ name }} ~ {{ a-b }} ~ a{{ b.c }}'],
	[NOTHING, 'undefined ~ null ~ NULL ~ NaN ~ None ~ nil ~ N/A ~ TRUE ~ false'],
	[NUMBER, '7.88E17 ~ +7.88e+17 ~ -7,88E+17 ~ 7E+17 ~ 7881.0 ~ -7881.00 ~ +7881,00'],
])('an ID that is %s is refused, but a name may be that: %s', (what, values) => {
	for (const text of listOf(values)) {
		const mistakes = [findMistake(text), findMistakeInId(text)];
		expect([text, ...mistakes]).toEqual([text, undefined, containing(what)]);
		const suspicion = what === NOTHING ? containing(`looks like ${what}`) : undefined;
		expect([text, findSuspicionInName(text)]).toEqual([text, suspicion]);
	}
});

test.each(['Null', 'nan', 'NONE', 'True', 'Undefined'])(
	'an ID that is %s is refused, however it is spelled',
	(text) => expect(findMistakeInId(text)).toContain(NOTHING),
);

/** What a spreadsheet, several IDs in one cell, a keyboard, or another encoding leaves in an ID. */
const SUSPICIOUS = `#N/A ~ #VALUE! ~ #值! ~ #### ~ 错误:502 ~ ="7" ~ =VLOOKUP(A1, B) ~ '7 ~ ’7 ~ \\N ~ (null)
	~ "a b" ~ “a” ~ «d» ~ a,b ~ a;b ~ a、b ~ a | b ~ a，b ~ 12345  67890 ~ 7,881,300 ~ 7 881 300 ~ 7 E + 17
	~ １２３ ~ wxid＿a ~ 1＠chatroom ~ аpple ~ café ~ 用户一 ~ ï¿½ ~ æ‰‹æœº ~ ?? ~ - ~ . ~ / ~ @ ~ ~ $name ~ a\${b} ~ #12345`;
test.each(listOf(SUSPICIOUS))('a user is warned of the ID %j', (text) => {
	expect([findMistakeInId(text), findSuspicionInId(text)]).toEqual([undefined, NO_ID]);
});

const NAMES = `
	Null ~ Nan ~ Nil ~ NONE ~ True ~ 张三 ~ Null Island ~ N/A Records ~ O'Neil ~ Dr. None ~ True Crime ~ Undefined Things ~ '90s Hits
	~ #1 Hits ~ #YOLO! ~ #春天! ~ #早安？ ~ 新闻:520 ~ 1,000,000 ~ 100.0 ~ 1E+3 Club ~ 24/7 ~ - ~ $json for Beginners ~ $99 (sale) ~ A$AP ~ $now or never ~ $(sale) ~ { Code }
	~ a {b} c ~ {{ a-b ~ {{ Code }} ~ 锟斤拷 ~ = Equals = ~ 50% off ~ ¿Qué? ~ What?! ~ *** ~ 👨‍👩‍👧 Family ~ ❤️ [VIP] ~ 视频号（官方）
	~ ﷺ ~ ประเทศไทย ~ 𝒜𝓁𝒾𝒸ℯ ~ a|b;c,d ~ "Quoted" ~ Loading Dock ~ [object] lessons
	~ « Voilà » ~ ÀÉÎÕ ~ «Été» ~ eyJhIjp7ImIiOnt9fX0= ~ {"a":{"b":{}}} ~ user_name ~ ²³ ~ https://example.com/null-island`;
test.each(listOf(NAMES))('the name %j is sent without a notice', (name) => {
	expect([findMistake(name), findSuspicionInName(name)]).toEqual([undefined, undefined]);
});

const IDS = `
	wxid_0a-b ~ wxid_li_nan ~ 25984983@chatroom ~ R:10696051234 ~ customer-1 ~ 0012 ~ 1 ~ 12.5 ~ 12.0 ~ nullpointer ~ annull ~ 1null ~ null2
	~ +8613800000000 ~ nana ~ noneofus ~ truesdale ~ NULLs
	~ 00000000-0000-0000-0000-000000000000 ~ a@b.example
	~ gh_3dfda90e39d6 ~ 7881300123456789012 ~ 1000000000000000 ~ AbC+/d== ~ S:1688850000000000_788 ~ 3f2504e00000000000000000a ~ a1.5E+21
	~ S:520 ~ user:501 ~ room:520 ~ room:5201 ~ 2E17 ~ 1.5E+ ~ 10.20.30.40 ~ ${'x'.repeat(500)}`;
test.each(listOf(IDS))('the ID %j is sent without a notice', (id) => {
	expect([findMistakeInId(id), findSuspicionInId(id)]).toEqual([undefined, undefined]);
});
