import { parseBody } from '../nodes/Workchat/service/response/envelope';
import { outcomeOf } from '../nodes/Workchat/service/response/outcome';
import type { Wording } from '../nodes/Workchat/service/failure/wording';
import { responseFailure } from '../nodes/Workchat/service/response/responseFailure';
import { Secrets } from '../nodes/Workchat/service/failure/secrets';

const context: Wording = {
	receiver: 'The service',
	isRepeatable: false,
	secrets: Secrets.NONE,
};
const failureOf = async (text: string) =>
	responseFailure({ status: 200, headers: {} }, await parseBody(Buffer.from(text)), context);

test('code 0, but not ok, is unknown and not repeated', async () => {
	expect(await failureOf('{"ok":false,"code":0,"request_id":"svc_x"}')).toMatchObject({
		message: expect.stringMatching(/not ok/) as string,
		outcome: 'unknown',
		transient: false,
	});
});

test('an envelope without ok is a success by its code', async () => {
	const { envelope } = await parseBody(Buffer.from('{"code":0}'));
	expect(outcomeOf(200, envelope)).toBe('succeeded');
});

test.each(['{"code":"0"}', '{"code":1.5}', '{"code":null}', '[0]', 'null', '"0"'])(
	'%s is no envelope',
	async (text) => {
		expect((await failureOf(text)).message).toMatch(/something else instead/);
	},
);

test.each(['', '<html>', 'text'])(
	'an answer %j instead of an envelope is transient',
	async (text) => {
		expect(await failureOf(text)).toMatchObject({
			outcome: 'unknown',
			transient: true,
		});
	},
);
