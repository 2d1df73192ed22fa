import { retryAfter } from '../nodes/Workchat/service/retryAfter';

describe('Retry-After', () => {
	test.each([
		['seconds', '120', 120_000],
		['a date that is past', new Date(0).toUTCString(), 0],
		['nothing', undefined, undefined],
		['nonsense', 'soon', undefined],
	])('as %s', (_, header, milliseconds) => expect(retryAfter(header)).toBe(milliseconds));

	test('as a date to come', () => {
		const milliseconds = retryAfter(new Date(Date.now() + 10_000).toUTCString());
		expect(milliseconds).toBeGreaterThan(8000);
		expect(milliseconds).toBeLessThanOrEqual(10_000);
	});
});
