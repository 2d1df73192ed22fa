import { messageOperation } from '../../../nodes/Workchat/operations/messageOperation';

test('a message may have fields of its own beside the recipient, and no content', () => {
	const { fields, parameters, contentParameters, isRepeatable } = messageOperation({
		value: 'sendText',
		name: 'Send Text',
		action: 'Send a text',
		description: 'Send a text to a customer',
		path: '/workchat/messages/send-text',
		fields: [{ name: 'text', label: 'Text', type: 'text', isSecret: true }],
	});
	expect(isRepeatable).toBe(false);
	const zero = expect.stringMatching(/^what stands for the group in a private chat/) as string;
	expect(fields).toMatchObject([
		{ name: 'toId', zero },
		{ name: 'text', isSecret: true },
	]);
	const names = ['toId', 'text', 'instanceGuid'];
	expect(contentParameters?.map(({ name }) => name)).toEqual(names);
	expect(parameters.map(({ name }) => name)).toEqual([...names, 'simplify', 'options']);
});
