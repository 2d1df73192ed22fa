import { endsOfRun, sending, useCampaigns, wordsOf } from '../support/campaigns';
import { customers, retrying } from '../support/messages';
import { recipients, resultOf, VIDEO } from '../support/setup';

/** In n8n's engine; how keys hold stands in test/unit/execution/once/ and in the simulation. */

const { bench, memory, refuse, lose, onWire, send } = useCampaigns();

const keyed = (sendOnceKey: string, options = {}, parameters = {}) =>
	sending({ sendOnceKey, ...options }, parameters);

test('a later execution skips who got it, and leaves what is in doubt until it is resent', async () => {
	lose('customer-2');
	const first = await send(recipients(2), keyed('={{ 2026 }}', { simplify: true }));
	expect(endsOfRun(first)).toEqual(['sent', 'unknown']);
	// So another recipient, instance or service has messages of its own.
	const name = `[2,"key","${bench.sandbox.url}/","[\\"default-instance\\",\\"customer-1\\"]","2026"]`;
	expect(memory.entries()).toContain(name);

	const feedVideo = JSON.stringify({ ...VIDEO, feedId: 'another' });
	const another = keyed('  2026\n', {}, { feedVideo, simplify: true });
	const next = await send(recipients(2), another, { onError: 'continueErrorOutput' });
	const { items, errorItems } = resultOf(next);
	const reason = 'This recipient got a message with this Send Once Key before';
	const skipped = { skipped: true, reason, sendOnceKey: '2026', toId: 'customer-1' };
	expect(items).toEqual([{ json: skipped, pairedItem: { item: 0 } }]);
	const error = {
		message:
			'A message with the Send Once Key "2026" was begun for this recipient before, and how that ended is not known',
		description: expect.stringContaining("switch on 'Resend if Unknown'") as string,
		outcome: 'unknown',
		tried: false,
		toId: 'customer-2',
	};
	expect(errorItems).toMatchObject([{ json: { error }, pairedItem: { item: 1 } }]);
	const resent = await send(recipients(2), keyed('2026', { resendUnknown: true }));
	expect(endsOfRun(resent)).toEqual(['skipped', 'sent']);
	expect(onWire()).toEqual(customers(1, 2, 2));
});

test.each([{}, { sendOnceKey: 'spring' }])(
	'without an execution ID, %j: each goes out',
	async (options) => {
		refuse('customer-2');
		bench.engine.givesIds = false;
		const run = await send(recipients(2), sending(options));
		bench.engine.givesIds = true;
		expect(endsOfRun(run)).toEqual(['sent', 'rejected']);
		const again = await send(recipients(2), sending(options));
		expect(endsOfRun(again)).toEqual([options.sendOnceKey ? 'skipped' : 'sent', 'sent']);
	},
);

test('the error after Retry On Fail counts what was skipped, and names the key', async () => {
	await send(recipients(1), keyed('spring'));
	refuse('customer-2');
	refuse('customer-3');
	const failed = await send(recipients(4), keyed('spring'), retrying(2));
	expect(wordsOf(failed)).toMatch(
		/: 2 sent or skipped, 1 failed, 1 not tried\. .*Send Once Key is skipped\.$/,
	);
});
