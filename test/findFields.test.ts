import { findFields } from '../nodes/Workchat/operations/fields/findFields';
import { Breather } from '../nodes/Workchat/service/breather';
import { expectLinear } from './processorTime';

const NAMES = ['channelName', 'coverUrl'];
const BOTH = { channelName: 'a', coverUrl: 'b' };

async function placesIn(value: unknown): Promise<string[]> {
	const { complete } = await findFields(NAMES, value);
	return complete.map(({ place }) => place);
}

test.each<[string, object]>([
	['their own names', BOTH],
	['other capitals', { CHANNELNAME: 'a', coverurl: 'b' }],
	['spaces', { 'Channel Name': 'a', ' cover  url ': 'b' }],
	['underscores and hyphens', { channel_name: 'a', 'Cover-URL': 'b' }],
	['more keys beside them', { x: 1, ...BOTH, y: { ...BOTH } }],
])('finds fields by %s', async (_, object) => {
	const { complete } = await findFields(NAMES, object);
	expect(complete).toHaveLength(1);
	expect(NAMES.map((name) => complete[0]?.valueOf(name))).toEqual(['a', 'b']);
});

test.each<[string, unknown, string[]]>([
	['the outermost', BOTH, ['']],
	['a deeper one', { body: { list: [0, { video: BOTH }] } }, ['body.list[1].video']],
	['the shallowest', { a: { b: BOTH }, c: BOTH }, ['c']],
	['all of one depth', { a: BOTH, b: [1], c: { ...BOTH } }, ['a', 'c']],
	['one in lists of lists', [[[BOTH]]], ['[0][0][0]']],
	['none in texts', { a: JSON.stringify(BOTH) }, []],
	['none in parts', { a: { channelName: 'a' }, b: { coverUrl: 'b' } }, []],
	['none in nothing', undefined, []],
	['none in null', null, []],
	['none in a number', 5, []],
	['none in bytes', Buffer.from('abc'), []],
])('finds %s', async (_, value, places) => {
	expect(await placesIn(value)).toEqual(places);
});

test.each<[string, unknown, string[]]>([
	[
		'there, whatever stands beside it',
		{ a: BOTH, video: { ...BOTH, channelName: 'c' } },
		['video'],
	],
	['outside, where that has all', { ...BOTH, video: { ...BOTH } }, ['']],
	['elsewhere, where it lacks one', { a: BOTH, video: { coverUrl: 'b' } }, ['a']],
	['elsewhere, where it is no object', { a: [BOTH], video: 'b' }, ['a[0]']],
	[
		'elsewhere, where that name is deeper',
		{ a: { video: BOTH }, b: { c: { ...BOTH } } },
		['a.video', 'b.c'],
	],
])('told where it is likely to be, finds one %s', async (_, value, places) => {
	const { complete } = await findFields(NAMES, value, 'video');
	expect(complete.map(({ place }) => place)).toEqual(places);
});

test('reads nothing else where the likely one is complete', async () => {
	const body = {
		get list(): never {
			throw new Error('read');
		},
	};
	expect((await findFields(NAMES, { body, video: BOTH }, 'video')).complete).toHaveLength(1);
	await expect(findFields(NAMES, { body, video: {} }, 'video')).rejects.toThrow('read');
});

test('finds keys like those of every object', async () => {
	const value = JSON.parse(
		'{"__proto__":{"channelName":1,"coverUrl":2},"constructor":3}',
	) as unknown;
	expect(await placesIn(value)).toEqual(['__proto__']);
	const { complete } = await findFields(['constructor', 'toString'], { a: 1 });
	expect(complete).toEqual([]);
});

test('an object that holds itself has an end', async () => {
	const ring: Record<string, unknown> = { channelName: 'a' };
	ring.ring = { back: ring };
	const { complete, best } = await findFields(NAMES, ring);
	expect([complete.length, best?.place]).toEqual([0, '']);
});

test('without a complete one, the one with most fields is the best, the outer of equals', async () => {
	const bestOf = async (value: unknown) => (await findFields(NAMES, value)).best?.place;
	expect(await bestOf({ a: { b: { channelName: 1 } } })).toBe('a.b');
	expect(await bestOf({ channelName: 1, a: { coverUrl: 1 } })).toBe('');
	expect(await bestOf({ a: 1 })).toBeUndefined();
});

test.each<[object, string[][]]>([
	[{ ...BOTH, Channel_Name: 'other' }, [['channelName', 'Channel_Name']]],
	[{ ...BOTH, Channel_Name: 'a' }, []],
	[{ channelName: 12, coverUrl: 'b', channel_name: '12' }, []],
	[{ ...BOTH, 'channel name': '' }, [['channelName', 'channel name']]],
	[{ ...BOTH, 'cover url': { a: 1 } }, [['coverUrl', 'cover url']]],
])('of %j, the keys that clash are %j', async (object, clashes) => {
	const { complete } = await findFields(NAMES, object);
	expect(complete[0]?.clashes).toEqual(clashes);
});

describe('in large values', () => {
	afterEach(() => jest.restoreAllMocks());

	test.each<[string, (size: number) => unknown]>([
		['small values', (size) => ({ list: new Array(size).fill(0) })],
		['objects', (size) => Array.from({ length: size }, (_, a) => ({ a, b: {} }))],
		['full matches', (size) => Array.from({ length: size }, (_, a) => ({ ...BOTH, a }))],
		[
			'keys of one name',
			(size) => {
				const keyOf = (_: unknown, a: number) =>
					`channelName${'_'.repeat(a % 20)}${' '.repeat(a / 400)}${'-'.repeat((a / 20) % 20)}`;
				return {
					...Object.fromEntries(Array.from({ length: size }, keyOf).map((key) => [key, 'a'])),
					coverUrl: 'b',
				};
			},
		],
		[
			'levels',
			(size) => {
				let value: unknown = BOTH;
				for (let level = 0; level < size; level++) value = level % 2 ? [value] : { value };
				return value;
			},
		],
	])('the search gives others their turn after some %s', async (_, make) => {
		// Each look at the clock takes a millisecond.
		let looks = 0;
		jest.spyOn(performance, 'now').mockImplementation(() => looks++);
		const breathe = jest.spyOn(Breather.prototype, 'breathe');
		await findFields(NAMES, make(2000));
		expect(breathe.mock.calls.length).toBeGreaterThan(50);
	});

	test('it takes time as their size', async () => {
		const value = (size: number) => ({
			list: Array.from({ length: size }, (_, a) => ({ ...BOTH, a: { a } })),
		});
		await expectLinear(async (size) => await findFields(NAMES, value(size)), 1000);
	});

	test('places and clashes are those of a small one', async () => {
		const depth = 100_000;
		let value: unknown = { ...BOTH, channel_name: 'b' };
		for (let level = 0; level < depth; level++) value = [value];
		const [candidate] = (await findFields(NAMES, value)).complete;
		expect(candidate?.place).toBe('[0]'.repeat(depth));
		expect(candidate?.clashes).toEqual([['channelName', 'channel_name']]);
	});

	test('a key of 20 MB is no field, and no hindrance', async () => {
		const long = ' '.repeat(20_000_000);
		const { complete } = await findFields(NAMES, {
			[`channel${long}name`]: 'a',
			[`${long}_`]: 'a',
			coverUrl: 'b',
		});
		expect(complete).toEqual([]);
	});
});
