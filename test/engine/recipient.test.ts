import type { IDataObject } from 'n8n-workflow';

import { inputFailure } from '../../nodes/Workchat/service/failure/failure';
import { errorsOf, useCampaigns, wordsOf } from '../support/campaigns';
import { retrying } from '../support/messages';
import { KEY, NODE, recipients, resultOf, SEND, VIDEO } from '../support/setup';
import { about } from '../support/about';

const { bench, send } = useCampaigns();

describe('the recipient beside a failure', () => {
	test('is one short line', () => {
		const toId = ` customer\n-1\u0007${'x'.repeat(60_000)}`;
		const { details } = inputFailure('It is wrong', 'Mend it.', { ...about, toId });
		expect(details.toId).toBe(`customer -1 ${'x'.repeat(188)}…`);
	});

	test('is the one that the message went to, whatever its expression says now', async () => {
		bench.sandbox.misbehave({ kind: 'refuse', code: 1, message: 'no' }, { times: 2 });
		const parameters = { ...SEND, toId: '={{ "customer-" + Math.random() }}' };
		const [error] = errorsOf(await send([{}], parameters));
		const words = wordsOf(await send([{}], parameters, {}));
		const [continued, stopped] = bench.sandbox.requests.map(({ body }) => String(body?.toId));
		expect(error).toMatchObject({ toId: continued });
		expect(words).toContain(`item 0 (${stopped})`);
	});

	test.each<[string, object]>([
		['a missing value', { feedId: '={{ "" }}' }],
		['a wrong option', { options: { timeout: '={{ 0 }}' } }],
		['a Send Once Key that is an object', { options: { sendOnceKey: '={{ ({}) }}' } }],
	])('is told of %s, too', async (_, more) => {
		const parameters = { ...SEND, ...VIDEO, specifyFeedVideo: 'fields', ...more };
		const [error] = errorsOf(await send(recipients(1), parameters));
		expect(error).toMatchObject({ toId: 'customer-1', tried: false });
	});

	const encodeData = 'fake-encode-data-0123456789';
	const ONE_BY_ONE = { ...SEND, ...VIDEO, encodeData, specifyFeedVideo: 'fields' };
	const inRow = { row: { ...VIDEO, encodeData, feedId: '' } };
	test.each<[string, IDataObject, object]>([
		['of a refused message', {}, ONE_BY_ONE],
		['of one that could not be read', {}, { ...ONE_BY_ONE, feedId: '={{ "" }}' }],
		['found in the item', inRow, { ...SEND, specifyFeedVideo: 'input' }],
		['with a wrong option', {}, { ...ONE_BY_ONE, options: { timeout: '={{ 0 }}' } }],
		['as a name, too', {}, { ...ONE_BY_ONE, options: { sendOnceKey: encodeData } }],
	])('is no secret that was filled in by mistake: %s', async (_, item, parameters) => {
		// In an item that n8n runs again, and in the error that stops the run.
		for (const [toId, settings] of [
			[encodeData, retrying(2, 'continueRegularOutput')],
			[KEY, {}],
		] as const) {
			bench.sandbox.misbehave({ kind: 'dropAfterAccepting' }, { times: 2 });
			const run = await send([item, item], { ...parameters, toId }, settings);
			bench.sandbox.reset();
			const { error, items: put } = resultOf(run);
			const hints = run.data.resultData.runData[NODE]?.at(-1)?.hints;
			const details = (error as { errorResponse?: object })?.errorResponse;
			const jsons = put.map(({ json }) => json);
			const said = JSON.stringify([error?.message, error?.description, details, jsons, hints]);
			expect(said).toMatch(/"outcome"|item 0/);
			expect(said).not.toContain(toId);
		}
	});
});
