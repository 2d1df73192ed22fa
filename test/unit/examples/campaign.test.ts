import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { Campaign, VIDEO, YES, type Cells, type Row, type Rows } from './campaign';

/** Lists as people make them, and what they do to them while a campaign is sent. */

const OUTCOMES = ['sent', 'skipped', 'rejected', 'notSent', 'unknown', 'untried'] as const;
type Outcome = (typeof OUTCOMES)[number];

const UNSEEN = ['', ...' \u200b\u00ad\ufeff\u00a0\u3000\ufe0f\u202e\u0007\u{e0061}\t'];
const around = (text: fc.Arbitrary<string>) =>
	fc
		.tuple(fc.constantFrom(...UNSEEN), text, fc.constantFrom('', '', '', ...UNSEEN))
		.map(([before, each, after]) => before + each + after);
/** By hand, and not by the recipes' own rule. */
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

const DAY = 86_400_000;
const says = (words: string) => expect.stringContaining(words) as string;

/** What the list is to say of a recipient. */
function saidOf(rows: Row[], outcome: Outcome = 'sent') {
	const before = rows.map(({ status }) => clean(status)).find((word) => word);
	if (outcome === 'untried') return before ?? 'notSent';
	return outcome === 'skipped' ? 'sent' : outcome;
}

test('who is due and not excluded gets one message, and each row what became of it', () => {
	const all = [list, lists, outcomes, edit, fc.boolean()] as const;
	const property = fc.property(...all, (rows, unwanted, outcomes, edit, isPage) => {
		const campaign = new Campaign(rows, { unwanted, ...(isPage && { answer: () => YES }) });
		const { list } = campaign;
		const before = structuredClone(list);
		campaign.send = (toIds) => {
			edit(list);
			return toIds.map((toId) => answerOf(toId, outcomes[toId]));
		};
		campaign.run();

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
			// What came later has what its recipient has.
			const isLate = !clean(old.status) && rows.some((one) => isSent(one.status));
			const isSaid = expected.includes(toId);
			const word = isSaid ? saidOf(rows, outcomes[toId]) : isLate ? 'sent' : old.status;
			expect(clean(row.status)).toBe(clean(word));
		}
	});
	fc.assert(property, { numRuns: 300 });
});

/** A campaign by the page, on these rows. */
const page = (rows: Rows, changes: Partial<Campaign> = {}) =>
	new Campaign(rows, { answer: () => YES, ...changes });

test.each<[string, Partial<Row>, Outcome, except: number, isStopped: boolean, news: number]>([
	['nothing of the first ten goes through', {}, 'notSent', -1, true, 10],
	['one goes through in each portion', {}, 'notSent', 3, false, 246],
	['all are rejected again', { status: 'rejected', tries: 1 }, 'rejected', -1, false, 0],
	['all are in doubt again', { status: 'notSent', tries: 1 }, 'unknown', -1, true, 0],
])('ten, then a hundred each, and a brake: %s', (_, row, outcome, except, isStopped, news) => {
	const campaign = new Campaign(Array(250).fill(row), {
		send: (toIds) => toIds.map((id, at) => answerOf(id, at === except ? 'sent' : outcome)),
	});
	const result = campaign.run();
	expect(campaign.portions).toEqual(isStopped ? [10] : [10, 100, 100, 40]);
	const tried = campaign.list.filter(({ tries }) => tries === (row.tries ?? 0) + 1);
	expect(tried).toHaveLength(isStopped ? 10 : 250);
	expect(result).toMatchObject({ rings: isStopped || news > 0, newFailures: news });
	expect(result.summary.startsWith('Stopped')).toBe(isStopped);
});

test('the automatic stop works even if one of the first ten recipients opts out meanwhile', () => {
	const unwanted = ['nobody'];
	const campaign = page(Array(20).fill({}), {
		unwanted,
		answer: () => (unwanted.push('c-2'), YES),
		send: (toIds) => toIds.map((id) => answerOf(id, 'unknown')),
	});
	expect(campaign.run().summary).toMatch(/^Stopped/);
	expect(campaign.portions).toEqual([10]);
});

