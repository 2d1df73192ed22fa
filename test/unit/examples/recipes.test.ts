import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import execa from 'execa';
import type { IDataObject } from 'n8n-workflow';

import { projectRoot } from '../../../dev/projectRoot';
import { EXAMPLES } from '../../../dev/start/readExample';
import { findFields } from '../../../nodes/Workchat/operations/fields/findFields';
import { sendFeedVideo } from '../../../nodes/Workchat/operations/sendFeedVideo';
import { Recipe } from './recipe';

const SEND = 'Send Feed Video';
const CHECKS = {
	'what-comes-in': 'Exclude Do-Not-Contact',
	'send-one-video': 'Mark Do-Not-Contact',
};

test('each recipe has the code of examples/code', async () => {
	await execa.node(join(projectRoot, 'examples/code/put.mjs'), ['--check']);
});

const read = (page: string) => readFileSync(join(projectRoot, page), 'utf8');
test.each(EXAMPLES)('%s has a note, and its name in n8n on every page', (example) => {
	const { name, nodes } = new Recipe(example).workflow;
	expect(nodes.map((node) => node.name)).toContain('How to Use It');
	const link = (folder: string) => `[${example}.workflow.json](${folder}${example}.workflow.json)`;
	expect(read('docs/recipes.md')).toContain(`\n## ${name}\n\n${link('../examples/')}`);
	const chinese = `${link('../../examples/')}，在 n8n 中名为 **${name}**`;
	expect(read('docs/zh-CN/recipes.md')).toContain(chinese);
	expect(read('README.md')).toContain(`- [${name}](docs/recipes.md#`);
	expect(read('docs/zh-CN/README.md')).toContain(`)（${name}）`);
});

/** @returns the body that the bot gets, and the output if it refuses */
function alert(bot: string, answer: string, message = 'example reason') {
	const recipe = new Recipe('alert-when-a-workflow-fails');
	const url = 'https://example.com/execution/7';
	const execution = { error: { message }, url, lastNodeExecuted: 'Send' };
	const given = { workflow: { name: 'Campaign' }, execution };
	const $json = { ...recipe.set('Bot', { $json: given }), bot };
	const body = recipe.resolve(recipe.parametersOf('Notify Bot').jsonBody, { $json });
	return { body, refused: recipe.code('Check Response', [{ data: answer }]) };
}
const TEXT = 'Campaign failed in Send: example reason\nhttps://example.com/execution/7';

test.each<[string, object]>([
	['WeCom', { msgtype: 'text', text: { content: TEXT } }],
	['企业微信', { msgtype: 'text', text: { content: TEXT } }],
	['dingtalk ', { msgtype: 'text', text: { content: TEXT } }],
	['钉钉机器人', { msgtype: 'text', text: { content: TEXT } }],
	['Feishu', { msg_type: 'text', content: { text: TEXT } }],
	[' 飞书', { msg_type: 'text', content: { text: TEXT } }],
	['text', { text: TEXT }],
])('Alert: %s gets the body that it takes', (bot, body) => {
	expect(alert(bot, 'ok')).toEqual({ body, refused: [] });
});

test('Alert: a long reason leaves room for the link', () => {
	const { body } = alert('text', 'ok', '错'.repeat(9000)) as { body: { text: string } };
	expect(body.text).toMatch(/\nhttps:\/\/example\.com\/execution\/7$/);
	expect(Buffer.byteLength(body.text)).toBeLessThan(2048); // the most that WeCom's bot takes
});

test.each([
	...[{ errcode: 93000, errmsg: 'x' }, { errcode: -1 }, { errcode: '40001' }, { code: 19001 }],
	...[{ code: 'Invalid' }, { code: true }, { errcode: 0, StatusCode: 1 }, { ok: false }],
])('Alert: %j fails with the response of the bot', (refusal) => {
	const answer = JSON.stringify({ ...refusal, data: 'x'.repeat(400) });
	expect(alert('text', answer).refused).toEqual([{ answer: answer.slice(0, 400) }]);
});

