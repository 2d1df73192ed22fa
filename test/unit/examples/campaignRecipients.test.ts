import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { Campaign, VIDEO, type Cells, type Page, type Row, type Rows } from './campaign';

/** Who gets a message: tables as people edit them, lists, do-not-contact, settings and videos. */

/** A campaign by the page. */
const page = (rows: Rows, changes: Partial<Campaign> = {}) =>
	new Campaign(rows, { click: () => ({}), ...changes });
/** What the page shows before the click. */
const opened = async (campaign: Campaign) => (await campaign.open()) as Page;

const OUTCOMES = ['sent', 'skipped', 'rejected', 'notSent', 'unknown', 'untried'] as const;
type Outcome = (typeof OUTCOMES)[number];

const UNSEEN = ['', ...' \u200b\u00ad\ufeff\u00a0\u3000\ufe0f\u202e\u0007\u{e0061}\t'];
const around = (text: fc.Arbitrary<string>) =>
	fc
		.tuple(fc.constantFrom(...UNSEEN), text, fc.constantFrom('', '', '', ...UNSEEN))
		.map(([before, each, after]) => before + each + after);
/** Not by the recipes' own rule. */
const clean = (text: string | null) =>
	[...(text ?? '')].filter((each) => !UNSEEN.includes(each)).join('');
const bare = (text: string) => clean(text).toLowerCase();

const recipient = fc.constantFrom('b-1', 'B-1', 'wxid_0a-b', '2598@chatroom', 'R:1', '7881', 'c');
const due = around(fc.constantFrom('', '', '', 'rejected', 'Rejected', 'notSent', 'NOTSENT'));
const others = ['sent', 'Sent', 'SENT', 'Unknown', '已发送', 'pending', 'no', '__proto__'];
const status = fc.oneof(due, due, due, around(fc.constantFrom(...others)), fc.constant(null));
const toIds = fc.oneof(recipient, around(recipient));
const tries = fc.constantFrom(null, 0, 1, 3, 4);
const list = fc.array(fc.record({ toId: toIds, status, tries }), { maxLength: 9 });
const outcomes = fc.dictionary(recipient, fc.constantFrom(...OUTCOMES));
const edit = fc.constantFrom<Array<(rows: Row[]) => unknown>>(
	(rows) => rows.unshift({ id: 99, toId: 'new', status: '', tries: null }),
	(rows) => rows.reverse(),
	(rows) => rows.shift(),
	([row]) => row && Object.assign(row, { toId: 'corrected' }),
	() => {},
);
const strangers = around(fc.constantFrom('nobody', 'b-1', 'C', ''));
const lists = fc.array(fc.oneof(toIds, strangers), { maxLength: 3 });

const isSent = (word: string | null) => /^sent$/i.test(clean(word));
const isDue = (word: string | null) => /^(rejected|notsent)?$/i.test(clean(word));
const rowsOf = (rows: Row[], toId: string) => rows.filter((row) => clean(row.toId) === toId);

function answerOf(toId: string, outcome: Outcome = 'sent'): IDataObject {
	if (outcome === 'sent') return { request_id: `svc_${toId}` };
	if (outcome === 'skipped') return { skipped: true };
	const tried = outcome !== 'untried';
	return { error: { outcome: tried ? outcome : 'notSent', message: `about ${toId}`, tried } };
}
/** The status that the table gets for a recipient. */
function statusOf(rows: Row[], outcome: Outcome = 'sent') {
	const before = rows.map(({ status }) => clean(status)).find((word) => word);
	if (outcome === 'untried') return before ?? 'notSent';
	return outcome === 'skipped' ? 'sent' : outcome;
}

