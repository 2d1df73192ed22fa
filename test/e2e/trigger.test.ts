import { TRIGGER } from '../../dev/engine/workflows';
import { jsonOf } from './support/messages';
import { useN8n } from './support/setup';
import { BY_HAND, chainOf, publishTriggered } from './support/workflow';

/** The service posts callbacks to a published workflow; those with files and videos: recipes.test.ts. */

const here = useN8n();

const RECEIVED = { status: 200, text: '{"received":true}' };
const DIGITS = '12345678901234567890';

test('a callback of any content type starts the workflow; a GET and broken JSON start nothing', async () => {
	const trigger = await publishTriggered(here, chainOf('Trigger', BY_HAND));
	const probe = await fetch(`${trigger.url}?probe=1`);
	expect([probe.status, await probe.text()]).toEqual([200, RECEIVED.text]);
	expect(probe.headers.get('content-type')).toBe('application/json; charset=utf-8');
	expect((await trigger.post('{"broken":')).status).toBe(422); // by n8n itself
	const bodies = [
		[JSON.stringify({ any: ['thing'] }), 'application/json', { any: ['thing'] }],
		[JSON.stringify({ a: 'x=1&y' }), 'application/x-www-form-urlencoded', { a: 'x=1&y' }],
		[`{"id":${DIGITS}}`, 'application/json', { id: DIGITS }],
		[DIGITS, 'application/octet-stream', DIGITS],
	] as const;
	for (const [index, [text, type, body]] of bodies.entries()) {
		expect(await trigger.post(text, type)).toEqual(RECEIVED);
		const started = (await trigger.ended(index + 1))[index];
		expect(jsonOf(started!, TRIGGER)).toMatchObject([{ body, query: {} }]);
	}
});