test.each([
	...['ok', '', '1', '<p>ok</p>', 'null', '[]', '"text"', '{}', '{"ok":true}', '{"errcode":"0"}'],
	...['{"code":null,"data":1}', '{"errcode":0,"errmsg":"ok"}', '{"StatusCode":0,"code":0}'],
])('Alert: the bot accepted it if it responds with %s', (answer) => {
	expect(alert('text', answer).refused).toEqual([]);
});

const VIDEO = Object.fromEntries(
	sendFeedVideo.content!.fields.map(({ name }) => [name, 'https://x']),
);
const TWO = ['1', '2'].map((feedId) => ({ id: feedId, ...VIDEO, feedId }));
/** What n8n's table gives for a name; an empty item, where it has none. */
test.each<[rows: object[], words: string]>([
	[[{ id: 1, name: 'Spring', ...VIDEO }], ''],
	[[{}], 'has: no row of this name'],
	[[{ id: 1, ...VIDEO, feedNo: null }], 'feedNo is empty in row 1'],
	[TWO, 'several times with different values: row 1, row 2'],
])('Send one video: the rows %j give the problem "%s"', async (rows, words) => {
	const recipe = new Recipe('send-one-video');
	recipe.put('Get Feed Video', rows as IDataObject[]);
	const json = recipe.resolve(recipe.parametersOf(SEND).feedVideo);
	const { problems } = await findFields(sendFeedVideo.content!, json, 'the JSON');
	expect(problems.join()).toMatch(words === '' ? /^$/ : words);
});

const DOUBT = { outcome: 'unknown', message: 'x', request_id: 'svc_2' };
test.each<[$json: object, status: string, request_id: string, reason: string]>([
	[{ code: 0, request_id: 'svc_1' }, 'sent', 'svc_1', ''],
	[{ dryRun: true }, 'dryRun', '', ''],
	[{ skipped: true, reason: 'x' }, 'skipped', '', 'x'],
	[{ error: DOUBT }, 'unknown', 'svc_2', 'x'],
	[{ error: { message: 'x' } }, 'leftOut', '', 'left out: do-not-contact'],
])(
	'Send one video: %j gives the status %s, the request_id %j and the reason %j',
	($json, status, request_id, reason) => {
		const recipe = new Recipe('send-one-video');
		recipe.put(CHECKS['send-one-video'], [
			{ toId: 'customer-1', isUnwanted: status === 'leftOut' },
		]);
		const became = { toId: 'customer-1', status, request_id, reason };
		expect(recipe.set('Result', { $json })).toEqual(became);
	},
);

test.each([
	['customer-1', 'customer-1', 'Send the video to customer-1?'],
	['stranger', '', 'stranger is not an allowed recipient: nothing will be sent to it.'],
])('Agent: for %s, the tool sends to "%s", and the chat asks "%s"', (named, toId, question) => {
	const recipe = new Recipe('ai-agent-that-sends-a-video');
	recipe.put('Allowed Recipients', [{ toId: ['customer-1', 'customer-2'] }]);
	const { value } = recipe.parametersOf('Send the Video').workflowInputs as { value: IDataObject };
	expect(recipe.resolve(value.toId, { $fromAI: () => named })).toBe(toId);
	const $tool = { parameters: { Recipient_ID: named } };
	expect(recipe.resolve(recipe.parametersOf('Approve').message, { $tool })).toBe(question);
});

