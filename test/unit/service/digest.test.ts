import { digestOf } from '../../../nodes/Workchat/service/digest';

test('a digest is of any value, also one with circles in it', () => {
	const circle: Record<string, unknown> = { a: 1 };
	circle.self = circle;
	expect(digestOf(circle)).toMatch(/^[\w+/]{43}=$/);
});
