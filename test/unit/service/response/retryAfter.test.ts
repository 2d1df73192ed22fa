import { retryAfter } from '../../../../nodes/Workchat/service/response/retryAfter';

describe('Retry-After', () => {
	test.each([
		['seconds', '120', 120_000],
		['a date that is past', new Date(0).toUTCString(), 0],
		['nothing', undefined, undefined],
		['nonsense', 'soon', undefined],
	])('as %s', (_, header, milliseconds) => expect(retryAfter(header)).toBe(milliseconds));

	test('as a date to come', () => {
		jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2026, 0, 1));
		expect(retryAfter('Thu, 01 Jan 2026 00:00:10 GMT')).toBe(10_000);
		jest.restoreAllMocks();
	});
});
