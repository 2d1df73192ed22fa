import { TRIGGER } from '../../../dev/engine/workflows';
import { samples } from '../../../dev/sandbox/samples';
import { jsonOf } from '../support/messages';
import { useN8n } from '../support/setup';
import { publishTrigger } from '../support/workflow';

const AT_ONCE = 500;

const here = useN8n(async () => ({
	// By default n8n 2.40 makes an isolate for expressions for every callback, needed or not, except
	// for its own Webhook node (`webhookPhaseNeedsIsolate` in live-webhooks.ts).
	N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
}));

test(`${AT_ONCE} callbacks at once: none is lost`, async () => {
	const trigger = await publishTrigger(here);
	const content = here.sandbox.fieldsOf(samples.document);
	const bodies = Array.from({ length: AT_ONCE }, (_, number) => ({ number, content }));
	const responses = await Promise.all(bodies.map(async (body) => await trigger.post(body)));
	expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
	const items = (await trigger.ended(AT_ONCE)).flatMap((started) => jsonOf(started, TRIGGER));
	const numbers = items.map(({ body }) => (body as { number: number }).number);
	expect([numbers.length, new Set(numbers).size]).toEqual([AT_ONCE, AT_ONCE]);
});
