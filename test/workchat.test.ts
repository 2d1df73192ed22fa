import type { RequestContext } from '../nodes/Workchat/service/requestContext';
import { successEnvelope } from '../nodes/Workchat/service/workchat';

const context: RequestContext = {
	receiver: 'The service',
	isRepeatable: false,
	secrets: () => [],
};
const head = { status: 200, headers: {} };

test('code 0, but not ok, is unknown and not repeated', async () => {
	const body = Buffer.from('{"ok":false,"code":0,"request_id":"svc_x"}');
	await expect(successEnvelope(head, body, context)).rejects.toMatchObject({
		message: expect.stringMatching(/not ok/) as string,
		outcome: 'unknown',
		transient: false,
	});
});

test('an envelope without ok is a success by its code', async () => {
	const envelope = await successEnvelope(head, Buffer.from('{"code":0}'), context);
	expect(envelope).toEqual({ code: 0 });
});

test.each(['{"code":"0"}', '{"code":1.5}', '{"code":null}', '[0]', 'null', '"0"'])(
	'%s is no envelope',
	async (text) => {
		await expect(successEnvelope(head, Buffer.from(text), context)).rejects.toThrow(
			/something else instead/,
		);
	},
);

test.each(['', '<html>', 'text'])(
	'an answer %j instead of an envelope is transient',
	async (text) => {
		await expect(successEnvelope(head, Buffer.from(text), context)).rejects.toMatchObject({
			outcome: 'unknown',
			transient: true,
		});
	},
);
