import {
	byKeysName,
	digestOf,
	entriesOf,
	keyName,
	runName,
} from '../../../../nodes/Workchat/execution/once/names';

/** n8n holds these for years: a change makes every node forget what it sent. */
test('names are frozen', () => {
	const name = keyName('https://example.com/', '["instance","customer"]', 'e\u0301');
	expect(name).toBe('[1,"key","https://example.com/","[\\"instance\\",\\"customer\\"]","\u00e9"]');
	expect(entriesOf(name)).toEqual([name, `${name} open`]);
	expect(runName({ establishedAt: 1 })).toBe('[1,"run",{"establishedAt":1}]');
	expect(runName({ id: '1' })).toBe('[1,"run",{"id":"1"}]');
	expect(byKeysName({ id: '1' })).toBe('[1,"by keys",{"id":"1"}]');
});

test('a digest is of any value, also one with circles in it', () => {
	const circle: Record<string, unknown> = { a: 1 };
	circle.self = circle;
	expect(digestOf(circle)).toMatch(/^[\w+/]{43}=$/);
});
