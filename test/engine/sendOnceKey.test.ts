import { DeduplicationStandIn } from '../../dev/engine/deduplicationStandIn';
import { Engine } from '../../dev/engine/engine';
import type { Misbehaviour } from '../../dev/sandbox/misbehaviour';
import { samples } from '../../dev/sandbox/samples';
import { endsOfRun, errorsOf, useCampaigns } from '../support/campaigns';
import { all, CONTINUE, customers, retrying, toIds } from '../support/messages';
import {
	DOWNLOAD,
	INSTANCE,
	KEY,
	looped,
	recipients,
	resultOf,
	SEND,
	VIDEO,
	workflowOf,
} from '../support/setup';
import { eventually } from '../support/turns';

/** In n8n's engine. All else of it stands in the simulation. */

const { bench, memory, onWire, send: sendWith } = useCampaigns();

type Json = Record<string, unknown>;

const NAME = 'spring-offer';
const SKIPPED = {
	skipped: true,
	reason: 'This recipient got a message with this Send Once Key before',
	sendOnceKey: NAME,
};
const REFUSE: Misbehaviour = { kind: 'refuse', code: 1, message: 'no' };

/** Parameters that send under one name, in one try. */
const keyed = (options: Json = {}, parameters: Json = {}): Json => ({
	...SEND,
	...parameters,
	options: { maxTries: 1, sendOnceKey: NAME, ...options },
});
const send = async (items: Json[], parameters = keyed(), settings = CONTINUE) =>
	await sendWith(items, parameters, settings);

describe('a name', () => {
	test.each([
		[
			'={{ $json.campaign }}',
			'Send Once Key comes out empty: check its expression, or the value in the item',
		],
		[' \n ', 'Send Once Key is blank'],
	])('%j is an error', async (sendOnceKey, message) => {
		const run = await send(recipients(2), keyed({ sendOnceKey }));
		const error = expect.objectContaining({ message, outcome: 'notSent' }) as object;
		expect(errorsOf(run)).toEqual([error, error]);
		expect(onWire()).toEqual([]);
	});

	test('is the same however it is written, whatever the message; another is another', async () => {
		const one = async (options: Json, parameters: Json = {}) =>
			endsOfRun(await send(recipients(1), keyed(options, parameters)));
		const feedVideo = JSON.stringify({ ...VIDEO, feedId: 'another' });
		const name = 'Frühling 1';
		expect(await one({ sendOnceKey: name.normalize('NFD') })).toEqual(['sent']);
		expect(await one({ sendOnceKey: name.normalize('NFC') })).toEqual(['skipped']);
		expect(await one({ sendOnceKey: `  ${name}\n` }, { feedVideo })).toEqual(['skipped']);
		expect(await one({ sendOnceKey: 'another' })).toEqual(['sent']);
		expect(await one({ sendOnceKey: '={{ 2026 }}' })).toEqual(['sent']);
		expect(await one({ sendOnceKey: '2026' })).toEqual(['skipped']);
	});
});

describe('n8n is not asked', () => {
	test('about single messages with an empty name', async () => {
		bench.sandbox.misbehave(REFUSE, { toId: 'customer-2' });
		const items = [{ toId: 'customer-2' }, ...recipients(3)];
		await send(items, keyed({ sendOnceKey: '' }), retrying(2, 'continueRegularOutput'));
		expect(bench.sandbox.messages).toHaveLength(4);
		expect(memory.deduplicator.calls.length).toBeLessThanOrEqual(2 * 2);
	});

	test('by downloads, though a name was left in their options', async () => {
		const items = [{ ...bench.sandbox.fieldsOf(samples.document) }];
		const run = await send(items, { ...DOWNLOAD, options: { sendOnceKey: NAME } });
		expect(resultOf(run).items[0]?.binary).toBeDefined();
		expect(memory.deduplicator.calls).toEqual([]);
	});

	test('but whether it answers, where no item can be sent', async () => {
		await send([{ toId: '' }]);
		expect(memory.deduplicator.calls).toEqual(['check']);
	});
});

