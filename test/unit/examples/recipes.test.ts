import { join } from 'node:path';

import execa from 'execa';
import fc from 'fast-check';

import { projectRoot } from '../../../dev/projectRoot';
import { Recipe } from './recipe';

test('the code that recipes share stands in each of them, as in examples/code', async () => {
	await execa.node(join(projectRoot, 'examples/code/put.mjs'), ['--check']);
});

/** @returns what the robot is sent, and what goes on where it refuses */
function ring(robot: string, answer: string, message = 'example reason') {
	const recipe = new Recipe('ring-when-a-workflow-fails');
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

const others = fc.dictionary(fc.constantFrom('errmsg', 'msg', 'data'), fc.string());
const codes = fc.constantFrom('errcode', 'code', 'StatusCode');
const shown = (parts: object[]) => JSON.stringify(Object.assign({}, ...parts));

test('Ring: an answer with a code other than 0 fails with what the robot said', () => {
	const number = fc.integer().filter((code) => code !== 0);
	const code = fc.oneof(number, number.map(String), fc.constantFrom('Invalid', true));
	const coded = fc
		.tuple(others, codes, code)
		.map(([other, key, value]) => ({ ...other, [key]: value }));
	const notOk = others.map((other) => ({ ...other, ok: false }));
	const property = fc.property(fc.oneof(coded, notOk), (answer) => {
		const text = shown([answer]);
		expect(ring('text', text).refused).toEqual([{ answer: text.slice(0, 400) }]);
	});
	fc.assert(property);
});

test('Ring: any other answer of a robot is fine', () => {
	const none = fc.constantFrom<object>({}, { ok: true }, { errcode: '0' }, { code: null });
	const good = fc.tuple(others, fc.dictionary(codes, fc.constant(0)), none).map(shown);
	const text = fc.constantFrom('ok', '', '1', '<p>ok</p>', 'null', '[]', '"text"');
	const property = fc.property(fc.oneof(good, text), (answer) => {
		expect(ring('text', answer).refused).toEqual([]);
	});
	fc.assert(property);
});

test.each([
	[
		{ code: 0, request_id: 'svc_1' },
		{ status: 'sent', request_id: 'svc_1', reason: '' },
	],
	[{ dryRun: true }, { status: 'dryRun', request_id: '', reason: '' }],
	[
		{ skipped: true, reason: 'as before' },
		{ status: 'skipped', request_id: '', reason: 'as before' },
	],
	[
		{ error: { outcome: 'unknown', message: 'lost', request_id: 'svc_2' } },
		{ status: 'unknown', request_id: 'svc_2', reason: 'lost' },
	],
])('Send one video: of %j it says %j', ($json, became) => {
	const recipe = new Recipe('send-one-video');
	recipe.put('Video', [{ toId: 'customer-1' }]);
	expect(recipe.set('What Became of It', { $json })).toEqual({ toId: 'customer-1', ...became });
});
