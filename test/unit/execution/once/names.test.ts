import {
	begunName,
	entriesOf,
	digestOf,
	digestOnce,
	hashOf,
	keyName,
	retryName,
} from '../../../../nodes/Workchat/execution/once/names';

/**
 * What messages are called in n8n's memory. Where any of these changes, every node forgets what it
 * sent: so it may change only with the version in it, and the CHANGELOG says so.
 */
describe('frozen:', () => {
	test.each([
		[
			'a message with a key',
			keyName('https://example.com/', '["instance","customer"]', 'spring'),
			'[1,"key","https://example.com/","[\\"instance\\",\\"customer\\"]","spring"]',
			'9dlwhA+ZyqxLhQvoRtSaPA==',
		],
		[
			'a message in a Retry',
			retryName('12', '0', 'source 0'),
			'[1,"retry","12","0","source 0"]',
			'WlyMBKi3ASya0vTvZhxXNw==',
		],
		[
			'a repeated message in a Retry of what left no record',
			retryName('of 1763800000000', 'tool', 'message', 2),
			'[1,"retry","of 1763800000000","tool","message",2]',
			'zqTzlh8AaDqwObHrk9KHyQ==',
		],
		[
			'a run that began',
			begunName(1763800000000, '0'),
			'[1,"begun",1763800000000,"0"]',
			'JZ+pADSixSXkU6fEBXEMMw==',
		],
	])('%s', (_, name, text, hash) => {
		expect(name).toBe(text);
		expect(hashOf(name)).toBe(hash);
		expect(entriesOf(name)).toEqual([text, `${text} open`]);
	});

	test('digests', () => {
		const value = { toId: 'customer', list: [1, null, 'é'] };
		expect(digestOf(value)).toBe('SP+rOt7soa5nWr+eNYGvri7o5PN1NHEXEbHhO6iWRiw=');
		for (const beside of ['a', 'b', 'b', 'a'])
			expect(digestOnce(beside, value)).toBe(digestOf([beside, value]));
	});
});

test('circles make no other name', () => {
	const circle = (): object => {
		const one = { a: 1 };
		return Object.assign(one, { self: one });
	};
	expect(digestOf(circle())).toBe(digestOf(circle()));
});
