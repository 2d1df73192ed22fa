import { checkFields } from '../../../nodes/Workchat/operations/fields/checkFields';
import { plainGuid } from '../../../nodes/Workchat/operations/fields/instanceGuid';
import { messageOperation } from '../../../nodes/Workchat/operations/messageOperation';

const TEXT = {
	value: 'sendText',
	name: 'Send Text',
	action: 'Send a text',
	description: 'Send a text to a customer',
	path: '/workchat/messages/send-text',
};

test.each(['0', 0, ' 00 ', '0000'])('%j is nobody', (toId) => {
	const { fields } = messageOperation({ ...TEXT, fields: [] });
	const source = { valueOf: () => toId, nameOf: () => 'toId', whyEmpty: () => 'is missing' };
	expect(checkFields(fields, source).problems.join()).toMatch(
		/^toId is "0+", which is what stands for the group in a private chat: take the ID of the person$/,
	);
	expect(checkFields(fields, { ...source, valueOf: () => '00a' }).problems).toEqual([]);
});

const UUID = '3f2504e0-4f89-11d3-9a0c-0305e82c3301';
test.each([
	[UUID, UUID],
	[UUID.toUpperCase(), UUID],
	[`{${UUID.toUpperCase()}}`, UUID],
	['3F2504E04F8911D39A0C0305E82C3301', '3F2504E04F8911D39A0C0305E82C3301'],
	['Instance-A', 'Instance-A'],
])('the instance %s is %s', (guid, plain) => expect(plainGuid(guid)).toBe(plain));

test('a message may have fields of its own beside the recipient, and no content', () => {
	const { fields, parameters, contentParameters, isRepeatable } = messageOperation({
		...TEXT,
		fields: [{ name: 'text', label: 'Text', type: 'text', isSecret: true }],
	});
	expect(isRepeatable).toBe(false);
	expect(fields).toMatchObject([{ name: 'toId' }, { name: 'text', isSecret: true }]);
	const names = ['toId', 'text', 'instanceGuid'];
	expect(contentParameters?.map(({ name }) => name)).toEqual(names);
	expect(parameters.map(({ name }) => name)).toEqual([...names, 'simplify', 'options']);
});
