import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';

import fc from 'fast-check';

import { projectRoot } from '../../../dev/projectRoot';

/** An entry of do-not-contact and a recipient: they mean the same person, or two. */

const code = readFileSync(join(projectRoot, 'examples', 'code', 'ids.js'), 'utf8');
const { meets, unwantedIn } = compileFunction(`${code}\nreturn { meets, unwantedIn };`)() as {
	meets: (toId: unknown, unwanted: Set<string>) => boolean;
	unwantedIn: (entries: object[], name: string, begin: string) => Set<string>;
};
const isExcluded = (entry: unknown, toId: unknown) =>
	meets(toId, unwantedIn([{ row: 1, toId: entry }], 'do-not-contact', 'Nothing was sent.'));

const ACCOUNT = '1688850000111222';
const ID = '7881300000333444';
const WO = 'woabcdefghijklmnopqrstuvwxyzabcd';
const NUMBERS = [
	(id: string) => `S:${id}`,
	(id: string) => `S:${ACCOUNT}_${id}`,
	(id: string) => `S:${id}_${ACCOUNT}`,
	(id: string) => `S:${ACCOUNT}_${id}-old`,
	(id: string) => `ID：S:${ACCOUNT}_${id}`,
	(id: string) => `${id}_old`,
	(id: string) => `${id}-2`,
	(id: string) => `客户ID${id}退订`,
	(id: string) => `00${id}`,
	(id: string) => `${id}.00`,
	(id: string) => `${id.slice(0, 4)} ${id.slice(4, 8)}-${id.slice(8, 12)},${id.slice(12)}`,
	(id: string) =>
		[...id].map((digit) => String.fromCodePoint(digit.codePointAt(0)! + 0xfee0)).join(''),
];
const ALL = [
	(id: string) => id,
	(id: string) => id.toUpperCase(),
	(id: string) => `${id}@openim`,
	(id: string) => `S:${id}@openim`,
	(id: string) => `R:${id}`,
	(id: string) => `wxid:${id}`,
	(id: string) => `ID：${id}`,
	(id: string) => `${id}（老客户）`,
	(id: string) => `VIP ${id} 张三 2026-11-28`,
	(id: string) => `'${id}`,
	(id: string) => `="${id}"`,
	(id: string) => `【${id}】。`,
	(id: string) => `\u200b${id}\u00a0`,
	(id: string) => `other-0001; ${id}\nother-0002`,
	(id: string) => `https://shop2026.example.com/customers/${id}?from=1`,
];
/** The digits of a number, or the letters and digits of a name, that differ from those of another one. */
const other = (id: string) => id.replace(/.$/, (last) => (last === '1' ? '2' : '1'));
const digits = (most: number) =>
	fc.nat({ max: 10 ** most - 1 }).map((each) => String(each).padStart(most, '0'));
const id = fc.oneof(
	// A number that ends in 0 may have been cut by a spreadsheet.
	digits(12).map((each) => `788${each}1`),
	digits(8).map((each) => `788${each}7`),
	fc
		.tuple(fc.constantFrom('wxid_', 'wo', 'wm', 'gh_', 'customer-'), digits(6))
		.map(([prefix, each]) => `${prefix}a${each}xyz${each[0]}`),
);
/** An ID as it is written in one of many ways. */
const write = (id: string, nth: number) => {
	const all = /^\d+$/.test(id) ? [...ALL, ...NUMBERS] : ALL;
	return all[nth % all.length]!(id);
};
const ways = fc.tuple(fc.nat({ max: 999 }), fc.nat({ max: 999 }));

test('however an ID is written in an entry and in a recipient, it is the same person', () => {
	const property = fc.property(id, ways, (id, [one, other]) => {
		return isExcluded(write(id, one), write(id, other));
	});
	fc.assert(property, { numRuns: 2000 });
});

test('however two IDs are written, they are two people', () => {
	const property = fc.property(id, ways, (id, [one, two]) => {
		const [entry, toId] = [write(id, one), write(other(id), two)];
		// Both name these.
		fc.pre(!(entry.includes('other-0001') && toId.includes('other-0001')));
		return !isExcluded(entry, toId);
	});
	fc.assert(property, { numRuns: 2000 });
});

