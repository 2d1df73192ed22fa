import type { IRun } from 'n8n-workflow';

import type { Misbehaviour, Schedule } from '../sandbox/misbehaviour';
import {
	INSTANCE,
	recipients,
	resultOf,
	SEND,
	useBench,
	useMemory,
	workflowOf,
	type NodeSettings,
} from './setup';

const bench = useBench();
const memory = useMemory(bench);

const NAME = 'spring-offer';
const SKIPPED = {
	skipped: true,
	reason: 'This recipient got a message with this Send Once Key before',
	sendOnceKey: NAME,
};
const CONTINUE: NodeSettings = { onError: 'continueRegularOutput' };
const REFUSE: Misbehaviour = { kind: 'refuse', code: 1, message: 'no' };

const keyed = (options: object = {}, parameters: object = {}) => ({
	...SEND,
	...parameters,
	options: { maxTries: 1, sendOnceKey: NAME, ...options },
});
const onWire = () => bench.sandbox.requests.map(({ body }) => body?.toId);
const to = (toId: string): Schedule => ({ when: (body) => body.toId === toId });
const jsonOf = (run: IRun) => resultOf(run).items.map(({ json }) => json);
const errorsOf = (run: IRun) =>
	jsonOf(run).map(({ error }) => error as { outcome: string; message: string } | undefined);
const outcomesOf = (run: IRun) => errorsOf(run).map((error) => error?.outcome ?? 'sent');

async function send(
	items: Array<Record<string, unknown>>,
	parameters: object = keyed(),
	settings = CONTINUE,
) {
	return await bench.engine.run(workflowOf(items, parameters as Record<string, unknown>, settings));
}

describe('under one Send Once Key', () => {
	test.each([false, true])(
		'a later execution skips who got it (Simplify: %s)',
		async (simplify) => {
			await send(recipients(2), keyed({}, { simplify }));
			const run = await send(recipients(3), keyed({}, { simplify }));

			expect(onWire()).toEqual(['customer-1', 'customer-2', 'customer-3']);
			const { items } = resultOf(run);
			expect(items.slice(0, 2)).toEqual([
				{ json: SKIPPED, pairedItem: { item: 0 } },
				{ json: SKIPPED, pairedItem: { item: 1 } },
			]);
			expect(items[2]?.json).toEqual(
				simplify
					? { messageId: 'sandbox-message-3' }
					: expect.objectContaining({ code: 0, data: { messageId: 'sandbox-message-3' } }),
			);
			expect(run.data.resultData.error).toBeUndefined();
		},
	);
});
