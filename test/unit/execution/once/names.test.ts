import { entriesOf, keyName, runName } from '../../../../nodes/Workchat/execution/once/names';

/** n8n holds these for years: a change makes every node forget what it sent. */
test('names are frozen', () => {
	const name = keyName('https://example.com/', '["instance","customer"]', 'e\u0301');
	expect(name).toBe('[2,"key","https://example.com/","[\\"instance\\",\\"customer\\"]","\u00e9"]');
	expect(entriesOf(name)).toEqual([name, `${name} open`]);
	expect(runName({ establishedAt: 1 }, 'without keys')).toBe(
		'[2,"without keys",{"establishedAt":1}]',
	);
	expect(runName({ id: '1' }, 'without keys')).toBe('[2,"without keys",{"id":"1"}]');
	expect(runName({ id: '1' }, 'by keys')).toBe('[2,"by keys",{"id":"1"}]');
});
