import type { IRun } from 'n8n-workflow';

import type { Misbehaviour } from '../../dev/sandbox/misbehaviour';
import { CONTINUE, endsOf } from './messages';
import { sentencesIn } from './sentences';
import { resultOf, SEND, useBench, useMemory, workflowOf, type NodeSettings } from './setup';

type Json = Record<string, unknown>;

/** Parameters that send in one try. */
export const sending = (options: Json = {}, parameters: Json = {}): Json => ({
	...SEND,
	...parameters,
	options: { maxTries: 1, ...options },
});

export const jsonsOf = (run: IRun) => resultOf(run).items.map(({ json }) => json);
export const endsOfRun = (run: IRun) => endsOf(jsonsOf(run));
export const errorsOf = (run: IRun) => jsonsOf(run).map(({ error }) => error as Json | undefined);
/** The message and the description of the error that stopped a run. */
export const wordsOf = (run: IRun) => {
	const { message = 'success', description = '' } = resultOf(run).error ?? {};
	expect(sentencesIn(description ?? '').length).toBeLessThanOrEqual(3);
	return `${message} | ${description}`;
};

/** A bench, n8n's memory, and what tests do with them: send to recipients, and let some of it fail. */
export function useCampaigns() {
	const bench = useBench();
	const memory = useMemory(bench);
	const misbehave = (what: Misbehaviour) => (toId: string, times?: number) =>
		bench.sandbox.misbehave(what, { toId, times });
	return {
		bench,
		memory,
		refuse: misbehave({ kind: 'refuse', code: 1, message: 'no' }),
		/** The message is sent, but no answer comes back. */
		lose: misbehave({ kind: 'dropAfterAccepting' }),
		/** Recipients of all requests. */
		onWire: () => bench.sandbox.requests.map(({ body }) => body?.toId),
		/** Recipients of all messages that were sent. */
		accepted: () => bench.sandbox.messages.map(({ toId }) => toId),
		send: async (items: Json[], parameters = sending(), settings: NodeSettings = CONTINUE) =>
			await bench.engine.run(workflowOf(items, parameters, settings)),
	};
}
