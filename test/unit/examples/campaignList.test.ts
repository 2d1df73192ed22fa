import { Campaign, type Cells, type Page, type Question } from './campaign';

/** Lists as people have them, in the cells that n8n reads: which column, who is in it, and what is skipped. */

const A = '7881301234567890123';
const B = '7881301234567890124';
const C = '7881301234567890125';
const WO = ['woAJ2GCAAAXtWyujaWJHDDGi0mACH71w', 'woAJ2GCAAAd4uxJyQEDnhsqBsqTZbP1Q'];
const ids = (count: number) =>
	Array.from({ length: count }, (_, at) => `78813000000${10_000 + at}`);

/** The option of each question that has these words. */
const choose = (column = '', heading = 'Yes') => {
	const of = (name: string, { fieldName, fieldOptions: { values } }: Question) =>
		fieldName === name ? values.map(({ option }) => option) : [];
	return (questions: Question[]) => ({
		column: questions.flatMap((each) => of('column', each)).find((text) => text.includes(column)),
		heading: questions
			.flatMap((each) => of('heading', each))
			.find((text) => text.startsWith(heading)),
	});
};
type Answer = ReturnType<typeof choose>;

interface Read {
	asked: string;
	/** Whom the campaign would send to, or the error. */
	people: string[];
	skipped: string;
	page: Page;
}
async function read(file: Cells, answer?: Answer, changes: Partial<Campaign> = {}): Promise<Read> {
	const campaign = new Campaign([], { isNew: true, file, click: () => ({}), answer, ...changes });
	const page = (await campaign.open()) as Page;
	const why = String(page.why ?? '').split('｜')[0]!;
	const { ids } = JSON.parse(String(campaign.page.plan ?? '{"ids":[]}')) as { ids: string[] };
	return {
		asked: campaign.questions.map(({ fieldName }) => fieldName).join(' and '),
		people: why ? [why] : ids,
		skipped: (page.file?.skipped ?? [])
			.flatMap(([kind, count]) => (count > 0 ? [`${kind} ${count}`] : []))
			.join(),
		page,
	};
}

/** In the sandbox of n8n, a byte of a CSV that is no UTF-8 is a character. */
const bytes = (...codes: number[]) => String.fromCharCode(...codes);
const GBK = bytes(0xca, 0xd5, 0xbc, 0xfe, 0xc8, 0xcb);
const UTF_8 = bytes(...Buffer.from('收件人'));

test.each([
	...['toId', 'TO_ID', '\ufeffto id', 'ｔｏＩＤ', 'Recipient ID', 'recipient-id', '【收件人 ID】'],
	...[`${GBK}ID`, `${UTF_8} ID`],
])('a column that is called %s is taken without a question', async (heading) => {
	const rows = [
		`Phone|${heading}|Order`,
		`13800138000|${A}|202611280001`,
		`13800138001|${B}|202611280002`,
	];
	const fileName = 'list.csv';
	const result = await read(rows, undefined, { fileName });
	expect(result).toMatchObject({ asked: '', people: [A, B], skipped: '' });
});

test('a heading of a Chinese CSV counts, although its bytes are letters in UTF-8, too', async () => {
	const status = bytes(0xd7, 0xb4, 0xcc, 0xac);
	const [optedOut, name] = [bytes(0xcd, 0xcb, 0xb6, 0xa9), bytes(0xbc, 0xd7)];
	const file = [`toId|${status}|name`, `${A}|${optedOut}|`, `${B}||${name}`];
	const { people, page } = await read(file, undefined, { fileName: 'list.csv' });
	expect([people, page.words, page.file!.all.at(-1)]).toEqual([[B], { 退订: 1 }, `${B} 甲`]);
});

test.each([
	...['Status|状态', '状态|status', 'Lead Status|订阅状态', 'Email status|Subscription Status'],
])('an opt-out counts in each column of %s', async (headings) => {
	const { people } = await read([`toId|${headings}`, `${A}|Active|退订`, `${B}|stop|`, `${C}||`]);
	expect(people).toEqual([C]);
});

test('a name in an Excel file keeps its letters, although they could be bytes of a Chinese CSV', async () => {
	const { page } = await read(['toId|name', `${A}|Müller`, `${B}|Ångström`]);
	expect(page.file!.all).toEqual([`${A} Müller`, `${B} Ångström`]);
});

// No heading of another name is proof: 客户ID may be the number of a record.
test.each([
	...[
		'ID',
		'客户ID',
		'外部联系人ID',
		'企业微信客户ID',
		'External Contact ID',
		'external_userid',
		'wxid',
	],
	...['订单号', '身份证号', '手机号', 'Order ID', 'toId (old)', ''],
])('a column that is called %j is offered by its heading, never taken', async (heading) => {
	const rows = [`${heading}|姓名`, `${A}|甲`, `${B}|乙`];
	const { asked, people } = await read(rows, choose('1. '));
	// A heading may look like an ID itself.
	expect(asked).toBe(heading === 'external_userid' ? 'column and heading' : 'column');
	expect(people).toEqual([A, B]);
});

