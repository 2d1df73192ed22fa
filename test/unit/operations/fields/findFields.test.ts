import type { FieldGroup } from '../../../../nodes/Workchat/operations/fields/field';
import { findCandidates } from '../../../../nodes/Workchat/operations/fields/candidates';
import { findFields } from '../../../../nodes/Workchat/operations/fields/findFields';
import { pathOf } from '../../../../nodes/Workchat/common/json';
import { Yielder } from '../../../../nodes/Workchat/common/yielder';
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
const OTHER = { ...BOTH, channelName: 'b' };

const placesIn = async (value: unknown) =>
	(await findCandidates([value], GROUP))
		.filter(({ isComplete }) => isComplete)
		.map(({ node: step }) => pathOf(step));
const find = async (value: unknown) => await findFields(GROUP, value, 'the item');

test.each<[string, object]>([
	['their own names', { x: 1, ...BOTH, y: { ...BOTH } }],
	['other capitals', { CHANNELNAME: 'a', Size: 5 }],
	['their labels', { 'title_of-the channel': 'a', SIZE: 5 }],
	['spaces, underscores and hyphens', { channel_name: 'a', ' si-ze ': 5 }],
	['names with invisible characters', { '\uFEFFchannel\u200bName': 'a', 'si\u00adze\u200e': 5 }],
	['the name that has a value', { channelName: '', channel_name: 'a', size: 0, Size: 5 }],
	['two names with the same value', { ...BOTH, Channel_Name: 'a', Size: '5' }],
	['the name of the group, if others differ', { a: OTHER, video: BOTH }],
	['any place, if all are equal', { a: BOTH, video: { ...BOTH } }],
	['the smallest depth, if deeper ones differ', { a: BOTH, b: [OTHER] }],
])('the node finds fields by %s', async (_, object) => {
	expect(await find(object)).toEqual({ body: BOTH, problems: [], notices: [] });
});

const TEXT = JSON.stringify(BOTH);
const wrapped = (times: number): string =>
	times === 0 ? TEXT : JSON.stringify(wrapped(times - 1));

test.each<[string, unknown, string[]]>([
	['the outermost', BOTH, ['']],
	['a deeper one', { body: { list: [0, { video: BOTH }] } }, ['body.list[1].video']],
	['the one of the smallest depth', { a: { b: BOTH }, c: BOTH }, ['c']],
	['all of one depth', { a: BOTH, b: [1], c: { ...BOTH } }, ['a', 'c']],
	['one in lists of lists', [[[BOTH]]], ['[0][0][0]']],
	['one under __proto__', { ['__proto__']: BOTH }, ['__proto__']],
	['one next to an empty one', { a: { channelName: ' ', size: null }, b: BOTH }, ['b']],
	['one below an empty one', { channelName: '\u200b', size: 5, a: [BOTH] }, ['a[0]']],
	['one below one of size 0', { channelName: 'x', size: '0', a: BOTH }, ['a']],
	['one below one whose values are objects', { channelName: {}, size: [1], a: BOTH }, ['a']],
	['one below one whose value is false', { channelName: false, size: 5, a: BOTH }, ['a']],
	['one in JSON as text', { a: { data: ` ${TEXT}\n` } }, ['a.data']],
	['one in a text of a text', [wrapped(3)], ['[0]']],
	['none in too many layers of text', wrapped(9), []],
	['none in invalid JSON', ['{"a', '{}}', '"'], []],
	['one above a text with too many values', { ...BOTH, a: `[${'1,'.repeat(3e5)}1]` }, ['']],
	['none in bytes', Object.assign(Buffer.from('abc'), BOTH), []],
])('the node finds %s', async (_, value, places) => {
	expect(await placesIn(value)).toEqual(places);
});

const twenty = (of: (index: number) => unknown) => Array.from({ length: 20 }, (_, i) => of(i));
const RING: Record<string, unknown> = { channelName: 'a' };
RING.ring = { back: RING };
const NONE = 'Video: none of its fields (channelName, size) was found: the item';
const SEVERAL = 'Video appears several times with different values: ';
const INVISIBLE = '(U+FEFF, an invisible character)';

test.each<[string | RegExp, unknown]>([
	[`${NONE} is empty`, {}],
	[`${NONE} has: a`, { a: 1 }],
	['channelName is missing; a has: size, x', { a: { size: 1, x: 1 } }],
	['channelName is empty in a; size is empty in a', { a: { channelName: '', size: '' } }],
	['size is "b", which is not a whole number above 0', { channelName: 'a', size: 'b' }],
	['v has channelName twice, with different values', { v: { ...BOTH, Channel_Name: 'b' } }],
	[
		`channelName is missing; the item has: size, "a ", "${INVISIBLE}x"`,
		{ size: 1, 'a ': 1, '\uFEFFx': 1 },
	],
	['channelName is missing; b has: size', { a: { channelName: '', size: '' }, b: { size: 1 } }],
	['channelName is missing; [0] has: x, size', [{ x: 1, size: 1 }, { size: 1 }]],
	['size is missing; the item has: channelName, ring', RING],
	[
		'channelName is missing; the item has: size, a',
		{ size: 5, a: { channelName: 'a', b: BOTH.size } },
	],
	[`${SEVERAL}a, b`, { a: BOTH, b: OTHER }],
	[/: \[1\], .*, \[10\] and 9 more$/, twenty((size) => ({ ...BOTH, size }))],
	[/^.{100,200}$/, { ['x'.repeat(999)]: BOTH, y: OTHER }],
	[/^.{1000,1300}$/, Object.fromEntries(twenty((i) => [`${i}`.repeat(999), i]) as never)],
])('the error says: %s', async (expected, value) => {
	const problems = (await find(value)).problems.join('; ');
	expect(problems).toEqual(
		typeof expected === 'string' ? expected : expect.stringMatching(expected),
	);
});

test('the search yields to the event loop at any object if it is due', async () => {
	const yieldNow = jest.spyOn(Yielder.prototype, 'yieldNow').mockResolvedValue();
	jest.spyOn(Yielder.prototype, 'isDue').mockReturnValue(true);
	await placesIn(Array.from({ length: 500 }, () => ({})));
	jest.restoreAllMocks();
	expect(yieldNow).toHaveBeenCalledTimes(501);
});

test('the search of a large item takes linear time', async () => {
	const row = { ...BOTH, size: '', text: TEXT.replace('5', '""') };
	const value = (size: number) => Array.from({ length: size }, (_, a) => ({ ...row, a: { a } }));
	await expectLinear(async (given) => await findCandidates([given], GROUP), value, 2000);
	const open = (size: number) => ['"', '{"'].map((text) => text.repeat(size));
	await expectLinear(async (given) => await findCandidates([given], GROUP), open, 4000);
	let deep: unknown = BOTH;
	for (let level = 0; level < 100_000; level++) deep = [deep];
	expect(await placesIn(deep)).toEqual(['[0]'.repeat(100_000)]);
});