test.each<[entry: unknown, toId: string]>([
	[12345, '0012345'],
	['g-1, g-2', 'g-2'],
	['customer-1\tcustomer-2 customer-3', 'customer-3'],
	['g-1；g-2', 'G-2'],
	['"g-4"', 'g-4'],
	['=0055', '55'],
	["'7881301234567890123", '7881301234567890123'],
	['７８８１３', '7881３'],
	['7881300.0', '7881300'],
	['[g-1|g-2]', 'g-1'],
	['g-\u00ad1', 'g-1'],
	['wxid_abc123/wxid_def456', 'wxid_def456'],
	['zhangsan（老客户）', 'ZhangSan'],
	['退订：zhangsan', 'zhangsan'],
	['id:zhangsan', 'zhangsan'],
	[`S:${ACCOUNT}_zhangsan`, 'zhangsan'],
	['wxid_abcdefgh (she said stop)', 'wxid_abcdefgh'],
	[WO, `${WO}（退订）`],
	[`${WO} she said stop`, WO],
	['a+b/c1==', 'a+b/c1=='],
	...['+86 139 1122 0011', '+8613911220011', '0086-139-1122-0011', '(139) 1122-0011'].map(
		(entry): [string, string] => [entry, '13911220011'],
	),
	...['13911 220011', '139 11220011', '1391122 0011', '139 – 1122 – 0011'].map(
		(entry): [string, string] => [entry, '+8613911220011'],
	),
	// A spreadsheet keeps 15 digits of a number.
	['7881302147483610', '7881302147483613'],
	['7881302147483610', `S:${ACCOUNT}_7881302147483613`],
])('the entry %j excludes %j', (entry, toId) => expect(isExcluded(entry, toId)).toBe(true));

test.each<[entry: unknown, toId: string]>([
	['wxid_abc123-退订', 'wxid_abc1234'],
	['wxid_1234567890ab', 'wxid_1234567890cd'],
	['wxid_1234567890ab', '1234567890'],
	['a13800138000', '13800138000'],
	['zhangsan88 2026-11-28', '2026-11-28'],
	['g-1', 'g-11'],
	['788130000033', ID],
	[ID, `${ID}1`],
	['', '0'],
	['', ''],
	['（）', '张三（老客户）'],
	[0, '7'],
	['customer zhangsan88 said stop', 'said'],
	['customer zhangsan88 said stop', 'customer lisi_99'],
	// The account is the same, the customer is not.
	[`S:${ACCOUNT}_zhangsan`, `S:${ACCOUNT}_${ID}`],
	['S:1688850000111220_7881300000333444', 'S:1688850000111220_7881300000333445'],
	[`${ACCOUNT}_${ID}`, `S:${ACCOUNT}_${other(ID)}`],
	['https://shop2026.example.com/c/wxid_a1b2c3', 'https://shop2026.example.com/c/wxid_d4e5f6'],
	['a1b2c3d4-1111-4222-8333-abcdefabcdef', 'b5c6d7e8-1111-4222-8333-abcdefabcdef'],
	['0b6e3f51-4222-4123-9333-0a1b2c3d4e5f', '0b6e3f51-4222-4123-9333-0a1b2c3d4e60'],
	['0086123456789012', '123456789012'],
	['13911220011 / 13911220012', '1391122001113911220012'],
	// Text that only looks cut.
	['7881302147483610（老客户）', '7881302147483613'],
	['7881302147483613', '7881302147483612'],
])('the entry %j does not exclude %j, nor the reverse', (entry, toId) => {
	expect([isExcluded(entry, toId), isExcluded(toId, entry)]).toEqual([false, false]);
});

test.each([788130123456789e4, '7.88E+18', 'b; 7.88130123456789E+18', '1.5e21'])(
	'an entry %j whose last digits are lost stops everything',
	(entry) =>
		expect(() => isExcluded(entry, 'x')).toThrow('Nothing was sent. In do-not-contact, row 1 is'),
);

test.each(['1', '1 ', '1111 ', 'a_', '1-', 'x://', '1234567_', 'ｘ', '=', 'a=b', '1:', '，'])(
	'an entry of %j, repeated, is read in linear time',
	(part) => {
		const timeOf = (count: number) => {
			const start = process.cpuUsage();
			isExcluded(part.repeat(count), 'x');
			const { user, system } = process.cpuUsage(start);
			return user + system;
		};
		// The least of three, as the garbage collector may run in any of them.
		const least = (length: number) => Math.min(...[1, 2, 3].map(() => timeOf(length)));
		timeOf(20_000);
		expect(least(80_000)).toBeLessThan(12 * least(20_000) + 20_000);
	},
);
