import { findFields } from '../nodes/Workchat/operations/fields/findFields';
import { longestHold, now, processorTime, since } from './processorTime';

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

test.each<[string, () => unknown]>([
	['a million small values', () => ({ list: new Array(1_000_000).fill(0) })],
	['300,000 objects', () => Array.from({ length: 300_000 }, (_, a) => ({ a, b: {} }))],
	['300,000 full matches', () => Array.from({ length: 300_000 }, (_, a) => ({ ...BOTH, a }))],
	[
		'200,000 keys of one name',
		() => ({
			...Object.fromEntries(
				Array.from({ length: 200_000 }, (_, a) => [
					'channelName' + '_'.repeat(a % 20) + ' '.repeat(a / 1e4) + '-'.repeat((a / 20) % 20),
					'a',
				]),
			),
			coverUrl: 'b',
		}),
	],
	[
		'100,000 levels',
		() => {
			let value: unknown = BOTH;
			for (let level = 0; level < 100_000; level++) value = level % 2 ? [value] : { value };
			return value;
		},
	],
	[
		'keys of 20 MB',
		() => ({
			['channel' + ' '.repeat(20_000_000) + 'name']: 'a',
			['_'.repeat(20_000_000)]: 'a',
			coverUrl: 'b',
		}),
	],
])('%s take no long time, and leave others theirs', async (_, make) => {
	const value = make();
	const began = processorTime();
	const longest = await longestHold(async () => {
		const { complete } = await findFields(NAMES, value);
		expect(complete.slice(0, 3).map(({ place, clashes }) => [place.length, clashes])).toBeDefined();
	});
	expect(processorTime() - began).toBeLessThan(20_000);
	expect(longest).toBeLessThan(3_000);
});

test('this measure sees who holds the event loop', async () => {
	const hold = async () => {
		await Promise.resolve();
		for (const began = now(); since(began) < 80; );
	};
	expect(await longestHold(hold)).toBeGreaterThan(50);
});