describe('a later execution', () => {
	test.each([false, true])('skips who got it (Simplify: %s)', async (simplify) => {
		const parameters = keyed({}, { simplify });
		await send(recipients(2), parameters);
		const run = await send(recipients(3), parameters, { onError: 'continueErrorOutput' });

		expect(onWire()).toEqual(toIds(3));
		const data = { messageId: 'sandbox-message-3' };
		const sent = simplify ? data : (expect.objectContaining({ code: 0, data }) as object);
		const { items, errorItems, error } = resultOf(run);
		expect(items).toEqual(
			[{ ...SKIPPED, toId: 'customer-1' }, { ...SKIPPED, toId: 'customer-2' }, sent].map(
				(json, item) => ({ json, pairedItem: { item } }),
			),
		);
		expect([errorItems, error]).toEqual([[], undefined]);
	});

	test('sends to another recipient, from another instance, by another service', async () => {
		const { port } = new URL(bench.sandbox.url);
		await send([{ toId: 'customer-1' }]);
		expect(memory.entries().filter((entry) => entry.startsWith('['))).toEqual([
			`[1,"key","http://127.0.0.1:${port}/","[\\"default-instance\\",\\"customer-1\\"]","${NAME}"]`,
		]);
		expect(endsOfRun(await send([{ toId: 'customer-2' }]))).toEqual(['sent']);
		const fromOther = keyed({}, { instanceGuid: 'other' });
		expect(endsOfRun(await send([{ toId: 'customer-1' }], fromOther))).toEqual(['sent']);

		const at = async (baseUrl: string) => {
			const credential = { apiKey: KEY, baseUrl, defaultInstanceGuid: INSTANCE };
			const engine = await Engine.start({ credential, deduplicator: memory.deduplicator });
			engine.workflowId = bench.engine.workflowId;
			return endsOfRun(await engine.run(workflowOf(recipients(1), keyed(), CONTINUE)));
		};
		expect(await at(`HTTP://127.0.0.1:${port}/`)).toEqual(['skipped']);
		expect(await at(`http://localhost:${port}`)).toEqual(['sent']);
	});

	test('leaves what may have been sent, until Resend if Unknown sends it', async () => {
		const lost: Misbehaviour = { kind: 'dropAfterAccepting' };
		bench.sandbox.misbehave(lost, { toId: 'customer-1', isAccepted: false });
		expect(endsOfRun(await send(recipients(2)))).toEqual(['unknown', 'sent']);

		const inDoubt = await send(recipients(2));
		expect(endsOfRun(inDoubt)).toEqual(['unknown', 'skipped']);
		expect(errorsOf(inDoubt)[0]).toEqual({
			message: `A message with the Send Once Key "${NAME}" was begun for this recipient before, and how that ended is not known`,
			description: expect.stringContaining("switch on 'Resend if Unknown'") as string,
			outcome: 'unknown',
			tried: false,
			toId: 'customer-1',
		});
		expect(onWire()).toHaveLength(2);

		const resend = keyed({ resendUnknown: true });
		bench.sandbox.misbehave(REFUSE, { toId: 'customer-1' });
		for (const parameters of [resend, keyed()])
			expect(endsOfRun(await send(recipients(2), parameters))).toEqual(['unknown', 'skipped']);
		expect(endsOfRun(await send(recipients(2), resend))).toEqual(['sent', 'skipped']);
		expect(endsOfRun(await send(recipients(2), resend))).toEqual(['skipped', 'skipped']);
		expect(onWire()).toHaveLength(4);
	});
});

test('the error of a run names the key as what guards those that were sent', async () => {
	const guarded = /1 message was sent in this run; 1 was not tried\. .*Send Once Key is skipped\.$/;
	const refuse = () => bench.sandbox.misbehave(REFUSE, { toId: 'customer-2' });
	refuse();
	const failed = await send(recipients(3), keyed(), {});
	refuse();
	const again = await bench.engine.retry(workflowOf(recipients(3), keyed()), failed);
	for (const run of [failed, again]) expect(resultOf(run).error?.description).toMatch(guarded);
	expect(endsOfRun(await send(recipients(3)))).toEqual(['skipped', 'sent', 'sent']);
	expect(onWire()).toEqual(customers(1, 2, 2, 2, 3));
});