test('the way back: whoever is unknown gets it once more if somebody says so, in portions of their own', () => {
	const rows = [...Array<object>(3).fill({ status: 'unknown', tries: 1 }), 'a', 'b'];
	const also = (options: string[]) => options.find((option) => option.includes('also to the 3'));
	const campaign = page(rows, { answer: also });
	expect(campaign.run().summary).toBe('5 sent 已发送');
	expect(campaign.asked).toEqual(['a', 'b', 'c-1', 'c-2', 'c-3']);
	expect(campaign.portions).toEqual([2, 3]);
	const yes = page(rows);
	yes.run();
	expect(yes.question).toContain('2 to send to 待发送 + 3 unknown: may have got it 不确定');
	expect(yes.asked).toEqual(['a', 'b']);
	const only = page(rows.slice(0, 3), { answer: ([first]) => first });
	expect(only.run().summary).toBe('3 sent 已发送');
	expect(only.question).toMatch(/^Send spring-offer again\? 再次发送？/);
});

const p = (most: number) => ['toId', ...Array.from({ length: most }, (_, at) => `p-${at + 1}`)];
/** What a row says, as toId=status. */
const rowOf = (said: string) => {
	const [toId = '', status = null] = said.split('=');
	return { toId, status };
};
const STATUSES = ['ID|Status', 'a|已发送', 'b|', 'c|Sent', 'd|unknown'];
const AGAIN = ['x=Not sent', 'y=REJECTED\u3000', 'z=ｎｏｔＳｅｎｔ'];
test.each<[what: string, rows: string[], file: Cells | undefined, now: string, left: number]>([
	['a list once more', ['p-1=rejected', 'p-2'], p(3), 'p-1=sent,p-2=sent,p-3=sent', 0],
	['never tried ones first', ['x=rejected', 'y'], p(2), 'x=rejected,y=sent,p-1=sent,p-2=sent', 1],
	['more than a run sends', [], p(5), 'p-1=sent,p-2=sent,p-3=sent,p-4=,p-5=', 2],
	['failures in other words', AGAIN, undefined, 'x=sent,y=sent,z=sent', 0],
	['a status in the file', [], STATUSES, 'a=已发送,b=sent,c=Sent,d=unknown', 0],
	[
		'a word in the Status column of the file',
		['a', 'b'],
		['ID|Status', 'a|stop', 'b|'],
		'a=,b=sent',
		0,
	],
	['late rows', ['a=sent', 'a', 'b', 'b=no'], undefined, 'a=sent,a=sent,b=,b=no', 0],
])('what the table says after a run: %s', (_, rows, file, now, left) => {
	const campaign = page(rows.map(rowOf), { file, values: { mostPerRun: 3 } });
	const { summary } = campaign.run();
	expect(campaign.list.map(({ toId, status }) => `${toId}=${status ?? ''}`).join()).toBe(now);
	expect(summary.includes(`${left} left for the next run 留到下次`)).toBe(left > 0);
});

