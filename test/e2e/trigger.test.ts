import { outputOf } from '../../dev/engine/outputOf';
import { CREDENTIAL, DOWNLOAD, nodeOf, SEND } from '../../dev/engine/workflows';
import { callbacks } from '../../dev/sandbox/inventions';
import { samples } from '../../dev/sandbox/samples';
import { endsOf, jsonOf } from './support/messages';
import { useN8n } from './support/setup';
import { AFTER, publishTrigger } from './support/workflow';

/** The service posts callbacks to a published workflow. */

const here = useN8n();

const RECEIVED = { status: 200, text: '{"received":true}' };
const workchat = (parameters: object) =>
	nodeOf(AFTER, 'n8n-nodes-workchat.workchat', {
		parameters: { ...parameters },
		credentials: { workchatApi: { id: '', name: CREDENTIAL } },
		onError: 'continueRegularOutput',
	});

test('a callback starts the workflow and is answered at once; a GET and broken JSON start nothing', async () => {
	const trigger = await publishTrigger(here, 'every');
	const probe = await fetch(`${trigger.url}?probe=1`);
	expect([probe.status, await probe.text()]).toEqual([200, RECEIVED.text]);
	expect(probe.headers.get('content-type')).toBe('application/json; charset=utf-8');
	expect((await trigger.post('{"broken":')).status).toBe(422); // by n8n itself
	expect(await trigger.post({ any: ['thing'] })).toEqual(RECEIVED);
	const [started] = await trigger.ended(1);
	expect(jsonOf(started!, AFTER)).toMatchObject([{ body: { any: ['thing'] }, query: {} }]);
});

test('JSON is read whatever the content type says, and a big number keeps its digits', async () => {
	const trigger = await publishTrigger(here, 'every');
	const digits = '12345678901234567890';
	const bodies = [
		[JSON.stringify({ a: 'x=1&y' }), 'application/x-www-form-urlencoded', { a: 'x=1&y' }],
		[JSON.stringify({ id: digits }), 'application/octet-stream', { id: digits }],
		[digits, 'application/octet-stream', digits],
	] as const;
	for (const [index, [body, type, read]] of bodies.entries()) {
		expect(await trigger.post(body, type)).toEqual(RECEIVED);
		const started = (await trigger.ended(index + 1))[index];
		expect(jsonOf(started!, AFTER).map(({ body }) => body)).toEqual([read]);
	}
});

test("the file of the sandbox's callback is downloaded; a callback without one starts nothing", async () => {
	const trigger = await publishTrigger(
		here,
		'file',
		workchat({ ...DOWNLOAD, specifyFile: 'input' }),
	);
	expect(await here.sandbox.postCallback(trigger.url, 'text')).toEqual(RECEIVED);
	expect(await here.sandbox.postCallback(trigger.url, 'file')).toEqual(RECEIVED);
	const [started] = await trigger.ended(1);
	const [item] = outputOf(started!, AFTER);
	const { body } = await here.n8n.binaryData(item?.binary?.data?.id ?? '', 'download');
	// The second sample, as the text was the first callback.
	expect(body).toEqual(samples.smallImage.content);
});

test('a feed video is sent on as it came, also with a number of many digits', async () => {
	const send = workchat({ ...SEND, toId: 'customer-1', specifyFeedVideo: 'input' });
	const trigger = await publishTrigger(here, 'feedVideo', send);
	const callback = callbacks.feedVideo({ number: 7, coverUrl: 'https://example.com/c', files: [] });
	const withFeedId = (json: string) => JSON.stringify(callback).replace('"fake-feed-id-7"', json);
	expect(await here.sandbox.postCallback(trigger.url, 'file')).toEqual(RECEIVED);
	expect(await trigger.post(withFeedId('"12345678901234567890"'))).toEqual(RECEIVED);
	await trigger.ended(1);
	expect(await trigger.post(withFeedId('12345678901234567890'))).toEqual(RECEIVED);
	const started = await trigger.ended(2);
	expect(started.map((each) => endsOf(each, AFTER))).toEqual([['sent'], ['sent']]);
	expect(here.sandbox.requests.map(({ body }) => [body?.toId, body?.feedId])).toEqual([
		['customer-1', '12345678901234567890'],
		['customer-1', '12345678901234567890'],
	]);
});
