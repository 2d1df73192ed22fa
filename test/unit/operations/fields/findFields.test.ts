import type { FieldGroup } from '../../../../nodes/Workchat/operations/fields/field';
import { candidatesIn, findFields } from '../../../../nodes/Workchat/operations/fields/findFields';
import { Breather } from '../../../../nodes/Workchat/service/breather';
import { expectLinear } from '../../../support/processorTime';

const GROUP: FieldGroup = {
	name: 'video',
	displayName: 'Video',
	fields: [
		{ name: 'channelName', label: 'Title of the Channel', type: 'text' },
		{ name: 'size', label: 'Size', type: 'integer' },
	],
};
const BOTH = { channelName: 'a', size: 5 };

const placesIn = async (value: unknown) =>
	(await candidatesIn(value, GROUP.fields))
		.filter(({ isComplete }) => isComplete)
		.map(({ place }) => place);
const find = async (value: unknown) => await findFields(GROUP, value, 'the item');

test.each<[string, object]>([
	['their own names', { x: 1, ...BOTH, y: { ...BOTH } }],
	['other capitals', { CHANNELNAME: 'a', Size: 5 }],
	['their labels', { 'title_of-the channel': 'a', SIZE: 5 }],
	['spaces, underscores and hyphens', { channel_name: 'a', ' si-ze ': 5 }],
	['what the eye does not see', { '\uFEFFchannel\u200bName': 'a', 'si\u00adze\u200e': 5 }],
	['the one that has a value', { channelName: '', channel_name: 'a', size: 0, Size: 5 }],
	['one of two names for the same', { ...BOTH, Channel_Name: 'a', Size: '5' }],
])('finds fields by %s', async (_, object) => {
	expect(await find(object)).toEqual({ body: BOTH, problems: [], remarks: [] });
});

const TEXT = JSON.stringify(BOTH);
const wrapped = (times: number): string =>
	times === 0 ? TEXT : JSON.stringify(wrapped(times - 1));

test.each<[string, unknown, string[]]>([
	['the outermost', BOTH, ['']],
	['a deeper one', { body: { list: [0, { video: BOTH }] } }, ['body.list[1].video']],
	['the shallowest', { a: { b: BOTH }, c: BOTH }, ['c']],
	['all of one depth', { a: BOTH, b: [1], c: { ...BOTH } }, ['a', 'c']],
	['one in lists of lists', [[[BOTH]]], ['[0][0][0]']],
	['one under __proto__', { ['__proto__']: BOTH }, ['__proto__']],
	['one beside an empty one', { a: { channelName: ' ', size: null }, b: BOTH }, ['b']],
	['one below an empty one', { channelName: '\u200b', size: 5, a: [BOTH] }, ['a[0]']],
	['one below one of size 0', { channelName: 'x', size: '0', a: BOTH }, ['a']],
	['one below one whose values are objects', { channelName: {}, size: [1], a: BOTH }, ['a']],
	['one in JSON as text', { a: { data: ` ${TEXT}\n` } }, ['a.data']],
	['one in a text of a text', [wrapped(3)], ['[0]']],
	['one in percent-encoded JSON', { a: encodeURIComponent(TEXT) }, ['a']],
	['one in the value of a form', `a=1&payload=${encodeURIComponent(TEXT)}`, ['payload']],
	['one in CDATA', `<a><b><![CDATA[x]]></b><![CDATA[${TEXT}]]></a>`, ['[1]']],
	['none wrapped too often', wrapped(9), []],
	['none in a text of 5 MB', `${TEXT.slice(0, -1)}, "x": "${'x'.repeat(5e6)}"}`, []],
	['none in text that is no JSON', ['{"a', '{}}', '%7B%', '<![CDATA[', '"'], []],
	['none in parts', { a: { channelName: 'a' }, b: { size: 1 } }, []],
	['none in nothing', undefined, []],
	['none in a number', 5, []],
	['none in bytes', Object.assign(Buffer.from('abc'), BOTH), []],
])('finds %s', async (_, value, places) => {
	expect(await placesIn(value)).toEqual(places);
});