test('whoever is due and not excluded gets one message, and each row gets the result', async () => {
	const all = [list, lists, outcomes, edit, fc.boolean()] as const;
	const property = fc.asyncProperty(...all, async (rows, unwanted, outcomes, edit, isPage) => {
		const campaign = new Campaign(rows, { unwanted, ...(isPage && { click: () => ({}) }) });
		const { list } = campaign;
		const before = structuredClone(list);
		campaign.send = (toIds) => {
			edit(list);
			return toIds.map((toId) => answerOf(toId, outcomes[toId]));
		};
		await campaign.run();

		const isExcluded = (toId: string) => unwanted.some((each) => bare(each) === bare(toId));
		const isOpen = (toId: string) => {
			const rows = rowsOf(before, toId);
			const isTried = rows.some((row) => clean(row.status));
			const mayTry = !isTried || Math.max(...rows.map((row) => row.tries ?? 0)) < 3;
			return mayTry && rows.every((row) => isDue(row.status));
		};
		const people = [...new Set(before.map(({ toId }) => clean(toId)))];
		const expected = people.filter((toId) => isOpen(toId) && !isExcluded(toId));
		expect([...campaign.asked].sort()).toEqual(expected.filter((toId) => toId).sort());
		for (const row of list) {
			const old = before.find(({ id, toId }) => id === row.id && toId === row.toId);
			if (!old) continue;
			const toId = clean(old.toId);
			const rows = rowsOf(before, toId);
			// A row that was added later gets the result of its recipient.
			const isLate = !clean(old.status) && rows.some((one) => isSent(one.status));
			const isAsked = expected.includes(toId);
			const word = isAsked ? statusOf(rows, outcomes[toId]) : isLate ? 'sent' : old.status;
			expect(clean(row.status)).toBe(clean(word));
		}
	});
	await fc.assert(property, { numRuns: 300 });
});

const p = (most: number) => ['toId', ...Array.from({ length: most }, (_, at) => `p-0000${at + 1}`)];
/** A row, from toId=status. */
const rowOf = (said: string) => {
	const [toId = '', status = null] = said.split('=');
	return { toId, status };
};
const AGAIN = ['x=Not sent', 'y=REJECTED\u3000', 'z=ｎｏｔＳｅｎｔ'];
const words = (...statuses: string[]) => [
	'toId|Status',
	...statuses.map((word, at) => `p-0000${at + 1}|${word}`),
];
const OURS = words('Sent', 'unknown', 'Not sent', 'rejected', '');
const NO = words('stop', '已退订', ' TD。', 'Opted out', '用户拒收', '已取消订阅', '未退订');
test.each<[what: string, rows: string[], file: Cells | undefined, now: string, left: number]>([
	['the same list again', ['p-00001=rejected', 'p-00002'], p(3), '1=sent,2=sent,3=sent', 0],
	[
		'people who were never tried go first',
		['x=rejected', 'y'],
		p(2),
		'x=rejected,y=sent,1=sent,2=sent',
		1,
	],
	['more people than a run sends to', [], p(5), '1=sent,2=sent,3=sent,4=,5=', 2],
	['failures in other spellings', AGAIN, undefined, 'x=sent,y=sent,z=sent', 0],
	[
		'rows that were added later',
		['a=sent', 'a', 'b', 'b=no'],
		undefined,
		'a=sent,a=sent,b=,b=no',
		0,
	],
	[
		'the results of another campaign as the list, again',
		['p-00001=sent', 'p-00002', 'p-00003=rejected'],
		OURS,
		'1=sent,2=sent,3=rejected,4=sent,5=sent',
		1,
	],
	[
		'a word of another tool counts for nobody',
		[],
		words('Active', 'VIP', 'Closed'),
		'1=sent,2=sent,3=sent',
		0,
	],
	[
		'words of refusal always count',
		[],
		NO,
		'1=stop,2=已退订,3=TD。,4=Opted out,5=用户拒收,6=已取消订阅,7=sent',
		0,
	],
	[
		'words of refusal in traditional Chinese',
		[],
		[
			'toId|狀態',
			'p-00001|已退訂',
			'p-00002|拒絕',
			'p-00003|取消訂閱',
			'p-00004|請勿打擾',
			'p-00005|',
		],
		'1=已退訂,2=拒絕,3=取消訂閱,4=請勿打擾,5=sent',
		0,
	],
	[
		'a refusal in one of two rows',
		[],
		['toId|status', 'p-00001|stop', 'p-00001|rejected', 'p-00002|'],
		'1=stop,2=sent',
		0,
	],
	[
		'a refusal of somebody in the table',
		['p-00001', 'p-00002=rejected', 'p-00003'],
		words('stop', 'TD', ''),
		'1=stop,2=TD,3=sent',
		0,
	],
])('the table after a run: %s', async (_, rows, file, now, left) => {
	const campaign = page(rows.map(rowOf), { file, values: { mostPerRun: 3 } });
	const result = await campaign.run();
	const statuses = campaign.list.map(({ toId, status }) => `${toId}=${status ?? ''}`);
	expect(statuses.join().replaceAll('p-0000', '')).toBe(now);
	expect(result.left).toBe(left);
});

