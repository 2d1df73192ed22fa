import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { Campaign, KINDS, type Kind, type Row, type Send } from './campaign';

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
const list = fc
	.array(fc.record({ toId: toIds, status, tries: fc.constantFrom(null, 0, 1, 3, 4) }), {
		maxLength: 9,
	})
	.map((rows) => rows.map((row, index): Row => ({ id: index + 1, ...row })));
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

describe.each(KINDS)('%s', (kind) => {
	const isTable = kind === 'campaign-from-a-table';
	const where = isTable ? 'table' : 'sheet';

	test('who is due and not excluded gets one message, and each row what became of it', () => {
		const all = [list, lists, outcomes, edit, fc.boolean()] as const;
		const property = fc.property(...all, (list, unwanted, outcomes, edit, isClick) => {
			const before = structuredClone(list);
			let others: Row[] = [];
			const campaign = new Campaign(kind, list, (toIds) => {
				others = change(list, edit);
				return toIds.map((toId) => answerOf(toId, outcomes[toId]));
			});
			Object.assign(campaign, { unwanted, ...(isClick && { answer: () => 'Yes, send it' }) });
			const result = campaign.run();

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

			const words = people(before)
				.filter((toId) => !isOpen(toId))
				.map((toId) => rowsOf(before, toId).map((row) => clean(row.status ?? '')))
				.map((all) => all.find((word) => !isDue(word)) ?? all[0]);
			const leftAlone = Object.entries(result.leftAlone ?? {});
			const told = leftAlone.flatMap(([word, count]) => Array<string>(count).fill(word));
			expect(told.sort()).toEqual(words.sort());
			const excluded = people(before).filter((toId) => isOpen(toId) && isExcluded(toId)).length;
			const isFailure = (toId: string) => !['sent', 'skipped', undefined].includes(outcomes[toId]);
			const isNew = (toId: string) => rowsOf(before, toId).some((row) => !clean(row.status ?? ''));
			const newFailures = expected.filter((toId) => isFailure(toId) && isNew(toId)).length;
			expect({ excluded: 0, newFailures: 0, ...result }).toMatchObject({ excluded, newFailures });
		});
		fc.assert(property, { numRuns: 300 });
	});

	const everyone = (count: number, row: Partial<Row> = {}) => {
		const untried = { status: null, tries: null, ...row };
		return Array.from({ length: count }, (_, at): Row => {
			return { id: at + 1, toId: `c-${at + 1}`, ...untried };
		});
	};
	/** A click on a list of some IDs, with these to be left out. */
	const click = (toIds: Array<string | Partial<Row>>, unwanted: unknown[] = [], send?: Send) => {
		const rows = toIds.map((each) => (typeof each === 'string' ? { toId: each } : each));
		const list = everyone(rows.length).map((row, at) => ({ ...row, ...rows[at] }));
		const campaign = new Campaign(kind, list, send);
		const answer = (): string | undefined => 'Yes, send it';
		return Object.assign(campaign, { unwanted, answer });
	};

	test.each<[string, Partial<Row>, Outcome, number, number]>([
		['nothing of a whole portion goes through', {}, 'notSent', -1, 100],
		['one goes through', {}, 'notSent', 42, 250],
		['all are rejected again', { status: 'rejected', tries: 1 }, 'rejected', -1, 250],
		['all are in doubt again', { status: 'notSent', tries: 1 }, 'unknown', -1, 100],
	])('the brake: %s', (_, row, outcome, except, expected) => {
		const list = everyone(250, row);
		const campaign = new Campaign(kind, list, (toIds) =>
			toIds.map((toId, at) => answerOf(toId, at === except ? 'sent' : outcome)),
		);
		const { brake, summary } = campaign.run();
		expect(campaign.asked).toHaveLength(expected);
		expect(list.filter(({ tries }) => tries === (row.tries ?? 0) + 1)).toHaveLength(expected);
		const isStopped = expected === 100;
		expect([Boolean(brake), summary.startsWith('Stopped')]).toEqual([isStopped, isStopped]);
	});

	test('never tried rows come first, up to the most of a run', () => {
		const tried = { status: 'rejected' };
		const campaign = click([
			...['c-1', 'c-2', 'c-3'].map((toId) => ({ toId, ...tried })),
			'd',
			'e',
		]);
		campaign.values = { secondsBetween: 2, mostPerRun: 3 };
		expect(campaign.run().summary).toBe('3 sent; 2 more in the next run.');
		expect(campaign.asked).toEqual(['d', 'e', 'c-1']);
	});

	test('a dry run asks nobody, notes nothing, and says which rows are wrong', () => {
		const error = { outcome: 'notSent', message: 'it is empty', tried: false };
		const rejected = { toId: 'b', status: 'rejected' };
		const campaign = click(['a', rejected], [], () => [{ dryRun: true }, { error }]);
		campaign.options = { dryRun: true };
		const wrong = [{ toId: 'b', reason: 'it is empty' }];
		const summary = 'Dry run, nothing was sent: 1 wrong, 1 would be sent.';
		expect(campaign.run()).toEqual({ summary, dryRun: 1, notSent: 1, wrong });
		expect(campaign.question).toBe('');
		expect(campaign.list.map(({ status }) => status)).toEqual([null, 'rejected']);
		// "Execute step", once the option is off again, has its items still.
		campaign.recipe.parametersOf('Send Feed Video').options = {};
		expect(campaign.checked.map((item) => campaign.recipientOf(item))).toEqual(['', '']);
	});

	test('of wrong rows, a dry run lists 20 at most', () => {
		const error = { outcome: 'notSent', message: 'it is empty', tried: false };
		const toIds = everyone(21).map(({ toId }) => toId);
		const campaign = click(toIds, [], () => toIds.map(() => ({ error })));
		campaign.options = { dryRun: true };
		expect(campaign.run().wrong).toHaveLength(20);
	});

	const GOT = { status: 'sent' };
	test.each<
		[toIds: Array<string | Partial<Row>>, answer: string | undefined, asks: string, summary: string]
	>([
		[
			['a', 'b', 'e', { toId: 'c', ...GOT }, { toId: 'd', status: '已发送' }, { ...GOT, toId: '' }],
			'Yes, send it',
			`Send spring-offer to 2 people? 1 got it before, 1 left alone, as the ${where} says, 1 must not be written to, 1 without toId. Nobody sees it before: testRecipient in Campaign is empty.`,
			'2 sent; 2 left alone, 1 must not be written to, 1 without toId.',
		],
		[
			['a'],
			'No',
			'Send spring-offer to 1 person? 0 must not be written to. Nobody sees it before: testRecipient in Campaign is empty.',
			'Nothing was sent, as the answer was No.',
		],
		[
			['a'],
			undefined,
			'Send spring-offer to 1 person? 0 must not be written to. Nobody sees it before: testRecipient in Campaign is empty.',
			'Nothing was sent, as nobody answered.',
		],
		[['b'], '', '', 'Nobody is due; 1 must not be written to.'],
		[
			[],
			'',
			'',
			`The ${where} has no rows: put in whom to send to, with the column toId, and execute the workflow again.`,
		],
	])('a click on %j that is answered %j', (toIds, answer, asks, summary) => {
		const campaign = click(toIds, ['B ']);
		campaign.answer = () => answer;
		expect(campaign.run().summary).toBe(summary);
		expect(campaign.question).toBe(asks);
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
		['7881302147483613', '7881302147483612', false],
		['g-1', 'g-11', false],
		['', '0', false],
		[0, '7', false],
	])('the entry %j leaves out %j', (entry, toId, isLeftOut = true) => {
		const campaign = click([toId, 'other'], [entry]);
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
		expect(click(['a'], fine).run()).toEqual({ summary: '1 sent.', sent: 1 });
		const { oddEntries, summary } = click(['a'], [...fine, ...odd, ...many]).run();
		expect(oddEntries).toEqual([...odd, ...many].slice(0, 20));
		expect(summary).toBe('1 sent; odd entries of do-not-contact match nobody (see oddEntries).');
	});

	test('that the list of those left out is empty is told, as somebody may have renamed it', () => {
		const { summary } = new Campaign(kind, everyone(1)).run();
		expect(summary).toBe(`1 sent; the ${where} do-not-contact is empty (was it renamed?).`);
		const campaign = click(['a']);
		expect(campaign.run().summary).toBe('1 sent.');
		expect(campaign.question).toContain(`(the ${where} do-not-contact is empty)`);
	});

	const LONG = ['7881301234567890', '78813012345678900', '7881301234567891000', '1000000000000000'];
	test.each<[what: string, words: string, toIds: string[], unwanted: unknown[], values: object]>([
		['IDs that a spreadsheet cut', 'other people', LONG, [], {}],
		[
			'an entry beyond 2^53',
			'row 2 is 7881301234567890000, a',
			['a'],
			['b', 788130123456789e4],
			{},
		],
		['an entry as a spreadsheet shortens it', 'digits are lost', ['a'], ['b; 7.88E+18'], {}],
		['no pace', 'secondsBetween', ['a'], [], { secondsBetween: NaN }],
		['nobody in a run', 'mostPerRun', ['a'], [], { mostPerRun: 0 }],
		['no name', 'campaign is empty', ['a'], [], { campaign: ' ' }],
		['one name for both', 'are the same', ['a'], [], { doNotContact: 'spring-offer' }],
	])('nothing is sent with %s', (_, words, toIds, unwanted, values) => {
		const campaign = click(toIds, unwanted);
		Object.assign(campaign.values, values);
		const place = isTable ? words : words.replace('row 2', 'row 3');
		expect(() => campaign.run()).toThrow(/^Nothing was sent\. /);
		expect(() => campaign.run()).toThrow(place);
		expect(campaign.asked).toEqual([]);
	});

	test.each([
		['three are too few', LONG.slice(1), {}],
		['one ends otherwise', [...LONG, '7881301234567891'], {}],
		['somebody says that they are right', LONG, { longIdsMayEndIn0: true }],
	])('IDs that end in 0 are sent: %s', (_, toIds, values) => {
		const campaign = click(toIds);
		Object.assign(campaign.values, values);
		expect(campaign.run().sent).toBe(toIds.length);
	});

	test('who says stop after the question, or during the run, is left out from the next portion on', () => {
		const toIds = everyone(150).map(({ toId }) => toId);
		const campaign = click(toIds, ['nobody'], (asked) => {
			campaign.unwanted.push('"C-120", c-121');
			return asked.map((toId) => answerOf(toId));
		});
		campaign.answer = () => {
			campaign.unwanted.push('c-2', 'c-3');
			return 'Yes, send it';
		};
		const left = ['c-2', 'c-3', 'c-120', 'c-121'];
		expect(campaign.run()).toMatchObject({ sent: 146, excluded: 4 });
		expect(campaign.asked).toEqual(toIds.filter((toId) => !left.includes(toId)));
	});

	test('an entry whose digits are lost stops the rest, too', () => {
		const campaign = click(['a'], []);
		campaign.answer = () => {
			campaign.unwanted.push('7.88E+18');
			return 'Yes, send it';
		};
		expect(() => campaign.run()).toThrow(/^Nothing was sent\. .* is 7\.88E\+18/);
		expect(campaign.asked).toEqual([]);
	});

	test('a Retry of a click that had not asked yet is refused', () => {
		const campaign = new Campaign(kind, everyone(1));
		campaign.recipe.put('When clicking ‘Execute workflow’', [{}]);
		expect(() => campaign.run()).toThrow('A Retry cannot ask');
	});
});

