import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { Campaign, KINDS, VIDEO, type Kind, type Row, type Rows } from './campaign';

/** Lists as people make them, and what they do to them while a campaign is sent. */

type Edit = 'insert' | 'sort' | 'delete' | 'correct' | 'shuffle' | 'none';
type Outcome = 'sent' | 'skipped' | 'rejected' | 'notSent' | 'unknown' | 'untried';

const UNSEEN = [
	...['', ' ', '\u200b', '\u00ad', '\ufeff', '\u00a0', '\u3000', '\ufe0f', '\u202e', '\u0007'],
	...['\u{e0061}', '\t'],
];
const around = (text: fc.Arbitrary<string>) =>
	fc
		.tuple(fc.constantFrom(...UNSEEN), text, fc.constantFrom('', '', '', ...UNSEEN))
		.map(([before, each, after]) => before + each + after);
/** By hand, and not by the recipes' own rule. */
const clean = (text: string) => [...text].filter((each) => !UNSEEN.includes(each)).join('');
const bare = (text: string) => clean(text).toLowerCase();

const recipient = fc.constantFrom('b-1', 'B-1', 'wxid_0a-b', '2598@chatroom', 'R:1', '7881', 'c');
const due = around(fc.constantFrom('', '', '', 'rejected', 'Rejected', 'notSent', 'NOTSENT'));
const others = ['sent', 'Sent', 'SENT', 'unknown', '已发送', 'pending', 'no', '__proto__'];
const status = fc.oneof(due, due, due, around(fc.constantFrom(...others)), fc.constant(null));
const toIds = fc.oneof(recipient, around(recipient));
const tries = fc.constantFrom(null, 0, 1, 3, 4);
const list = fc.array(fc.record({ toId: toIds, status, tries }), { maxLength: 9 });
const outcomes = fc.dictionary(
	recipient,
	fc.constantFrom<Outcome>('sent', 'skipped', 'rejected', 'notSent', 'unknown', 'untried'),
);
const edit = fc.constantFrom<Edit>('insert', 'sort', 'delete', 'correct', 'shuffle', 'none');
const lists = fc.array(fc.oneof(toIds, around(fc.constantFrom('nobody', 'b-1', 'C', ''))), {
	maxLength: 3,
});

const isDue = (word: string | null) => /^(rejected|notsent)?$/i.test(clean(word ?? ''));
const people = (rows: Row[]) => [...new Set(rows.map(({ toId }) => clean(toId)))];
const rowsOf = (rows: Row[], toId: string) => rows.filter((row) => clean(row.toId) === toId);

function answerOf(toId: string, outcome: Outcome = 'sent'): IDataObject {
	if (outcome === 'sent') return { request_id: `svc_${toId}` };
	if (outcome === 'skipped') return { skipped: true };
	const tried = outcome !== 'untried';
	return { error: { outcome: tried ? outcome : 'notSent', message: `about ${toId}`, tried } };
}

const YES = { answer: (): string | undefined => 'Yes, send it 发送' };
const DAY = 86_400_000;
const says = (words: string) => expect.stringContaining(words) as string;

/** What the list is to say of a recipient. */
function saidOf(rows: Row[], outcome: Outcome = 'sent') {
	const before = rows.map((row) => row.status ?? '').find((word) => clean(word));
	if (outcome === 'untried') return before ?? 'notSent';
	return outcome === 'skipped' ? 'sent' : outcome;
}

/** @returns the rows that the person made another's */
function change(rows: Row[], edit: Edit): Row[] {
	const inserted = { id: 99, toId: 'new', status: '', tries: null };
	if (edit === 'insert') rows.unshift(inserted);
	if (edit === 'sort') rows.sort((one, other) => (one.toId < other.toId ? -1 : 1));
	if (edit === 'shuffle') rows.reverse();
	if (edit === 'delete') rows.shift();
	if (edit === 'correct' && rows[0]) rows[0].toId = 'corrected';
	return edit === 'insert' ? [inserted] : edit === 'correct' ? rows.slice(0, 1) : [];
}

