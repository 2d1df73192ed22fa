import { jsonOf } from '../../../nodes/Workchat/operations/simplify';

describe('Simplify', () => {
	const envelope = (data: unknown) => ({ ok: true, code: 0, data }) as never;
	test.each([
		[{ a: 1 }, { a: 1 }],
		[[1, 2], { data: [1, 2] }],
		['text', { data: 'text' }],
		[0, { data: 0 }],
		[null, {}],
		[undefined, {}],
		[{ error: 'none' }, { data: { error: 'none' } }],
	])('of data %j', (data, json) => expect(jsonOf(envelope(data), true)).toEqual(json));
});