test('the question shows each column that is filled, by its heading and two cells', async () => {
	const campaign = new Campaign([], { isNew: true, click: () => ({}) });
	campaign.file = ['ID|姓名||企微号 $&', '1000234|甲||zhangsan88', '1000235|乙||lisi_99'];
	campaign.answer = choose('企微号');
	await campaign.open();
	expect(campaign.questions).toMatchObject([
		{
			...{ fieldName: 'column', fieldType: 'radio', requiredField: true },
			fieldLabel: 'Which column holds the recipients’ IDs?',
			fieldOptions: {
				values: [
					{ option: '1. ID · 1000234 · 1000235' },
					{ option: '2. 姓名 · 甲 · 乙' },
					{ option: '3. 企微号 $& · zhangsan88 · lisi_99' },
				],
			},
		},
	]);
	campaign.values = { language: 'zh-CN' };
	await campaign.open();
	expect(campaign.questions[0]!.fieldLabel).toBe('接收人的 ID 在哪一列？');
});
const MERGED = ['toId|', `1|${A}`, `2|${B}`];
const RECORDS = ['toId|', `1000234|${A}`, `1000235|${B}`];
test.each<[what: string, file: Cells, asked: string, answer: Answer, people: string[]]>([
	['a heading over two columns', MERGED, 'column and heading', choose('2. '), [A, B]],
	['a heading over two columns of numbers', RECORDS, 'column and heading', choose('2. '), [A, B]],
	[
		'two headings of ours',
		['toId|收件人ID', `x-00001|${A}`, `x-00002|${B}`],
		'column',
		choose('收件人'),
		[A, B],
	],
	[
		'the other two headings of ours',
		['接收人ID|收件人 ID', `x-00001|${A}`, `x-00002|${B}`],
		'column',
		choose('收件人'),
		[A, B],
	],
	[
		'a column toId without IDs',
		['toId|号码', `甲|${A}`, `乙|${B}`],
		'column',
		choose('号码'),
		[A, B],
	],
	[
		'no IDs at all',
		['姓名|城市', '甲|上海', '乙|北京'],
		'column and heading',
		choose('城市'),
		['上海', '北京'],
	],
	[
		'account names',
		['昵称|微信号', '甲|zhangsan', '乙|lisi'],
		'column and heading',
		choose('微信号'),
		['zhangsan', 'lisi'],
	],
	['a single column', ['Kunde', ...WO], '', choose(), WO],
	[
		'a title above a heading that looks like an ID',
		['Spring list 2026|', 'name|external_userid', `甲|${WO[0]}`, `乙|${WO[1]}`],
		'column',
		choose('external_userid'),
		WO,
	],
	[
		'times as numbers',
		[`联系人|时间`, `${WO[0]}|20261128093000`, `${WO[1]}|20261128093001`],
		'column',
		choose('联系人'),
		WO,
	],
])('%s: the page asks for “%s”', async (_, file, asked, answer, people) => {
	expect(await read(file, answer)).toMatchObject({
		asked: expect.stringContaining(asked.split(' ')[0]!) as string,
		people,
	});
});

test.each([
	...[[A, B], ['13800138000', '13800138001'], WO, ['gh_0a1b2c3d4e5f', 'gh_0a1b2c3d4e60']],
	...[
		[`${A}@openim`, `${B}@openim`],
		['zhangsan', 'lisi'],
		['R:10696051', 'R:10696052'],
		['10001', '10002'],
	],
])(
	'a list without a heading, of %s and %s, asks whether the first row is a heading',
	async (...file) => {
		const last = 'wxid_0a1b2c';
		expect(await read([...file, last], choose('', 'No'))).toMatchObject({
			asked: 'heading',
			people: [...file, last],
			page: { file: { of: '' } },
		});
		const { people, page } = await read([...file, last], choose('', 'Yes'));
		expect([people, page.file!.of]).toEqual([[file[1], last], file[0]]);
	},
);

test.each<[what: string, file: Cells, people: string[], wrong: string]>([
	['an account name without digits', ['wangwu', 'zhangsan88', 'lisi_99', 'amy520'], ['wangwu'], ''],
	['an ID with a remark', [`${A}（老客户）`, B, C], [], `${A}（老客户）`],
	['a number in groups', ['138 0013 8000', '13900139000', '13900139001'], [], '138 0013 8000'],
	['names that end in a number', ['lisi_99|lisi', 'lisi_98|lisi', 'lisi_97|li'], ['lisi_99'], ''],
])('%s in the first row may be a recipient: the page asks', async (_, file, people, wrong) => {
	const refuses = (toId: string) => /[^\w]/.test(toId);
	const { asked, page, ...result } = await read(file, choose('1. ', 'No'), { refuses });
	expect(asked).toContain('heading');
	expect(result).toMatchObject({ skipped: '', people: expect.arrayContaining(people) as string[] });
	expect(page.wrong.map(([toId]) => toId)).toEqual(wrong ? [wrong] : []);
});

