import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import execa from 'execa';
import type { IDataObject } from 'n8n-workflow';

import { projectRoot } from '../../../dev/projectRoot';
import { EXAMPLES } from '../../../dev/start/readExample';
import { findFields } from '../../../nodes/Workchat/operations/fields/findFields';
import { sendFeedVideo } from '../../../nodes/Workchat/operations/sendFeedVideo';
import { Recipe } from './recipe';

const [SEND, ASKS] = ['Send Feed Video', 'Not on Do-Not-Contact'];

test('the code that recipes share stands in each of them, as in examples/code', async () => {
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

/** @returns what the robot is sent, and what goes on where it refuses */
function ring(robot: string, answer: string, message = 'example reason') {
	const recipe = new Recipe('alert-when-a-workflow-fails');
	const url = 'https://example.com/execution/7';
	const execution = { error: { message }, url, lastNodeExecuted: 'Send' };
	const given = { workflow: { name: 'Campaign' }, execution };
	const $json = { ...recipe.set('Robot', { $json: given }), robot };
	const body = recipe.resolve(recipe.parametersOf('Tell Somebody').jsonBody, { $json });
	return { body, refused: recipe.code('Refused', [{ data: answer }]) };
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
])('Ring: %s gets the body that it wants', (robot, body) => {
	expect(ring(robot, 'ok')).toEqual({ body, refused: [] });
});

test('Ring: a long reason leaves room for the link', () => {
	const { body } = ring('text', 'ok', '错'.repeat(9000)) as { body: { text: string } };
	expect(body.text).toMatch(/\nhttps:\/\/example\.com\/execution\/7$/);
	expect(Buffer.byteLength(body.text)).toBeLessThan(2048); // as much as WeCom's robot takes
});

test.each([
	...[{ errcode: 93000, errmsg: 'x' }, { errcode: -1 }, { errcode: '40001' }, { code: 19001 }],
	...[{ code: 'Invalid' }, { code: true }, { errcode: 0, StatusCode: 1 }, { ok: false }],
])('Ring: %j fails with what the robot said', (refusal) => {
	const answer = JSON.stringify({ ...refusal, data: 'x'.repeat(400) });
	expect(ring('text', answer).refused).toEqual([{ answer: answer.slice(0, 400) }]);
});

test.each([
	...['ok', '', '1', '<p>ok</p>', 'null', '[]', '"text"', '{}', '{"ok":true}', '{"errcode":"0"}'],
	...['{"code":null,"data":1}', '{"errcode":0,"errmsg":"ok"}', '{"StatusCode":0,"code":0}'],
])('Ring: the answer %s of a robot is fine', (answer) => {
	expect(ring('text', answer).refused).toEqual([]);
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
])('the video of the rows %j: %s', async (rows, words) => {
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
])('Send one video: of %j, it says %s, %j and %j', ($json, status, request_id, reason) => {
	const recipe = new Recipe('send-one-video');
	recipe.put(ASKS, [{ toId: 'customer-1', isUnwanted: status === 'leftOut' }]);
	const became = { toId: 'customer-1', status, request_id, reason };
	expect(recipe.set('What Became of It', { $json })).toEqual(became);
});

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

/** Whom these two send to: those of the list who are not on do-not-contact, in this execution. */
function chosen(name: 'what-comes-in' | 'send-one-video', toIds: unknown[], entries: object[]) {
	const recipe = new Recipe(name);
	const list = toIds.map((toId) => ({ toId })) as IDataObject[];
	recipe.put('Get Do-Not-Contact', entries.length ? (entries as IDataObject[]) : [{}]);
	recipe.put('Get Recipients', list);
	recipe.put('This Part', [{ chat: 'chat-1' }]);
	const execution = { $execution: { id: '17' } };
	const items = recipe.code(ASKS, list, execution);
	const sendTo = ($json: IDataObject, id = '17') =>
		recipe.resolve(recipe.parametersOf(SEND).toId, { $json, $execution: { id } });
	for (const $json of items.filter(({ isUnwanted }) => !isUnwanted))
		expect(() => sendTo($json, '18')).toThrow('click Execute workflow');
	return items.map(($json) => sendTo($json)).filter((toId) => toId !== '');
}

const ENTRIES = ['"p-1"', 'p-2, p-3', 'P-4 ', '微信ID：customer-5-退订', 7881300000333444, null];
const BOTH = ['what-comes-in', 'send-one-video'] as const;
test.each(BOTH)('%s leaves out who is on do-not-contact, however that is written', (name) => {
	const entries = ENTRIES.map((toId, at) => ({ id: at + 1, toId }));
	const unwanted = ['p-1', ' p-2', 'P-3', 'p-4', 'customer-5', '7881300000333444'];
	expect(chosen(name, [...unwanted, 'p-12', 'x'], entries)).toEqual(['p-12', 'x']);
	expect(chosen(name, ['p-1'], [])).toEqual(['p-1']);
});

test.each(BOTH)('%s sends nothing where it could not ask', (name) => {
	const lost = [{ id: 1, toId: '7.88E+18' }];
	expect(() => chosen(name, ['x'], lost)).toThrow(/^Nothing was sent.*row 1/);
	// What n8n hands on where the node is off, or its table another one.
	expect(() => chosen(name, ['x'], [{ id: 'a', name: 'some-table' }])).toThrow('Nothing was sent');
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
test.each(SENDING)('$example asks do-not-contact before $name', ({ name, connections }) => {
	expect(before(connections, name)).toContain('Get Do-Not-Contact');
});

const ACCOUNT = '1688850000111222';
const CHAT = { userId: ACCOUNT, senderId: 'x', receiverId: ACCOUNT, fromRoomId: '0' };
const EVENT = { ...CHAT, guid: 'fake-guid', cmd: 15000, timestamp: 1_790_000_000 };
const PHONE = { senderId: ACCOUNT, receiverId: 'x' };

/** What comes of an event, or of what stands beside it: what is known of it, and what is to be done. */
function coming(event: object, beside: object = {}, settings: Record<string, string> = {}) {
	const recipe = new Recipe('what-comes-in');
	const $json: IDataObject = { event: { ...EVENT, ...event }, ...beside };
	Object.assign($json, recipe.set('Settings', { $json }), settings);
	Object.assign($json, recipe.set('What Came', { $json }));
	return { ...$json, ...recipe.set('What to Do', { $json }) } as IDataObject;
}
const said = (content: unknown) => coming({ msgData: { content } }).part;

const QUOTE = '「小王：春季特惠来了，回复退订可取消」';
test.each([
	...['退订', ' S t o P。', '🛑 退订～', 'ＴＤ', 't', 'Unsubscribe!', '退订\n。。。'],
	// As a reply that quotes, with rulers of all kinds, or without.
	...['------', '- - -', '———', '= = = =', '~~~ '].map((ruler) => `${QUOTE}\n${ruler}\n退订`),
	...[`${QUOTE}\r\n---\r\n退订`, `${QUOTE}\n---\n「b」\n---\n T `, `${QUOTE}\n\n退订`],
	...['> Spring: reply stop\n> or not\nstop', '引用：\n"小王：\n春季"\n\n——————\n\n退 订'],
	// In a group.
	...['@小店 退订', '@My Shop\u2005退订', '＠a\u2005@b c\u2005 td', '@a @b stop'],
	...['退订 @小店', '退订\u2005@小店\u2005', `${QUOTE}\n---\n@My Shop\u2005退订`],
])('Stop: %j', (content) => expect(said(content)).toEqual(['stop']));

test.each([
	...['stop, it, please', '', undefined, 7, '不退订', '-----', 'T恤', '@stop hello', '@stop'],
	...[`${QUOTE}\n---\n好的`, `${QUOTE}\n---\n`, '「退订」\n------\n👍', 'stop\n------\nno'],
	...['「stop」\n好', '> stop\nno', '回复\n退订\n可取消'],
])('No stop: %j', (content) => expect(said(content)).toEqual([]));

test('the words and the chat can be changed', () => {
	const settings = { stopWords: 'no；Non', forwardChat: ' x ' };
	const event = { msgData: { content: 'NON' } };
	const { part } = coming(event, { feedVideo: {}, file: {} }, settings);
	expect(part).toEqual(['stop', 'keep', 'forward', 'file']);
	expect(coming(event, { feedVideo: {} }).part).toEqual(['keep']);
});

const says = (content: string, more: object = {}) => ({ msgData: { content }, ...more });
const state = (code: unknown, more: object = {}) => ({ cmd: 11016, msgData: { code }, ...more });
const offline = (words: string) => ({
	part: ['offline'],
	offline: `The account may be offline: ${words}`,
});
const NOTHING = { part: [], offline: '' };
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
	[{}, { at: '2026-09-21T14:13:20.000Z' }],
	[{ timestamp: '1790000000123' }, { at: '2026-09-21T14:13:20.123Z' }],
	[{ timestamp: 7 }, { at: '' }],
	[says('start'), { part: ['start'] }],
	[says('@a\u2005订阅。'), { part: ['start'] }],
	// An old one may have come again.
	[says('start', { timestamp: undefined }), NOTHING],
	[says('stop', PHONE), NOTHING],
	[says('stop', { senderId: undefined }), NOTHING],
	[says('stop', { senderId: 7, userId: '7' }), NOTHING],
	[state(11022), offline('instance fake-guid, logged out on the phone (code 11022)')],
	[state('11024', { cmd: '11016' }), offline('instance fake-guid, login expired (code 11024)')],
	[state(11099, { guid: '' }), offline('instance, its state changed (code 11099)')],
	[state('11001'), NOTHING],
	[state(undefined), NOTHING],
	[state(11022, { cmd: 15000 }), NOTHING],
	[state(11022, { msgData: undefined }), NOTHING],
])('of the event %j comes %j', (event, comes) => expect(coming(event)).toMatchObject(comes));
