import { setTimeout as wait } from 'node:timers/promises';

import { DeduplicationStandIn } from '../../dev/engine/deduplicationStandIn';
import type { Misbehaviour } from '../../dev/sandbox/misbehaviour';
import { samples } from '../../dev/sandbox/samples';
import { CONTINUE, retrying } from '../support/messages';
import {
	begun,
	DOWNLOAD,
	recipients,
	resultOf,
	SEND,
	stored,
	useBench,
	workflowOf,
	type NodeSettings,
} from '../support/setup';
import { eventually, within } from '../support/turns';

const bench = useBench();

interface Case {
	/** Requests after which the execution is cancelled. */
	requests: number;
	/** For every request, until the end. */
	misbehaviour?: Misbehaviour;
	/** Whether n8n's deduplication store never answers. */
	isSilent?: boolean;
	/** Downloads instead of sending, with the file there. */
	as?: 'link' | 'body';
	options?: object;
}

const hang: Misbehaviour = { kind: 'hang' };
const stall: Misbehaviour = { kind: 'stall' };
const busy: Misbehaviour = { kind: 'httpError', status: 429, retryAfter: '60' };
const single = { maxConcurrency: 1 };
const turns = { requestInterval: 60_000, maxConcurrency: 3 };
const CASES: Array<[string, Case]> = [
	['two sends hang', { misbehaviour: hang, options: { maxConcurrency: 2 }, requests: 2 }],
	['n8n checks what was sent', { isSilent: true, requests: 0 }],
	['three sends wait for the rate limit', { options: turns, requests: 1 }],
	['a send waits for its retry', { misbehaviour: busy, requests: 1 }],
	['a linked download stalls', { as: 'link', misbehaviour: stall, requests: 2, options: single }],
	['a raw body stalls', { as: 'body', misbehaviour: stall, requests: 1, options: single }],
];
const SETTINGS: Array<[string, NodeSettings]> = [
	['stops', {}],
	['continues', CONTINUE],
	['is run again, and continues', retrying(3, CONTINUE.onError)],
];

const areOver = () => bench.sandbox.requests.every(({ endedAt }) => endedAt);

/** Begins a run; resolves when it is at the point to be cancelled. */
async function beginning(wanted: Case, settings: NodeSettings) {
	const { misbehaviour, isSilent, as, options } = wanted;
	const { sandbox, engine } = bench;
	const silent = new DeduplicationStandIn({ before: async () => await new Promise(() => {}) });
	engine.deduplicator = isSilent ? silent : undefined;
	engine.workflowId = crypto.randomUUID(); // Those of the test before may still wait for n8n.
	const on = as === 'link' ? 'file' : 'api';
	if (misbehaviour) sandbox.misbehave(misbehaviour, { times: Infinity, on });
	// More than a reply's first bytes, so that it stalls while n8n stores it.
	if (as) sandbox.answerDownloads({ as, content: 1e6 });
	const { length } = await begun(bench);
	const items = recipients(60).map((one) => ({ ...one, ...sandbox.fieldsOf(samples.video) }));
	const parameters = { ...(as ? DOWNLOAD : SEND), options: { timeout: 60_000, ...options } };
	const running = engine.begin(workflowOf(items, parameters, settings));
	await eventually(async () => {
		if (sandbox.requests.length < wanted.requests) return false;
		if (isSilent) return silent.calls.length > 0;
		if (misbehaviour === stall) return (await begun(bench)).length > length;
		return misbehaviour === hang || areOver();
	});
	return running;
}

describe.each(SETTINGS)('if the node %s on an error', (_, settings) => {
	test.each(CASES)('a run that is cancelled while %s ends at once', async (__, wanted) => {
		const before = await stored(bench);
		const running = await beginning(wanted, settings);
		await wait(50);
		// What has come by then is read, also where the processor was held meanwhile.
		for (let turn = 0; turn < 20; turn++) await new Promise<void>((next) => setImmediate(next));
		// However long the event loop was held before.
		for (const end = performance.now() + 50; performance.now() < end; );
		running.cancel();
		// n8n saves a cancelled execution after a single question to its database, with what nodes have
		// put out by then (n8n 2.41.1, execution-persistence: updateExistingExecution).
		const other = new Promise<string>((resolve) => setImmediate(() => resolve('something else')));
		const ended = running.finished.then(({ status }) => status);
		if (!wanted.as && !settings.retryOnFail)
			expect(await Promise.race([ended, other])).toBe('canceled');
		const run = await within(500, running.finished);
		expect(run.status).toBe('canceled');
		// What was not started leaves nothing behind.
		expect(resultOf(run).items.length).toBeLessThanOrEqual(wanted.requests);

		await eventually(async () => areOver() && (await stored(bench)).length === before.length);
		await wait(300); // in which nothing more may come
		expect(bench.sandbox.requests).toHaveLength(wanted.requests);
		expect(await stored(bench)).toEqual(before);
	});
});
