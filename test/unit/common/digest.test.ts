import { digestOf } from '../../../nodes/Workchat/common/digest';

test('any value has a digest, even one with circles in it', () => {
	const circle: Record<string, unknown> = { a: 1 };
	circle.self = circle;
	expect(digestOf(circle)).toMatch(/^[\w+/]{43}=$/);
});