/** The recipients whom these two send to in this execution. */
function chosen(name: 'what-comes-in' | 'send-one-video', toIds: unknown[], entries: object[]) {
	const recipe = new Recipe(name);
	const list = toIds.map((toId) => ({ toId })) as IDataObject[];
	recipe.put('Get Do-Not-Contact', entries.length ? (entries as IDataObject[]) : [{}]);
	recipe.put('Get Recipients', list);
	recipe.put('Task', [{ chat: 'chat-1' }]);
	const execution = { $execution: { id: '17' } };
	const items = recipe.code(CHECKS[name], list, execution);
	const sendTo = ($json: IDataObject, id = '17') =>
		recipe.resolve(recipe.parametersOf(SEND).toId, { $json, $execution: { id } });
	for (const $json of items.filter(({ isUnwanted }) => !isUnwanted))
		expect(() => sendTo($json, '18')).toThrow('click Execute workflow');
	return items.map(($json) => sendTo($json)).filter((toId) => toId !== '');
}

const ENTRIES = ['"p-1"', 'p-2, p-3', 'P-4 ', '微信ID：customer-5-退订', 7881300000333444, null];
const BOTH = ['what-comes-in', 'send-one-video'] as const;
test.each(BOTH)('%s excludes people in do-not-contact, however their IDs are written', (name) => {
	const entries = ENTRIES.map((toId, at) => ({ id: at + 1, toId }));
	const unwanted = ['p-1', ' p-2', 'P-3', 'p-4', 'customer-5', '7881300000333444'];
	expect(chosen(name, [...unwanted, 'p-12', 'x'], entries)).toEqual(['p-12', 'x']);
	expect(chosen(name, ['p-1'], [])).toEqual(['p-1']);
});

test.each(BOTH)('%s sends nothing if it cannot read do-not-contact', (name) => {
	const lost = [{ id: 1, toId: '7.88E+18' }];
	expect(() => chosen(name, ['x'], lost)).toThrow(/^Nothing was sent.*row 1/);
	// The output of the node if it is deactivated or reads another table.
	expect(() => chosen(name, ['x'], [{ id: 'a', name: 'some-table' }])).toThrow('Nothing was sent');
});

test('Forward: an empty table of recipients is an error', () => {
	const recipe = new Recipe('what-comes-in');
	for (const name of ['Get Do-Not-Contact', 'Get Recipients']) recipe.put(name, [{}]);
	expect(() => recipe.code(CHECKS['what-comes-in'], [{}])).toThrow('forward-to is empty');
});

test('Forward: the chat itself gets nothing, however the list has it', () => {
	expect(chosen('what-comes-in', ['x', ' Chat-1'], [])).toEqual(['x']);
});

type Connections = Recipe['workflow']['connections'];
/** Adds the names of all nodes before this one. */
function before(connections: Connections, name: string, found = new Set<string>()) {
	for (const [from, { main = [] }] of Object.entries(connections)) {
		if (found.has(from) || !main.flat().some((to) => to?.node === name)) continue;
		before(connections, from, found.add(from));
	}
	return found;
}

// The first two send to oneself.
const OTHERS = EXAMPLES.filter((name) => !['send-feed-video', 'download-files'].includes(name));
const SENDING = OTHERS.flatMap((example) => {
	const { nodes, connections } = new Recipe(example).workflow;
	return nodes
		.filter(
			({ parameters: { feedVideo, options } }) => feedVideo && !(options as IDataObject).dryRun,
		)
		.map(({ name }) => ({ example, name, connections }));
});
test.each(SENDING)('$example checks do-not-contact before $name', ({ name, connections }) => {
	expect(before(connections, name)).toContain('Get Do-Not-Contact');
});

const ACCOUNT = '1688850000111222';
const CHAT = { userId: ACCOUNT, senderId: 'x', receiverId: ACCOUNT, fromRoomId: '0' };
const EVENT = { ...CHAT, guid: 'fake-guid', cmd: 15000, timestamp: 1_790_000_000 };
const PHONE = { senderId: ACCOUNT, receiverId: 'x' };

