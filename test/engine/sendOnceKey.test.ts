import { endsOfRun, errorsOf, sending, useCampaigns, wordsOf } from '../support/campaigns';
import { all, CONTINUE, customers, retrying, toIds } from '../support/messages';
import { recipients, resultOf, VIDEO } from '../support/setup';

/** In n8n's engine. Workers side by side, kills and a memory that fails stand in the simulation. */

const { bench, memory, refuse, lose, onWire, send: sendWith } = useCampaigns();

type Json = Record<string, unknown>;

const NAME = 'spring-offer';

/** Parameters that send under one name, in one try. */
const keyed = (options: Json = {}, parameters: Json = {}) =>
	sending({ sendOnceKey: NAME, ...options }, parameters);
const send = async (items: Json[], parameters = keyed(), settings = CONTINUE) =>
	await sendWith(items, parameters, settings);

test('a name is the same however it is written, whatever the message, and frozen', async () => {
	const feedVideo = JSON.stringify({ ...VIDEO, feedId: 'another' });
	const first = await send(recipients(1), keyed({ sendOnceKey: '={{ 2026 }}' }));
	const second = await send(recipients(1), keyed({ sendOnceKey: '  2026\n' }, { feedVideo }));
	expect([endsOfRun(first), endsOfRun(second)]).toEqual([['sent'], ['skipped']]);
	// So another recipient, instance or service has messages of its own.
	const name = `[2,"key","${bench.sandbox.url}/","[\\"default-instance\\",\\"customer-1\\"]","2026"]`;
	expect(memory.entries().filter((entry) => entry.startsWith('[2,"key"'))).toEqual([name]);
});

test('a later execution skips who got it', async () => {
	const simple = keyed({}, { simplify: true });
	await send(recipients(1), simple);
	const run = await send(recipients(2), simple, { onError: 'continueErrorOutput' });
	expect(onWire()).toEqual(toIds(2));
	const reason = 'This recipient got a message with this Send Once Key before';
	const skipped = { skipped: true, reason, sendOnceKey: NAME, toId: 'customer-1' };
	const items = [skipped, { messageId: 'sandbox-message-2' }].map((json, item) => {
		return { json, pairedItem: { item } };
	});
	expect(resultOf(run)).toEqual({ items, errorItems: [], error: undefined });
});

test('a later execution leaves what may have been sent, until Resend if Unknown sends it', async () => {
	lose('customer-1');
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
	refuse('customer-1');
	for (const parameters of [resend, keyed()])
		expect(endsOfRun(await send(recipients(2), parameters))).toEqual(['unknown', 'skipped']);
	expect(endsOfRun(await send(recipients(2), resend))).toEqual(['sent', 'skipped']);
	expect(onWire()).toHaveLength(4);
});

test('with Retry On Fail a sent message gives its result; the error counts it, and names the key', async () => {
	await send(recipients(1));
	refuse('customer-3');
	const run = await send(recipients(4), keyed(), retrying(2));
	expect(endsOfRun(run)).toEqual(['skipped', ...all(3, 'sent')]);
	const sent = customers(1, 2, 3, 3, 4);
	expect(onWire()).toEqual(sent);

	refuse('customer-5', 2);
	const failed = await send(recipients(6), keyed(), retrying(2));
	expect(wordsOf(failed)).toMatch(
		/: 4 sent or skipped, 0 may have been sent, 1 failed, 1 not tried\. .*Send Once Key is skipped\.$/,
	);
	expect(onWire()).toEqual([...sent, 'customer-5', 'customer-5']);
});
