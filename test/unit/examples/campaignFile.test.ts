import { Campaign, type Cells } from './campaign';

/** Lists as people have them, in the cells that n8n reads (Extract from File: no header row, raw). */

const A = '7881301234567890123';
const B = '7881301234567890124';
const CUT = [788130123456789e4];
const opened = (file: Cells, fileName = 'list.xlsx') => {
	const campaign = new Campaign([], { isNew: true, file, fileName, answer: () => 'No' });
	campaign.run();
	return campaign.question;
};
const people = (file: Cells) =>
	/people 人(.*)\nColumn 列 (.*): (.*) …/.exec(opened(file))!.slice(1).join(' · ');
/** As n8n gives the bytes of a CSV that is no UTF-8. */
const bytes = (...codes: number[]) => String.fromCharCode(...codes);
/** 客户ID. */
const GBK = `${bytes(0xbf, 0xcd, 0xbb, 0xa7)}ID`;
const UTF_8 = bytes(...Buffer.from('客户ID'));

test.each([
	...['toId', 'TO_ID', '\ufeffRecipient ID', '客户ID', '客户 ID', '微信的ID', '企微ID'],
	...['External User ID', '【收件人 ID】', 'ＩＤ', 'id*'],
])('the heading %s is found', (head) => {
	const taken = ` · “${head.replace('\ufeff', '')}” · a-1, b-1`;
	expect(people([`昵称|${head}`, '甲|a-1', '乙|b-1'])).toBe(taken);
});

const LOST = '⚠ numbers that lost digits 丢失尾数';
test.each<[what: string, file: Cells, taken: string]>([
	['a title above', ['2026 客户名单', '', 'a|微信 ID', `甲|${A}`, '|'], ` · “微信 ID” · ${A}`],
	['GBK', [`${GBK}|x`, `${A}|${GBK}`], ` · “客户ID” · ${A}`],
	['UTF-8 as bytes', [`${UTF_8}|x`, `${A}|é`], ` · “客户ID” · ${A}`],
	['one column without a heading', [A, 'wxid_abc'], ` ·  · ${A}, wxid_abc`],
	['one column with another heading', ['Kunde', 'abcd-1'], ' · “Kunde” · abcd-1'],
	['the only one that can be it', ['昵称|编号|电话', `甲|${A}|13800138000`], ` · “编号” · ${A}`],
	['ID beside 客户ID', ['ID|客户ID', `1|${A}`], ` · “客户ID” · ${A}`],
	['an ID that numbers the rows', ['ID|号码', `1|${A}`, `2|${B}`], ` · “号码” · ${A}, ${B}`],
	['="…", an apostrophe', ['toId', `="${A}"`, `'${B}`], ` · “toId” · ${A}, ${B}`],
	[
		'a lone ID behind a tab, but no note',
		['toId|', `|${A}`, `${B}|`, '|a note'],
		` + 1 without an ID 无 ID · “toId” · ${A}, ${B}`,
	],
	[
		'repeated, empty, cut',
		['toId|x', `${A}|`, `${A} |`, '|1', CUT, '7.88E+18|'],
		` + 1 repeated 重复 + 1 without an ID 无 ID + 2 ${LOST} · “toId” · ${A}`,
	],
	['16 digits, the last lost', ['toId', [7881302147483610], 'p-1'], ` + 1 ${LOST} · “toId” · p-1`],
	['short numbers', ['toId', [12345], '0012345'], ' · “toId” · 12345, 0012345'],
])('%s is found', (_, file, taken) => expect(people(file)).toBe(taken));

test.each<[what: string, file: Cells, words: string, name?: string]>([
	['no such heading', ['a|b', '甲|1380'], 'are: “a”, “b”. Name the right one toId'],
	['two such headings', ['微信ID|客户ID', `wx_a|${A}`], 'The headings are: “微信ID”, “客户ID”'],
	['two that can be it', ['a|b', `${A}|${B}`], 'The headings are: “a”, “b”'],
	['only numbered rows', ['ID|昵称', '1|a', '2|b'], 'The headings are: “ID”, “昵称”'],
	['the list in another sheet', ['说明', '请看第二页'], 'in the first sheet'],
	['IDs above the headings', [A, 'toId', B], 'IDs stand above the headings'],
	['nothing but lost digits', ['toId', CUT], 'numbers that lost their last digits'],
	['a heading alone', ['toId'], 'no ID stands below “toId”'],
	['other long numbers', ['客户ID|订单号', `|${A}`], 'no ID stands below “客户ID”'],
	['an empty sheet', [''], 'the first sheet is empty'],
	['no spreadsheet', ['%PDF-1.4'], 'n8n finds no table. Save it as .xlsx', 'list.pdf'],
])('nothing is sent, and why is said: %s', (_, file, words, name = 'list.xlsx') => {
	expect(() => opened(file, name)).toThrow(`Nothing was sent. In ${name}, `);
	expect(() => opened(file, name)).toThrow(words);
});
