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
	const execution = { error: { message }, url: 'https://example.com/execution/7' };
	const given = { workflow: { name: 'Campaign' }, execution };
	const $json = { ...recipe.set('Robot', { $json: given }), robot };
	const body = recipe.resolve(recipe.parametersOf('Tell Somebody').jsonBody, { $json });
	return { body, refused: recipe.code('Refused', [{ data: answer }]) };
}
const TEXT = 'Campaign failed: example reason\nhttps://example.com/execution/7';

test.each<[string, object]>([
	['WeCom', { msgtype: 'text', text: { content: TEXT } }],
	['dingtalk ', { msgtype: 'text', text: { content: TEXT } }],
	['Feishu', { msg_type: 'text', content: { text: TEXT } }],
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

test.each<[state: object, code: unknown, words: string]>([
	[{}, 11022, 'logged out on the phone (code 11022)'],
	[{ cmd: '11016' }, '11024', 'login expired (code 11024)'],
	[{}, 11099, 'its state changed (code 11099)'],
	[{}, 11001, ''],
	[{}, '11001', ''],
	[{}, undefined, ''],
	[{ cmd: 15000 }, 11022, ''],
	[{ msgData: undefined }, 11022, ''],
])('Ring: of an event with %j and the code %j it says "%s"', (more, code, words) => {
	const recipe = new Recipe('alert-when-a-workflow-fails');
	const $json = { event: { cmd: 11016, guid: 'fake-guid', msgData: { code }, ...more } };
	expect(recipe.condition('Went Offline', $json)).toBe(words !== '');
	const text = `Workchat instance fake-guid may be offline: ${words}`;
	if (words) expect(recipe.set('Robot', { $json })).toMatchObject({ text });
});

test('Ring: of an event that names no instance it says so much', () => {
	const $json = { event: { cmd: 11016, msgData: { code: 11002 } } };
	const { text } = new Recipe('alert-when-a-workflow-fails').set('Robot', { $json });
	expect(text).toMatch(/^Workchat instance may be offline: logged out/);
});

const OF_LISTS = ['forward-a-feed-video', 'sort-failures', 'send-one-video'] as const;
test.each(OF_LISTS)('%s sends to those whom this execution chose', (name) => {
	const recipe = new Recipe(name);
	const toIdOf = (chosen: object, executes: string) => {
		const $json = { toId: 'customer-1', ...chosen };
		return recipe.resolve(recipe.parametersOf(SEND).toId, { $json, $execution: { id: executes } });
	};
	const chosen = recipe.set('This Execution', { $execution: { id: '17' } });
	expect(toIdOf(chosen, '17')).toBe('customer-1');
	for (const other of [chosen, {}])
		expect(() => toIdOf(other, '18')).toThrow('click Execute workflow');
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
	[TWO, 'in several places with different values: row 1, row 2'],
])('the video of the rows %j: %s', async (rows, words) => {
	for (const name of ['sort-failures', 'send-one-video', 'ai-agent-that-sends-a-video'] as const) {
		const recipe = new Recipe(name);
		recipe.put('Get Feed Video', rows as IDataObject[]);
		const json = recipe.resolve(recipe.parametersOf(SEND).feedVideo);
		const { problems } = await findFields(sendFeedVideo.content!, json, 'the JSON');
		expect(problems.join()).toMatch(words === '' ? /^$/ : words);
	}
});

const PHONE = { senderId: 'account', userId: 'account', fromRoomId: '0' };
test.each<[event: object, chat: string]>([
	[{ ...PHONE, receiverId: 'x' }, 'x'],
	[{ ...PHONE, senderId: 'x', receiverId: 'account' }, 'x'],
	[{ ...PHONE, receiverId: 'x', fromRoomId: 7 }, '7'],
	[{ senderId: 7, userId: '7', receiverId: '0' }, 'undefined'],
	[{}, 'undefined'],
])('Forward: the event %j is of the chat %s', (event, chat) => {
	const recipe = new Recipe('forward-a-feed-video');
	expect(recipe.condition('From This Chat', { event })).toBe(chat);
});

test.each<[$json: object, status: string, request_id?: string, reason?: string]>([
	[{ code: 0, request_id: 'svc_1' }, 'sent', 'svc_1'],
	[{ dryRun: true }, 'dryRun'],
	[{ error: { outcome: 'unknown', message: 'x', request_id: 'svc_2' } }, 'unknown', 'svc_2', 'x'],
])('Send one video: of %j it says %s', ($json, status, request_id = '', reason = '') => {
	const recipe = new Recipe('send-one-video');
	recipe.put('This Execution', [{ toId: 'customer-1' }]);
	const became = { toId: 'customer-1', status, request_id, reason };
	expect(recipe.set('What Became of It', { $json })).toEqual(became);
});

test('Save files: every storage gets each file, under the same name', () => {
	const { nodes, connections } = new Recipe('save-files-from-callbacks').workflow;
	const storages = nodes.filter(({ name }) => name.startsWith('Save '));
	const targets = connections['Download File']?.main?.[0]?.map(({ node }) => node);
	expect(storages.map(({ name }) => name).sort()).toEqual(targets?.sort());
	const common = '{{ $execution.id }}-{{ $itemIndex + 1 }}-{{ $binary.data.fileName }}';
	for (const { parameters } of storages) {
		const name = String(parameters.fileName ?? parameters.path ?? parameters.name);
		expect(name.replace(".replace(/[#?]/g, '_')", '')).toContain(common);
	}
});