test('a new campaign sends to people whom the table of another campaign calls sent', async () => {
	const campaign = page([], { isNew: true, file: OURS });
	const { file } = await opened(campaign);
	expect(file!.ignored).toEqual(['Sent', 'unknown', 'Not sent', 'rejected']);
	await campaign.sendAfter({});
	expect(campaign.asked).toHaveLength(5);
	expect(campaign.list.every(({ status }) => status === 'sent')).toBe(true);
});

test('Continue, and the schedule, heed a refusal that only the file has', async () => {
	const campaign = page(['p-00001', ...Array<string>(9).fill('')], {
		file: words('stop', '', '', '', '', ''),
		values: { secondsBetween: 2 },
		stopIn: 1,
	});
	await campaign.run();
	expect(campaign.asked).toHaveLength(3);
	campaign.stopIn = Infinity;
	await campaign.sendAfter({});
	campaign.click = undefined;
	await campaign.run();
	expect(campaign.asked).toHaveLength(5);
	expect(campaign.asked).not.toContain('p-00001');
});

test('the numbers on the page add up, and each ID that is wrong has its own reason', async () => {
	const rows = [
		...['old-0001=SENT', 'old-0002=SENT', 'old-0003=rejected', 'old-0003=已发送'].map(rowOf),
		...['=sent', 'old-0004=unknown'].map(rowOf),
		{ toId: 'old-0005', status: ' Rejected', tries: 3 },
	];
	const ids = ['p-00001', 'p-00002', 'p-00002 ', 'P-00001', 'p-00003', 'old-0001', 'p-00004'];
	const cells = ids.map((toId, at) => [`客户 ${at + 1}`, toId]);
	const campaign = page(rows, {
		file: ['姓名|toId', ...cells, ['', 7.88e17], '|合计 7', '制表人|', ['', 'p-00005\n甲'], ''],
		unwanted: ['"P-00003"', '张三'],
		refuses: (toId) => toId === 'p-00002',
	});
	const { file, ...facts } = await opened(campaign);
	expect(facts).toMatchObject({
		...{ sends: 3, got: 2, unknown: 1, excluded: 1, givenUp: 1, wrongs: 1, withoutId: 1 },
		...{ people: 10, words: { 已发送: 1 }, excludedIds: ['p-00003'], oddEntries: ['张三'] },
		wrong: [['p-00002', 'notSent', 'it is wrong', '客户 2']],
	});
	expect(file).toEqual({
		...{ name: 'list.xlsx', of: 'toId', rows: 11, ignored: [], unlike: [] },
		all: ['p-00001 客户 1', 'p-00002 客户 2', 'old-0001 客户 6', 'p-00004 客户 7'],
		skipped: [
			['empty', 1, ['制表人']],
			['twice', 1, ['p-00002']],
			['cut', 1, ['788000000000000000']],
			['lines', 1, ['p-00005\n甲']],
			['other', 1, ['合计 7']],
		],
	});
});

test('the item that n8n copies for each expression does not grow with the campaign', async () => {
	const sizeOf = async (count: number) => {
		const ids = Array.from({ length: count }, (_, at) => `p-${100_000 + at}`);
		const unwanted = ids.slice(0, count / 2);
		const file = ['toId|status', ...ids.map((toId, at) => `${toId}|${at % 9 ? '' : `note ${at}`}`)];
		const campaign = page(['a'], { file, unwanted });
		await campaign.open();
		const first = campaign.recipe.resolve("={{ $('Select Recipients').first(0).json }}");
		return JSON.stringify(first).length;
	};
	expect(await sizeOf(4000)).toBeLessThan((await sizeOf(400)) + 100);
});

