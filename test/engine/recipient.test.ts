import { errorsOf, jsonsOf, sending, useCampaigns, wordsOf } from '../support/campaigns';
import { KEY, NODE, SEND, VIDEO } from '../support/setup';

/** The recipient beside a failure. */

const { bench, send } = useCampaigns();

test('a failure names whom the message went to, whatever its expression says now', async () => {
	bench.sandbox.misbehave({ kind: 'refuse', code: 1, message: 'no' }, { times: 2 });
	const parameters = sending({}, { toId: '={{ "customer-" + Math.random() }}' });
	const [error] = errorsOf(await send([{}], parameters));
	const words = wordsOf(await send([{}], parameters, {}));
	const [continued, stopped] = bench.sandbox.requests.map(({ body }) => String(body?.toId));
	expect(error).toMatchObject({ toId: continued });
	expect(words).toMatch(
		RegExp(`The message to ${stopped} was not sent\\. .*, with the request ID\\. `),
	);
});

test.each<[string, object]>([
	['a missing value', { feedId: '={{ "" }}' }],
	['a wrong option', { options: { timeout: '={{ 0 }}' } }],
	['a Send Once Key that is an object', { options: { sendOnceKey: '={{ ({}) }}' } }],
])(
	'an error about %s shortens the recipient, and hides a secret that was filled in there',
	async (_, more) => {
		const encodeData = 'fake-encode-data-0123456789';
		for (const [toId, shown] of [
			['customer-1', 'customer-1'],
			['x'.repeat(60_000), `${'x'.repeat(200)}…`],
			[encodeData, '***'],
			[KEY, '***'],
		] as const) {
			const fields = { ...VIDEO, encodeData, toId, specifyFeedVideo: 'fields' };
			const run = await send([{}], { ...SEND, ...fields, ...more });
			expect(errorsOf(run)).toMatchObject([{ toId: shown, tried: false }]);
			const said = JSON.stringify([jsonsOf(run), run.data.resultData.runData[NODE]?.at(-1)?.hints]);
			expect(said.includes(toId)).toBe(toId === shown);
		}
	},
);
