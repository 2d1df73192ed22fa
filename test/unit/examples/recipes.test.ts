import fc from 'fast-check';

import { Interpreter } from './interpreter';

/** @returns what the robot was sent, and why the recipe failed */
function ring(robot: string, answer: string, message = 'example reason') {
	let body: unknown;
	const recipe = new Interpreter('ring-when-a-workflow-fails', {
		'Tell Somebody': (_, __, valueOf) => {
			body = valueOf('jsonBody');
			return [[{ json: { data: answer } }]];
		},
	});
	const { assignments } = recipe.node('Robot').parameters.assignments as { assignments: object[] };
	Object.assign(assignments[0]!, { value: robot });
	const execution = { error: { message }, url: 'https://example.com/execution/7' };
	recipe.run('Error Trigger', [{ workflow: { name: 'Campaign' }, execution }]);
	return { body, error: recipe.error };
}
const TEXT = 'Campaign failed: example reason\nhttps://example.com/execution/7';

test.each<[string, object]>([
	['WeCom', { msgtype: 'text', text: { content: TEXT } }],
	['dingtalk ', { msgtype: 'text', text: { content: TEXT } }],
	['Feishu', { msg_type: 'text', content: { text: TEXT } }],
	['text', { text: TEXT }],
])('Ring: %s gets the body that it wants', (robot, body) => {
	expect(ring(robot, 'ok')).toEqual({ body });
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
	const refusing = fc.oneof(
		coded,
		others.map((other) => ({ ...other, ok: false })),
	);
	const property = fc.property(refusing, (answer) => {
		const text = shown([answer]);
		expect(ring('text', text).error).toContain(text.slice(0, 400));
	});
	fc.assert(property);
});

test('Ring: any other answer of a robot is fine', () => {
	const none = fc.constantFrom<object>({}, { ok: true }, { errcode: '0' }, { code: null });
	const good = fc.tuple(others, fc.dictionary(codes, fc.constant(0)), none).map(shown);
	const text = fc.constantFrom('ok', '', '1', '<p>ok</p>', 'null', '[]', '"text"');
	const property = fc.property(fc.oneof(good, text), (answer) => {
		expect(ring('text', answer).error).toBeUndefined();
	});
	fc.assert(property);
});

test('Send one video: whatever columns the rows have, the video is its own', () => {
	const names = ['username', 'User Name', 'feedId', 'feedVideo', 'name', 'channelName', '昵称'];
	const row = fc.dictionary(
		fc.constantFrom(...names),
		fc.oneof(fc.string(), fc.constant({ feedId: '' })),
	);
	const property = fc.property(row, (row) => {
		const recipe = new Interpreter('send-one-video', {
			'Send Feed Video': (items, _, valueOf) => [
				items.map((item) => ({
					json: { video: valueOf('feedVideo', item), key: valueOf('options.sendOnceKey', item) },
					from: { node: 'Send Feed Video', item },
				})),
			],
		}).run('When Executed by Another Workflow', [{ ...row, toId: 'customer-1' }]);
		const fake = { username: 'fake-username', feedId: 'fake-feed-id', feedNo: 'fake-feed-no' };
		const [sent] = recipe.out<{ video: object; key: string }>('Send Feed Video');
		expect(sent?.video).toMatchObject({ ...fake, channelName: 'Example Channel' });
		expect(Object.keys(sent?.video ?? {})).toHaveLength(8);
		expect(sent?.key).toBe('spring-offer');
		expect(recipe.out('What Became of It')[0]?.toId).toBe('customer-1');
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
])('Send one video: of %j it says %j', (json, became) => {
	const recipe = new Interpreter('send-one-video', {
		'Send Feed Video': ([item]) => [[{ json, from: { node: 'Send Feed Video', item: item! } }]],
	}).run('When Executed by Another Workflow', [{ toId: 'customer-1' }]);
	expect(recipe.out('What Became of It')).toEqual([{ toId: 'customer-1', ...became }]);
});