const odd = ['张三', 'x, y', '"z"', '7881302147483610', '+86 138', '#REF!', '老 客户'];
const fine = ['nobody', '7881301234567890123', 'a@b', 'wx_1=', '', '7881300000333444（老客户）'];
test('entries that match nobody are named if they hold no ID or a cut one, 20 at most', async () => {
	const many = Array.from({ length: 20 }, (_, at) => `no body ${at}`);
	expect((await opened(page(['a'], { unwanted: fine }))).oddEntries).toEqual([]);
	const unwanted = [...fine, ...odd, ...many];
	const all = [...odd, ...many].slice(0, 20);
	expect((await opened(page(['a'], { unwanted }))).oddEntries).toEqual(all);
	const met = page(['7881302147483613', 'z'], { unwanted: ['7881302147483610', '"z"'] });
	expect(await opened(met)).toMatchObject({ oddEntries: [], excluded: 2 });
});

const NAMES = 'The table feed-videos has: Half, summer, Summer, Old, New, Stranger, By hand.';
const day = (date: number) => ({ caughtAt: `2026-01-0${date}T00:00:00.000Z`, id: date });
const VIDEOS = [
	{ ...VIDEO, id: 2, caughtAt: null, name: 'By hand', feedId: 'by hand' },
	{ ...VIDEO, ...day(9), name: 'Stranger', from: '788' },
	{ ...VIDEO, ...day(8), name: 'New', feedId: 'the last' },
	{ ...VIDEO, ...day(3), name: 'Old' },
	{ ...VIDEO, ...day(4), name: 'Summer' },
	{ ...VIDEO, ...day(5), name: 'summer', from: '788' },
	{ ...VIDEO, ...day(6), name: 'Half', feedNo: ' ', username: null },
];
test.each<[video: string, by: 'page' | 'schedule', words: string, videos?: IDataObject[]]>([
	['', 'page', 'the last'],
	[' by HAND\u200b', 'schedule', 'by hand'],
	['', 'schedule', NAMES],
	['Sum', 'page', `No video is called Sum. ${NAMES}`],
	['Summer', 'page', '2 videos have the name Summer: rows 4, 5. Rename all but one.'],
	['half', 'page', 'The video Half lacks feedNo, username.'],
	['', 'page', 'No video is named, and the account itself sent none', VIDEOS.slice(0, 2)],
	['x', 'page', 'No video is called x. The table feed-videos of this project is empty', []],
])('the video %j, by the %s: %s', async (video, by, words, videos = VIDEOS) => {
	const campaign = page(['a'], { values: { video }, videos });
	if (by === 'schedule') campaign.click = undefined;
	const result = await campaign.run();
	if (words.includes('video')) {
		expect([result.state, campaign.asked]).toEqual(['failed', []]);
		return expect(result.why).toContain(words);
	}
	expect(campaign.asked).toEqual(['a']);
	const { feedVideo } = campaign.recipe.parametersOf('Send Feed Video');
	expect(campaign.recipe.resolve(feedVideo)).toMatchObject({ feedId: words });
});

test.each<[what: string, words: string, changes: Partial<Campaign>]>([
	['an entry beyond 2^53', 'row 1 is 7881301234567890000', { unwanted: [788130123456789e4] }],
	['an entry as a spreadsheet shortens it', 'digits are lost', { unwanted: ['b; 7.88E+18'] }],
	['no pace', 'secondsBetween', { values: { secondsBetween: '' } }],
	['a pace beyond a day', 'from 0 to 86400', { values: { secondsBetween: 86_401 } }],
	['a pace below 0', 'secondsBetween', { values: { secondsBetween: -1 } }],
	['nobody in a run', 'mostPerRun', { values: { mostPerRun: 0 } }],
	['no name', 'has no name', { values: { campaign: '' } }],
	['the name of the videos', 'Feed-Videos is', { values: { campaign: 'Feed-Videos' } }],
	['the name of do-not-contact', 'do-not-contact is', { values: { campaign: 'do-not-contact' } }],
	['a name with that of the pages', 'is', { values: { campaign: 'my-campaign-pages' } }],
	['a dry run', 'Dry Run', { options: { dryRun: true } }],
	['a schedule for no table', 'no table spring-offer', { isNew: true, click: undefined }],
	['no status', 'another type: status (string).', { columns: { status: undefined } }],
	['tries that are text', 'tries (number)', { columns: { tries: 'string' } }],
	['toIds that are numbers', 'toId (string)', { columns: { toId: 'number' } }],
])('nothing is sent with %s', async (_, words, changes) => {
	const campaign = page(['a'], changes);
	const { state, why, rings } = await campaign.run();
	expect([state, rings, campaign.asked]).toEqual(['failed', true, []]);
	expect(why).toContain(words);
});