const SHEET: Kind = 'campaign-from-google-sheets';
test.each<[headings: string[], words: string]>([
	[['toId', 'status'], ''],
	[['\u200bTo_ID ', 'STATUS'], ''],
	[['Recipient ID', 'Sta tus', 'Name'], ''],
	[['Spring customers'], 'has no column toId. Its first row is: Spring customers. The headings'],
	[['toId', 'Status?'], 'has no column status. Its first row is: toId, Status?'],
	[['toId', 'status', 'Status'], 'has status twice: status, Status'],
	[[], 'Its first row is: empty'],
])('Google Sheet: with the headings %j', (headings, words) => {
	const list: Row[] = [
		{ id: 1, toId: 'a', status: 'do not contact', tries: null },
		{ id: 2, toId: 'b', status: '', tries: null },
	];
	const campaign = Object.assign(new Campaign(SHEET, list), { headings });
	if (words) expect(() => campaign.run()).toThrow(words);
	else expect(campaign.run().sent).toBe(1);
	expect(campaign.asked).toEqual(words ? [] : ['b']);
});

test('Google Sheet: who stands in the first row of those left out counts for nobody, in words', () => {
	const campaign = Object.assign(new Campaign(SHEET, []), { unwantedHeadings: ['customer-1'] });
	expect(() => campaign.run()).toThrow(
		'do-not-contact has no column toId. Its first row is: customer-1',
	);
});

test.each<[columns: Record<string, string>, words: string]>([
	[
		{ status: undefined as never },
		'or has them of another type: status (string). It has: toId (string)',
	],
	[{ tries: 'string' }, 'tries (number)'],
	[{ toId: 'number' }, 'toId (string)'],
])('Table: nothing is sent with the columns %j', (columns, words) => {
	const campaign = new Campaign('campaign-from-a-table', []);
	Object.assign(campaign.columns, columns);
	expect(() => campaign.run()).toThrow(words);
});
