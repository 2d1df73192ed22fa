import { findFields } from '../../../../nodes/Workchat/operations/fields/findFields';
import { Breather } from '../../../../nodes/Workchat/service/breather';
import { expectLinear } from '../../../support/processorTime';

const NAMES = ['channelName', 'coverUrl'];
const FIELDS = [
	{ name: 'channelName', label: 'Title of the Channel' },
	{ name: 'coverUrl', label: 'Cover URL' },
];
const BOTH = { channelName: 'a', coverUrl: 'b' };

async function placesIn(value: unknown, likely?: string): Promise<string[]> {
	const { complete } = await findFields(FIELDS, value, likely);
	return complete.map(({ place }) => place);
}

test.each<[string, object]>([
	['their own names', { x: 1, ...BOTH, y: { ...BOTH } }],
	['other capitals', { CHANNELNAME: 'a', coverurl: 'b' }],
	['their labels', { 'title_of-the channel': 'a', coverUrl: 'b' }],
	['spaces, underscores and hyphens', { channel_name: 'a', ' Cover  -URL ': 'b' }],
])('finds fields by %s', async (_, object) => {
	const { complete } = await findFields(FIELDS, object);
	expect(complete.map((found) => NAMES.map((name) => found.valueOf(name)))).toEqual([['a', 'b']]);
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
	['none in bytes', Object.assign(Buffer.from('abc'), BOTH), []],
	['one under __proto__', { ['__proto__']: BOTH }, ['__proto__']],
])('finds %s', async (_, value, places) => {
	expect(await placesIn(value)).toEqual(places);
});

test.each<[string, unknown, string[]]>([
	['there', { a: BOTH, video: { ...BOTH, channelName: 'c' } }, ['video']],
	['outside, where that has all', { ...BOTH, video: { ...BOTH } }, ['']],
	['elsewhere, where it lacks one', { a: BOTH, video: { coverUrl: 'b' } }, ['a']],
	['elsewhere, where it is no object', { a: [BOTH], video: 'b' }, ['a[0]']],
	[
		'elsewhere, where it is deeper',
		{ a: { video: BOTH }, b: { c: { ...BOTH } } },
		['a.video', 'b.c'],
	],
])('told where it is likely to be, finds one %s', async (_, value, places) => {
	expect(await placesIn(value, 'video')).toEqual(places);
});

test('reads nothing else where the likely one is complete', async () => {
	const body = {
		get list(): never {
			throw new Error('read');
		},
	};
	expect(await placesIn({ body, video: BOTH }, 'video')).toEqual(['video']);
	await expect(placesIn({ body, video: {} }, 'video')).rejects.toThrow('read');
});

test.each<[string, unknown, string | undefined]>([
	['the one with most fields', { a: { b: { channelName: 1 } } }, 'a.b'],
	['the outer of equals', { channelName: 1, a: { coverUrl: 1 } }, ''],
	['an object that holds itself', ring(), ''],
	['nothing without any of them', { a: 1 }, undefined],
])('without a complete one, the best is %s', async (_, value, place) => {
	const { complete, best } = await findFields(
		[...FIELDS, { name: 'toString', label: 'Text' }],
		value,
	);
	expect([complete, best?.place]).toEqual([[], place]);
});

function ring(): object {
	const outer: Record<string, unknown> = { channelName: 'a' };
	outer.ring = { back: outer };
	return outer;
}

test.each<[object, string[][]]>([
	[{ ...BOTH, Channel_Name: 'other' }, [['channelName', 'Channel_Name']]],
	[{ ...BOTH, Channel_Name: 'a' }, []],
	[{ channelName: 12, coverUrl: 'b', channel_name: '12' }, []],
	[{ ...BOTH, 'channel name': '' }, [['channelName', 'channel name']]],
	[{ ...BOTH, 'cover url': { a: 1 } }, [['coverUrl', 'cover url']]],
	[{ ...BOTH, 'Title of the Channel': 'c' }, [['channelName', 'Title of the Channel']]],
])('of %j, the keys that clash are %j', async (object, clashes) => {
	const { complete } = await findFields(FIELDS, object);
	expect(complete[0]?.clashes).toEqual(clashes);
});

describe('in large values', () => {
	afterEach(() => jest.restoreAllMocks());

	test.each<[string, unknown]>([
		['values of one object', { list: new Array(2000).fill(0) }],
		['objects of one depth', Array.from({ length: 2000 }, () => ({}))],
	])('the search gives others their turn after some %s', async (_, value) => {
		// Each look at the clock takes a millisecond.
		let looks = 0;
		jest.spyOn(performance, 'now').mockImplementation(() => looks++);
		let breathing = 0;
		let most = 0;
		const breathe = jest.spyOn(Breather.prototype, 'breathe').mockImplementation(async () => {
			most = Math.max(most, ++breathing);
			await Promise.resolve();
			breathing--;
		});
		await findFields(FIELDS, value);
		expect(breathe.mock.calls.length).toBeGreaterThan(50);
		// It waits for each.
		expect(most).toBe(1);
	});

	test('it takes time as their size', async () => {
		const value = (size: number) => ({
			list: Array.from({ length: size }, (_, a) => ({ ...BOTH, a: { a } })),
		});
		await expectLinear(async (size) => await findFields(FIELDS, value(size)), 1000);
	});

	test('places and clashes are those of a small one', async () => {
		const depth = 100_000;
		let value: unknown = { ...BOTH, channel_name: 'b' };
		for (let level = 0; level < depth; level++) value = [value];
		const [candidate] = (await findFields(FIELDS, value)).complete;
		expect(candidate?.place).toBe('[0]'.repeat(depth));
		expect(candidate?.clashes).toEqual([['channelName', 'channel_name']]);
	});

	test('a key of 20 MB is no field, and no hindrance', async () => {
		const long = ' '.repeat(20_000_000);
		const { complete } = await findFields(FIELDS, {
			[`channel${long}name`]: 'a',
			[`${long}_`]: 'a',
			coverUrl: 'b',
		});
		expect(complete).toEqual([]);
	});
});
