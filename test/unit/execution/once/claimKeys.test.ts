import {
	entriesOf,
	executionKey,
	messageKey,
} from '../../../../nodes/Workchat/execution/once/claimKeys';

/** n8n stores these for years: a change would let every node send its messages again. */
test('a key keeps its format in n8n, however its accents are typed, so nobody gets a message again', () => {
	const key = messageKey('https://example.com/', '["instance","customer"]', 'e\u0301');
	expect(key).toBe('[1,"key","https://example.com/","[\\"instance\\",\\"customer\\"]","\u00e9"]');
	expect(entriesOf(key)).toEqual([key, `${key} open`]);
	expect(executionKey({ establishedAt: 1 })).toBe('[1,"run",{"establishedAt":1},""]');
	expect(executionKey({ id: '1', runs: 1 }, 'spring')).toBe(
		'[1,"run",{"id":"1","runs":1},"spring"]',
	);
});