/** What the workflow reads in an event, with what the trigger puts beside it, and its tasks. */
function coming(event: object, beside: object = {}, settings: Record<string, string> = {}) {
	const recipe = new Recipe('what-comes-in');
	const $json: IDataObject = { event: { ...EVENT, ...event }, ...beside };
	Object.assign($json, recipe.set('Settings', { $json }), settings);
	Object.assign($json, recipe.set('Callback', { $json }));
	Object.assign($json, recipe.set('Read Callback', { $json, $now: { offset: 8 * 60 } }));
	return { ...$json, ...recipe.set('Select Tasks', { $json }) } as IDataObject;
}
const says = (content: unknown, more: object = {}) => ({ msgData: { content }, ...more });
const said = (content: unknown) => coming(says(content)).tasks;

const QUOTE = '「小王：春季特惠来了，回复退订可取消」';
test.each([
	...['退订', ' S t o P。', '🛑 退订～', 'ＴＤ', 't', 'Unsubscribe!', '退订\n。。。'],
	...['取消订阅', '【取消 订阅】', '@小店 取消订阅[抱拳]'],
	// As a reply that quotes, with rulers of all kinds, or without.
	...['------', '- - -', '———', '= = = =', '~~~ '].map((ruler) => `${QUOTE}\n${ruler}\n退订`),
	...['---\n退订\n---', `小王：\n春季\n- - -\n退订\n- - -`, `${QUOTE}\n===\n---\n退订`],
	...[`${QUOTE}\r\n---\r\n退订`, `${QUOTE}\n---\n「b」\n---\n T `, `${QUOTE}\n\n退订`],
	...['> Spring: reply stop\n> or not\nstop', '引用：\n"小王：\n春季"\n\n——————\n\n退 订'],
	...['&gt; Spring&#10;stop', '<blockquote>退订可取消</blockquote><p>好的</p>\n---\nTD'],
	// In a group.
	...['@小店 退订', '@My Shop\u2005退订', '＠a\u2005@b c\u2005 td', '@a @b stop'],
	...['退订 @小店', '退订\u2005@小店\u2005', `${QUOTE}\n---\n@My Shop\u2005退订`],
	...['stop @a @b', '退订 @My Shop\u2005', '<at user="7">My Shop</at> 退订', '@小店&nbsp;退订'],
	// With what a chat adds.
	...['退订[抱拳]', 'TD[Smile]', '[Emm][强]退订[爱心]', 'ｓｔｏｐ［微笑］', '[OK] T'],
	...[
		'退订/:rose',
		'/:strongTD',
		'TD/::)/::)',
		'/:,@-D退订',
		'stop /:8-) /:rose',
		'退订:rose:',
		':+1: TD',
	],
	...['退订🙏🏽', '👨‍👩‍👧 TD', 'TD ㊙️', '退订1️⃣', 'stop 🇨🇳™️', 'T\u{1FAE8}', '退订\uE409'],
	...[
		'<p>退订</p>',
		'<wx-emoji/>退订',
		'<b>T</b>D<br/>',
		'<msg><content><![CDATA[退订]]></content></msg>',
	],
	...[
		'&lt;span style=&quot;a&quot;&gt;stop&lt;/span&gt;',
		'退订&nbsp;',
		'&#10;TD&#x20;',
		'退订&amp;nbsp;',
	],
	...['TD<img class="emoji" alt="[强]">', '退订&hellip;', '&#20013;&#9999999;'.slice(8) + 'T'],
	// What is left out otherwise, if it is all.
	...[
		'[退订]',
		'【TD】',
		'<stop>',
		'<TD>🙏',
		'<stop><stop>[抱拳]',
		'“退订”',
		'「退订」\n',
		':stop:',
	],
	// Several times.
	...[
		'退订 退订',
		'TD TD TD',
		'退订，退订！',
		'tdtd',
		'退订退订退订',
		'stop。STOP',
		'T T',
		'T，t！',
		'TD/退订',
	],
	...['退订[抱拳]退订[抱拳]', '退订\n退订\n/:rose', 'T [强] T', 'stop/unsubscribe'],
])('the message %j opts its sender out', (content) => expect(said(content)).toEqual(['stop']));

