import { outputOf } from '../engine/engine';
import {
	KEY,
	INSTANCE,
	recipients,
	resultOf,
	SEND,
	startBench,
	stopBench,
	VIDEO,
	workflowOf,
	type Bench,
} from './setup';

let bench: Bench;
beforeAll(async () => (bench = await startBench()));
beforeEach(() => bench.sandbox.reset());
afterAll(async () => await stopBench(bench));

test('sends exactly the ten documented fields to the documented address', async () => {
	const { sandbox, engine } = bench;
	const run = await engine.run(workflowOf(recipients(1), SEND));

	expect(sandbox.requests).toHaveLength(1);
	const [request] = sandbox.requests;
	expect(request).toMatchObject({ method: 'POST', url: '/workchat/messages/send-feed-video' });
	expect(request?.headers['content-type']).toBe('application/json');
	expect(request?.headers['x-service-key']).toBe(KEY);
	expect(JSON.parse(request?.rawBody ?? '')).toEqual({
		instance_guid: INSTANCE,
		...VIDEO,
		toId: 'customer-1',
	});
	const { items, error } = resultOf(run);
	expect(error).toBeUndefined();
	expect(items).toEqual([
		{
			json: {
				ok: true,
				code: 0,
				message: 'success',
				request_id: expect.stringMatching(/^svc_/),
				data: { messageId: 'sandbox-message-1' },
			},
			pairedItem: { item: 0 },
		},
	]);
	expect(outputOf(run, 'After')).toHaveLength(1);
});
