import type { IExecuteFunctions } from 'n8n-workflow';

import {
	normalizeGuid,
	readInstanceGuid,
} from '../../../../nodes/Workchat/operations/fields/instanceGuid';

const EMPTY = 'Instance GUID is empty: check its expression';
const MISSING = 'Instance GUID is missing: enter it here, or a default instance';
const EXPRESSION = '={{ $json.guid }}';

test.each<[written: string, value: unknown, sent: string, preset?: string]>([
	[' own ', ' own ', 'own'],
	[EXPRESSION, 'own', 'own'],
	[' ', ' ', 'default'],
	['', '', MISSING, ''],
	// Not the default, which could send from a wrong instance.
	[EXPRESSION, '', EMPTY],
	[EXPRESSION, [], 'Instance GUID is of the type list, but has to be text'],
])(
	'the Instance GUID %j with the value %j gives %j, and never the default if an expression finds nothing',
	(written, value, sent, ...[preset]) => {
		const getNodeParameter = (...[, , , isRaw]: unknown[]) => (isRaw ? written : value);
		const context = { getNodeParameter } as unknown as IExecuteFunctions;
		const credential = { apiKey: 'x', baseUrl: 'x', defaultInstanceGuid: preset ?? 'default' };
		const { body, problems } = readInstanceGuid(context, 0, credential);
		expect(body.instance_guid ?? problems.join().slice(0, sent.length)).toBe(sent);
	},
);

const UUID = '3f2504e0-4f89-11d3-9a0c-0305e82c3301';
test.each([
	[UUID.toUpperCase(), UUID],
	[`{${UUID}}`, UUID],
	['3F2504E04F8911D39A0C0305E82C3301', '3F2504E04F8911D39A0C0305E82C3301'],
	['Instance-A', 'Instance-A'],
])('the node takes the instance %s for %s', (guid, normal) =>
	expect(normalizeGuid(guid)).toBe(normal),
);