test('a list of one ID asks whether that is a heading', async () => {
	expect(await read([A], choose('', 'No'))).toMatchObject({ asked: 'heading', people: [A] });
	const { people } = await read([A], choose('', 'Yes'));
	expect(people).toEqual(['list.xlsx: the first sheet has nothing below its heading.']);
});

test('two columns without a heading ask for both', async () => {
	const file = [`甲|${A}`, `乙|${B}`];
	expect(await read(file, choose('2. ', 'No'))).toMatchObject({
		asked: 'column and heading',
		people: [A, B],
	});
});

test('a first row that is no heading of the column stays, whatever the answer', async () => {
	const file = ['export_20261128|', `甲|${A}`, `乙|${B}`];
	expect((await read(file, choose('2. ', 'Yes'))).people).toEqual([A, B]);
});

test.each<[what: string, file: Cells]>([
	['which column', ['客户ID|姓名', `${A}|甲`]],
	['whether the first row is a heading', [A, B]],
])('if nobody answers %s, nothing is sent', async (_, file) => {
	const { people } = await read(file, choose('none', 'none'));
	expect(people).toEqual(['list.xlsx: nobody said which column holds the IDs.']);
});

test('a schedule takes a sheet with a column toId, and asks nobody about another one', async () => {
	const campaign = new Campaign(['x'], { sheet: ['客户ID|姓名', `${A}|甲`] });
	expect(await campaign.run()).toMatchObject({
		state: 'failed',
		rings: true,
		why: expect.stringMatching(/^the sheet: .* toId/) as string,
	});
	expect(campaign.asked).toEqual([]);
	campaign.sheet = ['toId|状态', `${A}|`, `${B}|退订`, `${A}|`];
	expect(await campaign.run()).toMatchObject({ state: 'done' });
	expect(campaign.asked).toEqual(['x', A]);
});

const MANY = ids(20);
test.each<[what: string, file: Cells, people: string[], skipped: string]>([
	['a title above', ['2026 客户名单|', '', '姓名|toId', `甲|${A}`, `乙|${B}`], [A, B], 'empty 1'],
	['IDs above the heading', [`甲|${A}`, '姓名|toId', `乙|${B}`], [A, B], ''],
	[
		'a title above recipient_id',
		['Spring list 2026|', 'name|recipient_id', `甲|${WO[0]}`, `乙|${WO[1]}`],
		WO,
		'empty 1',
	],
	['="…", and an apostrophe', ['toId', `="${A}"`, `'${B}`], [A, B], ''],
	[
		'a row of totals',
		['toId|n', `${A}|1`, `${B}|2`, '合计|3', 'Total|3', '22|'],
		[A, B],
		'other 3',
	],
	[
		'who made it, and when',
		['toId|', ...MANY, '制表人：王|', '导出时间：2026-11-28 09:00'],
		MANY,
		'other 2',
	],
	[
		'other headings below',
		['toId|x', '企微ID|', 'external_userid|', 'wechat|', `${A}|`, `${B}|`, 'toId|'],
		[A, B],
		'other 4',
	],
	[
		'a heading that looks like an ID, again',
		['recipient_id', WO[0], 'my_id', 'Recipient ID', WO[1], 'recipient_id'].map(String),
		[WO[0], 'my_id', WO[1]].map(String),
		'other 2',
	],
	['an example', ['toId', '必填', '示例：7881300000000001', A, B, C], [A, B, C], 'other 2'],
	['groups between', ['toId|姓名', '北京|', `${A}|甲`, '上海|', `${B}|乙`], [A, B], 'other 2'],
	['words for none', ['toId', ...MANY, '无', 'N/A', '-'], MANY, 'other 3'],
	['an order number among 20 IDs', ['toId', ...MANY, '20261128000001234567'], MANY, 'other 1'],
	[
		'a note among 20 names with digits',
		['toId', ...MANY.map((id) => `wxid_${id}`), 'Total'],
		MANY.map((id) => `wxid_${id}`),
		'other 1',
	],
	...['Total', '4', '2026-11-28', 'sample_id', 'external_userid', 'N/A'].map(
		(word): [string, Cells, string[], string] => [
			`${word} below four IDs with letters`,
			['toId|n', `${WO[0]}|1`, `${WO[1]}|2`, 'wxid_0a1b2c|3', 'customer-4|4', `${word}|10`],
			[...WO, 'wxid_0a1b2c', 'customer-4'],
			'other 1',
		],
	),
	[
		'three kinds of IDs',
		['toId', A, '0012345678901234', 'wxid_Ab1c2d'],
		[A, '0012345678901234', 'wxid_Ab1c2d'],
		'',
	],
	[
		'account names with digits and without',
		['toId', 'zhangsan88', 'lisi_99', 'wangwu', 'amy520', 'zhaoliu'],
		['zhangsan88', 'lisi_99', 'wangwu', 'amy520', 'zhaoliu'],
		'',
	],
	[
		'IDs without digits',
		['toId', ...WO, 'woAJ_GCAAAXtWyujaWJHDDGi_mACH_w'.replaceAll('_', 'x')],
		[...WO, 'woAJxGCAAAXtWyujaWJHDDGixmACHxw'],
		'',
	],
	['repeated ones', ['toId', A, `${A} `, `\u200b${A}`, B], [A, B], 'twice 2'],
	[
		'numbers that lost digits',
		['toId', [788130123456789e4], '7.88E+18', [7.881301234567123e15], A],
		[A],
		'cut 3',
	],
	[
		'some long numbers that end in 0',
		['toId', A, B, C, '7881301234567890000', '7881301234567910000'],
		[A, B, C],
		'cut 2',
	],
	[
		'a date, an amount and a difference',
		['toId', A, B, C, 46_355.021_942, 7_881_301.5, -7_881_301].map((cell) => [cell]),
		[A, B, C],
		'other 3',
	],
	['an ID and a remark in a cell', ['toId', `${A}\n甲`, B, C], [B, C], 'lines 1'],
	['an address of two lines', ['toId|地址', `${A}|一楼\n二楼 B2, London`, `${B}|`], [A, B], ''],
])('%s: whoever is no recipient is skipped, and counted', async (_, file, people, skipped) => {
	const { asked, ...result } = await read(file, choose('toId'));
	expect(result).toMatchObject({ people, skipped });
	expect(asked).not.toContain('heading');
});