type Wrong = [what: string, words: string, changes: Partial<Campaign>, rows?: Rows];
const OTHER_TYPE = 'or has them of another type: status (string). It has: toId (string)';
const NO_TO_ID = 'has no column toId. Its first row is: Spring customers. The headings';
const NO_STATUS = 'has no column status. Its first row is: toId, Status?';
const UNWANTED_NO_TO_ID = 'do-not-contact has no column toId. Its first row is: customer-1';
const TWICE = 'has status twice: status, Status';
/** What only one kind refuses. */
const WRONG: Record<Kind, Wrong[]> = {
	'campaign-from-a-table': [
		['no status', OTHER_TYPE, { columns: { status: undefined } }],
		['tries that are text', 'tries (number)', { columns: { tries: 'string' } }],
		['toIds that are numbers', 'toId (string)', { columns: { toId: 'number' } }],
	],
	'campaign-from-google-sheets': [
		['a title above', NO_TO_ID, { headings: ['Spring customers'] }],
		['no status', NO_STATUS, { headings: ['toId', 'Status?'] }],
		['two of them', TWICE, { headings: ['toId', 'status', 'Status'] }],
		['no headings', 'Its first row is: empty', { headings: [] }],
		['no headings of those left out', UNWANTED_NO_TO_ID, { unwantedHeadings: ['customer-1'] }],
	],
};

