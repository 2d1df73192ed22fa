import { createRequire } from 'node:module';
import { join } from 'node:path';

import { projectRoot } from '../../dev/projectRoot';
import { VIDEO } from '../unit/examples/campaign';
import { CampaignPage } from './support/campaignPage';
import { asked } from './support/messages';
import { useN8n } from './support/setup';
import { addTable } from './support/tables';
import { Workflow } from './support/workflow';

/** Files as spreadsheets and exports write them, uploaded to the form and read by n8n itself. */

type Content = Buffer<ArrayBuffer>;
type Cell = string | number | object | null;
/** The library by which n8n reads spreadsheets. */
const XLSX = createRequire(__filename)(
	join(projectRoot, 'dev', 'n8n', 'node_modules', '@e965', 'xlsx'),
) as {
	utils: {
		book_new: () => { Workbook?: object };
		book_append_sheet: (book: object, sheet: object, name: string) => void;
		aoa_to_sheet: (rows: Cell[][]) => object;
	};
	write: (book: object, options: object) => Content;
	CFB: {
		read: (
			file: Content,
			options: object,
		) => { FullPaths: string[]; FileIndex: Array<{ content: Uint8Array }> };
		write: (file: object, options: object) => Uint8Array<ArrayBuffer>;
		utils: {
			cfb_new: () => object;
			cfb_add: (file: object, name: string, content: Buffer) => void;
		};
	};
};
/** A file of these sheets, the first of which is hidden if there is another one. */
function spreadsheet(bookType: string, ...sheets: Cell[][][]): Content {
	const book = XLSX.utils.book_new();
	for (const [at, rows] of sheets.entries())
		XLSX.utils.book_append_sheet(book, XLSX.utils.aoa_to_sheet(rows), `Sheet${at}`);
	if (sheets.length > 1)
		book.Workbook = { Sheets: sheets.map((_, at) => ({ Hidden: at === 0 ? 1 : 0 })) };
	return XLSX.write(book, { type: 'buffer', bookType });
}
const xlsx = (...sheets: Cell[][][]) => spreadsheet('xlsx', ...sheets);
/** The same file, whose sheet claims to have this range. */
function claiming(range: string, file: Content): Content {
	const parts = XLSX.CFB.read(file, { type: 'buffer' });
	const sheet = parts.FileIndex[parts.FullPaths.findIndex((path) => path.endsWith('/sheet1.xml'))]!;
	const before = Buffer.from(sheet.content).toString();
	const after = before.replace(/<dimension ref="[^"]*"\/>/, `<dimension ref="${range}"/>`);
	expect(after).not.toBe(before);
	sheet.content = Buffer.from(after);
	return Buffer.from(XLSX.CFB.write(parts, { fileType: 'zip', type: 'buffer' }));
}
/** The container in which Excel keeps a workbook that has a password. */
function encrypted(): Content {
	const file = XLSX.CFB.utils.cfb_new();
	for (const name of ['EncryptionInfo', 'EncryptedPackage'])
		XLSX.CFB.utils.cfb_add(file, `/${name}`, Buffer.alloc(100));
	return Buffer.from(XLSX.CFB.write(file, { type: 'buffer' }));
}

const A = '7881301234567890123';
const B = '7881301234567890124';
const C = '7881301234567890125';
const LIST = [
	['姓名', 'toId'],
	['阿杰', A],
	['李', B],
];

const here = useN8n();
let workflow: Workflow;
let campaigns = 0;
beforeAll(async () => {
	const { url } = here.sandbox;
	const urls = { channelUrl: url, coverUrl: `${url}/cover.jpg`, headImgUrl: url };
	const video = Object.entries({ ...VIDEO, ...urls, caughtAt: new Date() });
	const columns = video.filter(([name]) => name !== 'id'); // n8n numbers the rows itself
	await addTable(here, 'feed-videos', [Object.fromEntries(columns)]);
	const changes = {
		Settings: { values: { secondsBetween: 0 } },
		'Campaign Form': { parameters: { authentication: 'none' } },
	};
	workflow = await (await Workflow.import(here, 'campaign', changes)).publish();
});
/** Submits a new campaign with this list. */
const submit = async (content: Content, name = '名单.xlsx', language = 'en') =>
	await CampaignPage.submit(here, workflow, {
		campaign: `list-${++campaigns}`,
		file: { name, content },
		language,
	});
/** Says Yes. Nothing was sent before. */
async function confirm(page: CampaignPage) {
	expect(asked(here)).toEqual([]);
	expect(await page.send()).toMatchObject({ state: 'done' });
	return asked(here);
}

const NONE = { empty: 0, twice: 0, cut: 0, lines: 0, other: 0 };
const skippedOf = (counts: Partial<typeof NONE>) =>
	Object.entries({ ...NONE, ...counts }).map(([kind, count]) => [kind, count, expect.anything()]);