test.each([
	[['退订'], ['stop']],
	[['你们好', '退订'], ['check']],
	[['你们好'], []],
])('in a message of pictures and the texts %j, the texts give the tasks %j', (texts, tasks) => {
	const parts = texts.map((content) => ({ subMsgType: 2, subMsgData: { content } }));
	const picture = { subMsgType: 101, subMsgData: { fileAeskey: 'fake-key' } };
	expect(coming({ msgData: [picture, ...parts, picture] }).tasks).toEqual(tasks);
});

test.each([
	['customer-7', 'customer-7'],
	['', 'unknown sender'],
])('a message to be checked of the sender %j is listed with the toId %j', (sender, toId) => {
	const recipe = new Recipe('what-comes-in');
	recipe.put('Task', [{ sender, said: '退订啦', at: '2026-11-28T01:30:00.000Z' }]);
	const { filters, columns } = recipe.parametersOf('Add to Opt-Outs-to-Check') as {
		filters: { conditions: IDataObject[] };
		columns: { value: IDataObject };
	};
	expect(recipe.resolve(filters.conditions[0]?.keyValue)).toBe(toId);
	expect(recipe.resolve(columns.value.toId)).toBe(toId);
});

test('an opt-out counts after a quoted message of any length', () => {
	expect(said(`「小王：${'春季'.repeat(20_000)}」\n------\n退订`)).toEqual(['stop']);
});

test.each([
	...[
		'',
		undefined,
		7,
		'-----',
		'T恤',
		'@Full Stop\u2005hello',
		'T/T',
		`${QUOTE}\n---\n好的`,
		`${QUOTE}\n---\n`,
	],
	...['「退订」\n------\n👍', '「stop」\n好', '> stop\nno', '<td></td>', '&unknown;', '{"a":1}'],
	// An emoji that has a letter.
	...['/::T', '[微笑]', 'T_T', 'TT', 'T.T', 'T^T', '/::t/::T', '[T恤]'],
	// Words that have a stop word in them.
	...['unstoppable', 'LTD', 'nonstop!', 'stopped it', "Don't"],
])('the message %j opts nobody out', (content) => expect(said(content)).toEqual([]));

test.each([
	...['退订啦', '我要退订', 'stop, it, please', '不退订', '回复\n退订\n可取消'],
	...[
		'取消，TD',
		'退订orz',
		'ok退订',
		'@stop',
		'@小店退订',
		'退订 好吗[抱拳]',
		'please unsubscribe me',
		'[退订]谢谢',
		'stop start',
	],
	// As the stop word may not belong to the name.
	...['@小店退订 谢谢', '谢谢 @退订', '@stop hello', '@小店 退订吧 @My Shop\u2005'],
	...['<stop> 谢谢', '好的<TD>'],
	// Above a ruler, but not as a quote.
	...[
		'退订\n------\n张三',
		'stop\n***\nSent from my phone',
		'stop\n>>>\nbye',
		`${QUOTE}\n---\n退订\n---\n谢谢`,
	],
	// However it is spaced.
	...[
		'退\u200b订啦',
		'S.T.O.P. now please',
		'退·订吧',
		'退🙏订谢谢',
		'取消订阅谢谢',
		'取消—订阅吧',
	],
])('the message %j opts nobody out, but is listed to be checked', (content) =>
	expect(said(content)).toEqual(['check']),
);

/** The tasks for a message, where somebody typed this into Settings. */
const tasksWith = (stopWords: string, content: string) =>
	coming(says(content), {}, { stopWords }).tasks;
