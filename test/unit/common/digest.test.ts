import { digestOf } from '../../../nodes/Workchat/common/digest';

test('a value with circular references has a digest', () => {
	const circle: Record<string, unknown> = { a: 1 };
	circle.self = circle;
	expect(digestOf(circle)).toMatch(/^[\w+/]{43}=$/);
});