/** 收件人ID and 姓名, then 阿杰 and 李, in the encoding of Windows in Chinese. */
const GB18030 = Buffer.concat([
	Buffer.from([0xca, 0xd5, 0xbc, 0xfe, 0xc8, 0xcb]),
	Buffer.from('ID,'),
	Buffer.from([0xd0, 0xd5, 0xc3, 0xfb]),
	Buffer.from(`\r\n${A},`),
	Buffer.from([0xb0, 0xa2, 0xbd, 0xdc]),
	Buffer.from(`\r\n${B},`),
	Buffer.from([0xc0, 0xee]),
]);
const FORMULAS = [
	['姓名', 'toId', 'error'],
	['阿杰', { t: 's', v: A, f: '"7881301234"&"567890123"' }, 'none'],
	['not calculated', { t: 'z', f: 'B2' }],
	['an error', { t: 'e', v: 0x2a, f: 'NA()' }],
	['李', B],
];
const NUMBERS = [
	...['toId,姓名', `${A},阿杰`, '7.88E+18,short', '"7,88130123456789E+18",comma'],
	...[`${B},李`, '0012345678901234,zeros'],
].join('\r\n');
test.each<[what: string, file: Content, name?: string, skips?: object, more?: string[]]>([
	['a sheet that claims to have one cell', claiming('A1', xlsx(LIST))],
	['a sheet that claims to be the largest possible', claiming('A1:XFD1048576', xlsx(LIST))],
	['an .xls', spreadsheet('biff8', LIST), '名单.xls'],
	['an .ods', spreadsheet('ods', LIST), '名单.ods'],
	['formulas, of which two have no value', xlsx(FORMULAS), '名单.xlsx', { empty: 2 }],
	['a CSV in the encoding of Windows in Chinese', GB18030, '名单.csv'],
	[
		'a CSV of Excel, with tabs',
		Buffer.from(`\ufeff${LIST.map((cells) => cells.join('\t')).join('\r\n')}`, 'utf16le'),
		'名单.csv',
	],
	[
		'a CSV with bare numbers, also in short form',
		Buffer.from(NUMBERS),
		'名单.csv',
		{ cut: 2 },
		['0012345678901234 zeros'],
	],
])(
	'%s: the page shows everybody, and they get the video',
	async (_, file, name = '名单.xlsx', skips = {}, more: string[] = []) => {
		const page = await submit(file, name);
		const all = [`${A} 阿杰`, `${B} 李`, ...more];
		const given = { name, all, skipped: skippedOf(skips) };
		expect(page.given).toMatchObject({ sends: all.length, wrongs: 0, file: given });
		expect(await confirm(page)).toEqual(all.map((each) => each.split(' ')[0]));
	},
);

test('only the first sheet is read, even a hidden one: the form announces it, and the page shows its IDs', async () => {
	const form = await (await fetch(`${here.n8n.url}/form/${workflow.webhookId}`)).text();
	expect(form).toContain('Only the first sheet is read, even if it is hidden');
	const page = await submit(xlsx(LIST, [['toId'], [C]]));
	expect(page.given).toMatchObject({ sends: 2, file: { all: [`${A} 阿杰`, `${B} 李`] } });
	expect(await confirm(page)).toEqual([A, B]);
});

test('numbers that a spreadsheet cut to 15 digits get nothing, also in the first row: the page shows them', async () => {
	const cut = { t: 'n', v: 7_881_300_000_012_340, z: '0' };
	const question = await submit(xlsx([[cut], [A], [7_881_301_234_567_890_000], [cut], [B]]));
	const page = await question.answer('No heading');
	expect(page.given).toMatchObject({
		...{ sends: 2, wrongs: 0 },
		file: { rows: 5, skipped: skippedOf({ cut: 3 }) },
	});
	expect(await confirm(page)).toEqual([A, B]);
});

const NICKNAME = ['昵称,toId', `甲,${A}`, `"阿杰,${B}`, `李,${C}`].join('\r\n');
test.each<[what: string, file: Content, why: string, name?: string]>([
	[
		'people far below the others',
		xlsx([...LIST, ...Array<[]>(60_000).fill([]), ['x', C]]),
		'something far below them',
	],
	['a password', encrypted(), 'If it has a password, remove that'],
	[
		'a nickname with a single quote',
		Buffer.from(NICKNAME),
		'has IDs after a line break',
		'名单.csv',
	],
])('%s: the page says why it sends nothing', async (_, file, why, name = '名单.xlsx') => {
	const page = await submit(file, name);
	expect(page.given.why).toContain(why);
	expect(page.token).toBe('');
	expect(asked(here)).toEqual([]);
});

test('in the language of the form, the page asks for the column; nothing in the list is HTML, a pattern or an expression; the column of the answer is sent to', async () => {
	const evil = '<img src=x onerror=a()> $& {{ 1 }}';
	const file = xlsx([
		['ID', evil, '企微ID'],
		[1_000_234, evil, A],
		[1_000_235, 'b', B],
	]);
	const question = await submit(file, '<b>.xlsx', 'zh');
	expect(question.html).toContain('接收人的 ID 在哪一列？');
	expect(question.html).not.toMatch(/<img src=x|<b>\.xlsx/);
	expect(question.optionsOf(0)).toEqual([
		'1. ID · 1000234 · 1000235',
		`2. ${evil} · ${evil} · b`,
		`3. 企微ID · ${A} · ${B}`,
	]);
	const page = await question.answer('企微ID');
	expect(page.html).not.toMatch(/<img src=x/);
	expect(page.given).toMatchObject({ sends: 2, file: { name: '<b>.xlsx', of: '企微ID', rows: 2 } });
	expect(await confirm(page)).toEqual([A, B]);
});