test.each([
	...[
		'退订,TD',
		'退订，TD',
		'退订、TD',
		'退订;TD',
		'退订；TD',
		'退订/TD',
		'退订 / TD',
		'退订|TD',
		'退订｜TD',
	],
	...[
		'退订。TD。',
		'退订\tTD',
		'退订\nTD',
		'退订\r\n\r\nTD\r\n',
		'退订\\TD',
		'退订·TD',
		'退订 TD',
		'退订\u3000ＴＤ',
	],
	...[
		...['退订•TD', '退订・TD', '退订&TD', '退订+TD', '退订～TD', '退订-TD', '退订—TD', '退订 - TD'],
		...['退订：TD', '退订！TD', '退订…TD', '退订……TD', '退订.TD', '退订丨TD', '退订¦TD', '退订→TD'],
		...[
			'退订*TD',
			'#退订 #TD',
			'【退订】【TD】',
			'（退订）（TD）',
			'[退订][TD]',
			'<退订><TD>',
			'退订(TD)',
		],
		...[
			'1. 退订\n2. TD',
			'1) 退订 2) TD',
			'• 退订\n• TD',
			'`退订` `TD`',
			'退\u200b订,T.D.',
			'退订_TD',
		],
		'"退订", "TD"',
		'“退订”，“ＴＤ”',
		'「退订」「TD」',
		'"退订""TD"',
		'["退订","td"]',
		'退订、TD……',
		'\u200b退订\ufeff,TD',
	],
])('Settings: the stop words %j are read as 退订 and TD', (stopWords) => {
	for (const word of ['退订', 'td']) expect(tasksWith(stopWords, word)).toEqual(['stop']);
	for (const word of ['stop', '……', 'T', ',']) expect(tasksWith(stopWords, word)).toEqual([]);
	expect(coming({}, {}, { stopWords }).settings).toMatchObject({ stop: ['退订', 'td'] });
});

test.each<[stopWords: string, content: string, tasks: string[]]>([
	['opt out, TD', 'Opt-Out!', ['stop']],
	['opt out, TD', 'out', []],
	['opt out, TD', 'How do I opt out?', ['check']],
	['opt-out & TD', 'opt-out', ['stop']],
	['opt-out & TD', 'out', []],
	["don't write - TD", 'Don’t write!', ['stop']],
	['TD & 🛑', '🛑️', ['stop']],
	['TD, 🛑', '@My🛑Shop 🙏', ['check']],
	['TD, 🇨🇳', '🇨🇳', ['stop']],
	['TD, 👎🏽', '👎', ['stop']],
	['TD, ยกเลิก', 'ยกเลิก', ['stop']],
	['TD, 2️⃣', '2️⃣', ['stop']],
	['0, TD', '0', ['stop']],
	['TD, 🛑', '🛑️', ['stop']],
	['TD, 🛑', '🛑🛑🙏', ['stop']],
	['TD, 🛑', 'TD🛑', ['stop']],
	['TD, 🛑', '谢谢🛑', ['check']],
	['TD, 🛑', '🙏', []],
	['TD、/:no', '/:no/:rose', ['stop']],
	['TD、/:no', 'no', []],
	['[抱拳]，TD', '[抱拳]', ['stop']],
	['[抱拳]，TD', '[微笑]', []],
	['a.b', 'A.B', ['stop']],
	['0000', '00000000', ['stop']],
	['0000', '10000', []],
	['T', 'TTT', []],
])('Settings: with the stop words %j, the message %j gives %j', (stopWords, content, tasks) => {
	expect(tasksWith(stopWords, content)).toEqual(tasks);
});

test.each([
	...[
		'chat-1',
		' Chat-1 ',
		'\u200bchat-1\ufeff',
		'chat\u200d-1',
		'ｃｈａｔ－１',
		'"chat-1"',
		'“chat-1”',
	],
	...[
		"'chat-1",
		'="chat-1"',
		'chat-1，',
		'chat\ufeff-1',
		'“chat-1”。',
		'chat-1\n',
		'chat-1.',
		'：chat-1',
	],
])('Settings: %j is read as the chat chat-1', (forwardChat) => {
	const comes = coming({ fromRoomId: 'CHAT-1' }, { feedVideo: {} }, { forwardChat });
	expect(comes.tasks).toEqual(['keep', 'forward']);
	const other = coming({ fromRoomId: 'chat-2' }, { feedVideo: {} }, { forwardChat });
	expect(other.tasks).toEqual(['keep']);
});

