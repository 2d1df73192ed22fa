import type { IRun } from 'n8n-workflow';

import { Engine } from '../../dev/engine/engine';
import type { Misbehaviour } from '../../dev/sandbox/misbehaviour';
import { samples } from '../../dev/sandbox/samples';
import { all, CONTINUE, customers, endsOf, retrying, toIds } from '../support/messages';
import {
	DOWNLOAD,
	INSTANCE,
	KEY,
	looped,
	recipients,
	resultOf,
	SEND,
	useBench,
	useMemory,
	VIDEO,
	workflowOf,
} from '../support/setup';

/** In n8n's engine. All else of it stands in journal, claims and row.test.ts, in virtual time. */

const bench = useBench();
const memory = useMemory(bench);

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
	await bench.engine.run(workflowOf(items, parameters, settings));

const onWire = () => bench.sandbox.requests.map(({ body }) => body?.toId);
const jsonsOf = (run: IRun) => resultOf(run).items.map(({ json }) => json);
const errorsOf = (run: IRun) => jsonsOf(run).map(({ error }) => error as unknown as Json);

const endsOfRun = (run: IRun) => endsOf(jsonsOf(run));

describe('a name', () => {
	test.each([
		[
			'={{ $json.campaign }}',
			'Send Once Key comes out empty: check its expression, or the value in the item',
		],
		['={{ " " }}', 'Send Once Key comes out empty: check its expression, or the value in the item'],
		['={{ { a: 1 } }}', 'Send Once Key is no text'],
		[' \n ', 'Send Once Key is blank'],
		[['spring-offer'], 'Send Once Key is no text'],
		[[], 'Send Once Key is no text'],
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
	test.each([undefined, ''])('about single messages with the name %j', async (sendOnceKey) => {
		bench.sandbox.misbehave(REFUSE, { toId: 'customer-2' });
		const items = [{ toId: 'customer-2' }, ...recipients(3)];
		await send(items, keyed({ sendOnceKey }), retrying(2, 'continueRegularOutput'));
		expect(bench.sandbox.messages).toHaveLength(4);
		expect(memory.deduplicator.calls.length).toBeLessThanOrEqual(2 * 2);
	});

	test('by downloads, though a name was left in their options', async () => {
		const items = [{ ...bench.sandbox.fieldsOf(samples.document) }];
		const run = await send(items, { ...DOWNLOAD, options: { sendOnceKey: NAME } });
		expect(resultOf(run).items[0]?.binary).toBeDefined();
		expect(memory.deduplicator.calls).toEqual([]);
	});

	test('where no item can be sent', async () => {
		await send([{ toId: '' }]);
		expect(memory.deduplicator.calls).toEqual([]);
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
		expect(endsOfRun(await send(recipients(2), resend))).toEqual(['sent', 'skipped']);
		expect(endsOfRun(await send(recipients(2), resend))).toEqual(['skipped', 'skipped']);
		expect(onWire()).toHaveLength(3);
	});
});

test('a name is said to guard those that it guards', async () => {
	const refuse = () => bench.sandbox.misbehave(REFUSE, { toId: 'customer-2' });
	const guarded = /1 of 3 items were sent; 1 was not tried\. .*their Send Once Key keeps/;
	refuse();
	const failed = await send(recipients(3), keyed(), {});
	refuse();
	const again = await bench.engine.retry(workflowOf(recipients(3), keyed()), failed);
	refuse();
	for (const run of [failed, again, await send(recipients(3), keyed(), {})]) {
		expect(resultOf(run).error?.description).toMatch(guarded);
	}
	expect(onWire()).toEqual(['1', '2', '2', '2'].map((number) => `customer-${number}`));
});

test('a name that comes with a Retry is not said to guard what went out without it', async () => {
	bench.sandbox.misbehave(REFUSE, { toId: 'customer-2', times: 2 });
	const failed = await send(recipients(3), SEND, {});
	const again = await bench.engine.retry(workflowOf(recipients(3), keyed()), failed);
	expect(resultOf(again).error?.description).toMatch(
		/1 of 3 items were sent; 1 was not tried\. Retry On Fail.* do not send these again; Execute Workflow does\./,
	);
	await send(recipients(3));
	expect(onWire()).toEqual(['1', '2', '2', '1', '2', '3'].map((number) => `customer-${number}`));
});

test.each<[string, Json]>([
	['after one was lost', SEND],
	['after one was lost under another', keyed({ sendOnceKey: 'another' })],
])('nor, %s, to be all that it takes', async (_, before) => {
	bench.sandbox.misbehave({ kind: 'dropAfterAccepting' }, { toId: 'customer-1' });
	const failed = await send(recipients(3), before, {});
	const again = await bench.engine.retry(workflowOf(recipients(3), keyed()), failed);
	const third = await bench.engine.retry(workflowOf(recipients(3), keyed()), again);
	for (const run of [again, third]) {
		const { description } = resultOf(run).error ?? {};
		expect(description).toMatch(/1 may have been.*set 'On Error' to 'Continue', save, and choose/);
		expect(description).not.toContain('Execute the workflow again');
	}
	expect(onWire()).toEqual(['customer-1']);
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
	expect(resultOf(again).error?.description).toMatch(/4 of 5 items were sent\. /);
	expect(onWire()).toEqual([...sent, 'customer-5', 'customer-5']);
});
