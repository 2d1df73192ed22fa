import fc from 'fast-check';

import { Interpreter, type Item, type ValueOf } from './interpreter';

/** Lists as people make them, and what they do to them while a campaign is sent. */

interface Row {
	id: number;
	toId: string;
	status: string | null;
	tries: number | null;
	request_id?: string | null;
	reason?: string | null;
}
type Edit = 'insert' | 'sort' | 'delete' | 'correct' | 'shuffle' | 'none';
type Outcome = 'sent' | 'skipped' | 'rejected' | 'notSent' | 'unknown' | 'untried';

const UNSEEN = [
	'',
	' ',
	'\u200b',
	'\u00ad',
	'\ufeff',
	'\u00a0',
	'\u3000',
	'\ufe0f',
	'\u202e',
	'\u0007',
	'\u{e0061}',
	'\t',
];
const around = (text: fc.Arbitrary<string>) =>
	fc
		.tuple(fc.constantFrom(...UNSEEN), text, fc.constantFrom('', '', '', ...UNSEEN))
		.map(([before, each, after]) => before + each + after);
/** By hand, and not by the recipes' own rule. */
const clean = (text: string) => [...text].filter((each) => !UNSEEN.includes(each)).join('');

const recipient = fc.constantFrom(
	'b-1',
	'B-1',
	'wxid_0a-b',
	'25984983@chatroom',
	'R:1',
	'7881',
	'c',
);
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
const when = fc.nat(3);

const isDue = (word: string | null) => /^(rejected|notsent)?$/i.test(clean(word ?? ''));
const people = (rows: Row[]) => [...new Set(rows.map(({ toId }) => clean(toId)))];
const rowsOf = (rows: Row[], toId: string) => rows.filter((row) => clean(row.toId) === toId);

type Sends = ReturnType<typeof service>['send'];