/** As another process of n8n reaches the same row: it knows the workflow under another ID. */
function inAnotherProcess(): void {
	const { deduplicator } = memory;
	const workflow = { id: bench.engine.workflowId, active: false };
	bench.engine.workflowId = crypto.randomUUID();
	bench.engine.deduplicator = {
		checkProcessedAndRecord: async (items, scope, about, options) =>
			await deduplicator.checkProcessedAndRecord(items, scope, { ...about, workflow }, options),
		removeProcessed: async (items, scope, about) =>
			await deduplicator.removeProcessed(items, scope, { ...about, workflow }),
		getProcessedDataCount: async () => await Promise.resolve(0),
		clearAllProcessedItems: async () => await Promise.resolve(),
	};
}

test.each(['the same process', 'two workers'])('two at once in %s: nobody twice', async (where) => {
	const first = send(recipients(20), keyed({ maxConcurrency: 3 }));
	if (where === 'two workers') inAnotherProcess();
	const runs = await Promise.all([first, send(recipients(20), keyed({ maxConcurrency: 3 }))]);
	for (const run of runs) expect(endsOfRun(run).join()).toMatch(/^((sent|skipped|unknown),?){20}$/);
	const sent = runs.flatMap(endsOfRun).filter((end) => end === 'sent');
	expect(sent).toHaveLength(onWire().length);
	expect(new Set(onWire()).size).toBe(onWire().length);
});

test('after n8n was killed: what was sent is skipped, what was begun or claimed is in doubt', async () => {
	bench.sandbox.misbehave({ kind: 'hang' }, { toId: 'customer-3' });
	const running = bench.engine.begin(workflowOf(recipients(20), keyed(), CONTINUE));
	await eventually(() => onWire().length === 3);
	await eventually(() => !memory.entries().some((entry) => /-1\\"\].* open/.test(entry)));
	inAnotherProcess();
	const ends = endsOfRun(await send(recipients(20)));
	expect([ends[0], ends[2], ends.at(-1)]).toEqual(['skipped', 'unknown', 'sent']);
	expect(new Set(onWire()).size).toBe(onWire().length);
	running.cancel();
	await running.finished;
});

test.each<[string, number, string]>([
	['for a moment, all is sent', 2, 'sent'],
	['for good, nothing is', Infinity, 'notSent'],
])('where the memory fails %s', async (_, failures, end) => {
	let calls = 0;
	const before = () => {
		if (calls++ < failures) throw new Error('the database is gone');
	};
	bench.engine.deduplicator = new DeduplicationStandIn({ before }, bench.engine.workflowId);
	expect(endsOfRun(await send(recipients(3)))).toEqual(all(3, end));
	expect(onWire()).toHaveLength(end === 'sent' ? 3 : 0);
});

test.each([1, 5])('a second row is as the first one ended, %d at once', async (maxConcurrency) => {
	const lost: Misbehaviour = { kind: 'dropAfterAccepting' };
	bench.sandbox.misbehave(REFUSE, { toId: 'customer-2' });
	bench.sandbox.misbehave(lost, { toId: 'customer-3' });
	const run = await send([...recipients(3), ...recipients(3)], keyed({ maxConcurrency }));
	expect(endsOfRun(run)).toEqual(['sent', 'rejected', 'unknown', 'skipped', 'sent', 'unknown']);
});

test('iterations of a loop know of each other', async () => {
	const items = [{ toId: 'customer-1' }, { toId: 'customer-1' }, { toId: 'customer-2' }];
	await bench.engine.run(looped(workflowOf(items, keyed())));
	expect(onWire()).toEqual(toIds(2));
});

test('with Retry On Fail a sent message gives its result, and a skipped one counts as sent', async () => {
	bench.sandbox.misbehave(REFUSE, { toId: 'customer-3' });
	const run = await send(recipients(4), keyed(), retrying(2));
	expect(resultOf(run).error).toBeUndefined();
	expect(endsOfRun(run)).toEqual(all(4, 'sent'));
	const sent = customers(1, 2, 3, 3, 4);
	expect(onWire()).toEqual(sent);

	bench.sandbox.misbehave(REFUSE, { toId: 'customer-5', times: 2 });
	const again = await send(recipients(5), keyed(), retrying(2));
	expect(resultOf(again).error?.description).toMatch(/0 messages were sent in this run\. /);
	expect(onWire()).toEqual([...sent, 'customer-5', 'customer-5']);
});