test('where several differ, the one in its own place counts, or none', async () => {
	const other = { ...BOTH, channelName: 'b' };
	const several = 'Video stands in several places with different values: ';
	expect(await find({ a: other, video: BOTH })).toMatchObject({ body: BOTH, problems: [] });
	expect(await find({ a: BOTH, video: { ...BOTH } })).toMatchObject({ body: BOTH, problems: [] });
	expect((await find({ a: BOTH, b: [other] })).body).toEqual(BOTH);
	expect((await find({ a: BOTH, b: other })).problems).toEqual([`${several}a, b`]);
	const many = Object.fromEntries(
		Array.from({ length: 20 }, (_, i) => [`a${i}`, { ...BOTH, size: i + 1 }]),
	);
	expect((await find(many)).problems[0]).toMatch(/: a0, .*, a9 and 10 more$/);
});

test.each<[string, unknown, string[]]>([
	['nothing', {}, ['Video: none of its fields (channelName, size) was found: the item is empty']],
	[
		'no field',
		{ a: 1 },
		['Video: none of its fields (channelName, size) was found: the item has: a'],
	],
	[
		'a field that is missing',
		{ a: { size: 1, x: 1 } },
		['channelName is missing', 'a has: size, x'],
	],
	['one with an empty value', { channelName: '', size: 5 }, ['channelName is empty in the item']],
	[
		'names alone',
		{ a: { channelName: '', size: '' } },
		['channelName is empty in a', 'size is empty in a'],
	],
	['a wrong value', { channelName: 'a', size: 'b' }, ['size is not a whole number']],
	['the 0 of a size', { channelName: 'a', size: 0 }, ['size is 0, but has to be above 0']],
	[
		'two values for one field',
		{ v: { ...BOTH, Channel_Name: 'b' } },
		['v has channelName twice, with different values'],
	],
	[
		'names that look like it',
		{ size: 1, 'channelNam ': 'a', '\uFEFFx': 1 },
		[
			'channelName is missing',
			'the item has: size, "channelNam ", "(U+FEFF, an invisible character)x"',
		],
	],
	['a ring', ring(), ['size is missing', 'the item has: channelName, ring']],
])('says of an item with %s what is wrong', async (_, value, problems) => {
	expect((await find(value)).problems).toEqual(problems);
});

function ring(): object {
	const outer: Record<string, unknown> = { channelName: 'a' };
	outer.ring = { back: outer };
	return outer;
}

test('long names and many are shown in part', async () => {
	const names = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`${i}`.repeat(999), 1]));
	expect((await find(names)).problems[0]?.length).toBeLessThan(1300);
	const two = await find({ ['x'.repeat(999)]: BOTH, ['y'.repeat(999)]: { ...BOTH, size: 1 } });
	expect(two.problems[0]?.length).toBeLessThan(300);
});

test('it gives others their turn, at each object when it is due', async () => {
	const breathe = jest.spyOn(Breather.prototype, 'breathe').mockResolvedValue();
	jest.spyOn(Breather.prototype, 'isDue').mockReturnValue(true);
	await placesIn(Array.from({ length: 500 }, () => ({})));
	jest.restoreAllMocks();
	expect(breathe).toHaveBeenCalledTimes(501);
});

test('it takes time as the size of what is searched', async () => {
	const value = (size: number) => ({
		list: Array.from({ length: size }, (_, a) => ({
			...BOTH,
			size: '',
			text: TEXT.replace('5', '""'),
			a: { a },
		})),
	});
	await expectLinear(async (size) => await candidatesIn(value(size), GROUP.fields), 2000);
	const open = (size: number) => [
		'<![CDATA['.repeat(size),
		'"'.repeat(size),
		`a=${'%7B'.repeat(size)}`,
	];
	await expectLinear(async (size) => await candidatesIn(open(size), GROUP.fields), 10_000);
	let deep: unknown = BOTH;
	for (let level = 0; level < 100_000; level++) deep = [deep];
	expect(await placesIn(deep)).toEqual(['[0]'.repeat(100_000)]);
});
