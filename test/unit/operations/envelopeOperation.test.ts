import type { Envelope } from '../../../nodes/Workchat/service/envelope';
import { envelopeToJson } from '../../../nodes/Workchat/operations/envelopeOperation';

const PLAIN = { a: 1, message: 'x' };
test.each<[data: unknown, json: object]>([
	[PLAIN, PLAIN],
	[{ error: null, a: 1 }, { data: { error: null, a: 1 } }],
	[{ $error: 0 }, { data: { $error: 0 } }],
	['text', { data: 'text' }],
	[null, {}],
])('Simplify returns the data %j as %j', (data, json) => {
	expect(envelopeToJson({ code: 0, data } as Envelope, true)).toEqual(json);
});

test('without Simplify, the node returns the envelope, wrapped if it has `$error`', () => {
	const odd = { code: 0, $error: 1 };
	expect(envelopeToJson(odd, false)).toEqual({ envelope: odd });
	expect(envelopeToJson({ code: 0, error: 1 }, false)).toEqual({ code: 0, error: 1 });
});