test('a column of words keeps all words, and the page names those that do not look like IDs', async () => {
	const file = ['昵称|微信号', '甲|zhangsan', '乙|lisi', '丙|zhang88', '丁|王 五'];
	const { people, skipped, page } = await read(file, choose('微信号'));
	expect([people, skipped, page.file!.unlike]).toEqual([
		['zhangsan', 'lisi', 'zhang88'],
		'other 1',
		['zhangsan', 'lisi'],
	]);
	const total = await read(['toId|n', `${WO[0]}|1`, `${WO[1]}|1`, 'Total|2']);
	expect([total.people, total.page.file!.unlike]).toEqual([[...WO, 'Total'], ['Total']]);
});

test('people keep their names, also in the table of a new campaign', async () => {
	const campaign = new Campaign([], { isNew: true, click: () => ({}), unwanted: [B] });
	campaign.file = ['昵称|姓名|toId', `小甲|甲|${A}`, `小乙|乙|${B}`];
	await campaign.run();
	expect(campaign.list).toMatchObject([
		{ toId: A, name: '甲', status: 'sent' },
		{ toId: B, name: '乙', status: '' },
	]);
});

const QUOTE = `"阿杰,${A}\n李,${B}\n"王`;
test.each<[what: string, file: Cells, words: string, name?: string]>([
	[
		'a quote that joins rows',
		['昵称|toId', `甲|${MANY[0]}`, `${QUOTE}|${C}`, `乙|${MANY[1]}`].map(String),
		'the cell “"阿杰,7881301234567890…” has IDs after a line break',
	],
	['two IDs in a cell', ['toId', `${A}\n${B}`, C], 'has IDs after a line break'],
	[
		'names of accounts in a cell',
		['toId', 'wxid_a1b2c3\r\nwxid_d4e5f6', 'wxid_g7h8i9'],
		'has IDs after a line break',
	],
	['more than 50,000 rows', ['toId', ...ids(50_001)], 'more than 50,000 rows'],
	['a heading alone', ['toId'], 'the first sheet has nothing below its heading'],
	['an empty sheet', [''], 'the first sheet is empty'],
	['no spreadsheet', ['%PDF-1.4', 'x'], 'n8n cannot read it', 'list.pdf'],
])('%s: nothing is sent, and the page says why', async (_, file, words, fileName = 'list.xlsx') => {
	const { people } = await read(file, choose(), { fileName });
	expect(people).toHaveLength(1);
	expect(people[0]).toMatch(new RegExp(`^${fileName}: `));
	expect(people[0]).toContain(words);
});

test('50,000 people are read', async () => {
	expect(
		(await read(['toId', ...ids(50_000)], undefined, { values: { mostPerRun: 1e6 } })).people,
	).toHaveLength(50_000);
});
