import type { IExecuteFunctions } from 'n8n-workflow';

import { readInstanceGuid } from '../../../../nodes/Workchat/operations/fields/instanceGuid';

/** What is sent, or what is wrong, where the credential has a default. */
function read(written: string, value: unknown, defaultInstanceGuid = 'default') {
	const getNodeParameter = (_: string, __: number, ___: unknown, options?: object) =>
		options ? written : value;
	const context = { getNodeParameter } as unknown as IExecuteFunctions;
	const credential = { apiKey: 'x', baseUrl: 'https://example.com', defaultInstanceGuid };
	const { body, problems } = readInstanceGuid(context, 0, credential);
	return body.instance_guid ?? problems.join();
}

test('the instance is the one that is entered, or the default', () => {
	expect(read(' own ', ' own ')).toBe('own');
	expect(read('={{ 1 }}', 'own')).toBe('own');
	expect(read(' ', ' ')).toBe('default');
	expect(read('', '', '')).toMatch(
		/^Instance GUID is missing: enter it here, or a default instance/,
	);
});

const EMPTY = 'comes out empty: check its expression';
test.each<[unknown, string]>([
	['', EMPTY],
	[null, EMPTY],
	[undefined, EMPTY],
	[[], 'is a list, but has to be text'],
	[false, 'is a boolean, but has to be text'],
])('an expression that comes out as %j does not use the default', (value, problem) => {
	expect(read('={{ $json.guid }}', value)).toContain(`Instance GUID ${problem}`);
});
