import { entriesOf, keyName, executionName } from '../../../../nodes/Workchat/execution/once/names';

/** n8n holds these for years: a change makes every node forget what it sent. */
test('names are frozen', () => {
	const name = keyName('https://example.com/', '["instance","customer"]', 'e\u0301');
	expect(name).toBe('[2,"key","https://example.com/","[\\"instance\\",\\"customer\\"]","\u00e9"]');
	expect(entriesOf(name)).toEqual([name, `${name} open`]);
	expect(executionName({ establishedAt: 1 })).toBe('[2,"run",{"establishedAt":1},null]');
	expect(executionName({ id: '1', runs: 1 }, 'spring')).toBe(
		'[2,"run",{"id":"1","runs":1},"spring"]',
	);
});