/** The service: what it was asked, and what becomes of each; a person does something meanwhile. */
function service(outcomes: Record<string, Outcome>, when: number, meanwhile: () => void) {
	const asked: string[] = [];
	const send = (items: Item[], _: unknown, valueOf: ValueOf) => [
		items.map((item): Item => {
			if (asked.length === when) meanwhile();
			const toId = clean(valueOf<string>('toId', item));
			asked.push(toId);
			const outcome = outcomes[toId] ?? 'sent';
			const from = { node: 'Send Feed Video', item };
			if (outcome === 'sent') return { json: { request_id: `svc_${toId}` }, from };
			if (outcome === 'skipped') return { json: { skipped: true }, from };
			const tried = outcome !== 'untried';
			const error = { outcome: tried ? outcome : 'notSent', message: `about ${toId}`, tried };
			return { json: { error }, from };
		}),
	];
	return { asked, send };
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

const counted = (rows: Row[], counts: (toId: string) => boolean) => {
	const words = people(rows)
		.filter(counts)
		.flatMap((toId) => {
			const all = rowsOf(rows, toId).map((row) => clean(row.status ?? ''));
			return all.map((word) => word || all.find((each) => !isDue(each)));
		});
	return words.sort();
};
interface Result {
	leftAlone: Record<string, number>;
	excluded?: number;
	unmatched?: number;
	newFailures?: number;
	brake?: string;
}
const wordsIn = (leftAlone: Record<string, number> = {}) =>
	Object.entries(leftAlone)
		.flatMap(([word, count]) => Array<string>(count).fill(word))
		.sort();

const setting = { numRuns: 300 };

/** The recipe on a sheet, as n8n's node reads it and writes into it. */
function runSheet(list: Row[], send: Sends, dryRun = false) {
	const read = () => [list.map((row, at) => ({ json: { ...row, row_number: at + 2 } }))];
	const recipe = new Interpreter('campaign-from-google-sheets', {
		'Get Rows': read,
		'Get Rows Again': read,
		'Send Feed Video': send,
		// As n8n 2.41 finds the row (GoogleSheet.js, prepareDataForUpdateOrUpsert).
		'Write Status': (items, _, valueOf) => {
			const from = valueOf<number>('options.locationDefine.values.firstDataRow');
			const [key] = valueOf<Array<keyof Row>>('columns.matchingColumns');
			for (const item of items) {
				const value = valueOf<Row>('columns.value', item);
				const found = list.find((row, at) => at + 2 >= from && row[key!] === value[key!]);
				if (found) found.status = value.status;
			}
			return [items];
		},
	});
	Object.assign(recipe.node('Send Feed Video').parameters, { options: { dryRun } });
	return recipe.run('When clicking ‘Execute workflow’');
}

test('Google Sheet: whatever a person does to the sheet, each status goes to its recipient', () => {
	const property = fc.property(list, outcomes, edit, when, (list, outcomes, edit, when) => {
		const before = structuredClone(list);
		let others: Row[] = [];
		const { asked, send } = service(outcomes, when, () => (others = change(list, edit)));
		const recipe = runSheet(list, send);

		const isWritten = (toId: string) => rowsOf(before, toId).every((row) => isDue(row.status));
		expect([...asked].sort()).toEqual(people(before).filter(isWritten).sort());
		for (const row of list) {
			const old = before.find(({ id }) => id === row.id);
			const rows = old ? rowsOf(before, clean(old.toId)) : [];
			const said = asked.includes(clean(row.toId)) && saidOf(rows, outcomes[clean(row.toId)]);
			const own = others.includes(row) ? row.status : old?.status;
			expect(row.status).toBe(said === false ? own : said);
		}
		const leftAlone = recipe.out<Result>('Result')[0]?.leftAlone;
		expect(wordsIn(leftAlone)).toEqual(counted(before, (toId) => !isWritten(toId)));
	});
	fc.assert(property, setting);
});

interface Condition {
	keyName: keyof Row;
	condition: string;
	keyValue: unknown;
}

/** The recipe on a table, as n8n's Data Table node reads and writes it. */
function runTable(list: Row[], unwanted: string[], send: Sends, changes = {}) {
	const meets = (row: Row, { keyName, condition, keyValue }: Condition) =>
		condition === 'isEmpty' ? !row[keyName] : row[keyName] === keyValue;
	const entries = unwanted.map((toId, id) => ({ json: { id, toId } }));
	const recipe = new Interpreter('campaign-from-a-table', {
		'Create Table If Missing': () => [[{ json: { id: 'table' } }]],
		'Who Must Not Be Written To': () => [entries],
		'Get Rows': () => [list.map((row) => ({ json: { ...row } }))],
		'Send Feed Video': send,
		'Note It': (items, _, valueOf) => {
			for (const item of items) {
				const conditions = valueOf<Condition[]>('filters.conditions', item);
				const found = list.filter((row) => conditions.every((each) => meets(row, each)));
				for (const row of found) Object.assign(row, valueOf<Partial<Row>>('columns.value', item));
			}
			return [items];
		},
	});
	recipe.node('Who Must Not Be Written To').disabled = unwanted.length === 0;
	for (const [name, parameters] of Object.entries(changes)) {
		Object.assign(recipe.node(name).parameters, parameters);
	}
	return recipe.run('Every Hour From 9 to 17');
}
const bare = (text: string) => clean(text).toLowerCase();
const lists = fc.array(fc.oneof(toIds, around(fc.constantFrom('nobody', 'b-1', 'C', ''))), {
	maxLength: 3,
});

test('Table: who is due and not excluded gets one message, and each row what became of it', () => {
	const property = fc.property(
		list,
		lists,
		outcomes,
		edit,
		when,
		(list, unwanted, outcomes, edit, when) => {
			const before = structuredClone(list);
			let others: Row[] = [];
			const { asked, send } = service(outcomes, when, () => (others = change(list, edit)));
			const recipe = runTable(list, unwanted, send);

			const isExcluded = (toId: string) => unwanted.some((each) => bare(each) === bare(toId));
			const isOpen = (toId: string) => {
				const rows = rowsOf(before, toId);
				const mayTry = rows.some((row) => !clean(row.status ?? '') || (row.tries ?? 0) < 3);
				return mayTry && rows.every((row) => isDue(row.status));
			};
			const isWritten = (toId: string) => isOpen(toId) && !isExcluded(toId);
			expect([...asked].sort()).toEqual(people(before).filter(isWritten).sort());
			for (const row of list) {
				const old = before.find(({ id }) => id === row.id);
				const toId = clean(row.toId);
				const isSaid = old && !others.includes(row) && asked.includes(toId);
				const said = saidOf(rowsOf(before, toId), outcomes[toId]);
				expect(row.status).toBe(isSaid ? said : old ? old.status : '');
			}

			const [result] = recipe.out<Result>('Result');
			expect(wordsIn(result?.leftAlone)).toEqual(counted(before, (toId) => !isOpen(toId)));
			const matches = (entry: string) => people(before).some((toId) => bare(toId) === bare(entry));
			const entries = [...new Set(unwanted.map(bare))].filter((entry) => entry);
			if (entries.length > 0) {
				const left = people(before).filter((toId) => isOpen(toId) && isExcluded(toId));
				expect(result?.excluded).toBe(left.flatMap((toId) => rowsOf(before, toId)).length);
				expect(result?.unmatched).toBe(entries.filter((entry) => !matches(entry)).length);
			}
			const isFailure = (toId: string) => !['sent', 'skipped', undefined].includes(outcomes[toId]);
			const isNew = (toId: string) => rowsOf(before, toId).some((row) => !clean(row.status ?? ''));
			const failures = asked.filter((toId) => isFailure(toId) && isNew(toId)).length;
			expect(result?.newFailures).toBe(failures);
			expect(Boolean(recipe.error)).toBe(failures > 0);
		},
	);
	fc.assert(property, setting);
});

const everyone = (count: number, row: Partial<Row> = {}) =>
	Array.from(
		{ length: count },
		(_, at): Row => ({
			...{ id: at + 1, toId: `c-${at + 1}`, status: null, tries: null },
			...row,
		}),
	);
/** @param except one of each portion */
const failing = (outcome: Outcome, except: number) =>
	Object.fromEntries(
		everyone(250).map(({ toId }, at) => [toId, at % 100 === except ? 'sent' : outcome] as const),
	);
const silent = () => {};

test.each<[string, Partial<Row>, Outcome, number, number]>([
	['nothing of a whole portion goes through', {}, 'notSent', -1, 100],
	['one goes through', {}, 'notSent', 42, 250],
	['all are rejected again', { status: 'rejected', tries: 1 }, 'rejected', -1, 250],
	['all are in doubt again', { status: 'notSent', tries: 1 }, 'unknown', -1, 100],
])('Table, the brake: %s', (_, row, outcome, except, expected) => {
	const { asked, send } = service(failing(outcome, except), -1, silent);
	const list = everyone(250, row);
	const recipe = runTable(list, [], send);
	expect(asked).toHaveLength(expected);
	expect(list.filter(({ tries }) => tries === (row.tries ?? 0) + 1)).toHaveLength(expected);
	expect(Boolean(recipe.out<Result>('Result')[0]?.brake)).toBe(expected === 100);
	expect(recipe.error?.startsWith('Stopped') ?? false).toBe(expected === 100);
});

test('Table: never tried rows come first, up to the most of a run', () => {
	const list = [...everyone(3, { status: 'rejected', tries: 1 }), ...everyone(3)].map(
		(row, at) => ({ ...row, id: at + 1, toId: `c-${at + 1}` }),
	);
	const { asked, send } = service({}, -1, silent);
	const assignments = [
		{ name: 'mostPerRun', value: 4 },
		{ name: 'campaign', value: 'spring' },
	];
	runTable(list, [], send, { Campaign: { assignments: { assignments } } });
	expect(asked).toEqual(['c-4', 'c-5', 'c-6', 'c-1']);
});

/** What is checked only: the first is right, the second not. */
const dry: Sends = (items) => [
	items.map((item, at) => {
		const error = { outcome: 'notSent', message: 'is missing', tried: false };
		const json = at === 0 ? { dryRun: true } : { error };
		return { json, from: { node: 'Send Feed Video', item } };
	}),
];

test('Table: a dry run notes nothing, and rings for nothing', () => {
	const list = everyone(2);
	const recipe = runTable(list, [], dry, { 'Send Feed Video': { options: { dryRun: true } } });
	expect(list).toEqual(everyone(2));
	expect(recipe.error).toBeUndefined();
	const counts = { dryRun: 1, notSent: 1, newFailures: 0 };
	expect(recipe.out('Result')[0]).toMatchObject(counts);
});

test('Google Sheet: a dry run writes nothing', () => {
	const list = everyone(2);
	const recipe = runSheet(list, dry, true);
	expect(list).toEqual(everyone(2));
	expect(recipe.out('Result')[0]).toMatchObject({ sent: 0, dryRun: 1, notSent: 1 });
});

test('Table: a list of those left out without a column toId stops it before anything is sent', () => {
	const { asked, send } = service({}, -1, silent);
	expect(() => runTable(everyone(2), [undefined as never], send)).toThrow('needs a column toId');
	expect(asked).toEqual([]);
});