describe.each(KINDS)('%s', (kind) => {
	const isTable = kind === 'campaign-from-a-table';
	const where = isTable ? 'table' : 'sheet';

	test('who is due and not excluded gets one message, and each row what became of it', () => {
		const all = [list, lists, outcomes, edit, fc.boolean()] as const;
		const property = fc.property(...all, (rows, unwanted, outcomes, edit, isClick) => {
			const campaign = new Campaign(kind, rows, { unwanted, ...(isClick && YES) });
			const { list } = campaign;
			const before = structuredClone(list);
			let others: Row[] = [];
			campaign.send = (toIds) => {
				others = change(list, edit);
				return toIds.map((toId) => answerOf(toId, outcomes[toId]));
			};
			campaign.run();

			const isExcluded = (toId: string) => unwanted.some((each) => bare(each) === bare(toId));
			const isOpen = (toId: string) => {
				const rows = rowsOf(before, toId);
				const mayTry = rows.some((row) => !clean(row.status ?? '') || (row.tries ?? 0) < 3);
				return mayTry && rows.every((row) => isDue(row.status));
			};
			const expected = people(before).filter((toId) => isOpen(toId) && !isExcluded(toId));
			expect([...campaign.asked].sort()).toEqual(expected.sort());
			for (const row of list) {
				const old = before.find(({ id }) => id === row.id);
				const toId = clean(row.toId);
				const said = saidOf(rowsOf(before, toId), outcomes[toId]);
				// A table knows its rows, a sheet only their recipients.
				const isItsOwn = old && !others.includes(row);
				const isSaid = expected.includes(toId) && (isItsOwn || !isTable);
				expect(row.status).toBe(isSaid ? said : old ? old.status : '');
			}
		});
		fc.assert(property, { numRuns: 300 });
	});

	/** A campaign that a click begins, on these rows. */
	const click = (rows: Rows, changes: Partial<Campaign> = {}) =>
		new Campaign(kind, rows, { ...YES, ...changes });

	test.each<[string, Partial<Row>, Outcome, except: number, asked: number, newFailures?: number]>([
		['nothing of a whole portion goes through', {}, 'notSent', -1, 100, 100],
		['one goes through', {}, 'notSent', 42, 250, 247],
		['all are rejected again', { status: 'rejected', tries: 1 }, 'rejected', -1, 250],
		['all are in doubt again', { status: 'notSent', tries: 1 }, 'unknown', -1, 100],
	])('the brake: %s', (_, row, outcome, except, expected, ...[failures]) => {
		const campaign = new Campaign(kind, Array(250).fill(row), {
			send: (toIds) => toIds.map((id, at) => answerOf(id, at === except ? 'sent' : outcome)),
		});
		const { brake, summary, newFailures } = campaign.run();
		expect(campaign.asked).toHaveLength(expected);
		const tried = campaign.list.filter(({ tries }) => tries === (row.tries ?? 0) + 1);
		expect(tried).toHaveLength(expected);
		const isStopped = expected === 100;
		expect([Boolean(brake), summary.startsWith('Stopped')]).toEqual([isStopped, isStopped]);
		expect(newFailures).toBe(failures);
	});

	test('the brake: who said stop meanwhile is none of those who could have got it', () => {
		const unwanted = ['nobody'];
		const campaign = click(Array(250).fill({}), {
			unwanted,
			answer: () => (unwanted.push('c-2'), 'Yes, send it'),
			send: (toIds) => toIds.map((id) => answerOf(id, 'notSent')),
		});
		expect(campaign.run()).toMatchObject({ notSent: 99, excluded: 1, brake: 'about c-100' });
	});

	test.each(['Not sent', 'REJECTED\u3000', 'ｎｏｔＳｅｎｔ'])('%j is due again', (status) => {
		expect(click([{ status }]).run().sent).toBe(1);
	});

	test('a 0, as a sheet has for an empty cell elsewhere, is counted and noted', () => {
		const campaign = click(['a', { toId: 0 } as never], {
			refuses: (toId) => toId === '0',
			send: (toIds) => toIds.map((id) => answerOf(id, id === '0' ? 'notSent' : 'sent')),
		});
		expect(campaign.run()).toMatchObject({ sent: 1, notSent: 1 });
		expect(campaign.question).toContain('to 1 person?');
		expect(campaign.list[1]!.status).toBe('notSent');
	});

	test('never tried rows come first, up to the most of a run', () => {
		const tried = Array<object>(3).fill({ status: 'rejected' });
		const campaign = click([...tried, 'd', 'e'], { values: { secondsBetween: 2, mostPerRun: 3 } });
		expect(campaign.run().summary).toBe('3 sent; 2 left for the next run.');
		expect(campaign.asked).toEqual(['d', 'e', 'c-1']);
	});

	test('a dry run asks nobody, notes nothing, and says which rows are wrong, 20 at most', () => {
		const error = { outcome: 'notSent', message: 'it is empty', tried: false };
		const rejected = { status: 'rejected' };
		const campaign = click(['a', ...Array<object>(21).fill(rejected)], {
			options: { dryRun: true },
			send: ([, ...others]) => [{ dryRun: true }, ...others.map(() => ({ error }))],
		});
		const wrong = campaign.list.slice(1, 21).map(({ toId }) => ({ toId, reason: 'it is empty' }));
		const summary = says('Dry run, nothing was sent: 21 wrong, 1 would be sent');
		expect(campaign.run()).toEqual({ summary, dryRun: 1, notSent: 21, wrong });
		expect(campaign.question).toBe('');
		expect(campaign.list).toMatchObject([{ status: null }, ...Array<object>(21).fill(rejected)]);
		// "Execute step", once the option is off again, has its items still.
		campaign.recipe.parametersOf('Send Feed Video').options = {};
		const toIds = campaign.checked.map((item) => campaign.recipientOf(item, '2'));
		expect(toIds).toEqual(Array(22).fill(''));
	});

	const OTHERS = [
		...['c', 'f'].map((toId) => ({ toId, status: 'SENT' })),
		{ toId: 'd', status: 'rejected' },
		{ toId: 'd', status: '已发送' },
		{ toId: 't', status: ' Rejected', tries: 3 },
		{ toId: '', status: 'sent' },
		{ toId: 'x, y' },
	];
	const VIDEO_FACTS = ['Video 视频: channelName · Spring', 'caught 6 days ago · 6 天前收到'];
	const OLD =
		'⚠ Its links may have expired: send it from the phone again · 链接可能已失效，请用手机重新发送';
	const FACTS = [
		'2 got it before · 2 人已收到',
		'2 left out: status · 2 人因状态跳过',
		'1 left out: do-not-contact · 1 人在免打扰名单',
		'1 left out: no toId · 1 行没有 toId',
		'1 left out: refused · 1 个有误 · “x, y”: it is wrong',
	];
	const ONE = ['Send spring-offer to 1 person? 发送给 1 人？', ...VIDEO_FACTS, OLD];
	const EMPTY = `The ${where} has no rows: put in whom to send to, with the column toId, and execute the workflow again.`;
	test.each<[Rows, answer: string | undefined, string, asks?: string[]]>([
		[
			['a', 'b', 'e', ...OTHERS],
			'Yes, send it 发送',
			'2 sent, 1 not sent; 4 left out: status, 1 left out: do-not-contact, 1 left out: no toId.',
			['Send spring-offer to 2 people? 发送给 2 人？', ...VIDEO_FACTS, OLD, ...FACTS],
		],
		[
			['a'],
			'No 不发送',
			'Nothing was sent to the list, as the answer was No.',
			[...ONE, says('0 left out')],
		],
		[
			['a'],
			undefined,
			'Nothing was sent to the list, as nobody answered.',
			[...ONE, says('0 left out')],
		],
		[['b'], '', 'Nobody is due; 1 left out: do-not-contact.'],
		[[], '', EMPTY],
	])('a click on %j that is answered %j says: %s', (rows, answer, summary, ...[asks]) => {
		const campaign = click(rows, {
			unwanted: ['B '],
			answer: () => answer,
			videos: [{ ...VIDEO, caughtAt: new Date(Date.now() - 6.2 * DAY).toISOString() }],
			refuses: (toId) => toId === 'x, y',
			send: (toIds) => toIds.map((toId) => answerOf(toId, toId === 'xy' ? 'notSent' : 'sent')),
		});
		const leftAlone = { SENT: 2, 已发送: 1, Rejected: 1 };
		expect(campaign.run()).toMatchObject(rows.length > 1 ? { summary, leftAlone } : { summary });
		const unseen = says('Nobody sees it before: testRecipient in Campaign is empty');
		expect(campaign.question.split('\n')).toEqual(asks ? [...asks, unseen] : ['']);
		const excluded = campaign.list.find(({ toId }) => toId === 'b');
		if (isTable) expect(excluded?.reason).toBe(excluded && 'left out: do-not-contact');
		expect(excluded?.status ?? null).toBe(null);
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
		['', false, `Where nobody is asked, video in Campaign has to name one. ${NAMES}`],
		['Sum', true, `No video has the name Sum, which stands in Campaign. ${NAMES}`],
		['Summer', true, '2 videos have the name Summer: rows 4, 5. Rename all but one.'],
		['half', true, 'The video Half lacks feedNo, username.'],
		['', true, 'In Campaign, video is empty, and there is none that the', VIDEOS.slice(0, 2)],
		[
			'x',
			true,
			'No video has the name x, which stands in Campaign. The table feed-videos is e',
			[],
		],
	])(
		'the video %j, where a person is asked: %j, is %s',
		(video, isAsked, words, videos = VIDEOS) => {
			const campaign = click(['a'], { values: { secondsBetween: 0, video }, videos });
			if (!isAsked) campaign.answer = undefined;
			if (words.includes('video'))
				return expect(() => campaign.run()).toThrow(`Nothing was sent. ${words}`);
			expect(campaign.run().sent).toBe(1);
			expect(campaign.videoSent).toMatchObject({ feedId: words });
		},
	);

	test('what another execution chose is sent to nobody, and says so', () => {
		const campaign = click(['a', 'b']);
		campaign.run();
		expect(campaign.checked.map((item) => campaign.recipientOf(item))).toEqual(['a', 'b']);
		expect(campaign.checked.map((item) => campaign.recipientOf(item, '2'))).toEqual(['', '']);
		const again = () =>
			campaign.recipe.code('What Became of It', [{}, {}], { $execution: { id: '2' } });
		expect(again).toThrow(
			'Nothing more was sent. These recipients were chosen by another execution',
		);
	});

	test('sent wins over unknown that another execution noted, and over nothing else', () => {
		const words = ['unknown', '已发送', 'unknown', null];
		const campaign = click(Array(150).fill({}), {
			meanwhile: (list) => list.forEach((row, at) => (row.status ||= words[at % 4]!)),
			send: (toIds) =>
				toIds.map((id) => answerOf(id, Number(id.slice(2)) % 4 ? 'sent' : 'unknown')),
		});
		campaign.run();
		const after = campaign.list.map(({ status }) => status);
		const others = isTable ? '已发送' : 'sent'; // a sheet has no conditions
		expect(after).toEqual(
			after.map((_, at) => (at % 4 === 3 ? 'unknown' : at % 4 === 1 ? others : 'sent')),
		);
		const other = click(Array(50).fill({}), {
			meanwhile: (list) => list.forEach((row) => (row.status = 'sent')),
			send: (toIds) => toIds.map((id) => answerOf(id, 'unknown')),
		});
		other.run();
		expect(new Set(other.list.map(({ status }) => status))).toEqual(new Set(['sent']));
	});

	test.each<[entry: unknown, toId: string, isLeftOut?: boolean]>([
		[12345, '0012345'],
		['g-1, g-2', 'g-2'],
		['g-1\tg-2 g-3', 'g-3'],
		['g-1；g-2', 'G-2'],
		['"g-4"', 'g-4'],
		['“g-4”', ' g-4'],
		['="0055"', '55'],
		['=0055', '0055'],
		["'7881301234567890123", '7881301234567890123'],
		['７８８１３', '7881３'],
		['7881300.0', '7881300'],
		['7,881,300,123', '7881300123'],
		['7881 3001 234', '78813001234'],
		['[g-1|g-2]', 'g-1'],
		['g-\u00ad1', 'g-1'],
		['7881302147483610', '7881302147483613'],
		['7881302147483613（张三）', '7881302147483613'],
		['微信ID：7881302147483613-退订', '7881302147483613'],
		['wxid_abc123（张三）', 'wxid_abc123'],
		['微信号：wxid_abc123-退订', 'Wxid_abc123'],
		['wxid_abc123/wxid_def456', 'wxid_def456'],
		['R:10696051（测试群）', 'R:10696051'],
		['wxid_abc123-退订', 'wxid_abc1234', false],
		['7881302147483613', '7881302147483612', false],
		['S:1688850000111222_7881302147483613', 'S:1688850000111222_7881302147483614', false],
		['g-1', 'g-11', false],
		['', '0', false],
		[0, '7', false],
	])('the entry %j leaves out %j', (entry, toId, isLeftOut = true) => {
		const campaign = click([toId, 'other'], { unwanted: [entry] });
		const result = campaign.run();
		expect(campaign.asked).toHaveLength(isLeftOut ? 1 : 2);
		expect(result).toEqual({
			...{ summary: expect.any(String) as string, sent: isLeftOut ? 1 : 2 },
			...(isLeftOut && { excluded: 1 }),
		});
	});

	test('entries that match nobody are named if they look odd, 20 at most', () => {
		const fine = ['nobody', '7881301234567890123', 'a@b', 'wx_1=', ''];
		const odd = ['x, y', '"z"', '7881302147483610', '+86 138', '1.5', 'undefined', '#REF!'];
		const many = Array.from({ length: 20 }, (_, at) => `no body ${at}`);
		expect(click(['a'], { unwanted: fine }).run()).toEqual({ summary: '1 sent.', sent: 1 });
		const unwanted = [...fine, ...odd, ...many];
		const { oddEntries, summary } = click(['a'], { unwanted }).run();
		expect(oddEntries).toEqual([...odd, ...many].slice(0, 20));
		expect(summary).toBe('1 sent; odd entries of do-not-contact match nobody (see oddEntries).');
	});

	test('an empty list of those left out is mentioned, as somebody may have renamed it', () => {
		const { summary } = new Campaign(kind, ['a']).run();
		expect(summary).toBe(`1 sent; the ${where} do-not-contact is empty (was it renamed?).`);
		const campaign = click(['a']);
		expect(campaign.run().summary).toBe('1 sent.');
		expect(campaign.question).toContain(`⚠ The ${where} do-not-contact is empty`);
	});

	const LONG = ['7881301234567890', '78813012345678900', '7881301234567891000', '1000000000000000'];
	const BEYOND = `row ${isTable ? 2 : 3} is 7881301234567890000, a`;
	test.each<Wrong>([
		['IDs that a spreadsheet cut', 'other people', {}, LONG],
		['an entry beyond 2^53', BEYOND, { unwanted: ['b', 788130123456789e4] }],
		['an entry as a spreadsheet shortens it', 'digits are lost', { unwanted: ['b; 7.88E+18'] }],
		['no pace', 'secondsBetween', { values: { secondsBetween: '' } }],
		['a pace beyond a day', 'from 0 to 86400', { values: { secondsBetween: 86_401 } }],
		['a pace below 0', 'secondsBetween', { values: { secondsBetween: -1 } }],
		['nobody in a run', 'mostPerRun', { values: { mostPerRun: 0 } }],
		['no name', 'campaign is empty', { values: { campaign: ' ' } }],
		['one name for both', 'are the same', { values: { doNotContact: 'spring-offer' } }],
		['a Retry of a click', 'A Retry cannot ask', { isRetry: true }],
		...WRONG[kind],
	])('nothing is sent with %s', (_, words, { values, ...changes }, rows = ['a']) => {
		const campaign = click(rows, changes);
		Object.assign(campaign.values, values);
		expect(() => campaign.run()).toThrow(/^Nothing was sent\. /);
		expect(() => campaign.run()).toThrow(words);
		expect(campaign.asked).toEqual([]);
	});

	test.each([
		['three are too few', LONG.slice(1), {}],
		['one ends otherwise', [...LONG, '7881301234567891'], {}],
		['somebody says that they are right', LONG, { longIdsMayEndIn0: true }],
	])('IDs that end in 0 are sent: %s', (_, rows, more) => {
		const values = { secondsBetween: 0, ...more };
		expect(click(rows, { values }).run().sent).toBe(rows.length);
	});

	test('whoever says stop, even mid-run, is left out from the next portion on', () => {
		const unwanted = ['nobody'];
		const campaign = click(Array(150).fill({}), {
			unwanted,
			answer() {
				unwanted.push('c-2', 'c-3');
				return 'Yes, send it';
			},
			send(toIds) {
				unwanted.push('"C-120", c-121');
				return toIds.map((toId) => answerOf(toId));
			},
		});
		const left = ['c-2', 'c-3', 'c-120', 'c-121'];
		expect(campaign.run()).toMatchObject({ sent: 146, excluded: 4 });
		const toIds = campaign.list.map(({ toId }) => toId);
		expect(campaign.asked).toEqual(toIds.filter((toId) => !left.includes(toId)));
	});
});