test.each<[settings: Record<string, string>, words: string]>([
	...['', ' ', ',', '，、;', '\u200b', '""', '……', '[]', '***', ' - '].map(
		(stopWords): [Record<string, string>, string] => [{ stopWords }, 'stopWords has no word'],
	),
	[{ stopWords: '{{ $vars.words }}' }, 'stopWords is an expression that was left as text'],
	[{ startWords: '=$json.words' }, 'startWords is an expression that was left as text'],
	...['undefined', 'None', 'N/A', 'false', '[object Array]', '$json.words'].map(
		(stopWords): [Record<string, string>, string] => [{ stopWords }, 'stopWords is an expression'],
	),
	[{ startWords: 'start, td' }, 'td is both in stopWords and in startWords'],
	...[
		'chat-1, chat-2',
		'chat-1 chat-2',
		'chat-1\nchat-2',
		'chat-1；chat-2',
		'客户群',
		'0',
		'7.88E+15',
		'10696051234567891.0',
		'10696051234567891+10696051234567892',
		'。',
	].map((forwardChat): [Record<string, string>, string] => [
		{ forwardChat },
		'forwardChat has to be the ID',
	]),
	[
		{ forwardChat: '7881300000333444/7881300000333445' },
		'forwardChat has to be the ID of one chat',
	],
	[{ forwardChat: '{{ $json.chat }}' }, 'forwardChat is an expression'],
])('Settings: %j fails and says why; the other tasks are done', (settings, words) => {
	const { tasks, settings: read } = coming(PHONE, { file: {}, feedVideo: {} }, settings);
	expect(tasks).toEqual(['settings', 'keep', 'file']);
	expect((read as IDataObject).problem).toMatch(`In Settings, ${words}`);
	const recipe = new Recipe('what-comes-in');
	const { errorMessage } = recipe.parametersOf('Fail: Settings');
	expect(recipe.resolve(errorMessage, { $json: { settings: read } })).toMatch(words);
});

test.each(['7881300000333444:1688850000111222', 'S:1688850000111222_7881300000333444'])(
	'Settings: the chat %s is forwarded, although its ID has two numbers',
	(id) => {
		const comes = coming({ fromRoomId: id }, { feedVideo: {} }, { forwardChat: id });
		expect(comes.tasks).toEqual(['keep', 'forward']);
	},
);

test('Settings: no start words, and no chat, are fine', () => {
	const settings = { startWords: '', forwardChat: '\u200b' };
	expect(coming(says('start'), { feedVideo: {} }, settings).tasks).toEqual(['keep']);
});

test('the note on the canvas shows the words that count', () => {
	const recipe = new Recipe('what-comes-in');
	const { stopWords, startWords } = recipe.set('Settings', {});
	const { content } = recipe.parametersOf('About Opt-Outs and Videos');
	expect(content).toContain(`${String(stopWords)}**`);
	expect(content).toContain(`${String(startWords)}**`);
});

