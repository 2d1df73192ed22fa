import type { Envelope } from '../../../nodes/Workchat/service/envelope';
import { jsonOf } from '../../../nodes/Workchat/operations/envelopeOperation';

test.each<[data: unknown, json: object]>([
	[
		{ a: 1, message: 'x' },
		{ a: 1, message: 'x' },
	],
	[{ error: null, a: 1 }, { data: { error: null, a: 1 } }],
	[{ $error: 0 }, { data: { $error: 0 } }],
	[[1], { data: [1] }],
	['text', { data: 'text' }],
	[null, {}],
	[undefined, {}],
])('the data %j is simplified to %j', (data, json) => {
	expect(jsonOf({ code: 0, data } as Envelope, true)).toEqual(json);
});

test('without Simplify the envelope comes out, or stands in the item where n8n would trip over it', () => {
	const [plain, odd] = [
		{ code: 0, error: 1 },
		{ code: 0, $error: 1 },
	];
	expect([plain, odd].map((each) => jsonOf(each, false))).toEqual([plain, { envelope: odd }]);
});