test('the numbers on the page add up, and each wrong ID has its own reason, 20 at most', () => {
	const rows = [
		...['c=SENT', 'f=SENT', 'd=rejected', 'd=已发送', '=sent', 'u=unknown'].map(rowOf),
		{ toId: 't', status: ' Rejected', tries: 3 },
	];
	const file = ['Name|toId', '|a', '|e', '|e ', 'A', '|x, y', '|b', ['', 7.88e17], '|c'];
	const campaign = page(rows, {
		...{ file, unwanted: ['B', '张三'] },
		videos: [{ ...VIDEO, caughtAt: new Date(Date.now() - 6.2 * DAY).toISOString() }],
		refuses: (toId) => toId === 'x, y',
	});
	const { summary, message } = campaign.run();
	expect(campaign.question.split('\n')).toEqual([
		'Send spring-offer to 2 people? 发送给 2 人？',
		'list.xlsx: 8 rows 行 = 5 people 人 + 1 repeated 重复 + 1 without an ID 无 ID + 1 ⚠ numbers that lost digits 丢失尾数',
		'Column 列 “toId”: a, e …',
		'Enter them anew as text 请以文本格式重新填入: 788000000000000000',
		'4 more stand in the table only 人仅在数据表中',
		'9 people 人 = 2 to send to 待发送 + 2 got it before 已收到 + 1 unknown: may have got it 不确定 + 1 with the status 状态 “已发送” + 1 failed three times 已失败三次 + 1 in do-not-contact 在免打扰名单 + 1 notSent, as the ID is wrong ID 有误',
		'Video 视频: channelName · Spring',
		'Caught 6 days 天 ago 前收到',
		'⚠ Its links may have expired: send it anew 链接可能已失效',
		"⚠ In do-not-contact, but nobody's ID 免打扰名单中不是 ID: 张三",
		'1 rows of the table have no ID 数据表中无 ID 的行',
		'“x, y” · it is wrong',
		says('Nobody sees it before'),
		says('A Yes really sends'),
	]);
	expect(summary).toBe(
		'2 sent 已发送, 1 notSent 未发送, 2 got it before 此前已收到, 1 left out: status 因状态跳过, 1 failed three times 已失败三次, 1 left out: do-not-contact 在免打扰名单',
	);
	expect(message).toContain('Did not get it 未收到 (50 at most):\nx, y · notSent · it is wrong');
	expect(message).toContain('In do-not-contact 在免打扰名单 (50 at most):\nb\n');
	const many = page(Array(30).fill({}), { refuses: (toId) => toId !== 'c-30' });
	many.run();
	expect(many.question.match(/it is wrong/g)).toHaveLength(20);
});

test.each<[Rows, answer: string | undefined, summary: string, Partial<Campaign>?]>([
	[['a'], 'No 不发送', 'as the answer was No'],
	[['a'], undefined, 'as nobody answered'],
	[['a'], YES, 'as the answer is older than the question', { answeredIn: -60_000 }],
	[['b'], YES, 'as nobody is due 没有待发送的人. 1 left out: do-not-contact'],
	[['x'], YES, 'as nobody is due 没有待发送的人. 1 notSent', { refuses: () => true }],
	[[], YES, 'as there is nobody in the table, and no file'],
])('%j that is answered %j is sent to nobody: %s', (rows, answer, summary, changes = {}) => {
	const campaign = page(rows, { unwanted: ['B '], answer: () => answer, ...changes });
	const before = structuredClone(campaign.list);
	expect(campaign.run().summary).toContain(`Nothing was sent to the list, ${summary}`);
	expect([campaign.asked, campaign.list]).toEqual([[], before]);
});