const NOON = '2026-11-28T01:30:00.000Z';
test.each<[time: unknown, at: string]>([
	[1_790_000_000, '2026-09-21T14:13:20.000Z'],
	['1790000000.25', '2026-09-21T14:13:20.250Z'],
	[' 1790000000123 ', '2026-09-21T14:13:20.123Z'],
	[1_790_000_000_123_456, '2026-09-21T14:13:20.123Z'],
	['1790000000123456789', '2026-09-21T14:13:20.123Z'],
	[Number('1790000000123456789'), '2026-09-21T14:13:20.123Z'],
	...[
		...[
			'2026-11-28T09:30:00+08:00',
			'2026-11-28T01:30:00Z',
			'2026-11-28T01:30:00.000000Z',
			'20261128T013000Z',
		],
		...[
			'2026-11-27T20:30-05:00',
			'2026-11-28 01:30:00 UTC',
			'2026-11-28 09:30:00 +0800',
			'2026-11-28 09:30 GMT+8',
			'2026-11-28 09:30:00 +0800 CST',
			'2026-11-28T09:30:00+08:00[Asia/Shanghai]',
			'2026-11-28 09:30:00 GMT+0800 (China Standard Time)',
			'2026-11-28T07:00+05:30',
		],
		// Without a zone, in that of the workflow.
		...[
			'2026-11-28 09:30:00',
			'2026-11-28T09:30:00',
			'2026/11/28 9:30',
			'2026年11月28日 09:30:00',
			'20261128093000',
		],
	].map((time): [unknown, string] => [time, NOON]),
])('the time %j is read as %s', (timestamp, at) => expect(coming({ timestamp }).at).toBe(at));

test.each([
	...[
		0,
		7,
		-1_790_000_000,
		1e300,
		'',
		' ',
		'yesterday',
		'09:30',
		'2026-11-28',
		'2026-13-45 09:30:00',
		// Rather now than half a day off.
		...['2026-11-28 09:30:00 PM', '2026/11/28 9:30 pm', '2026-11-28 09:30:00 PST'],
	],
	...['1234567890123456789012', 'Infinity', 'NaN', null, undefined, true, [], {}, '17:90:00'],
])('%j is not a time, so the callback counts as of now', (timestamp) => {
	const before = new Date().toISOString();
	const { at, tasks } = coming(says('start', { timestamp }));
	expect(tasks).toEqual(['start']);
	expect(at! >= before && at! <= new Date().toISOString()).toBe(true);
});

const state = (code: unknown, more: object = {}) => ({ cmd: 11016, msgData: { code }, ...more });
const offline = (words: string) => ({
	tasks: ['offline'],
	offline: `The account may be offline: ${words}. To bring it online, scan the QR code in the service's console again.`,
});
const NOTHING = { tasks: [], offline: '' };
test.each<[event: object, comes: object]>([
	[{}, { ...NOTHING, account: ACCOUNT, sender: 'x', from: 'x', chat: 'x' }],
	[PHONE, { sender: ACCOUNT, from: 'own', chat: 'x' }],
	[{ fromRoomId: 7 }, { from: 'x', chat: 7 }],
	[
		{ senderId: 7, userId: '7', receiverId: '0' },
		{ from: 'own', chat: '' },
	],
	[
		{ senderId: undefined, userId: undefined },
		{ from: '', account: '' },
	],
	[says('start'), { tasks: ['start'] }],
	[says('@a\u2005订阅。[玫瑰]'), { tasks: ['start'] }],
	[says('重新订阅吧'), NOTHING],
	[says('stop', PHONE), NOTHING],
	[says('please stop', PHONE), NOTHING],
	// Somebody said stop, and Callback does not find who.
	[says('stop', { senderId: undefined }), { tasks: ['check'] }],
	[says('please stop', { senderId: 0 }), { tasks: ['check'] }],
	[says('start', { senderId: undefined }), NOTHING],
	[says('stop', { senderId: 7, userId: '7' }), NOTHING],
	[state(11022), offline('instance fake-guid, logged out on the phone (code 11022)')],
	[state('11024', { cmd: '11016' }), offline('instance fake-guid, login expired (code 11024)')],
	[state(11099, { guid: '' }), offline('instance, its state changed (code 11099)')],
	[state('11001'), NOTHING],
	[state(undefined), NOTHING],
	[state(11022, { cmd: 15000 }), NOTHING],
	[state(11022, { msgData: undefined }), NOTHING],
])('the event %j is read as %j', (event, comes) => expect(coming(event)).toMatchObject(comes));
