import { join } from 'node:path';

import execa from 'execa';

import { projectRoot } from '../../../dev/projectRoot';
import { Recipe } from './recipe';

test('the code that recipes share stands in each of them, as in examples/code', async () => {
	await execa.node(join(projectRoot, 'examples/code/put.mjs'), ['--check']);
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
	...[
		{ errcode: 93000, errmsg: 'x' },
		{ errcode: -1 },
		{ errcode: '40001' },
		{ code: 19001, msg: '' },
	],
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

test.each<[$json: object, status: string, request_id?: string, reason?: string]>([
	[{ code: 0, request_id: 'svc_1' }, 'sent', 'svc_1'],
	[{ dryRun: true }, 'dryRun'],
	[{ skipped: true, reason: 'as before' }, 'skipped', '', 'as before'],
	[{ error: { outcome: 'unknown', message: 'x', request_id: 'svc_2' } }, 'unknown', 'svc_2', 'x'],
])('Send one video: of %j it says %s', ($json, status, request_id = '', reason = '') => {
	const recipe = new Recipe('send-one-video');
	recipe.put('Video', [{ toId: 'customer-1' }]);
	const became = { toId: 'customer-1', status, request_id, reason };
	expect(recipe.set('What Became of It', { $json })).toEqual(became);
});