test.each<[fullAfter: number, file: Cells | undefined, asked: number, words: string]>([
	[0, undefined, 0, 'n8n takes no notes in its tables'],
	[0, p(1), 0, 'n8n takes no notes in its tables'],
	[5, undefined, 10, 'Stopped 已停止: n8n takes no notes in its tables'],
])('full after %d notes, with the list %j, %d are sent: %s', (fullAfter, file, asked, words) => {
	const campaign = new Campaign(file ? [] : Array(30).fill({}), { fullAfter, file });
	const { summary, rings } = campaign.run();
	expect([campaign.asked.length, summary.startsWith(words), rings]).toEqual([asked, true, true]);
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
test.each<[video: string, isAsked: boolean, says: string, videos?: IDataObject[]]>([
	['', true, 'the last'],
	[' by HAND\u200b', false, 'by hand'],
	['', false, `Where nobody is asked, a video has to be named. ${NAMES}`],
	['Sum', true, `No video has the name Sum 没有该视频. ${NAMES}`],
	['Summer', true, '2 videos have the name Summer: rows 4, 5. Rename all but one.'],
	['half', true, 'The video Half lacks feedNo, username.'],
	['', true, 'No video is named, and the account itself sent none', VIDEOS.slice(0, 2)],
	['x', true, 'No video has the name x 没有该视频. The table feed-videos of this project is', []],
])('the video %j, where a person is asked: %j, is %s', (video, isAsked, words, videos = VIDEOS) => {
	const campaign = page(['a'], { values: { video }, videos });
	if (!isAsked) campaign.answer = undefined;
	if (words.includes('video'))
		return expect(() => campaign.run()).toThrow(`Nothing was sent. ${words}`);
	expect(campaign.run().sent).toBe(1);
	const { feedVideo } = campaign.recipe.parametersOf('Send Feed Video');
	expect(campaign.recipe.resolve(feedVideo)).toMatchObject({ feedId: words });
});

const sentBy = (account: string, at = 0) => ({ ...VIDEO, ...day(3 + at), account });
test.each<[words: string, changes: Partial<Campaign>]>([
	['⚠ Sent by the account 发送账号: B', { videos: ['A', 'B'].map(sentBy) }],
	['⚠ spring-offer is new: nobody has got it yet', { isNew: true }],
	['Other campaigns 其他活动: spring-offer-2\n', { isNew: true }],
	['⚠ The table do-not-contact is empty', { unwanted: [] }],
	// As long as the sending and the rows that n8n adds take.
	['It takes about 约需 2 min', { file: p(6100), values: { secondsBetween: 2, mostPerRun: 30 } }],
	['you may close this page', { values: { video: '', secondsBetween: 10 } }],
])('the page says “%s” only where it is so', (words, changes) => {
	const usual = { file: p(1), values: { video: '' }, unwanted: ['b'], videos: [sentBy('B')] };
	const [other, campaign] = [page([], usual), page([], { ...usual, ...changes })];
	other.run();
	campaign.run();
	expect(other.question).not.toContain(words);
	expect(campaign.question).toContain(words);
});

test('a pace of no seconds is one', () => {
	expect(page(['a'], { values: { secondsBetween: 0 } }).run().sent).toBe(1);
});

test('what another execution chose is sent to nobody, and says so', () => {
	const campaign = page(['a'], { file: p(1) });
	campaign.run();
	expect(campaign.asked).toEqual(['a', 'p-1']);
	expect(campaign.checked.map((item) => campaign.recipientOf(item, '2'))).toEqual(['', '']);
	const code = (name: string) => campaign.recipe.code(name, [{}, {}], { $execution: { id: '2' } });
	expect(() => code('What Became of It')).toThrow('were chosen by another execution');
	expect(code('New People')).toEqual([]); // else a Retry would add them once more
});

test('two at once: what the other one has noted as sent is no failure of this one', () => {
	const doubt = { error: { outcome: 'unknown', message: 'begun before', tried: false } };
	const campaign = page(Array(15).fill({}), {
		send: (toIds) => toIds.map((id) => (['c-1', 'c-2', 'c-3'].includes(id) ? doubt : answerOf(id))),
		// Before this one notes, and after.
		meanwhile: (list) => void (list[campaign.portions.length - 1]!.status = 'sent'),
	});
	const summary = says('1 unknown: may have got it, or another run is sending it');
	expect(campaign.run()).toMatchObject({ sent: 12, skipped: 2, unknown: 1, summary });
	const left = campaign.list.filter(({ status }) => status !== 'sent');
	expect(left).toMatchObject([{ toId: 'c-3', status: 'unknown' }]);
	const other = page(['a'], { meanwhile: ([row]) => void (row!.status = 'unknown') });
	other.run();
	expect(other.list[0]!.status).toBe('sent');
});

test.each<[entry: unknown, toId: string, isLeftOut?: boolean]>([
	[12345, '0012345'],
	['g-1, g-2', 'g-2'],
	['g-1\tg-2 g-3', 'g-3'],
	['g-1；g-2', 'G-2'],
	['"g-4"', 'g-4'],
	['=0055', '55'],
	["'7881301234567890123", '7881301234567890123'],
	['７８８１３', '7881３'],
	['7881300.0', '7881300'],
	['7,881,300,123', '7881300123'],
	['[g-1|g-2]', 'g-1'],
	['g-\u00ad1', 'g-1'],
	['7881302147483610', '7881302147483613'],
	['微信ID7881302147483613-退订', '7881302147483613'],
	['wxid_abc123（张三）', 'wxid_abc123'],
	['wxid_abc123/wxid_def456', 'wxid_def456'],
	['R:10696051（测试群）', 'R:10696051'],
	['wxid_abc123-退订', 'wxid_abc1234', false],
	['7881302147483613', '7881302147483612', false],
	['S:1688850000111222_7881302147483613', 'S:1688850000111222_7881302147483614', false],
	['g-1', 'g-11', false],
	['', '0', false],
	[0, '7', false],
])('the entry %j leaves out %j', (entry, toId, isLeftOut = true) => {
	const campaign = page([toId, 'other'], { unwanted: [entry] });
	const { summary } = campaign.run();
	expect(campaign.asked).toHaveLength(isLeftOut ? 1 : 2);
	expect(summary.includes('1 left out: do-not-contact')).toBe(isLeftOut);
});

test('entries that match nobody are named if they look odd, 20 at most', () => {
	const fine = ['nobody', '7881301234567890123', 'a@b', 'wx_1=', ''];
	const odd = ['张三', 'x, y', '"z"', '7881302147483610', '+86 138', '1.5', 'undefined', '#REF!'];
	const many = Array.from({ length: 20 }, (_, at) => `no body ${at}`);
	expect(page(['a'], { unwanted: fine }).run().oddEntries).toEqual([]);
	const unwanted = [...fine, ...odd, ...many];
	expect(page(['a'], { unwanted }).run().oddEntries).toEqual([...odd, ...many].slice(0, 20));
});

test('nothing of a file or a table is shown as HTML', () => {
	const evil = '<b>&x</b>';
	const campaign = page(['a', evil], {
		...{ refuses: (toId: string) => toId === evil, unwanted: [`${evil} `] },
		videos: [{ ...VIDEO, channelName: evil, coverUrl: 'https://example.com/"onload="x' }],
		...{ file: [`${evil}|toId`, '|c'], fileName: `${evil}.xlsx` },
	});
	const { message } = campaign.run();
	expect(campaign.question + message).not.toMatch(/<b>|<img/);
	expect(campaign.question).toContain('&#60;b>&#38;x&#60;/b>.xlsx');
});

test.each<[what: string, words: string, changes: Partial<Campaign>]>([
	['an entry beyond 2^53', 'row 1 is 7881301234567890000', { unwanted: [788130123456789e4] }],
	['an entry as a spreadsheet shortens it', 'digits are lost', { unwanted: ['b; 7.88E+18'] }],
	['no pace', 'secondsBetween', { values: { secondsBetween: '' } }],
	['a pace beyond a day', 'from 0 to 86400', { values: { secondsBetween: 86_401 } }],
	['a pace below 0', 'secondsBetween', { values: { secondsBetween: -1 } }],
	['nobody in a run', 'mostPerRun', { values: { mostPerRun: 0 } }],
	['no name', 'has no name', { values: { campaign: '' } }],
	['the name of the videos', "is no campaign's", { values: { campaign: 'Feed-Videos' } }],
	['the name of those left out', "is no campaign's", { values: { campaign: 'do-not-contact' } }],
	['a dry run', 'Take the option Dry Run off', { options: { dryRun: true } }],
	['a schedule for no table', 'There is no table spring-offer', { isNew: true, answer: undefined }],
	['no status', 'of another type: status (string).', { columns: { status: undefined } }],
	['tries that are text', 'tries (number)', { columns: { tries: 'string' } }],
	['toIds that are numbers', 'toId (string)', { columns: { toId: 'number' } }],
])('nothing is sent with %s', (_, words, changes) => {
	const campaign = page(['a'], changes);
	expect(() => campaign.run()).toThrow(/^Nothing was sent\. /);
	expect(() => campaign.run()).toThrow(words);
	expect(campaign.asked).toEqual([]);
});

test('whoever says stop, even mid-run, is left out from the next portion on', () => {
	const unwanted = ['nobody'];
	const campaign = page(Array(150).fill({}), {
		unwanted,
		answer() {
			unwanted.push('c-2', 'c-3');
			return YES;
		},
		send(toIds) {
			unwanted.push('"C-120", c-121');
			return toIds.map((toId) => answerOf(toId));
		},
	});
	const left = ['c-2', 'c-3', 'c-120', 'c-121'];
	expect(campaign.run()).toMatchObject({ sent: 146, unwanted: 4 });
	const toIds = campaign.list.map(({ toId }) => toId);
	expect(campaign.asked).toEqual(toIds.filter((toId) => !left.includes(toId)));
	expect(campaign.list[1]).toMatchObject({ status: null, reason: 'left out: do-not-contact' });
});
